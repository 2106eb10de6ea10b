#pragma once
// How large definitions grow by inlining. Substitution multiplies: a chain of n stages that each read the one before
// twice has 2^n reads in the end, so growth is counted before it happens.

#include "core/schedule/state.h"

#include <map>
#include <string>

namespace loopscope {

constexpr std::int64_t kMostNodes = 20'000; // of one definition's expressions, after inlining

// The expression nodes of a stage's definitions once all stages inlined at present are substituted, counted as often
// as they stand in the text; saturated at 2^62. Stages of the pipeline only: copies are small.
std::map<std::string, std::int64_t> nodes_after_inlining(const ScheduleState& state);

} // namespace loopscope
