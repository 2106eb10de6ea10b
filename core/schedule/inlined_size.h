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

// Limits of one stage's expressions after inlining: nodes as written out, and nodes where equal
// parts are shared. The graphs of which the latter are counted are made for each line that inlines,
// and all that follows works on all of them at once.
constexpr std::int64_t kMaxNodes = 20'000;
constexpr std::int64_t kMaxSharedNodes = 8'000;

// The nodes of an expression's text: one that is shared counts in each of its places; saturated at
// 2^61.
std::int64_t written_nodes(const ExprPtr& e);

// Stages whose definitions become longer than kMaxNodes once all stages inlined at present are
// substituted; one that is as long as written does not count.
std::set<std::string> stages_made_long(const ScheduleState& state);
// Those nodes where equal parts are shared, of those of these stages that are not inlined
// themselves; far more than kMaxSharedNodes stand for all that is longer.
std::map<std::string, std::int64_t>
shared_nodes_after_inlining(const ScheduleState& state, const std::set<std::string>& stages);

} // namespace loopscope
