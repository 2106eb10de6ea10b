#include "views/models/schedule_pair.h"

#include "views/models/node_text.h"
#include "views/style/number_format.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <map>
#include <set>

namespace loopscope::views {

namespace {

// What a stage costs by itself: its nest without those of the stages that are computed inside it.
void own_times(const TreeNode& node, const model::Estimate& estimate, const TreeNode* stage,
               std::map<std::string, double>& out) {
    if (node.kind == TreeKind::Stage) {
        const auto cost = estimate.nodes.find(node.id);
        const double seconds = cost == estimate.nodes.end() ? 0 : cost->second.seconds_subtree;
        out[node.id.stage] += seconds;
        if (stage)
            out[stage->id.stage] -= seconds;
        stage = &node;
    }
    for (const TreeNodePtr& child : node.children)
        own_times(*child, estimate, stage, out);
}

void memory_of(const TreeNode& node, std::map<std::string, double>& out) {
    if (node.kind == TreeKind::Storage && !node.is_output)
        out[node.id.stage] +=
            region_bytes(node.region, node.types) * static_cast<double>(node.rotation);
    for (const TreeNodePtr& child : node.children)
        memory_of(*child, out);
}

using Figures = std::map<std::string, double>;

// The stages of both in the order in which they are computed, the right one's first.
std::vector<std::string> stages_of(const ScheduleTree& left, const ScheduleTree& right) {
    std::vector<std::string> order;
    std::set<std::string> known;
    for (const ScheduleTree* tree : {&right, &left})
        for (const DerivedStage& stage : tree->stages)
            if (known.insert(stage.stage.name).second)
                order.push_back(stage.stage.name);
    return order;
}

double sum(const Figures& figures) {
    double all = 0;
    for (const auto& [name, value] : figures)
        all += value;
    return all;
}

struct FigureGroup {
    QString name, tooltip;
    QString (*format)(double);
};

void add_stages(std::vector<ComparedNumber>& out, const std::vector<std::string>& stages,
                const Figures& left, const Figures& right, const FigureGroup& group) {
    auto of = [](const Figures& figures, const std::string& stage) {
        const auto found = figures.find(stage);
        return found == figures.end() ? std::nullopt : std::optional(found->second);
    };
    for (const std::string& stage : stages) {
        const auto before = of(left, stage), now = of(right, stage);
        if (!before && !now)
            continue;
        out.push_back(compared_number(to_qstring(stage), before, now, group.format,
                                      group.tooltip.arg(to_qstring(stage))));
        out.back().group = group.name;
    }
}

void add_all_stages(std::vector<ComparedNumber>& out, const ComparedSchedule& left,
                    const ComparedSchedule& right) {
    const auto stages = stages_of(*left.tree, *right.tree);
    Figures times[2], memory[2], recompute[2];
    const ComparedSchedule* sides[] = {&left, &right};
    for (int side : {0, 1}) {
        memory_of(*sides[side]->tree->root, memory[side]);
        if (sides[side]->estimate && sides[side]->estimate->seconds) {
            own_times(*sides[side]->tree->root, *sides[side]->estimate, nullptr, times[side]);
            recompute[side] = sides[side]->estimate->stage_recompute;
        }
    }
    auto whole = compared_number(
        QObject::tr("memory of intermediates"), sum(memory[0]), sum(memory[1]), format_capacity,
        QObject::tr("Storage of all stages that are not outputs, one instance of each."));
    whole.group = whole_group();
    const auto after_whole = std::find_if(
        out.begin(), out.end(), [](const ComparedNumber& n) { return n.group != whole_group(); });
    out.insert(after_whole, std::move(whole));
    add_stages(out, stages, times[0], times[1],
               {QObject::tr("Time of a stage by itself"),
                QObject::tr("The nest of %1 without what is computed inside it, predicted."),
                format_seconds});
    add_stages(out, stages, memory[0], memory[1],
               {QObject::tr("Memory of a stage"), QObject::tr("One instance of the storage of %1."),
                format_capacity});
    for (const std::string& stage : stages) { // only where something is computed twice
        auto once = [&](int side) {
            const auto found = recompute[side].find(stage);
            return found == recompute[side].end() || found->second < 1.005;
        };
        if (once(0) && once(1))
            for (Figures& side : recompute)
                side.erase(stage);
    }
    add_stages(out, stages, recompute[0], recompute[1],
               {QObject::tr("Recomputation of a stage"),
                QObject::tr("Points of %1 that are computed for each one that is needed."),
                format_factor});
}

} // namespace

SchedulePair pair_of(ComparedSchedule left, ComparedSchedule right, const QString& device) {
    SchedulePair pair;
    pair.device = device;
    pair.script = align_scripts(left.script, right.script);
    if (left.tree && right.tree) {
        pair.tree = align_trees(*left.tree, left.estimate.get(), *right.tree, right.estimate.get());
        if (left.estimate && right.estimate)
            pair.numbers =
                compare_numbers(*left.estimate, *right.estimate, {left.measured, right.measured});
        add_all_stages(pair.numbers, left, right);
    }
    pair.left = std::move(left);
    pair.right = std::move(right);
    return pair;
}

Headline headline(const SchedulePair& pair) {
    for (const ComparedSchedule* side : {&pair.left, &pair.right})
        if (!side->tree)
            return {QObject::tr("%1 makes no schedule here: %2")
                        .arg(side == &pair.left ? QObject::tr("The left one")
                                                : QObject::tr("The right one"),
                             side->failure),
                    0};
    const bool measured = pair.left.measured && pair.right.measured;
    auto seconds = [&](const ComparedSchedule& side) -> std::optional<double> {
        return measured ? side.measured : side.estimate ? side.estimate->seconds : std::nullopt;
    };
    const auto left = seconds(pair.left), right = seconds(pair.right);
    if (!left || !right || *left <= 0 || *right <= 0)
        return {QObject::tr("There is no estimate to compare."), 0};
    // Predicted and measured are not compared, and why it is the prediction is said.
    const QString how = measured              ? QObject::tr("measured")
                        : pair.left.measured  ? QObject::tr("predicted, the right one not measured")
                        : pair.right.measured ? QObject::tr("predicted, the left one not measured")
                                              : QObject::tr("predicted");
    const int sign = change_sign(*left, *right);
    if (sign == 0)
        return {QObject::tr("Both take the same time, %1").arg(how), 0};
    const double factor = std::max(*left / *right, *right / *left);
    const QString by = factor >= 1.1 ? QObject::tr("%1 faster").arg(format_factor(factor))
                                     : QObject::tr("%1 faster").arg(format_share(factor - 1));
    return {(sign < 0 ? QObject::tr("The right one is %1, %2 (%3)")
                      : QObject::tr("The left one is %1, %2 (the right one %3)"))
                .arg(by, how, format_change(*left, *right)),
            sign};
}

QString times_text(const ComparedSchedule& schedule) {
    QStringList parts;
    if (!schedule.tree)
        return QObject::tr("no schedule");
    if (schedule.estimate && schedule.estimate->seconds)
        parts << QObject::tr("≈ %1 predicted").arg(format_seconds(*schedule.estimate->seconds));
    else
        parts << QObject::tr("no estimate");
    if (schedule.measured)
        parts << QObject::tr("%1 measured").arg(format_seconds(*schedule.measured));
    return parts.join(QStringLiteral(" · "));
}

} // namespace loopscope::views
