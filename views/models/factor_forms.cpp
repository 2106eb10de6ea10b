// The factors of a node: of the split that made its loop, of one that could be made of it, and how
// many stages a pipeline has.

#include "views/models/form_node.h"
#include "views/models/memory_forms.h"
#include "views/models/node_text.h"
#include "views/models/schedule_form.h"

#include <QObject>

#include <algorithm>
#include <limits>

namespace loopscope::views {

namespace {

constexpr int kMaxFactors = 14;

QString with_factor(const Directive& directive, std::size_t index, const Factor& factor) {
    std::size_t at = 0;
    return changed_line(
        directive,
        [&](const char*, const field::Factor& f) {
            if (at++ == index)
                f.value = factor;
        },
        [&](const char*, const field::OptionalFactor& f) {
            if (f.value && at++ == index)
                f.value = factor;
        });
}

std::optional<Factor> parsed(const QString& text) {
    Factor factor;
    QString number = text.trimmed();
    if (number.endsWith(QStringLiteral("native"))) {
        factor.native = true;
        number.chop(6);
        number = number.trimmed();
        if (number.isEmpty())
            return factor;
        if (!number.endsWith('*'))
            return std::nullopt;
        number.chop(1);
    }
    bool ok = false;
    factor.value = number.trimmed().toLongLong(&ok);
    return ok && factor.value >= 1 ? std::optional<Factor>(factor) : std::nullopt;
}

// The iterations of a loop as it stands, or of one that was split: of its parts together, tails
// included; 0: not known, because a part was fused.
std::int64_t extent_of(const ScheduleTree& tree, const FormNode& node, int id) {
    const auto& nest = node.nest();
    if (const int at = nest.position_of(id); at >= 0) {
        const auto* row = tree.find(
            {node.stage->name, node.definition, nest.loops[static_cast<std::size_t>(at)].name});
        return row ? iterations(*row) : 0;
    }
    for (const Relation& r : nest.relations)
        if (r.kind == Relation::Kind::Split && r.parent == id)
            return extent_of(tree, node, r.outer) * r.factor;
    return 0;
}

// The iterations of the loop that the directive split. vectorize(a, F) and unroll(a, F) split too,
// and leave the name outside: they are passed by where another directive made that name.
std::int64_t parent_extent(const ScheduleTree& tree, const FormNode& node, bool by_name) {
    const auto& nest = node.nest();
    int id = node.loop->id;
    for (std::size_t step = 0; step <= nest.relations.size(); ++step) {
        const auto r =
            std::find_if(nest.relations.begin(), nest.relations.end(), [&](const auto& each) {
                return each.kind == Relation::Kind::Split && (each.inner == id || each.outer == id);
            });
        if (r == nest.relations.end())
            return 0;
        const int inner = nest.position_of(r->inner);
        const std::string name =
            inner >= 0 ? nest.loops[static_cast<std::size_t>(inner)].name : std::string();
        const bool kept =
            r->outer == id && (name == node.loop->name + "_v" || name == node.loop->name + "_u");
        if (!by_name || !kept)
            return extent_of(tree, node, r->parent);
        id = r->parent;
    }
    return 0;
}

// Greatest: not known.
std::int64_t value_of(const ScheduleTree& tree, const std::string& stage, const Factor& factor,
                      const device::Device* device) {
    if (!factor.native)
        return factor.value;
    const auto value = device ? factor_value(tree.state, stage, factor, {device})
                              : Result<std::int64_t>(error("no device"));
    return value ? *value : std::numeric_limits<std::int64_t>::max();
}

struct NamedFactor {
    QString label, shown;
    std::int64_t value = 0; // greatest: not known, to stand last
};

// The usual factors of an extent, the multiples of the vectors' width and the present one, by their
// values.
std::vector<NamedFactor> named_factors(const ScheduleTree& tree, const FormNode& node,
                                       const device::Device* device, std::int64_t extent,
                                       const QString& present) {
    std::vector<NamedFactor> out;
    auto add = [&](const QString& label) {
        const auto known = std::any_of(
            out.begin(), out.end(), [&](const NamedFactor& each) { return each.label == label; });
        const auto factor = parsed(label);
        if (known || !factor)
            return;
        const std::int64_t value = value_of(tree, node.stage->name, *factor, device);
        const bool is_known = value < std::numeric_limits<std::int64_t>::max();
        if (is_known && value > extent && label != present)
            return;
        out.push_back(
            {label,
             factor->native && is_known ? QStringLiteral("%1 = %2").arg(label).arg(value) : label,
             value});
    };
    for (std::int64_t factor : factor_choices(extent, kMaxFactors))
        add(QString::number(factor));
    for (const char* native : {"native", "2*native", "4*native"})
        add(QString::fromLatin1(native));
    add(present);
    std::stable_sort(out.begin(), out.end(),
                     [](const NamedFactor& a, const NamedFactor& b) { return a.value < b.value; });
    return out;
}

} // namespace

DirectiveEdit FactorForm::edit_for(const QString& factor) const {
    const auto value = parsed(factor);
    if (!value)
        return {};
    if (!counts)
        return {with_factor(*directive, index, *value), replaces};
    if (value->native || value->value > greatest)
        return {};
    if (value->value == 1 && replaces > 0) // none: the line goes
        return {QString(), replaces};
    return {changed_line(*directive,
                         [&](const char*, const field::Count& f) { f.value = value->value; }),
            replaces};
}

namespace {

constexpr int kMaxStages = 8; // ALCOP's search space, section V

// How many iterations' worth of a stage's memory a GPU holds: the slider of multi-stage pipelining.
std::optional<FactorForm> stages_form(const Schedule* schedule, const FormNode& node) {
    if (node.stage->compute.kind != Placement::Kind::At)
        return std::nullopt;
    FactorForm form;
    form.name = QStringLiteral("stages");
    form.title = QObject::tr("Pipeline stages");
    form.tooltip = QObject::tr("%1 is loaded that many iterations less one ahead of its use, into "
                               "as many copies of its memory; 1 is none.")
                       .arg(to_qstring(node.stage->name));
    form.counts = true;
    form.greatest = std::max<std::int64_t>(kMaxStages, node.stage->pipeline);
    auto fresh = create_directive("pipeline");
    fresh->receiver = {node.stage->name, 0};
    form.directive = std::move(fresh);
    if (schedule)
        for (const auto& d : schedule->directives)
            if (std::string(d->verb()) == "pipeline" && d->receiver == form.directive->receiver) {
                form.directive = d;
                form.replaces = line_of(*d);
            }
    for (std::int64_t copies = 1; copies <= form.greatest; ++copies) {
        const QString label = QString::number(copies);
        form.values.push_back({label, form.edit_for(label), copies == node.stage->pipeline});
    }
    return form;
}

} // namespace

std::vector<FactorForm> factor_forms(const ScheduleTree& tree, const Schedule* schedule,
                                     const NodeId& id, const device::Device* device) {
    const FormNode node = find_node(tree, id);
    std::vector<FactorForm> forms;
    if (!node.stage)
        return forms;
    if (device && device->gpu)
        if (auto form = stages_form(schedule, node))
            forms.push_back(std::move(*form));
    if (!node.loop)
        return forms;
    auto add = [&](FactorForm form, std::int64_t extent, const QString& present) {
        if (extent <= 2)
            return;
        for (const NamedFactor& each : named_factors(tree, node, device, extent, present))
            form.values.push_back(
                {each.label, form.edit_for(each.label), each.label == present, each.shown});
        forms.push_back(std::move(form));
    };
    if (const FactorMaker maker = maker_of(tree, schedule, node); maker.directive) {
        FactorForm form;
        form.directive = maker.directive;
        form.index = maker.factor;
        form.replaces = line_of(*maker.directive);
        form.name = QStringLiteral("factor/") + to_qstring(maker.parent);
        form.title = QObject::tr("Factor of %1").arg(to_qstring(maker.parent));
        form.tooltip = QObject::tr("The factor in %1: release to change that line, Enter to take a "
                                   "typed one.")
                           .arg(to_qstring(maker.directive->text()));
        const bool by_name = !loop_fields(*maker.directive).made.empty();
        add(std::move(form), parent_extent(tree, node, by_name),
            to_qstring(loop_fields(*maker.directive).factors[maker.factor]));
    }
    const TreeNode* row = tree.find({id.stage, node.definition, node.loop->name});
    if (row) {
        FactorForm form;
        form.name = QStringLiteral("factor/") + to_qstring(node.loop->name);
        form.title = QObject::tr("Split %1 by").arg(to_qstring(node.loop->name));
        form.tooltip = QObject::tr("Splits the loop into an outer and an inner one; release to "
                                   "apply, Enter to take a typed factor.");
        form.directive = split_directive(tree, id);
        add(std::move(form), iterations(*row), {});
    }
    return forms;
}

bool exceeds_loop(const ScheduleTree& tree, const NodeId& id, const DirectiveChoice& choice,
                  const device::Device* device) {
    const FormNode node = find_node(tree, id);
    const TreeNode* row = node.loop ? tree.find(id) : nullptr;
    const auto factor = parsed(choice.label.section(':', 0, 0)); // "native: one vector of …"
    if (!row || iterations(*row) <= 0 || !factor)
        return false;
    const std::int64_t value = value_of(tree, node.stage->name, *factor, device);
    return value < std::numeric_limits<std::int64_t>::max() && value > iterations(*row);
}

} // namespace loopscope::views
