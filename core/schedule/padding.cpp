#include "core/schedule/padding.h"

#include "core/ir/limits.h"

#include <algorithm>

namespace loopscope {

namespace {

std::string interval_shown(const Interval& i) {
    return std::to_string(i.least) + ".." + std::to_string(i.greatest);
}

// "the tail pad of C computes 104 points along x where 100 are needed", or empty: none pads.
std::string padded_tail(const Stage& stage, const StageLayout& layout, std::size_t d) {
    const auto& definition = stage.definitions[d];
    const auto& nest = layout.nests[d];
    for (std::size_t a = 0; a < definition.free.size(); ++a) {
        auto needed = layout.needed[stage.dimension_of(definition.free[a])];
        if (nest.computed[a] > needed)
            return "the tail pad of " + definition_name(stage.name, static_cast<int>(d)) +
                   " computes " + std::to_string(nest.computed[a]) + " points along " +
                   definition.free[a] + " where " + std::to_string(needed) + " are needed";
    }
    return {};
}

// The ranges of a definition's axes over all executions of its stage.
std::map<std::string, Interval> ranges_of(const Stage& stage, const StageLayout& layout,
                                          std::size_t d) {
    const auto& definition = stage.definitions[d];
    const auto& nest = layout.nests[d];
    std::map<std::string, Interval> out;
    for (std::size_t a = 0; a < definition.free.size(); ++a) {
        auto min = layout.mins[stage.dimension_of(definition.free[a])].range();
        out[definition.free[a]] = {min.least, min.greatest + nest.computed[a] - 1};
    }
    for (const auto& axis : definition.axes)
        out[axis.name] = {axis.begin.hint(), axis.end.hint() - 1};
    return out;
}

// Does the value of an index change with the variable? What a load reads does not count: its range
// is known without.
bool follows(const ExprPtr& index, const std::string& variable) {
    bool found = false;
    visit(index, [&](const Expr& e) {
        found = found || (e.kind == ExprKind::Variable && e.name == variable);
        return e.kind != ExprKind::Load && !found;
    });
    return found;
}

// An access of an update to its own stage, beside the variable's own dimension, that moves with a
// variable whose tail pads: its elements beyond are not stored. Empty: there is none.
std::string escaping_access(const Stage& stage, const StageLayout& layout, std::size_t d) {
    const auto& definition = stage.definitions[d];
    std::string escaping;
    auto examine = [&](const std::vector<ExprPtr>& indices) {
        for (std::size_t a = 0; a < definition.free.size(); ++a) {
            auto own = stage.dimension_of(definition.free[a]);
            if (layout.nests[d].computed[a] <= layout.needed[own])
                continue;
            for (std::size_t i = 0; i < indices.size(); ++i)
                if (i != own && follows(indices[i], definition.free[a]))
                    escaping = stage.name + "[…, " + to_text(indices[i]) + ", …]";
        }
    };
    examine(definition.left);
    auto each = [&](const ExprPtr& e) {
        if (e)
            visit(e, [&](const Expr& node) {
                if (node.kind == ExprKind::Load && node.name == stage.name)
                    examine(node.args);
                return true;
            });
    };
    for (const auto& value : definition.values)
        each(value);
    each(definition.condition);
    return escaping;
}

} // namespace

Status PaddedBoxes::close(const Stage& stage) {
    auto why = grown(stage.name);
    if (!why)
        return success();
    auto& box = boxes_.at(stage.name);
    auto closed = box_with_updates(derived_, stage, box, values_);
    if (!closed)
        return coded_error(kCodePadding, *why + "; there, " + closed.errors().front().message,
                           "write guard instead of pad");
    for (const auto& interval : *closed)
        if (interval.extent() > kMaxExtent || interval.greatest > kMaxExtent ||
            interval.least < -kMaxExtent - 1)
            return coded_error(kCodePadding,
                               *why + "; " + stage.name + " would be needed over " +
                                   interval_shown(interval) +
                                   ", and index variables are i32, an extent at most 2147483647",
                               "write guard instead of pad");
    box = std::move(*closed);
    return success();
}

Result<std::vector<PaddedReads>> PaddedBoxes::reads_beyond(const Stage& stage,
                                                           const StageLayout& layout) {
    std::vector<PaddedReads> out;
    for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
        PaddingReason own;
        if (auto tail = padded_tail(stage, layout, d); !tail.empty())
            own = std::make_shared<const std::string>(std::move(tail));
        auto why = own ? own : grown(stage.name);
        if (!why)
            continue;
        if (auto access = escaping_access(stage, layout, d); !access.empty())
            return coded_error(kCodePadding, *why + "; there, " + access + " is not stored",
                               "write guard instead of pad");
        auto reads =
            boxes_read(derived_, stage.definitions[d], ranges_of(stage, layout, d), values_);
        if (!reads)
            return coded_error(kCodePadding, *why + "; there, " + reads.errors().front().message,
                               "write guard instead of pad");
        reads->erase(stage.name);
        out.push_back({std::move(own), std::move(*reads)});
    }
    return out;
}

void PaddedBoxes::add(const std::string& reader, const std::vector<PaddedReads>& reads) {
    for (const auto& [why, boxes] : reads)
        for (const auto& [name, read] : boxes) {
            auto& box = boxes_[name];
            auto both = hull(box, read);
            if (both == box)
                continue;
            box = std::move(both);
            grown_.emplace(name, why ? why : grown(reader));
        }
}

PaddingReason PaddedBoxes::grown(const std::string& name) const {
    auto found = grown_.find(name);
    return found == grown_.end() ? nullptr : found->second;
}

Status PaddedBoxes::check_inputs() const {
    for (const auto& [name, why] : grown_) {
        const auto& input = *derived_.find(name);
        if (!input.is_input || input.boundary.kind != BoundaryKind::None)
            continue;
        for (std::size_t i = 0; i < input.extents.size(); ++i) {
            Interval inside{0, input.extents[i].hint() - 1};
            const auto& read = boxes_.at(name)[i];
            if (!read.empty() && !inside.contains(read))
                return coded_error(kCodePadding,
                                   *why + "; the input " + name + " would be read outside: index " +
                                       std::to_string(i) + " runs over " + interval_shown(read) +
                                       ", and the input has " + interval_shown(inside),
                                   "write guard instead of pad, or give " + name + " a boundary");
        }
    }
    return success();
}

Status check_storage_size(const StageState& state, const Stage& stage,
                          const std::vector<std::int64_t>& extents) {
    __int128 size = 0;
    for (auto type : stage.types)
        size += bytes(type);
    for (std::size_t d = 0; d < extents.size(); ++d) {
        auto extent = extents[d];
        if (!state.storage_padding.empty())
            extent += state.storage_padding[d];
        size *= extent;
        if (extent > kMaxExtent || size > kMaxBytes)
            return coded_error(kCodeStorageSize,
                               "the storage of " + stage.name + " would have " +
                                   (extent > kMaxExtent ? "more than 2147483647 elements along " +
                                                              stage.variables[d]
                                                        : std::string("more than 2^62 bytes")),
                               state.storage_padding.empty()
                                   ? "compute it at a loop, where less of it is needed at once"
                                   : "pad it by less");
    }
    return success();
}

bool pads(const ScheduleState& state) { return state.stages.any(StageTrait::Pads); }

} // namespace loopscope
