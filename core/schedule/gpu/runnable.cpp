#include "core/schedule/gpu/runnable.h"

#include "core/schedule/gpu/kernel_figures.h"
#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/own_memory.h"
#include "core/schedule/gpu/runnable_stages.h"
#include "core/schedule/gpu/thread_reductions.h"
#include "core/schedule/register_room.h"
#include "core/schedule/storage.h"
#include "core/schedule/tensor_call.h"
#include "core/schedule/tree_search.h"

#include <algorithm>
#include <limits>
#include <map>

namespace loopscope {

namespace {

constexpr std::int64_t kRegister = 4; // bytes

using device::Unit;

// How many threads or warps a unit has, where every device has as many.
std::int64_t members_of(Unit unit) {
    return unit == Unit::Warp        ? kWarp
           : unit == Unit::WarpGroup ? kWarpsOfGroup
                                     : std::numeric_limits<std::int64_t>::max();
}

bool runs_once(const TreeNode& loop) { return loop.extent.hint() <= 1; }

std::string loop_text(const TreeNode& loop) { return loop.id.text(); }

// Loops of its own that are bound and over which it has points: what is reduced over threads all of
// them get.
bool binds_own_points(const TreeNode& stage) {
    return any_node(stage, [&](const TreeNode& each) {
        return each.numbers.any() && each.id.stage == stage.id.stage && !each.reduction;
    });
}

class Judge {
public:
    Judge(const ScheduleTree& tree, const Mapping& mapping, const device::Gpu& gpu)
        : tree_(tree), gpu_(gpu), mapping_(mapping), fragments_(mapping.fragments) {}

    std::vector<NotRunnable> run() {
        for (const auto& child : tree_.root->children)
            at_root(*child);
        for (const auto& launch : mapping_.launches)
            kernel(launch);
        take(stages_not_runnable(tree_, mapping_, gpu_));
        take(memory_that_threads_lack(tree_, mapping_));
        take(fragments_.problems);
        return std::move(out_);
    }

private:
    void refuse(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        out_.push_back({std::move(message), std::move(remedy), std::move(nodes)});
    }

    void take(std::vector<NotRunnable> problems) {
        for (auto& problem : problems)
            out_.push_back(std::move(problem));
    }

    // Nests of one definition at root are one kernel: the sums' first values, then what is added to
    // them.
    void kernel(const LaunchMapping& launch) {
        figures_ = {};
        lanes_ = 0;
        for (const auto* node : launch.nodes) {
            kernel_has_blocks_ =
                any_node(*node, [](const TreeNode& each) { return each.numbers.of_blocks(); });
            grid_loops_.clear();
            find_grid_loops(*node);
            walk(*node, {});
        }
        take(beyond_limits(tree_, launch, figures_, gpu_));
    }

    // What one kernel leaves for another is memory of all blocks.
    void at_root(const TreeNode& node) {
        if (node.kind != TreeKind::Stage)
            return;
        const auto shared_by = node.scope.shared_by;
        if (shared_by == Unit::Block || shared_by == Unit::Thread)
            refuse(node.id.stage + " is in " + node.scope.name + " memory, which is a " +
                       device::name(shared_by) +
                       "'s as long as its kernel runs, and is a kernel of its own at root",
                   node.id.stage + ".compute_at(…), or " + node.id.stage + ".scope(global)",
                   {node.id});
        for (const auto& child : node.children)
            at_root(*child);
    }

    void walk(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        auto inside = around;
        switch (node.kind) {
        case TreeKind::Loop:
            loop(node, around);
            inside.push_back(&node);
            break;
        case TreeKind::Storage: storage(node, around); break;
        case TreeKind::Stage: stage(node, around); break;
        case TreeKind::Compute: point(node, around); break;
        default: break;
        }
        const bool divides = node.kind == TreeKind::Stage && mapping_.of(node.id.stage).cooperative;
        const auto* outer = divided_;
        const auto* outer_nest = nest_;
        if (divides)
            divided_ = &node;
        if (node.kind == TreeKind::Stage)
            nest_ = &node;
        for (const auto& child : node.children)
            walk(*child, inside);
        divided_ = outer;
        nest_ = outer_nest;
    }

