#include "views/models/node_text.h"

#include "core/schedule/shared_loops.h"
#include "core/schedule/storage.h"
#include "core/schedule/tensor_call.h"

#include "views/models/memory_text.h"
#include "views/style/number_format.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace loopscope::views {

namespace {

const QString kDot = QStringLiteral(" · ");

QString compute_detail(const ScheduleTree& tree, const TreeNode& node) {
    QString text;
    switch (node.compute.role) {
    case ComputeRole::Pure: text = QStringLiteral("value"); break;
    case ComputeRole::Init: text = QStringLiteral("initial value"); break;
    case ComputeRole::Step:
        text = QStringLiteral("one term of the ") + stage_nature(tree, node.compute.stage);
        break;
    case ComputeRole::Update:
        text = QStringLiteral("one step of update ") + QString::number(node.compute.definition - 1);
        break;
    }
    if (!node.compute.guards.empty())
        text +=
            kDot + (node.compute.vectorized ? QStringLiteral("masked") : QStringLiteral("guarded"));
    if (node.compute.atomic)
        text += kDot + QObject::tr("atomic");
    if (node.compute.non_temporal)
        text += kDot + QObject::tr("stores stream");
    return text;
}

// The parts that are not empty, with a dot between them.
QString dotted(const QStringList& parts) {
    QStringList said = parts;
    said.removeAll(QString());
    return said.join(kDot);
}

QString loop_detail(const ScheduleTree& tree, const TreeNode& node) {
    QStringList parts{to_qstring(node.extent.text()), warm_up_text(node)};
    if (node.init)
        parts << QObject::tr("initialisation");
    else if (node.reduction)
        parts << QObject::tr("reduction");
    if (node.tensor)
        parts << (node.tensor->initializes ? QObject::tr("sets the result of %1")
                                           : QStringLiteral("%1"))
                     .arg(to_qstring(node.tensor->intrinsic->name));
    QStringList names;
    for (const auto& [stage, definition] : sharers(tree, node.id))
        names << to_qstring(definition_name(stage, definition));
    if (!names.isEmpty())
        parts << QObject::tr("shared by %1").arg(names.join(QStringLiteral(", ")));
    for (const Prefetch& prefetch : node.prefetches)
        parts << QObject::tr("prefetches %1, %2 ahead")
                     .arg(to_qstring(prefetch.source))
                     .arg(prefetch.ahead);
    return dotted(parts);
}

// What memory holds, how much of it is kept, and its size.
QString memory_detail(const ScheduleTree& tree, const TreeNode& node) {
    QString size = format_capacity(storage_bytes(node));
    if (const double whole = unfolded_bytes(node); whole > 0)
        size += QObject::tr(", saves %1").arg(format_capacity(whole - storage_bytes(node)));
    return dotted({types_text(node.types) + ' ' + region_text(node.region), folded_text(node),
                   rotation_text(node), size, hints_text(tree, node)});
}

// What has a mark of its own before its name needs the room for more than that word.
QString storage_detail(const ScheduleTree& tree, const TreeNode& node) {
    const bool marked = node.rotation > 1 || !folded_text(node).isEmpty();
    return (marked ? QString() : QStringLiteral("storage ")) + memory_detail(tree, node);
}

QString stage_detail(const ScheduleTree& tree, const TreeNode& node) {
    const DerivedStage* derived = tree.find_stage(node.id.stage);
    QString nature = stage_nature(tree, node.id.stage);
    if (derived && !derived->cache_of.empty())
        nature = QObject::tr("cache of %1").arg(to_qstring(derived->cache_of)) +
                 (nature == "pure" ? QString() : QStringLiteral(", ") + nature);
    return dotted({(nature == "pure" ? QString() : nature + ' ') + QStringLiteral("→ ") +
                       types_text(node.types) + ' ' + region_text(node.region),
                   levels_text(node), rotation_text(node), hints_text(tree, node)});
}

} // namespace

