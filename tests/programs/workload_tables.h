// The tables of resources/workloads.
#pragma once

#include "tests/programs/program_fixture.h"

#include <nlohmann/json.hpp>

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace loopscope::test {

// By the files' names, without ".json".
std::map<std::string, nlohmann::json> workload_tables();

// An operator of a table, as it is scheduled for GPUs.
struct Workload {
    std::string table, name;
    std::string program;  // "conv2d"
    std::string schedule; // the file's name, "conv2d.gpu_few_channels.sched"
    Params params;
};
std::vector<Workload> workloads();
inline void PrintTo(const Workload& w, std::ostream* out) { *out << w.table << ", " << w.name; }

} // namespace loopscope::test
