#include "tests/export_tvm/tvm_support.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace loopscope::test {

codegen::ForeignSource tvm_source_of(const ScheduleTreePtr& tree, const std::string& script) {
    return foreign_source_of(codegen::tvm_source, tree, script);
}

std::string python() {
    const char* named = std::getenv("LOOPSCOPE_PYTHON");
    return named ? named : "python3";
}

bool has_tvm() {
    static const bool found = [] {
        std::string ignored;
        return run_command(python() + " -c 'import tvm, tvm.s_tir'", ignored) == 0;
    }();
    return found;
}

std::string no_tvm() {
    return "TVM is not installed for " + python() + " (pip install apache-tvm)";
}

std::string said_by(const codegen::ForeignSource& program, const ScheduleTreePtr& tree,
                    unsigned seed) {
    auto stem = (scratch() / tree->pipeline->name).string();
    std::ofstream(stem + ".py") << program.text;
    auto inputs = random_inputs_of(*tree->pipeline, seed);
    std::string said;
    if (run_command(python() + " " + stem + ".py" + written_inputs(stem, inputs) +
                        output_arguments(stem, *tree->pipeline),
                    said) != 0)
        throw std::runtime_error(said);
    if (auto wrong = wrong_in(*tree, inputs, read_outputs(stem, *tree->pipeline)); !wrong.empty())
        throw std::runtime_error(wrong);
    return said;
}

} // namespace loopscope::test
