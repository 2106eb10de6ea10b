#pragma once
// Loop programs written by hand, for what schedules make seldom or not yet: in both languages they
// must give what the interpreter of launches on a device gives.

#include "compiler/lower/program.h"
#include "tests/export_c/export_support.h"

namespace loopscope::test {

struct DeviceProgram {
    std::string name, text;
    bool for_opencl = true;
    bool has_clusters = false; // which CUDA C++ knows from sm_90 on
};
const std::vector<DeviceProgram>& device_programs();

// Small whole numbers for the inputs, so that sums are exact in any order, and what the program
// makes of them.
Buffers whole_inputs(const lower::Program& program);
Buffers interpreted(const lower::Program& program, const Buffers& inputs);

} // namespace loopscope::test
