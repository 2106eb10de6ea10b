#pragma once
// The script as calls on a TensorIR schedule.

#include "compiler/codegen/foreign/foreign_program.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct TvmSchedule {
    struct Line {
        std::string text;
        NodeId origin;
    };
    std::vector<Line> lines; // of schedule(sch)
    Diagnostics warnings;
};

// `blocks`: the name of each definition's block. Stages come consumers first, each with its
// placement before its loops: compute_at makes a block's loops anew, and finds only loops that are
// there. Memory, shared loops and pipelines come last, for they speak of what the script leaves. A
// line that a later one replaces is a comment.
Result<TvmSchedule> tvm_schedule(const ForeignProgram& program, const ForeignInput& input,
                                 const std::map<std::pair<std::string, int>, std::string>& blocks);

// Does the exporter have words of its own for the verb? It translates other verbs by what they do
// to loops.
bool tvm_translates(const std::string& verb);

} // namespace loopscope::codegen
