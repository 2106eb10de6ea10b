#include "core/schedule/gpu/thread_reductions.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

class Reduction {
public:
    Reduction(const ScheduleTree& tree, const Mapping& mapping, const TreeNode* divided)
        : tree_(tree), mapping_(mapping), divided_(divided) {}

    std::vector<NotRunnable> run(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        reduction(node, around);
        return std::move(out_);
    }

private:
    void refuse(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        out_.push_back({std::move(message), std::move(remedy), std::move(nodes)});
    }

    // Threads that reduce together have one accumulator each, and are at one point of the stage.
    void reduction(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        const auto& definition = tree_.state.find(node.id.stage)
                                     ->definitions[static_cast<std::size_t>(node.id.definition)];
        if (node.id.definition > 0 || definition.atomic) {
            const auto* storage = tree_.find({node.id.stage, -1, "@storage"});
            const bool at_root = storage && storage->store_level == NodeId{};
            if (!at_root && !shared_by_block(node.id.stage))
                refuse(
                    node.id.text() + " is bound to " + node.binding + ", and " + node.id.stage +
                        " is in memory that each thread has for itself: none would have the whole",
                    node.id.stage + ".scope(shared)", {node.id});
            return;
        }
        // Virtual threads are one thread's iterations: it reduces over them alone.
        if (divided_ && !node.numbers.is_virtual())
            refuse(node.id.text() + " reduces over " + node.binding + " inside of " +
                       divided_->id.stage +
                       ", whose iterations are divided among all threads: those that reduce "
                       "together are not at one of them",
                   "compute " + node.id.stage + " where " + divided_->id.stage +
                       " is computed, or bind a loop of " + divided_->id.stage + " to threads",
                   {node.id, divided_->id});
        const auto own = [&](const TreeNode* loop) {
            return loop->id.stage == node.id.stage && loop->id.definition == node.id.definition;
        };
        auto outermost = std::find_if(around.begin(), around.end(), [&](const auto* loop) {
            return own(loop) && loop->reduction;
        });
        for (auto inside = outermost; inside != around.end(); ++inside)
            if (own(*inside) && !(*inside)->reduction && (*inside)->extent.hint() > 1)
                refuse(node.id.text() + " reduces over " + node.binding + " inside of " +
                           (*inside)->id.text() +
                           ", which is inside of the reduction: threads have "
                           "one accumulator each",
                       "reorder " + (*inside)->id.text() + " out of the loops of the reduction",
                       {node.id, (*inside)->id});
        points_inside(node, node);
        for (const auto* outer : around)
            if (!own(outer) && outer->numbers == node.numbers && !shared_by_block(node.id.stage))
                refuse(node.id.text() + " reduces over " + node.binding + ", which " +
                           outer->id.text() + " around it numbers other points by",
                       node.id.stage + ".scope(shared), or bind one of them to another level",
                       {node.id, outer->id});
    }

    bool shared_by_block(const std::string& stage) const {
        return mapping_.of(stage).scope.shared_by == device::Unit::Block;
    }

    void points_inside(const TreeNode& node, const TreeNode& reduction) {
        for (const auto& child : node.children) {
            if (child->kind != TreeKind::Loop || child->id.stage != reduction.id.stage)
                continue;
            if (!child->reduction && child->extent.hint() > 1)
                refuse(child->id.text() + " is inside of " + reduction.id.text() +
                           ", which reduces over " + reduction.binding +
                           ": threads have one accumulator each",
                       "reorder " + child->id.text() + " out of the loops of the reduction",
                       {reduction.id, child->id});
            points_inside(*child, reduction);
        }
    }

    const ScheduleTree& tree_;
    const Mapping& mapping_;
    const TreeNode* divided_;
    std::vector<NotRunnable> out_;
};

} // namespace

std::vector<NotRunnable> thread_reduction_problems(const ScheduleTree& tree, const Mapping& mapping,
                                                   const TreeNode& loop,
                                                   const std::vector<const TreeNode*>& around,
                                                   const TreeNode* divided) {
    return Reduction(tree, mapping, divided).run(loop, around);
}

} // namespace loopscope