    // Does the stage's memory live around the one that is divided?
    bool is_kept_outside(const TreeNode& node) const {
        const auto* storage = tree_.find({node.id.stage, -1, "@storage"});
        return storage &&
               !any_node(*divided_, [&](const TreeNode& each) { return each.id == storage->id; });
    }

    void loop(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        if (node.tensor && !node.tensor->initializes) {
            work_of_lanes(node, node.id.text() + " is " + node.tensor->intrinsic->name,
                          node.tensor->intrinsic->lanes, around);
            block_of_warps(node, around);
        }
        if (node.binding.empty())
            return;
        if (!gpu_.level(node.binding))
            refuse("the target has no level " + node.binding,
                   "bind " + loop_text(node) + " to another", {node.id});
        else if (launch_level(node).empty())
            refuse("the hardware has nothing along the axis that " + node.binding + " numbers",
                   "bind " + loop_text(node) + " to another level", {node.id});
        const auto members = members_of(node.numbers.unit);
        if (node.extent.hint() > members)
            refuse(loop_text(node) + " has " + std::to_string(node.extent.hint()) +
                       " iterations and is bound to " + node.binding + ": a " +
                       device::name(node.numbers.unit) + " has " + std::to_string(members) +
                       " members",
                   "split it, and bind the inner loop", {node.id});
        if (node.reduction)
            take(thread_reduction_problems(tree_, mapping_, node, around, divided_));
        if (!node.numbers.of_blocks())
            return;
        for (const auto* outer : around) {
            if (!outer->numbers.of_blocks() && !runs_once(*outer))
                refuse(loop_text(node) + " is bound to " + node.binding + " inside of " +
                           loop_text(*outer) +
                           ": all blocks begin at once, and none waits for "
                           "an iteration of a loop around them",
                       "reorder " + loop_text(node) + " outwards, or bind it to threads",
                       {node.id, outer->id});
            if (outer->numbers == node.numbers)
                refuse(loop_text(node) + " and " + loop_text(*outer) +
                           " around it are both bound to " + node.binding,
                       "bind one of them to another level", {node.id, outer->id});
        }
    }

    // The 32 lanes of a warp do it together, or the 128 of a warpgroup.
    void work_of_lanes(const TreeNode& node, const std::string& what, std::int64_t lanes,
                       const std::vector<const TreeNode*>& around) {
        const bool of_warp = lanes == kWarp;
        const std::string level = of_warp ? "warp" : "warpgroup";
        if (lanes_ != 0 && lanes_ != lanes)
            refuse(what + ", which all lanes of a " + level +
                       " do together, and other work of the kernel is that of a " +
                       (of_warp ? "warpgroup" : "warp"),
                   "instructions of one kind in a kernel", {node.id});
        lanes_ = lanes;
        for (const auto* outer : around)
            if (outer->numbers.of_threads() && (outer->numbers.members == Unit::Thread ||
                                                (!of_warp && outer->numbers.members == Unit::Warp)))
                refuse(what + ", which all lanes of a " + level + " do together, inside of " +
                           loop_text(*outer) + ", which is bound to " + outer->binding,
                       "bind " + loop_text(*outer) + " to " + level, {node.id, outer->id});
    }

    // What a block shares is computed once for all of its warps.
    void block_of_warps(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        if (mapping_.of(node.id.stage).memory != Unit::Block)
            return;
        for (const auto* outer : around)
            if (outer->numbers.of_threads() && outer->id.stage != node.id.stage)
                refuse(node.id.stage + " is in memory that a block shares, and " + node.id.text() +
                           " is " + node.tensor->intrinsic->name + " inside of " +
                           loop_text(*outer) + ", which is bound to " + outer->binding +
                           ": each warp would compute the whole",
                       "compute " + node.id.stage + " outside of " + loop_text(*outer) +
                           " and bind a loop of its own, or " + node.id.stage + ".scope(fragment)",
                       {node.id, outer->id});
    }

