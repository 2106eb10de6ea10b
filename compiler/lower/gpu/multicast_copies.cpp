// multicast_copies: a box that several blocks of a cluster need alike is brought by the tensor
// memory accelerator (TMA) to all of them at once.
//
//     bound block.y for block_y in 0..8 {         bound block.y for block_y in 0..8 {
//         bound cluster.y for cluster_y in 0..2 {     bound cluster.y for cluster_y in 0..2 {
//             threads 0..128 {                            barrier cluster
//                 …                                       threads 0..128 {
//                 wait T 0 by T.arrivals                      wait T 0 by T.arrivals
//                 release T by T.releases                     release T by T.releases over cluster
//             }                                           }
//             threads 128..129 {               ->         threads 128..129 {
//                 acquire T by T.releases                     acquire T by T.releases
//                 bulk copy T As[…] = A[…]                    bulk copy T As[…] = A[…]
//                 bulk copy T Bs[…] = B[…]                    bulk copy T Bs[…] = B[…]
//                                                                 over cluster.y
//                 commit T by T.arrivals                      commit T by T.arrivals
//             }                                           }
//                                                         barrier cluster
//
// The place of As depends on block_y and cluster_y, that of Bs on block_x alone.
//
// Nothing in a schedule asks for it. It follows where producer warpgroups (`specialize`) load in
// blocks of a cluster, and a box does not depend on a coordinate of the cluster: the blocks along
// it ask for the same box at the same turn. A copy `over` them says so. Each block then asks for
// one part of the box, in the name of all (PTX ISA, "cp.async.bulk.tensor": .multicast::cluster, to
// the same place in each block's shared memory, counted by the mbarrier at the same place; made for
// sm_90a, slow on other targets). Every block's mbarrier of what arrives expects the whole box:
// parts of other blocks may arrive before the block itself has said so, for the phase is not
// complete without its own arrival.
//
// Slots are then written by other blocks, too. Before a block asks for its part, the readers of all
// blocks that the part goes to are done with the slot: each warp that releases it arrives at the
// mbarriers of all blocks of the cluster (`release … over cluster`), which count as many. An
// mbarrier cannot be in a third turn, as within a block: who asks for a turn has been told by all
// that the turn before is over. Blocks in which a step depended on the cluster's coordinates could
// come to it more often than others, and wait for ever: their copies are not shared.
//
// Nobody may write to the memory of a block whose mbarriers are not initialised yet, or which has
// ended: a barrier of the cluster stands in front of the parts and behind them.
//
// Expects a program after specialize_warps. Guarantees what check_multicast asks for.
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace loopscope::lower {

namespace {

class Sharing {
public:
    explicit Sharing(const LaunchShape& shape) : copies_(shape) {
        const auto handed = handed_over(shape.body);
        visit_statements(shape.body, [&](const Statement& s) {
            if (s.kind == StatementKind::BulkCopy && handed.count(s.step->token))
                if (auto level = copies_.level_of(s); !level.empty())
                    levels_[&s] = level, tokens_.insert(s.step->token);
            return true;
        });
    }

    StatementPtr run(const StatementPtr& body) const {
        return tokens_.empty() ? body : statement(body);
    }

private:
    StatementPtr statement(const StatementPtr& s) const {
        if (auto found = levels_.find(s.get()); found != levels_.end())
            return edited(s, [&](Statement& copy) { copy.level = found->second; });
        if (s->kind == StatementKind::Release && tokens_.count(s->step->token))
            return edited(s, [](Statement& copy) { copy.level = kClusterLevel; });
        std::vector<StatementPtr> children;
        bool parts = false;
        for (const auto& child : s->children) {
            children.push_back(statement(child));
            parts = parts || child->kind == StatementKind::Threads;
        }
        if (parts) {
            children.insert(children.begin(), barrier({}, kClusterLevel));
            children.push_back(barrier({}, kClusterLevel));
        }
        return with_children(s, std::move(children));
    }

    SharedCopies copies_;
    std::map<const Statement*, std::string> levels_; // of copies that blocks share
    std::set<std::string> tokens_;
};

} // namespace

Program multicast_copies(const Program& program, const TargetInfo&) {
    auto out = program;
    for (auto& launch : out.launches) {
        const auto shape = on_device(launch) ? launch_shape(launch) : std::nullopt;
        if (shape && shape->cluster_blocks() > 1)
            launch.body = map_inside(
                launch, [](const LaunchShape& inside) { return Sharing(inside).run(inside.body); });
    }
    return out;
}

} // namespace loopscope::lower
