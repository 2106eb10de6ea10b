#pragma once
// Nests that share their outer loops (`A.compute_with(B, a)`): one loop runs, and inside it what is
// left of each nest, in the order of the definitions. The loops are the host's, by name and by
// identity; the other definitions keep theirs in their state, for extents and axes, and take the
// host's variables.
//
// Each group of merged definitions has one head, whose loops are outermost. Of one stage a group
// takes definitions that follow one another. A stage may be of several groups, where these are of
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
// How many of the definition's outer loops are its host's; 0: it shares none.
std::size_t merged_loops(const ScheduleState& state, const DefinitionKey& definition);
// All definitions that share loops, with the head's, in the order in which they run. It alone, if
// it shares none.
std::vector<DefinitionKey> merge_group(const ScheduleState& state, const DefinitionKey& definition);
DefinitionKey merge_head(const ScheduleState& state, DefinitionKey definition);

// All groups of a state, found once: who asks for those of many definitions must not look through
// all of them each time.
class MergeGroups {
public:
    explicit MergeGroups(const ScheduleState& state);

    // In the order in which their definitions run; groups in that of their first ones.
    const std::vector<std::vector<DefinitionKey>>& all() const { return groups_; }
    // Null: it shares no loops.
    const std::vector<DefinitionKey>* of(const DefinitionKey& definition) const;
    const DefinitionKey& head(std::size_t group) const { return heads_[group]; }

private:
    std::vector<std::vector<DefinitionKey>> groups_;
    std::vector<DefinitionKey> heads_; // of groups
    std::map<DefinitionKey, std::size_t> group_of_;
};

// Stages at one place, in the order of the state, so that all of a group stand before what depends
// on one of them: a group runs where its last stage stands.
void stand_together(const ScheduleState& state, const MergeGroups& groups,
                    std::vector<const StageState*>& siblings);

// A line has changed the loops of a definition, which were `before`. Errors: it, or one that shares
// its loops, would share others than the line that merged them said.
Status check_shared_loops_stay(const ScheduleState& state, const DefinitionKey& changed,
                               const std::vector<LoopState>& before);

// Why the loops cannot be shared as the state says, as far as structure tells: places, kinds of
// loops, the order of definitions, stages between that would have to run in the middle. Success if
// they can.
Status check_merges(const ScheduleState& state, const ReadGraph& graph);
// The same of what extents and regions tell: equal trips, and nothing that is read, or changed,
// before it is computed. Conservative: what is not proven is refused as that. `layout`: of this
// state.
Status check_merged_order(const ScheduleState& state, const Layout& layout);

// That piece by piece, for who knows that most of it holds already.
struct MergedOrder {
    std::vector<DefinitionKey> trips; // definitions that share a host's loops
    // the later one may depend on the earlier
    std::vector<std::pair<DefinitionKey, DefinitionKey>> pairs;
    std::set<std::string> stages; // whose layouts these ask for
};
// Those in which a stage takes part for which `concerns` holds, be it one whose loops are around.
MergedOrder merged_order(const ScheduleState& state,
                         const std::function<bool(const std::string&)>& concerns);
Status check_merged_order(const ScheduleState& state, const Layout& layout,
                          const MergedOrder& order);

} // namespace loopscope