std::int64_t iterations(const TreeNode& loop) {
    return loop.extent.hint() + std::min<std::int64_t>(loop.begin, 0);
}

std::string loop_name(const TreeNode& node) {
    static const std::string suffix = "@init";
    const std::string& name = node.id.name;
    if (node.init && name.size() > suffix.size() && name.ends_with(suffix))
        return name.substr(0, name.size() - suffix.size());
    return name;
}

QString node_name(const TreeNode& node) {
    if (node.kind == TreeKind::Loop)
        return to_qstring(loop_name(node));
    if (node.kind == TreeKind::Compute)
        return to_qstring(definition_name(node.id.stage, std::max(node.id.definition, 0)));
    return to_qstring(node.id.stage);
}

QString node_detail(const ScheduleTree& tree, const TreeNode& node) {
    switch (node.kind) {
    case TreeKind::Root: return {};
    case TreeKind::Stage: return stage_detail(tree, node);
    case TreeKind::Loop: return loop_detail(tree, node);
    case TreeKind::Storage: return storage_detail(tree, node);
    case TreeKind::Compute: return compute_detail(tree, node);
    }
    return {};
}

QString node_tag(const TreeNode& node) {
    if (node.kind == TreeKind::Storage)
        return node.is_output ? QStringLiteral("output") : to_qstring(node.scope.name);
    if (node.kind != TreeKind::Loop)
        return {};
    if (!node.binding.empty())
        return to_qstring(node.binding) +
               (node.persistent ? QStringLiteral(" persistent") : QString());
    if (node.tensor)
        return QStringLiteral("tensor core");
    const QString times = QStringLiteral(" ×") + to_qstring(node.extent.text());
    switch (node.loop_kind) {
    case LoopKind::Serial:
        if (const std::int64_t ahead = pipelined_ahead(node); ahead > 0)
            return QStringLiteral("pipelined ×%1").arg(ahead + 1);
        return QStringLiteral("serial");
    case LoopKind::Parallel: return QStringLiteral("parallel");
    case LoopKind::Unrolled: return QStringLiteral("unrolled") + times;
    case LoopKind::Vectorized: return QStringLiteral("vector") + times;
    }
    return {};
}

Meaning node_meaning(const TreeNode& node) {
    if (node.kind == TreeKind::Storage)
        return node.is_output ? Meaning::Vector : Meaning::Serial;
    if (node.kind != TreeKind::Loop)
        return Meaning::Serial;
    if (node.tensor || node.numbers.of_blocks())
        return Meaning::Block;
    if (!node.binding.empty())
        return Meaning::Thread;
    switch (node.loop_kind) {
    case LoopKind::Serial: return pipelined_ahead(node) > 0 ? Meaning::Pipelined : Meaning::Serial;
    case LoopKind::Parallel: return Meaning::Parallel;
    case LoopKind::Unrolled: return Meaning::Unrolled;
    case LoopKind::Vectorized: return Meaning::Vector;
    }
    return Meaning::Serial;
}

Meaning meaning_of_bound(const std::string& bound) {
    if (bound == "compute")
        return Meaning::Block;
    if (bound == "memory" || bound == "DRAM")
        return Meaning::Pipelined;
    if (bound == "overhead")
        return Meaning::Serial;
    if (bound == "L1")
        return Meaning::Vector;
    return bound == "L2" ? Meaning::Thread : Meaning::Unrolled;
}

QString node_kind(const TreeNode& node) {
    switch (node.kind) {
    case TreeKind::Root: return QStringLiteral("program");
    case TreeKind::Stage: return QStringLiteral("stage");
    case TreeKind::Loop: return QStringLiteral("loop");
    case TreeKind::Storage: return QStringLiteral("storage");
    case TreeKind::Compute: return QStringLiteral("compute");
    }
    return {};
}