    // What all blocks see is computed inside of all loops that number them: else each of them
    // would, or wait for one that does.
    void point(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        merged(node);
        const auto* storage = tree_.find({node.id.stage, -1, "@storage"});
        if (!storage || !(storage->store_level == NodeId{}))
            return;
        for (const auto& [level, loop] : grid_loops_)
            if (std::none_of(around.begin(), around.end(),
                             [&](const auto* outer) { return outer->numbers == loop->numbers; }))
                refuse(node.id.stage + " is computed outside of " + loop_text(*loop) +
                           ", which is bound to " + loop->binding +
                           " in the same kernel: blocks along it "
                           "would all compute it, and none waits for another",
                       "bind a loop of " + node.id.stage + " to " + loop->binding +
                           ", or give it a kernel of its own",
                       {node.id, loop->id});
    }

    // Loops that are shared (compute_with) are work of a block, once, or of each thread for itself.
    void merged(const TreeNode& node) {
        if (!nest_ || nest_->id.stage == node.id.stage)
            return;
        const auto &own = mapping_.of(node.id.stage), &others = mapping_.of(nest_->id.stage);
        if (own.of_block == others.of_block)
            return;
        auto memory = [](const std::string& stage, const StageMapping& mapped) {
            return stage + " in " + mapped.scope.name + " memory, " +
                   (mapped.of_block ? "once for the block" : "by each thread for itself");
        };
        refuse(node.id.stage + " is computed in the loops of " + nest_->id.stage + ": " +
                   memory(node.id.stage, own) + ", and " + memory(nest_->id.stage, others),
               "keep both in memory of a thread, or let them share no loops", {node.id});
    }

    void find_grid_loops(const TreeNode& node) {
        if (node.kind == TreeKind::Loop && node.numbers.of_blocks()) {
            const auto* other = grid_loops_.emplace(launch_level(node), &node).first->second;
            if (other != &node)
                refuse(
                    loop_text(node) + " and " + loop_text(*other) +
                        " of one kernel are both bound to " + node.binding +
                        ": blocks do not wait for each other between them",
                    "let them share that loop, by compute_with, or give each a kernel of its own",
                    {node.id, other->id});
        }
        for (const auto& child : node.children)
            find_grid_loops(*child);
    }

    // What a thread has no registers for lies in its local memory, which has an end, too.
    void own_memory(const TreeNode& node) {
        const auto bytes = static_cast<std::int64_t>(storage_bytes(node));
        if (node.scope == device::registers() && bytes > kLocalMemory)
            refuse(node.id.stage + " takes " + std::to_string(bytes) + " bytes of " +
                       node.scope.name +
                       " memory, which each thread has for itself, and a thread "
                       "has at most " +
                       std::to_string(kLocalMemory),
                   node.id.stage + ".compute_at(…) further inside, or smaller tiles of a thread",
                   {node.id});
    }

    void storage(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        if (!around.empty())
            own_memory(node);
        const bool in_grid = std::any_of(around.begin(), around.end(),
                                         [](const auto* l) { return l->numbers.of_blocks(); });
        if (auto layout = fragments_.layouts.find(node.id.stage);
            layout != fragments_.layouts.end() && layout->second.intrinsic->lanes > kWarp)
            figures_.sums += static_cast<std::int64_t>(storage_bytes(node)) /
                             (kRegister * layout->second.intrinsic->lanes);
        if (node.scope.shared_by == Unit::Block) {
            if (!in_grid && kernel_has_blocks_)
                refuse(node.id.stage + " is in " + node.scope.name +
                           " memory outside of the loops that are bound to blocks: that memory is "
                           "one block's",
                       node.id.stage + ".compute_at(…) puts it inside of them", {node.id});
            const auto bytes = static_cast<std::int64_t>(storage_bytes(node));
            figures_.shared_bytes += bytes;
            if (!figures_.largest_shared ||
                bytes > static_cast<std::int64_t>(storage_bytes(*figures_.largest_shared)))
                figures_.largest_shared = &node;
        }
    }

