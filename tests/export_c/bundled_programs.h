#pragma once
// The bundled programs under their schedules, for the tests of exporters.

#include "tests/export_c/export_support.h"

namespace loopscope::test {

// Sizes are small and leave tails: large params become odd numbers, and others where the work is
// still large. Programs that ask for others (multiples, or no less than a filter) are given the
// least that they take.
struct BundledProgram {
    std::string name, label;        // "blur", and "blur.cpu" or "blur_default"
    std::string pipeline, schedule; // texts; an empty schedule is the default one
    std::map<std::string, std::int64_t> params;
    ScheduleTreePtr tree;
    bool for_gpu = false; // it binds loops to a GPU's levels, which exports for a CPU run in order
};
// By name, the default schedule of each first. `only`: the program of that name. What does not load
// is a failure of the test.
std::vector<BundledProgram> bundled_programs(const std::string& only = "");

} // namespace loopscope::test
