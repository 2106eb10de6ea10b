#pragma once
// How large definitions grow by inlining. Substitution multiplies: a chain of n stages that each
// read the one before twice has 2^n reads in the end, so growth is counted before it happens. A
// definition that would be too long is written with equal parts shared (shared_expressions.h), and
// refused only if it has too many different ones.

#include "core/schedule/state.h"

#include <map>
#include <set>
#include <string>

namespace loopscope {

constexpr std::int64_t kMaxNodes = 20'000; // of one stage's expressions, after inlining

// The expression nodes of a stage's definitions once all stages inlined at present are substituted,
// counted as often as they stand in the text; saturated at 2^62. Stages of the pipeline only:
// copies are small.
std::map<std::string, std::int64_t> nodes_after_inlining(const ScheduleState& state);

// Stages whose definitions become longer than that by inlining; one that is as long as written does
// not count.
std::set<std::string> stages_made_long(const ScheduleState& state);
// The number of different operations, after inlining, of those of these stages that are not inlined
// themselves.
std::map<std::string, std::int64_t> distinct_after_inlining(const ScheduleState& state,
                                                            const std::set<std::string>& stages);

} // namespace loopscope
