#include "views/models/memory_text.h"

#include "core/schedule/gpu/shared_copies.h"
#include "core/schedule/gpu/swizzling.h"
#include "core/schedule/storage.h"
#include "views/models/snapshots.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace loopscope::views {

namespace {

// How many iterations ahead stages inside of a loop run.
std::int64_t ahead_in(const TreeNode& node, const std::string& variable) {
    std::int64_t most = 0;
    for (const PartialRun& run : node.runs)
        if (run.variable == variable)
            most = std::max(most, run.ahead);
    for (const TreeNodePtr& child : node.children)
        most = std::max(most, ahead_in(*child, variable));
    return most;
}

std::int64_t ahead_of(const TreeNode& node) {
    std::int64_t most = 0;
    for (const PartialRun& run : node.runs)
        most = std::max(most, run.ahead);
    return most;
}

// What lies along a dimension: rows where each element of it is a line of the contiguous one.
QString along(const TreeNode& storage, std::size_t dimension) {
    const std::vector<std::size_t> order = storage_order(storage);
    if (order.size() > 1 && order[order.size() - 2] == dimension)
        return QObject::tr("rows");
    return QObject::tr("along %1").arg(to_qstring(storage.region.dimensions[dimension].index));
}

} // namespace

QString levels_text(const TreeNode& node) {
    if (node.store_level == node.compute_level || node.rotation > 1 || ahead_of(node) > 0)
        return {}; // copies that rotate stand around their loop by themselves
    const NodeId &at = node.compute_level, &stored = node.store_level;
    const QString where =
        stored.stage.empty() ? QObject::tr("root")
        : stored.stage == at.stage
            ? to_qstring(stored.name)
            : to_qstring(definition_name(stored.stage, stored.definition) + "." + stored.name);
    return QObject::tr("at %1 · stored at %2").arg(to_qstring(at.name), where);
}

QString folded_text(const TreeNode& storage) {
    QStringList parts;
    for (std::size_t d = 0; d < storage.region.dimensions.size(); ++d) {
        const Region::Dimension& dimension = storage.region.dimensions[d];
        if (dimension.unfolded > 0)
            parts << QObject::tr("%1 of %2 %3")
                         .arg(dimension.extent.hint())
                         .arg(dimension.unfolded)
                         .arg(along(storage, d));
    }
    return parts.isEmpty() ? QString()
                           : parts.join(QStringLiteral(", ")) + QObject::tr(", circular");
}

QString rotation_text(const TreeNode& node) {
    if (node.kind == TreeKind::Storage)
        return node.rotation > 1
                   ? QObject::tr("× %1, %2 ahead").arg(node.rotation).arg(node.rotation - 1)
                   : QString();
    const std::int64_t ahead = ahead_of(node);
    return ahead > 0 ? QObject::tr("%1 ahead").arg(ahead) : QString();
}

std::int64_t pipelined_ahead(const TreeNode& loop) {
    return loop.begin < 0 ? ahead_in(loop, loop.variable) : 0;
}

QString warm_up_text(const TreeNode& loop) {
    if (loop.begin >= 0)
        return {};
    const std::int64_t ahead = ahead_in(loop, loop.variable);
    const QString what = ahead == 0            ? QObject::tr("warm up")
                         : ahead < -loop.begin ? QObject::tr("warm up and fill the pipeline")
                                               : QObject::tr("fill the pipeline");
    return QObject::tr("%1 to %2").arg(-loop.begin).arg(what);
}

std::vector<EarlyRun> early_runs(const ScheduleTree& tree, const TreeNode& stage) {
    std::vector<EarlyRun> early;
    for (const TreeNode* loop : tree.path(stage.id)) {
        if (loop->kind != TreeKind::Loop || loop->begin >= 0)
            continue;
        // One that runs in all iterations says nothing about them.
        const auto run = std::find_if(stage.runs.begin(), stage.runs.end(), [&](const auto& each) {
            return each.variable == loop->variable;
        });
        const std::int64_t first = run == stage.runs.end() ? loop->begin : run->first;
        if (first < 0 && (run == stage.runs.end() || run->ahead == 0))
            early.push_back({loop->id, -first});
    }
    return early;
}

double unfolded_bytes(const TreeNode& storage) {
    double bytes = storage_bytes(storage);
    bool folds = false;
    for (const Region::Dimension& d : storage.region.dimensions)
        if (d.unfolded > 0 && d.extent.hint() > 0) {
            bytes *= static_cast<double>(d.unfolded) / static_cast<double>(d.extent.hint());
            folds = true;
        }
    return folds ? bytes : 0;
}

QString hints_text(const ScheduleTree& tree, const TreeNode& node) {
    const StageState* stage = tree.state.find(node.id.stage);
    if (!stage)
        return {};
    if (node.kind == TreeKind::Storage) {
        if (!stage->swizzled)
            return {};
        const auto pattern = node.types.size() == 1 ? swizzling(node, node.types[0]) : std::nullopt;
        return pattern ? QObject::tr("banks swizzled by %1 bytes").arg(pattern->bytes())
                       : QObject::tr("banks swizzled");
    }
    if (stage->producer_warpgroups == 0)
        return {};
    const auto by = stage->producer_warpgroups == 1
                        ? QObject::tr("by a producer warpgroup")
                        : QObject::tr("by %1 producer warpgroups").arg(stage->producer_warpgroups);
    const auto blocks = blocks_that_share(tree, node.id.stage);
    return blocks == 1 ? by : QObject::tr("%1, multicast to %2 blocks").arg(by).arg(blocks);
}

} // namespace loopscope::views
