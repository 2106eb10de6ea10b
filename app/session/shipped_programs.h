#pragma once
// The programs that are shipped, as their index describes them, and which of the schedules beside
// them suit a device.

#include "core/base/result.h"
#include "core/device/device.h"

#include <string>
#include <vector>

namespace loopscope::session {

struct ShippedProgram {
    std::string name;    // "harris"
    std::string group;   // "Images"
    std::string teaches; // a line
    int stages = 0;      // without inputs
    std::string file;    // resources/pipelines/harris.loop
};

// What resources/pipelines/programs.json lists, in its order: no program is read for it. Errors:
// the index is not there, or no index.
Result<std::vector<ShippedProgram>> shipped_programs();

// The schedules beside the programs, listed once; which of them may be for a device is decided here
// alone: for a processor NAME.cpu.sched, for a GPU each NAME.gpu….sched whose instructions it has.
// The `target` in such a file is where it was tuned, and decides nothing.
class ShippedSchedules {
public:
    ShippedSchedules();
    std::vector<std::string> suited(const std::string& program, const device::Device& device) const;
    bool any_suits(const std::string& program, const device::Device& device) const;

private:
    std::vector<std::string> of_kind(const std::string& program,
                                     const device::Device& device) const;
    std::vector<std::string> files_; // by name
};

} // namespace loopscope::session
