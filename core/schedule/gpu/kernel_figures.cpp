#include "core/schedule/gpu/kernel_figures.h"

#include "core/device/occupancy.h"
#include "core/schedule/gpu/block_threads.h"
#include "core/schedule/gpu/level_room.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

// Registers of a lane beside a warpgroup's sums: as ptxas gives them to the shipped products, 26,
// less what it may do without.
constexpr std::int64_t kMinOthers = 20;

class Limits {
public:
    Limits(const ScheduleTree& tree, const LaunchMapping& kernel, const KernelFigures& figures,
           const device::Gpu& gpu)
        : tree_(tree),
          kernel_(*kernel.nodes.front()),
          of_(kernel),
          figures_(figures),
          gpu_(gpu),
          consumers_(kernel.threads),
          all_(with_producers(consumers_, kernel.producers, kWarp)) {}

    std::vector<NotRunnable> run() {
        numbering();
        threads();
        registers();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            threads_along(axis);
            blocks_along(axis);
        }
        clusters();
        shared_memory();
        return std::move(out_);
    }

private:
    void refuse(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        out_.push_back({std::move(message), std::move(remedy), std::move(nodes)});
    }

    // The loops that a reason of the whole kernel follows from: those that lead to the lines of the
    // script which bind them.
    template <typename Takes> std::vector<NodeId> bound(Takes takes) const {
        std::vector<NodeId> loops;
        for (const auto& [level, loop] : of_.longest)
            if (takes(level, *loop))
                loops.push_back(loop->id);
        return loops.empty() ? std::vector<NodeId>{kernel_.id} : loops;
    }
    std::vector<NodeId> loops_of_threads() const {
        return bound(
            [](const std::string&, const TreeNode& loop) { return loop.numbers.of_threads(); });
    }
    std::vector<NodeId> loops_of_clusters() const {
        return bound(
            [](const std::string& level, const TreeNode&) { return level.starts_with("cluster"); });
    }
    static std::vector<NodeId> with(NodeId id, std::vector<NodeId> others) {
        others.push_back(std::move(id));
        return others;
    }

    std::int64_t extent(const std::string& level) const {
        const auto found = of_.extents.find(level);
        return found == of_.extents.end() ? 1 : found->second;
    }

    // Levels that number the same threads.
    void numbering() {
        const bool lanes = of_.lanes == kWarp || of_.extents.count("warp") ||
                           of_.extents.count("warp.x") || of_.extents.count("warp.y");
        const bool warps = lanes || of_.lanes > kWarp || of_.extents.count("warpgroup");
        const auto most = std::to_string(lanes ? kWarp : 4 * kWarp);
        if (warps && extent("thread.x") > (lanes ? kWarp : 4 * kWarp))
            refuse("thread.x has " + std::to_string(extent("thread.x")) +
                       " threads beside loops that are bound to " +
                       (lanes ? "warps" : "warpgroups") + ", which have " + most,
                   "bind at most " + most + " iterations to thread.x, or none to " +
                       (lanes ? "warps" : "warpgroups"),
                   loops_of_threads());
        if (lanes && of_.lanes > kWarp)
            refuse("loops are bound to warps in a kernel of which all lanes of a warpgroup do work "
                   "together: they number the same threads",
                   "bind them to warpgroup and thread.x", loops_of_threads());
        if (warps && (of_.extents.count("thread.y") || of_.extents.count("thread.z")))
            refuse("loops are bound to warps and to thread.y or thread.z, which number the same "
                   "threads",
                   "bind to the one or to the other", loops_of_threads());
        if (of_.extents.count("warpgroup") &&
            (of_.extents.count("warp.x") || of_.extents.count("warp.y")))
            refuse("loops are bound to warpgroup and to warp.x or warp.y, which number the same "
                   "threads",
                   "bind to warpgroup and warp", loops_of_threads());
        if (of_.extents.count("warpgroup") && extent("warp") > kWarpsOfGroup)
            refuse("warp has " + std::to_string(extent("warp")) +
                       " warps beside loops that are bound to warpgroups, which have " +
                       std::to_string(kWarpsOfGroup),
                   threads_split(crowded("warp"), kWarpsOfGroup), {longest("warp").id});
    }

    void threads() {
        const auto threads = thread_count(all_);
        const auto most = gpu_.limits.threads_per_block;
        if (of_.producers > 0 && thread_count(consumers_) % kWarp != 0)
            refuse("a block has " + std::to_string(thread_count(consumers_)) +
                       " threads beside the producers of " + of_.produced +
                       ", which begin with a warp of their own",
                   "bind a multiple of " + std::to_string(kWarp) + " iterations to threads",
                   with({of_.produced, -1, "@stage"}, loops_of_threads()));
        if (threads > most)
            refuse("a block has " + std::to_string(threads) + " threads" +
                       (of_.producers > 0 ? ", with the producers of " + of_.produced : "") +
                       ", and the target at most " + std::to_string(most),
                   std::string(
                       "split a loop that is bound to threads, and leave a part of it unbound") +
                       (of_.producers > 0
                            ? ", or give " + of_.produced + " fewer producer warpgroups"
                            : ""),
                   loops_of_threads());
    }

    // What warpgroups add up stays in registers: there is no code that has it in memory instead.
    void registers() {
        const auto threads = thread_count(all_);
        const auto allowed = device::most_registers(gpu_, threads);
        if (figures_.sums + kMinOthers > allowed && allowed > 0)
            refuse(
                "a thread of " + std::to_string(threads) + " may have " + std::to_string(allowed) +
                    " registers, and a warpgroup's lane holds " + std::to_string(figures_.sums) +
                    " sums beside some " + std::to_string(kMinOthers) + " others",
                std::string("smaller tiles, or fewer warpgroups") +
                    (of_.producers > 0 ? "; or leave out " + of_.produced + ".specialize(…)" : ""),
                loops_of_threads());
    }

    void threads_along(std::size_t a) {
        const auto level = std::string("thread.") + "xyz"[a];
        const auto most = gpu_.limits.block_extents[a];
        if (extent(level) > most)
            refuse(level + " has " + std::to_string(extent(level)) +
                       " threads, and the target at most " + std::to_string(most),
                   room_for_threads(level, most), {longest(level).id});
        else if (consumers_[a] > most)
            warps_along(a, level);
        else if (all_[a] > most)
            refuse(level + " has " + std::to_string(all_[a]) + " threads, with the producers of " +
                       of_.produced + ", and the target at most " + std::to_string(most),
                   "bind fewer iterations to " + level + ", or leave out " + of_.produced +
                       ".specialize(…)",
                   {kernel_.id, {of_.produced, -1, "@stage"}});
    }

    // Refuses more warps, or groups of them, than the dimension has threads for.
    void warps_along(std::size_t a, const std::string& dimension) {
        const auto most = gpu_.limits.block_extents[a];
        std::string level; // the one that numbers most of them
        for (const auto& [bound, loop] : of_.longest)
            if (loop->numbers.of_threads() && loop->numbers.members != device::Unit::Thread &&
                block_axis(loop->numbers) == static_cast<int>(a) &&
                (level.empty() || extent(bound) > extent(level)))
                level = bound;
        if (level.empty())
            return refuse("work that lanes do together needs " + std::to_string(consumers_[a]) +
                              " threads along " + dimension + ", and the target has at most " +
                              std::to_string(most),
                          "instructions of fewer lanes, or another target", {kernel_.id});
        refuse(level + " has " + std::to_string(extent(level)) + " " +
                   device::name(longest(level).numbers.members) + "s along " + dimension +
                   ", and the target at most " + std::to_string(most),
               room_for_threads(level, most), {longest(level).id});
    }

    void blocks_along(std::size_t a) {
        const auto axis = "xyz"[a];
        const auto blocks = std::string("block.") + axis, cluster = std::string("cluster.") + axis;
        const auto most = gpu_.limits.grid_extents[a];
        const bool few = std::any_of(of_.persistent.begin(), of_.persistent.end(), [&](auto* loop) {
            return launch_level(*loop) == blocks; // no more than run at once
        });
        if (few || of_.grid(a) <= most)
            return;
        const bool of_cluster = of_.longest.count(blocks) == 0 || extent(cluster) > most;
        refuse(blocks + " has " + std::to_string(of_.grid(a)) + " blocks, and the target at most " +
                   std::to_string(most),
               of_cluster ? smaller_clusters() : room_for_blocks(blocks, most / extent(cluster)),
               {longest(of_cluster ? cluster : blocks).id});
    }

    const TreeNode& longest(const std::string& level) const { return *of_.longest.at(level); }

    Crowded crowded(const std::string& level) const {
        Crowded out{tree_, kernel_, longest(level), {}};
        for (const auto& [bound, extent] : of_.extents)
            out.bound.insert(bound);
        return out;
    }

    // Allows for the share that the other levels have of a block's threads.
    std::string room_for_threads(const std::string& level, std::int64_t most) const {
        const auto& limits = gpu_.limits;
        const auto others = std::max<std::int64_t>(thread_count(all_) / extent(level), 1);
        const auto share = std::max<std::int64_t>(limits.threads_per_block / others, 1);
        const auto loop = crowded(level);
        const bool elsewhere = loop.loop.numbers.members == device::Unit::Thread &&
                               of_.lanes == 0 && !loop.bound.count("thread.x") &&
                               extent(level) <= std::min(limits.block_extents[0], share);
        return elsewhere ? bound_elsewhere(loop, "thread.x")
                         : threads_split(loop, share > 1 ? std::min(most, share) : most);
    }

    // `most`: clusters, where blocks stand in those.
    std::string room_for_blocks(const std::string& level, std::int64_t most) const {
        const auto loop = crowded(level);
        if (of_.cluster[0] * of_.cluster[1] > 1)
            return blocks_split(loop, most);
        if (!loop.bound.count("block.x") && extent(level) <= gpu_.limits.grid_extents[0])
            return bound_elsewhere(loop, "block.x");
        const auto& id = loop.loop.id;
        return definition_name(id.stage, id.definition) + ".persistent(" + id.name +
               ") runs it inside as many blocks as there is room for";
    }

    std::string smaller_clusters() const {
        return gpu_.limits.blocks_per_cluster == 0
                   ? "bind them to blocks, or choose a target of compute capability 9.0"
                   : "split a loop that is bound to cluster.x or cluster.y, and bind its outer "
                     "part to blocks";
    }

    // As if no allocations shared a place: lowering may need less.
    void shared_memory() {
        const auto most = gpu_.limits.shared_bytes_per_block;
        const auto* largest = figures_.largest_shared;
        if (figures_.shared_bytes <= most || !largest)
            return;
        refuse("a block needs " + std::to_string(figures_.shared_bytes) +
                   " bytes of shared memory, and the target has " + std::to_string(most) +
                   "; the most is " + largest->id.stage,
               "smaller tiles, or fewer stages of a pipeline", {largest->id});
        out_.back().stays = largest->rotation > 1; // else it may yet be computed further inside
    }

    // The blocks of a cluster that each GPU of the architecture can hold; more may not fit some.
    void clusters() {
        const auto blocks = of_.cluster[0] * of_.cluster[1];
        for (const auto* loop : of_.persistent)
            if (blocks > 1)
                refuse(loop->id.text() +
                           " is persistent beside loops that are bound to clusters: blocks of one "
                           "cluster would be at different iterations",
                       "leave out " + definition_name(loop->id.stage, loop->id.definition) +
                           ".persistent(" + loop->id.name + "), or bind the others to blocks",
                       {loop->id});
        const std::int64_t most = gpu_.limits.blocks_per_cluster;
        if (blocks > 1 && most == 0)
            refuse("loops are bound to clusters, and the target has none", smaller_clusters(),
                   loops_of_clusters());
        else if (blocks > most && most > 0)
            refuse("a cluster has " + std::to_string(blocks) +
                       " blocks, and the target allows at most " + std::to_string(most),
                   smaller_clusters(), loops_of_clusters());
    }

    const ScheduleTree& tree_;
    const TreeNode& kernel_; // the first of its nodes
    const LaunchMapping& of_;
    const KernelFigures& figures_;
    const device::Gpu& gpu_;
    const BlockThreads consumers_; // without producers
    const BlockThreads all_;
    std::vector<NotRunnable> out_;
};

} // namespace

std::vector<NotRunnable> beyond_limits(const ScheduleTree& tree, const LaunchMapping& kernel,
                                       const KernelFigures& figures, const device::Gpu& gpu) {
    return Limits(tree, kernel, figures, gpu).run();
}

} // namespace loopscope
