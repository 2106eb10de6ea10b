#pragma once
// Nests that share their outer loops (`A.compute_with(B, a)`): one loop runs, and inside it what is left of each nest, in the
// order of the definitions. The loops are the host's, by name and by identity; the other definitions keep theirs in
// their state, for extents and axes, and take the host's variables.
//
// Each group of merged definitions has one head, whose loops are outermost. Between stages a group takes one definition
// of each; of one stage it takes definitions that follow one another.

#include "core/base/result.h"
#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <string>
#include <vector>

namespace loopscope {

struct Layout;

bool any_merges(const ScheduleState& state);
// How many of the definition's outer loops are its host's; 0: it shares none.
std::size_t merged_loops(const ScheduleState& state, const DefinitionKey& definition);
// The variables of those, outermost first.
std::vector<std::string> merged_variables(const ScheduleState& state,
                                          const DefinitionKey& definition);
// All definitions that share loops, with the head's, in the order in which they run. It alone, if it shares none.
std::vector<DefinitionKey> merge_group(const ScheduleState& state, const DefinitionKey& definition);
DefinitionKey merge_head(const ScheduleState& state, DefinitionKey definition);

// Why the loops cannot be shared as the state says, as far as structure tells: places, kinds of loops, the order of
// definitions, stages between that would have to run in the middle. Success if they can.
Status check_merges(const ScheduleState& state, const ReadGraph& graph);
// The same of what extents and regions tell: equal trips, and nothing that is read, or changed, before it is computed.
// Conservative: what is not proven is refused as that. `layout`: of this state.
Status check_merged_order(const ScheduleState& state, const Layout& layout);

} // namespace loopscope
