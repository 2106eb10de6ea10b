#pragma once
// Nests that share their outer loops (`A.compute_with(B, a)`): one loop runs, and inside it the
// rest of each nest, in the order of the definitions. The loops are the host's, by name and by
// identity; the other definitions keep theirs in their state, for extents and axes, and take the
// host's variables.
//
// Each group of merged definitions has one head, whose loops are outermost. The definitions of one
// stage in a group follow one another. A stage may be in several groups, where all of them are of
// the same stages: each group then runs where the first stage has its part of it, one after the
// other.

#include "core/base/result.h"
#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

struct Layout;

bool any_merges(const ScheduleState& state);
// The number of the definition's outer loops that are its host's; 0: it shares none.
std::size_t merged_loops(const ScheduleState& state, const DefinitionKey& definition);
// All definitions that share loops with this one, in the order in which they run, the head
// included. The definition alone, if it shares none.
std::vector<DefinitionKey> merge_group(const ScheduleState& state, const DefinitionKey& definition);
DefinitionKey merge_head(const ScheduleState& state, DefinitionKey definition);

// All groups of a state, found once: to ask for those of many definitions must not mean to look
// through all of them each time.
class MergeGroups {
public:
    explicit MergeGroups(const ScheduleState& state);

    // Groups in the order of their first definitions; definitions in the order in which they run.
    const std::vector<std::vector<DefinitionKey>>& all() const { return groups_; }
    // The group of a definition; null: it shares no loops.
    const std::vector<DefinitionKey>* of(const DefinitionKey& definition) const;
    const DefinitionKey& head(std::size_t group) const { return heads_[group]; }

private:
    std::vector<std::vector<DefinitionKey>> groups_;
    std::vector<DefinitionKey> heads_; // of groups
    std::map<DefinitionKey, std::size_t> group_of_;
};

// Orders stages at one place, from the order of the state, so that all of a group stand before what
// depends on one of them: a group runs where its last stage stands.
void stand_together(const ScheduleState& state, const MergeGroups& groups,
                    std::vector<const StageState*>& siblings);

// Checks a line that has changed the loops of a definition, which were `before`. Errors: the
// definition, or one that shares its loops, would share other loops than the line that merged them
// said.
Status check_shared_loops_stay(const ScheduleState& state, const DefinitionKey& changed,
                               const std::vector<LoopState>& before);

// Why the loops cannot be shared as the state says, as far as its structure tells: places, kinds of
// loops, the order of definitions, stages between that would have to run in the middle. Success if
// they can.
Status check_merges(const ScheduleState& state, const ReadGraph& graph);
// The same, as far as extents and regions tell: equal trips, and nothing that is read, or changed,
// before it is computed. Conservative: a merge that is not proven right is refused as not proven.
// `layout`: this state's.
Status check_merged_order(const ScheduleState& state, const Layout& layout);

// The same check in pieces, for callers who know that most of it holds already.
struct MergedOrder {
    std::vector<DefinitionKey> trips; // definitions that share a host's loops
    // the later one may depend on the earlier
    std::vector<std::pair<DefinitionKey, DefinitionKey>> pairs;
    std::set<std::string> stages; // whose layouts these ask for
};
// The pieces that concern a stage for which `concerns` holds, also one whose loops are around.
MergedOrder merged_order(const ScheduleState& state,
                         const std::function<bool(const std::string&)>& concerns);
Status check_merged_order(const ScheduleState& state, const Layout& layout,
                          const MergedOrder& order);

} // namespace loopscope
