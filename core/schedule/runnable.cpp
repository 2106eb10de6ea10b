// Longer than files are here: one walk through each kernel, whose rules share what it has met of levels, lanes and memory.
#include "core/schedule/runnable.h"

#include "core/device/occupancy.h"
#include "core/schedule/block_threads.h"
#include "core/schedule/fragments.h"
#include "core/schedule/levels.h"
#include "core/schedule/listed.h"
#include "core/schedule/own_memory.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/storage.h"
#include "core/schedule/swizzling.h"
#include "core/schedule/tensor_call.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace loopscope {

namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kRegister = 4; // bytes
// Registers of a lane beside a warpgroup's sums: as ptxas gives them to the shipped products, 26, less what it may do without.
constexpr std::int64_t kLeastOthers = 20;

bool of_grid(const device::Gpu& gpu, const TreeNode& loop) {
    const auto* level = gpu.level(loop.binding);
    return level && !is_inside(level->unit, "cluster");
}

bool runs_once(const TreeNode& loop) { return loop.extent.hint() <= 1; }

std::string loop_text(const TreeNode& loop) { return loop.id.text(); }

// Loops of its own that are bound and over which it has points: what is reduced over threads all of them get.
bool binds_own_points(const TreeNode& node, const std::string& stage) {
    return std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) {
        return (child->kind == TreeKind::Loop && child->id.stage == stage && !child->reduction &&
                !child->binding.empty()) ||
               binds_own_points(*child, stage);
    });
}

bool binds_own_loops(const TreeNode& node, const std::string& stage) {
    return std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) {
        return (child->kind == TreeKind::Loop && child->id.stage == stage &&
                !child->binding.empty()) ||
               binds_own_loops(*child, stage);
    });
}

class Judge {
public:
    Judge(const ScheduleTree& tree, const device::Gpu& gpu)
        : tree_(tree), gpu_(gpu), fragments_(find_fragments(tree)) {}

    std::vector<NotRunnable> run() {
        for (const auto& child : tree_.root->children)
            kernel(*child);
        pipelines();
        layouts();
        producers();
        for (auto& problem : memory_that_threads_lack(tree_, gpu_))
            out_.push_back(std::move(problem));
        for (auto& problem : fragments_.problems)
            out_.push_back(std::move(problem));
        return std::move(out_);
    }

private:
    void refuse(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        out_.push_back({std::move(message), std::move(remedy), std::move(nodes)});
    }

    // A stage at root: each of its nests is a kernel.
    void kernel(const TreeNode& node) {
        if (node.kind == TreeKind::Storage)
            return;
        if (node.kind == TreeKind::Stage) {
            at_root(node);
            for (const auto& child : node.children)
                kernel(*child);
            return;
        }
        extents_.clear();
        lanes_ = 0;
        persistent_.clear();
        shared_ = 0;
        producers_ = 0;
        sums_ = 0;
        largest_shared_ = nullptr;
        kernel_has_blocks_ = has_blocks(node);
        grid_loops_.clear();
        find_grid_loops(node);
        walk(node, {});
        figures(node);
    }

    // What one kernel leaves for another is memory of all blocks.
    void at_root(const TreeNode& node) {
        const auto* scope = gpu_.scope(node.scope);
        if (scope && (scope->shared_by == "block" || scope->shared_by == "thread"))
            refuse(node.id.stage + " is in " + scope->name + " memory, which is a " +
                       scope->shared_by +
                       "'s as long as its kernel runs, and is a kernel of its own at root",
                   node.id.stage + ".compute_at(…), or " + node.id.stage + ".scope(global)",
                   {node.id});
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
        const bool divides = node.kind == TreeKind::Stage && is_divided(node);
        const auto* outer = divided_;
        if (divides)
            divided_ = &node;
        for (const auto& child : node.children)
            walk(*child, inside);
        divided_ = outer;
    }

