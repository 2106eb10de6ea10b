#pragma once
// The algorithm: a Func for each stage, its definitions one after another, and the names by which
// the schedule speaks of them.

#include "compiler/codegen/c/writer.h"
#include "compiler/codegen/halide/dialect.h"

namespace loopscope::codegen {

// Names of a stage's definitions in the program.
struct HalideStage {
    std::string func; // has the definitions, and is scheduled
    // The Func that others read and that is an output: the same, but for tuples that are updated
    std::string result;
    std::vector<std::string> variables; // a Var for each index, in the pipeline's order
    // Per definition: the RVars of its axes, outermost first.
    std::vector<std::vector<std::string>> reductions;
    // Per definition: is its step left in a form in which Halide sees a reduction, for its atomic
    // operations and vectors?
    std::vector<bool> plain;
};

struct HalideAlgorithm {
    CWriter members; // of the program's struct
    CWriter body;    // of define()
    std::map<std::string, HalideStage> stages;
    std::map<std::string, std::string> inputs;    // ImageParams by name
    std::map<std::string, std::string> variables; // index names and loops made of them -> Vars
};

HalideAlgorithm halide_algorithm(const ForeignProgram& program, HalideDialect& dialect);

// The Var of a name, declared where it is new.
std::string halide_variable(HalideAlgorithm& algorithm, HalideDialect& dialect,
                            const std::string& name);

// {{least, extent}, …}, Halide's first dimension first.
std::string halide_region(const std::vector<Interval>& box);

} // namespace loopscope::codegen
