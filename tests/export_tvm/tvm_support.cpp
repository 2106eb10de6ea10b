#include "tests/export_tvm/tvm_support.h"

#include "compiler/codegen/host/host_info.h"
#include "core/device/device.h"
#include "core/language/schedule_parser.h"
#include "tests/export_c/export_support.h"

#include <cstdlib>

namespace loopscope::test {

codegen::ForeignSource tvm_source_of(const ScheduleTreePtr& tree, const std::string& script) {
    Schedule schedule;
    schedule.pipeline = tree->pipeline->name;
    if (!script.empty())
        schedule =
            parse_schedule(std::make_shared<SourceFile>("test.sched", script), tree->pipeline.get())
                .value();
    device::Device device;
    device.vector_bits = codegen::host_info().vector_bits;
    codegen::ForeignInput input;
    input.script = script;
    input.schedule = &schedule;
    input.context.device = &device;
    input.tree = tree;
    return codegen::tvm_source(input).value();
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
