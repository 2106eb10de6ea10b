#pragma once
// Random applicable schedules: directives are proposed one by one at random, or as sequences that
// people write (expert_lines.h), and kept where the schedule layer accepts them, so that legality
// itself is under test. Counts what was accepted, by directive and kind of definition, and what
// stands together with what.

#include "core/schedule/directive.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::fuzz {

// What was accepted.
struct Coverage {
    using Cells = std::map<std::pair<std::string, std::string>, int>;
    Cells kinds;  // (verb, kind of definition: "pure", "reduction", "update"); tails count as verbs
    Cells beside; // (verb, later one in the alphabet): both in one schedule
    Cells stacked; // … and both on one stage
};

// Each judged pair stacks at least this many.
constexpr int kMinDirectives = 3;

struct RandomSchedule {
    std::string text; // a complete `.sched` script
    int directives = 0;
    int proposed = 0;
    int refused = 0;
};

// `favoured`: verbs that most of the directives drawn one by one shall have, for a close look at
// these.
RandomSchedule random_schedule(const PipelinePtr& pipeline, std::uint64_t seed,
                               Coverage* coverage = nullptr,
                               const std::vector<std::string>& favoured = {});

// One line, drawn blindly: for who wants refusals.
std::string random_line(const ScheduleState& state, class Random& random, int& fresh);

// Tables for people: rows are directives, columns kinds; empty cells stand out. Then how many pairs
// of directives met.
std::string coverage_table(const Coverage& coverage);
// How many pairs of directives there are.
std::size_t possible_pairs();
// The cells that must not be empty: every directive of this version on every kind of definition it
// can apply to.
std::vector<std::pair<std::string, std::string>> empty_cells(const Coverage& coverage);

} // namespace loopscope::fuzz