    // Adds the mbarriers that hand the stage over: for each slot one of 8 bytes that counts what
    // arrives, and one that counts releases.
    void produced(const TreeNode& node) {
        if (mapping_.of(node.id.stage).loader != Loader::Producers)
            return;
        constexpr std::int64_t kObjects = 2 * 128; // bytes, aligned as all shared memory is
        figures_.shared_bytes += kObjects;
    }

    // Copies that rotate with a kernel's outermost loop lie beside the kernel in the tree.
    void rotating_beside(const TreeNode& node) {
        for (const auto& child : tree_.root->children)
            if (child->kind == TreeKind::Stage)
                for (const auto& memory : child->children)
                    if (memory->kind == TreeKind::Storage && memory->rotation > 1 &&
                        memory->id.stage == node.id.stage)
                        storage(*memory, {});
    }

    void stage(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        if (around.empty())
            return;
        produced(node);
        rotating_beside(node);
        if (auto layout = fragments_.layouts.find(node.id.stage);
            layout != fragments_.layouts.end())
            work_of_lanes(node, node.id.stage + " is in fragments", layout->second.intrinsic->lanes,
                          around);
        const auto& scope = mapping_.of(node.id.stage).scope;
        if (scope.shared_by == Unit::Grid || scope.shared_by == Unit::Cluster)
            refuse(node.id.stage + " is in " + scope.name +
                       " memory, which all blocks share, and is computed inside of a block",
                   node.id.stage + ".compute_root(), or another scope", {node.id});
        if (scope.shared_by == Unit::Thread && binds_own_points(node))
            refuse(node.id.stage + " is in " + scope.name +
                       " memory, which each thread has for itself, and its loops are bound to "
                       "threads: none would have the whole",
                   node.id.stage + ".scope(shared), or compute it inside of its reader's threads",
                   {node.id});
        if (scope.shared_by == Unit::Thread && divided_ && is_kept_outside(node))
            refuse(node.id.stage + " is in " + scope.name +
                       " memory, which each thread has for itself, and outlives iterations of " +
                       divided_->id.stage +
                       " that are divided among threads: none would have the whole",
                   node.id.stage + ".scope(shared), or store it where it is computed",
                   {node.id, divided_->id});
        if (scope.shared_by == Unit::Block && divided_)
            refuse(node.id.stage + " is computed by all threads inside of a loop of " +
                       divided_->id.stage +
                       " that is divided among them: they are not at one "
                       "iteration of it",
                   "compute " + node.id.stage + " further out, or bind loops of " +
                       divided_->id.stage + " to threads",
                   {node.id, divided_->id});
        for (const auto* outer : around)
            if (scope.shared_by == Unit::Block && outer->binding.empty() &&
                outer->loop_kind == LoopKind::Vectorized)
                refuse(node.id.stage +
                           " is computed by all threads inside of the vectorised loop " +
                           loop_text(*outer),
                       "compute it further out", {node.id, outer->id});
    }

    const ScheduleTree& tree_;
    const device::Gpu& gpu_;
    const Mapping& mapping_;
    const Fragments& fragments_;
    std::vector<NotRunnable> out_;
    KernelFigures figures_;  // of the kernel at hand
    std::int64_t lanes_ = 0; // of it, that do work together; 0: none so far
    std::map<std::string, const TreeNode*> grid_loops_; // of that kernel, by level
    bool kernel_has_blocks_ = false;
    const TreeNode* divided_ = nullptr; // the stage around that is divided among threads
    const TreeNode* nest_ = nullptr;    // the innermost stage around
};

} // namespace

std::vector<NotRunnable> not_runnable(const ScheduleTree& tree, const device::Gpu& gpu) {
    return not_runnable(tree, map_to_gpu(tree), gpu);
}

std::vector<NotRunnable> not_runnable(const ScheduleTree& tree, const Mapping& mapping,
                                      const device::Gpu& gpu) {
    return Judge(tree, mapping, gpu).run();
}

} // namespace loopscope