QString node_sentence(const ScheduleTree& tree, const TreeNode& node, const model::NodeCost* cost) {
    QString text;
    const QString owner =
        to_qstring(definition_name(node.id.stage, std::max(node.id.definition, 0)));
    switch (node.kind) {
    case TreeKind::Root: return {};
    case TreeKind::Stage:
        text = QStringLiteral("Stage %1 computes %2 here")
                   .arg(node_name(node), region_text(node.region));
        for (const QString& more : {levels_text(node), rotation_text(node), hints_text(tree, node)})
            text += more.isEmpty() ? QString() : QStringLiteral(", ") + more;
        break;
    case TreeKind::Loop:
        text = QStringLiteral("Loop %1 of %2, iterations %3, %4")
                   .arg(node_name(node), owner, loop_detail(tree, node), node_tag(node));
        break;
    case TreeKind::Storage:
        text = QStringLiteral("Memory of %1: %2").arg(node_name(node), memory_detail(tree, node));
        break;
    case TreeKind::Compute:
        text = QStringLiteral("Computes %1: %2").arg(owner, compute_detail(tree, node));
        break;
    }
    if (cost) {
        text += QStringLiteral("; %1 with what is computed inside it, run %2")
                    .arg(format_seconds(cost->seconds_subtree),
                         cost->trips == 1 ? QStringLiteral("once")
                                          : format_count(cost->trips) + QStringLiteral(" times"));
        if (cost->flops > 0)
            text += QStringLiteral(", ") + format_flops(cost->flops);
    }
    return text + '.';
}

QString node_title(const NodeId& id) {
    if (id.stage.empty())
        return {};
    const QString owner =
        to_qstring(id.definition > 0 ? definition_name(id.stage, id.definition) : id.stage);
    if (id.name == "@stage")
        return owner + kDot + QStringLiteral("stage");
    if (id.name == "@storage")
        return owner + kDot + QStringLiteral("storage");
    if (id.name == "@compute" || id.name == "@init")
        return owner + kDot +
               (id.name == "@init" ? QStringLiteral("initial value") : QStringLiteral("value"));
    QString loop = to_qstring(id.name);
    const bool init = loop.endsWith("@init");
    if (init)
        loop.chop(5);
    return owner + kDot + QStringLiteral("loop ") + loop +
           (init ? QStringLiteral(", initialisation") : QString());
}

QString types_text(const std::vector<ScalarType>& types) {
    QStringList names;
    for (ScalarType type : types)
        names << name(type);
    return names.size() == 1 ? names.first() : '(' + names.join(", ") + ')';
}

QString region_text(const Region& region) {
    QStringList extents;
    for (const Region::Dimension& d : region.dimensions)
        extents << to_qstring(d.extent.text());
    return '[' + extents.join(", ") + ']';
}

double region_bytes(const Region& region, const std::vector<ScalarType>& types) {
    double total = 0;
    for (ScalarType type : types)
        total += bytes(type);
    for (const Region::Dimension& d : region.dimensions)
        total *= static_cast<double>(d.extent.hint());
    return total;
}

double box_bytes(const Box& box, const std::vector<ScalarType>& types) {
    double total = 0;
    for (ScalarType type : types)
        total += bytes(type);
    for (const Interval& interval : box)
        total *= static_cast<double>(interval.extent());
    return total;
}

QString stage_nature(const ScheduleTree& tree, const std::string& stage) {
    const DerivedStage* derived = tree.find_stage(stage);
    if (!derived)
        return QStringLiteral("pure");
    if (!derived->copy_of.empty())
        return QStringLiteral("copy of ") + to_qstring(derived->copy_of);
    if (derived->stage.definitions.empty())
        return QStringLiteral("pure");
    const Definition& first = derived->stage.definitions.front();
    return first.kind == DefinitionKind::Reduction ? QString(name(first.reduction))
                                                   : QString(name(first.kind));
}

} // namespace loopscope::views
