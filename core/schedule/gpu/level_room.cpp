#include "core/schedule/gpu/level_room.h"

#include "core/schedule/gpu/block_threads.h"
#include "core/schedule/identity.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr std::int64_t kMinThreads = kWarp; // that are worth a level

std::string definition_of(const TreeNode& loop) {
    return definition_name(loop.id.stage, loop.id.definition);
}

// "C.split(i, io, ii, 205)", with names that no loop of the definition has.
struct SplitLine {
    std::string outer, inner, text;
};

SplitLine split_line(const Crowded& crowded, std::int64_t factor) {
    const auto& id = crowded.loop.id;
    const auto& nest =
        crowded.tree.state.find(id.stage)->definitions[static_cast<std::size_t>(id.definition)];
    SplitLine out{id.name + "o", id.name + "i", {}};
    for (auto* name : {&out.outer, &out.inner})
        while (nest.find(*name))
            *name += "_";
    out.text = definition_of(crowded.loop) + ".split(" + id.name + ", " + out.outer + ", " +
               out.inner + ", " + std::to_string(factor) + ")";
    return out;
}

std::string bind_line(const Crowded& crowded, const std::string& name, const std::string& level) {
    return definition_of(crowded.loop) + ".bind(" + name + ", " + level + ")";
}

// A level of blocks that a part of the loop may take: what it runs over is independent, and blocks
// alone are around it. Empty: there is none.
std::string free_blocks(const Crowded& crowded) {
    const auto& loop = crowded.loop;
    const auto to = crowded.tree.path(loop.id);
    const bool movable = std::all_of(to.begin(), to.end(), [&](const TreeNode* node) {
        return node->kind != TreeKind::Loop || node->id == loop.id || node->extent.hint() <= 1 ||
               node->numbers.unit == device::Unit::Grid;
    });
    if (loop.reduction || loop.id.stage != crowded.kernel.id.stage || !movable)
        return {};
    for (const char* level : {"block.x", "block.y", "block.z"})
        if (!crowded.bound.count(level))
            return level;
    return {};
}

// The greatest divisor of `extent` up to `most` that is worth a level: at least a warp, or `most`
// where that is less; else `most`, whose last tile is guarded.
std::int64_t fitting_factor(std::int64_t extent, std::int64_t most) {
    for (auto factor = std::min(extent, most); factor >= std::min(kMinThreads, most); --factor)
        if (extent % factor == 0)
            return factor;
    return most;
}

} // namespace

std::string bound_elsewhere(const Crowded& crowded, const std::string& level) {
    return bind_line(crowded, crowded.loop.id.name, level);
}

std::string threads_split(const Crowded& crowded, std::int64_t most) {
    const auto split = split_line(crowded, fitting_factor(crowded.loop.extent.hint(), most));
    const auto blocks = free_blocks(crowded);
    return "before it is bound, " + split.text + ", then " +
           bind_line(crowded, split.inner, crowded.loop.binding) + "; leave " + split.outer +
           " unbound" + (blocks.empty() ? "" : ", or " + bind_line(crowded, split.outer, blocks));
}

std::string blocks_split(const Crowded& crowded, std::int64_t most) {
    const auto extent = crowded.loop.extent.hint(), least = (extent + most - 1) / most;
    auto factor = least; // iterations of each block; twice as many where that divides
    for (auto more = least; more <= 2 * least && extent % factor != 0; ++more)
        factor = extent % more == 0 ? more : least;
    const auto split = split_line(crowded, factor);
    return "before it is bound, " + split.text + ", then " +
           bind_line(crowded, split.outer, crowded.loop.binding) + "; put " + split.inner +
           " inside of all loops that are bound to blocks";
}

} // namespace loopscope
