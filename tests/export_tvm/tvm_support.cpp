#include "tests/export_tvm/tvm_support.h"

#include <cstdlib>

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

} // namespace loopscope::test
