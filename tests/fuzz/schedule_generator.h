#pragma once
// Random applicable schedules: directives are proposed blindly and kept where the schedule layer accepts them, so that
// legality itself is under test. Counts what was accepted, by directive and kind of definition.

#include "core/schedule/directive.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::fuzz {

// (verb, kind of definition: "pure", "reduction", "update") -> accepted directives.
using Coverage = std::map<std::pair<std::string, std::string>, int>;

struct RandomSchedule {
    std::string text; // a complete `.sched` script
    int directives = 0;
    int proposed = 0;
    int refused = 0;
};

RandomSchedule random_schedule(const PipelinePtr& pipeline, std::uint64_t seed,
                               Coverage* coverage = nullptr);

// A table for people: rows are directives, columns kinds; empty cells stand out.
std::string coverage_table(const Coverage& coverage);
// The cells that must not be empty: every directive of this version on every kind of definition it can apply to.
std::vector<std::pair<std::string, std::string>> empty_cells(const Coverage& coverage);

} // namespace loopscope::fuzz