    // Does the stage's memory live around the one that is divided?
    bool is_kept_outside(const TreeNode& node) const {
        const auto* storage = tree_.find({node.id.stage, -1, "@storage"});
        return storage && !contains(*divided_, storage->id);
    }

    static bool contains(const TreeNode& node, const NodeId& id) {
        return node.id == id ||
               std::any_of(node.children.begin(), node.children.end(),
                           [&](const auto& child) { return contains(*child, id); });
    }

    bool is_divided(const TreeNode& stage) const {
        const auto* scope = gpu_.scope(stage.scope);
        return scope && scope->shared_by == "block" && !binds_own_loops(stage, stage.id.stage);
    }

    void loop(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        if (node.tensor && !node.tensor->initialises) {
            work_of_lanes(node, node.id.text() + " is " + node.tensor->intrinsic->name,
                          node.tensor->intrinsic->lanes, around);
            block_of_warps(node, around);
        }
        if (node.binding.empty())
            return;
        auto& extent = extents_[node.binding];
        extent = std::max(extent, node.extent.hint());
        if (!gpu_.level(node.binding))
            refuse("the target has no level " + node.binding,
                   "bind " + loop_text(node) + " to another", {node.id});
        if (node.reduction)
            reduction_over_threads(node, around);
        if (!of_grid(gpu_, node))
            return;
        if (node.persistent)
            persistent_[node.binding] = &node;
        for (const auto* outer : around) {
            if (!of_grid(gpu_, *outer) && !runs_once(*outer))
                refuse(loop_text(node) + " is bound to " + node.binding + " inside of " +
                           loop_text(*outer) +
                           ": all blocks begin at once, and none waits for "
                           "an iteration of a loop around them",
                       "reorder " + loop_text(node) + " outwards, or bind it to threads",
                       {node.id, outer->id});
            if (outer->binding == node.binding)
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
            if (outer->binding.starts_with("thread.") ||
                (!of_warp && outer->binding.starts_with("warp") && outer->binding != "warpgroup"))
                refuse(what + ", which all lanes of a " + level + " do together, inside of " +
                           loop_text(*outer) + ", which is bound to " + outer->binding,
                       "bind " + loop_text(*outer) + " to " + level, {node.id, outer->id});
    }

    // What a block shares is computed once for all of its warps.
    void block_of_warps(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        if (!shared_by_block(node.id.stage))
            return;
        for (const auto* outer : around)
            if (const auto* level = gpu_.level(outer->binding);
                level && level->unit == "block" && outer->id.stage != node.id.stage)
                refuse(node.id.stage + " is in memory that a block shares, and " + node.id.text() +
                           " is " + node.tensor->intrinsic->name + " inside of " +
                           loop_text(*outer) + ", which is bound to " + outer->binding +
                           ": each warp would compute the whole",
                       "compute " + node.id.stage + " outside of " + loop_text(*outer) +
                           " and bind a loop of its own, or " + node.id.stage + ".scope(fragment)",
                       {node.id, outer->id});
    }

    // Threads that reduce together have one accumulator each, and are at one point of the stage.
    void reduction_over_threads(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        const auto& definition = tree_.state.find(node.id.stage)
                                     ->definitions[static_cast<std::size_t>(node.id.definition)];
        if (node.id.definition > 0 || definition.atomic) {
            const auto* storage = tree_.find({node.id.stage, -1, "@storage"});
            const bool at_root = storage && storage->store_level == NodeId{};
            if (!at_root && !shared_by_block(node.id.stage))
                refuse(
                    loop_text(node) + " is bound to " + node.binding + ", and " + node.id.stage +
                        " is in memory that each thread has for itself: none would have the whole",
                    node.id.stage + ".scope(shared)", {node.id});
            return;
        }
        // Virtual threads are one thread's iterations: it reduces over them alone.
        const auto* level = gpu_.level(node.binding);
        if (divided_ && level && is_inside("virtual", level->unit))
            refuse(loop_text(node) + " reduces over " + node.binding + " inside of " +
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
            if (own(*inside) && !(*inside)->reduction && !runs_once(**inside))
                refuse(loop_text(node) + " reduces over " + node.binding + " inside of " +
                           loop_text(**inside) +
                           ", which is inside of the reduction: threads have "
                           "one accumulator each",
                       "reorder " + loop_text(**inside) + " out of the loops of the reduction",
                       {node.id, (*inside)->id});
        points_inside(node, node);
        for (const auto* outer : around)
            if (!own(outer) && outer->binding == node.binding && !shared_by_block(node.id.stage))
                refuse(loop_text(node) + " reduces over " + node.binding + ", which " +
                           loop_text(*outer) + " around it numbers other points by",
                       node.id.stage + ".scope(shared), or bind one of them to another level",
                       {node.id, outer->id});
    }

    void points_inside(const TreeNode& node, const TreeNode& reduction) {
        for (const auto& child : node.children) {
            if (child->kind != TreeKind::Loop || child->id.stage != reduction.id.stage)
                continue;
            if (!child->reduction && !runs_once(*child))
                refuse(loop_text(*child) + " is inside of " + loop_text(reduction) +
                           ", which reduces over " + reduction.binding +
                           ": threads have one accumulator each",
                       "reorder " + loop_text(*child) + " out of the loops of the reduction",
                       {reduction.id, child->id});
            points_inside(*child, reduction);
        }
    }

    bool shared_by_block(const std::string& stage) const {
        const auto* storage = tree_.find({stage, -1, "@storage"});
        const auto* scope = storage ? gpu_.scope(storage->scope) : nullptr;
        return scope && scope->shared_by == "block";
    }

    // What all blocks see is computed inside of all loops that number them: else each of them would, or wait for one that does.
    void point(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        const auto* storage = tree_.find({node.id.stage, -1, "@storage"});
        if (!storage || !(storage->store_level == NodeId{}))
            return;
        for (const auto& [level, loop] : grid_loops_)
            if (std::none_of(around.begin(), around.end(),
                             [&](const auto* outer) { return outer->binding == level; }))
                refuse(node.id.stage + " is computed outside of " + loop_text(*loop) +
                           ", which is bound to " + level +
                           " in the same kernel: blocks along it "
                           "would all compute it, and none waits for another",
                       "bind a loop of " + node.id.stage + " to " + level +
                           ", or give it a kernel of its own",
                       {node.id, loop->id});
    }

    void find_grid_loops(const TreeNode& node) {
        if (node.kind == TreeKind::Loop && of_grid(gpu_, node)) {
            const auto* other = grid_loops_.emplace(node.binding, &node).first->second;
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

    void storage(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        const auto* scope = gpu_.scope(node.scope);
        if (!scope)
            return; // "host": at root
        const bool in_grid = std::any_of(around.begin(), around.end(),
                                         [&](const auto* l) { return of_grid(gpu_, *l); });
        if (auto layout = fragments_.layouts.find(node.id.stage);
            layout != fragments_.layouts.end() && layout->second.intrinsic->lanes > kWarp)
            sums_ += static_cast<std::int64_t>(storage_bytes(node)) /
                     (kRegister * layout->second.intrinsic->lanes);
        if (scope->shared_by == "block") {
            if (!in_grid && kernel_has_blocks_)
                refuse(node.id.stage + " is in " + node.scope +
                           " memory outside of the loops that are bound to blocks: that memory is "
                           "one block's",
                       node.id.stage + ".compute_at(…) puts it inside of them", {node.id});
            const auto bytes = static_cast<std::int64_t>(storage_bytes(node));
            shared_ += bytes;
            if (!largest_shared_ ||
                bytes > static_cast<std::int64_t>(storage_bytes(*largest_shared_)))
                largest_shared_ = &node;
        }
    }

    // With what hands it over: an object of 8 bytes for each room, of what arrives and of what is free again.
    void produced(const TreeNode& node) {
        if (node.producers == 0)
            return;
        if (node.producers > producers_) {
            producers_ = node.producers;
            produced_ = node.id.stage;
        }
        constexpr std::int64_t kObjects = 2 * 128; // bytes, aligned as all shared memory is
        shared_ += kObjects;
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

    bool has_blocks(const TreeNode& node) const {
        return (node.kind == TreeKind::Loop && of_grid(gpu_, node)) ||
               std::any_of(node.children.begin(), node.children.end(),
                           [&](const auto& child) { return has_blocks(*child); });
    }

    void stage(const TreeNode& node, const std::vector<const TreeNode*>& around) {
        const auto* known = gpu_.scope(node.scope);
        if (around.empty())
            return;
        produced(node);
        rotating_beside(node);
        if (auto layout = fragments_.layouts.find(node.id.stage);
            node.scope == kFragmentScope && layout != fragments_.layouts.end())
            work_of_lanes(node, node.id.stage + " is in fragments", layout->second.intrinsic->lanes,
                          around);
        // Inside of a kernel that binds no loop around it, each thread has memory for itself.
        const device::Scope own{"local", "thread"};
        const auto* scope = known ? known : &own;
        if (scope->shared_by == "grid" || scope->shared_by == "cluster")
            refuse(node.id.stage + " is in " + node.scope +
                       " memory, which all blocks share, and is computed inside of a block",
                   node.id.stage + ".compute_root(), or another scope", {node.id});
        if (scope->shared_by == "thread" && binds_own_points(node, node.id.stage))
            refuse(node.id.stage + " is in " + scope->name +
                       " memory, which each thread has for itself, and its loops are bound to "
                       "threads: none would have the whole",
                   node.id.stage + ".scope(shared), or compute it inside of its reader's threads",
                   {node.id});
        if (scope->shared_by == "thread" && divided_ && is_kept_outside(node))
            refuse(node.id.stage + " is in " + scope->name +
                       " memory, which each thread has for itself, and outlives iterations of " +
                       divided_->id.stage +
                       " that are divided among threads: none would have the whole",
                   node.id.stage + ".scope(shared), or store it where it is computed",
                   {node.id, divided_->id});
        if (scope->shared_by == "block" && divided_)
            refuse(node.id.stage + " is computed by all threads inside of a loop of " +
                       divided_->id.stage +
                       " that is divided among them: they are not at one "
                       "iteration of it",
                   "compute " + node.id.stage + " further out, or bind loops of " +
                       divided_->id.stage + " to threads",
                   {node.id, divided_->id});
        for (const auto* outer : around)
            if (scope->shared_by == "block" && outer->binding.empty() &&
                outer->loop_kind == LoopKind::Vectorised)
                refuse(node.id.stage +
                           " is computed by all threads inside of the vectorised loop " +
                           loop_text(*outer),
                       "compute it further out", {node.id, outer->id});
    }

    void figures(const TreeNode& node) {
        const auto& limits = gpu_.limits;
        auto extent = [&](const std::string& level) {
            auto found = extents_.find(level);
            return found == extents_.end() ? std::int64_t{1} : found->second;
        };
        const bool lanes = lanes_ == kWarp || extents_.count("warp") || extents_.count("warp.x") ||
                           extents_.count("warp.y");
        const bool warps = lanes || lanes_ > kWarp || extents_.count("warpgroup");
        const auto most = std::to_string(lanes ? kWarp : 4 * kWarp);
        if (warps && extent("thread.x") > (lanes ? kWarp : 4 * kWarp))
            refuse("thread.x has " + std::to_string(extent("thread.x")) +
                       " threads beside loops that are bound to " +
                       (lanes ? "warps" : "warpgroups") + ", which have " + most,
                   "bind at most " + most + " iterations to thread.x, or none to " +
                       (lanes ? "warps" : "warpgroups"),
                   {node.id});
        if (lanes && lanes_ > kWarp)
            refuse("loops are bound to warps in a kernel of which all lanes of a warpgroup do work "
                   "together: they number the same threads",
                   "bind them to warpgroup and thread.x", {node.id});
        if (warps && (extents_.count("thread.y") || extents_.count("thread.z")))
            refuse("loops are bound to warps and to thread.y or thread.z, which number the same "
                   "threads",
                   "bind to the one or to the other", {node.id});
        const auto consumers = block_threads(extents_, lanes_, kWarp);
        const auto threads = count(with_producers(consumers, producers_, kWarp));
        if (producers_ > 0 && count(consumers) % kWarp != 0)
            refuse("a block has " + std::to_string(count(consumers)) +
                       " threads beside those that only produce " + produced_ +
                       ": these begin with a warp of their own",
                   "bind a multiple of " + std::to_string(kWarp) + " iterations to threads",
                   {node.id, {produced_, -1, "@stage"}});
        if (extents_.count("warpgroup") && (extents_.count("warp.x") || extents_.count("warp.y")))
            refuse("loops are bound to warpgroup and to warp.x or warp.y, which number the same "
                   "threads",
                   "bind to warpgroup and warp", {node.id});
        if (threads > limits.threads_per_block)
            refuse("a block has " + std::to_string(threads) + " threads" +
                       (producers_ > 0 ? ", with those that only produce " + produced_ : "") +
                       ", and the target at most " + std::to_string(limits.threads_per_block),
                   std::string(
                       "split a loop that is bound to threads, and leave a part of it unbound") +
                       (producers_ > 0 ? ", or let fewer only produce " + produced_ : ""),
                   {node.id});
        // What warpgroups add up stays in registers: there is no code that has it in memory instead.
        const auto allowed = device::most_registers(gpu_, threads);
        if (sums_ + kLeastOthers > allowed && allowed > 0)
            refuse("a thread of " + std::to_string(threads) + " may have " +
                       std::to_string(allowed) + " registers, and a warpgroup's lane holds " +
                       std::to_string(sums_) + " sums beside some " + std::to_string(kLeastOthers) +
                       " others",
                   std::string("smaller tiles, or fewer warpgroups") +
                       (producers_ > 0 ? "; or leave out " + produced_ + ".specialize(…)" : ""),
                   {node.id});
        const char* axes[] = {"x", "y", "z"};
        for (std::size_t a = 0; a < 3; ++a) {
            const auto level = std::string("thread.") + axes[a];
            if (const auto rows = with_producers(consumers, producers_, kWarp)[a];
                rows > limits.block_extents[a] && extent(level) <= limits.block_extents[a])
                refuse(level + " has " + std::to_string(rows) +
                           " threads, with those that only produce " + produced_ +
                           ", and the target at most " + std::to_string(limits.block_extents[a]),
                       "bind fewer iterations to " + level + ", or leave out " + produced_ +
                           ".specialize(…)",
                       {node.id, {produced_, -1, "@stage"}});
            if (extent(level) > limits.block_extents[a])
                refuse(level + " has " + std::to_string(extent(level)) +
                           " threads, and the target at most " +
                           std::to_string(limits.block_extents[a]),
                       "bind the loop to thread.x", {node.id});
            const auto blocks = std::string("block.") + axes[a];
            const auto total = extent(blocks) * extent(std::string("cluster.") + axes[a]);
            const bool few = persistent_.count(blocks) > 0; // no more than run at once
            if (!few && total > limits.grid_extents[a])
                refuse(blocks + " has " + std::to_string(total) +
                           " blocks, and the target at most " +
                           std::to_string(limits.grid_extents[a]),
                       "bind the loop to block.x", {node.id});
        }
        for (const auto& [level, loop] : persistent_)
            if (extent("cluster.x") * extent("cluster.y") > 1)
                refuse(loop_text(*loop) +
                           " is persistent beside loops that are bound to clusters: blocks of one "
                           "cluster would be at different iterations",
                       "leave out " + definition_name(loop->id.stage, loop->id.definition) +
                           ".persistent(" + loop->id.name + "), or bind the others to blocks",
                       {loop->id});
        clusters(node, extent("cluster.x") * extent("cluster.y"));
        if (shared_ > limits.shared_bytes_per_block && largest_shared_)
            refuse("a block needs " + std::to_string(shared_) +
                       " bytes of shared memory, and the "
                       "target has " +
                       std::to_string(limits.shared_bytes_per_block) + "; the most is " +
                       largest_shared_->id.stage,
                   "smaller tiles, or fewer stages of a pipeline", {node.id, largest_shared_->id});
    }

    // What the architecture promises of each of its GPUs; more may find no room on some.
    void clusters(const TreeNode& node, std::int64_t blocks) {
        const std::int64_t most = gpu_.limits.blocks_per_cluster;
        if (blocks > 1 && most == 0)
            refuse("loops are bound to clusters, and the target has none",
                   "bind them to blocks, or choose a target of compute capability 9.0", {node.id});
        else if (blocks > most && most > 0)
            refuse("a cluster has " + std::to_string(blocks) +
                       " blocks, and the target allows at most " + std::to_string(most),
                   "split a loop that is bound to cluster.x or cluster.y, and bind its outer part "
                   "to blocks",
                   {node.id});
    }

    // Layouts that memory cannot have: better refused than left out.
    void layouts() {
        for (const auto& stage : tree_.state.stages) {
            const auto* memory =
                stage->swizzled ? tree_.find({stage->name, -1, "@storage"}) : nullptr;
            if (memory)
                if (const auto problem = swizzle_problem(*memory, gpu_))
                    refuse(problem->message, problem->remedy, {memory->id});
        }
    }

    // Warps that only produce a stage ask the copy engine for it, and hand it over in shared memory.
    void producers() {
        for (const auto& stage : tree_.state.stages) {
            if (stage->specialised == 0)
                continue;
            const NodeId id{stage->name, -1, "@stage"};
            const auto without = "leave out " + stage->name + ".specialize(…)";
            if (!gpu_.has("bulk_tensor_copy"))
                refuse(stage->name +
                           " has warps that only produce it, and the target has no copy engine for "
                           "these to ask",
                       without + ", or choose a target of compute capability 9.0", {id});
            if (stage->shared_by != "block")
                refuse(stage->name +
                           " has warps that only produce it, and others would not see it "
                           "in " +
                           stage->scope + " memory",
                       stage->name + ".scope(shared)", {id});
            for (const auto& inner : tree_.state.stages)
                if (inner->copy_of == stage->name && inner->pipeline > 1)
                    refuse(stage->name + " has warps that only produce it, and " + inner->name +
                               ", which is pipelined, would read it ahead of being handed over",
                           "leave out " + inner->name + ".pipeline(…) or " + stage->name +
                               ".specialize(…)",
                           {id, {inner->name, -1, "@stage"}});
        }
    }

    // ALCOP, section II-A. That the loop is sequential and that what is read is there is the directive's affair.
    void pipelines() {
        std::map<std::string, std::map<std::int64_t, const StageState*>> by_loop;
        for (const auto& stage : tree_.state.stages) {
            if (stage->pipeline < 2 || stage->compute.kind != Placement::Kind::At)
                continue;
            const NodeId id{stage->name, -1, "@stage"};
            if (stage->copy_of.empty())
                refuse(stage->name + " is pipelined and is computed, not copied: only copies are "
                                     "asynchronous (ALCOP's rule 1)",
                       "pipeline a copy of what it reads, by cache_read, and compute it from that",
                       {id});
            else
                copies_alone(*stage);
            for (const auto& inner : tree_.state.stages)
                if (inner->compute.kind == Placement::Kind::At &&
                    inner->compute.at.stage == stage->name)
                    refuse(stage->name + " is pipelined, and " + inner->name +
                               ", which it reads, is computed inside of it: only copies of what is "
                               "there are asynchronous (ALCOP's rule 1)",
                           "compute " + inner->name + " further out",
                           {id, {inner->name, -1, "@stage"}});
            if (stage->shared_by != "block" ||
                stage->specialised > 0) // those wait at objects of their own
                continue;
            const auto key = stage->compute.at.stage + "/" + std::to_string(stage->compute.at.loop);
            by_loop[key].emplace(stage->pipeline, stage.get());
        }
        const StageState* first = nullptr;
        for (const auto& [loop, stages] : by_loop)
            for (const auto& [copies, stage] : stages) {
                if (first && (first->pipeline != copies || !(first->compute == stage->compute)) &&
                    same_kernel(*first, *stage))
                    refuse(
                        first->name + " and " + stage->name +
                            " are pipelined in shared memory and would wait at different places: "
                            "the hardware waits for all copies of a scope in order (ALCOP's rule "
                            "3)",
                        "pipeline both at one loop with as many stages, or only one of them",
                        {{first->name, -1, "@stage"}, {stage->name, -1, "@stage"}});
                first = stage;
            }
    }

    // What is inlined into a copy leaves it one where it is a function of one element, which the copy's readers apply (derive.cpp).
    // Those may apply it on the way into registers, of each element of what they copy.
    void copies_alone(const StageState& copy) {
        const auto& values = tree_.derived->find(copy.name)->definitions[0].values;
        std::set<std::string> sources;
        each_load(tree_.derived->find(copy.name)->definitions[0],
                  [&](const Expr& load) { sources.insert(load.name); });
        const bool asynchronous = copy.shared_by == "block";
        if (asynchronous ? std::all_of(values.begin(), values.end(),
                                       [](const auto& v) { return v->kind == ExprKind::Load; })
                         : sources.size() == 1)
            return;
        refuse(
            copy.name + " is pipelined, and " + copy.copy_of +
                ", which is inlined into it, is no function of one element of memory: only "
                "copies are asynchronous (ALCOP's rule 1)",
            "leave out " + copy.copy_of + ".inline(), or write it first and pipeline copies of " +
                (sources.empty() ? "what is in memory" : listed({sources.begin(), sources.end()})),
            {{copy.name, -1, "@stage"}});
    }

    bool same_kernel(const StageState& a, const StageState& b) const {
        auto root_of = [&](const StageState* s) {
            while (s->compute.kind == Placement::Kind::At)
                s = tree_.state.find(s->compute.at.stage);
            return s->name;
        };
        return root_of(&a) == root_of(&b);
    }

    const ScheduleTree& tree_;
    const device::Gpu& gpu_;
    Fragments fragments_;
    std::vector<NotRunnable> out_;
    std::map<std::string, std::int64_t> extents_; // of levels, in the kernel at hand
    std::int64_t shared_ = 0;                     // bytes
    std::int64_t producers_ = 0;                  // warpgroups that only load
    std::int64_t sums_ = 0; // registers of a lane that hold what warpgroups add up
    std::string produced_;  // the stage that asks for the most of them
    const TreeNode* largest_shared_ = nullptr;
    std::map<std::string, const TreeNode*> grid_loops_; // of that kernel, by level
    std::map<std::string, const TreeNode*> persistent_; // of those
    bool kernel_has_blocks_ = false;
    std::int64_t lanes_ =
        0; // that do work of the kernel together: a warp's, a warpgroup's; 0: none
    const TreeNode* divided_ = nullptr; // the stage around that is divided among threads
};

} // namespace

std::vector<NotRunnable> not_runnable(const ScheduleTree& tree, const device::Gpu& gpu) {
    return Judge(tree, gpu).run();
}

} // namespace loopscope
