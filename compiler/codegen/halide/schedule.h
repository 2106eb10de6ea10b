#pragma once
// The script as Halide's scheduling calls, line by line.

#include "compiler/codegen/halide/algorithm.h"

namespace loopscope::codegen {

struct HalideSchedule {
    CWriter body; // of schedule()
    Diagnostics warnings;
};

// New loops become Vars and RVars among the algorithm's members.
Result<HalideSchedule> halide_schedule(const ForeignProgram& program, const ForeignInput& input,
                                       HalideDialect& dialect, HalideAlgorithm& algorithm);

// Does the exporter have words of its own for the verb? It translates other verbs by what they do
// to loops.
bool halide_translates(const std::string& verb);

} // namespace loopscope::codegen
