#pragma once
// Sizes that papers and networks run a program at: the tables of resources/workloads.

#include "core/ir/pipeline.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope::session {

struct WorkloadSizes {
    std::string table;  // "resnet18"
    std::string name;   // "C5"
    std::string source; // of the figures: table or figure, and row
    std::map<std::string, std::int64_t> params;
};
// Of the operators that are this pipeline with other params; a table that cannot be read has none.
std::vector<WorkloadSizes> workload_sizes(const Pipeline& pipeline);

} // namespace loopscope::session
