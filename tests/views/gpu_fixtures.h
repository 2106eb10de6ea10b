#pragma once
// Snapshots of GPU schedules: a matrix product with shared memory, registers and a pipeline, on a
// described GPU.

#include "core/schedule/directive.h"
#include "tests/views/fixtures.h"

namespace loopscope::views::test {

DevicePtr described_gpu(const std::string& name = "h200"); // of resources/devices
// matmul in blocks of 64 × 64 and threads of 4 × 4; A and B are copied to shared memory `stages`
// deep.
std::string gpu_matmul(int stages, const std::string& more = {});
// The same with a second level: Ar, the part of A in registers, is loaded one iteration of ki
// ahead.
std::string gpu_matmul_two_levels(int stages);
// A script for `name` under that device, and its parsed form.
struct GpuSchedule {
    ScheduleTreePtr tree;
    std::shared_ptr<const Schedule> schedule;
    EstimatePtr estimate;
    DevicePtr device;
};
GpuSchedule on_gpu(const std::string& name, const std::string& script,
                   const std::string& device = "h200");

} // namespace loopscope::views::test
