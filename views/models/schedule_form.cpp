// Longer than files are here: one table of forms, and what fills their fields.

#include "views/models/schedule_form.h"

#include "views/models/memory_forms.h"

#include "core/schedule/levels.h"
#include "core/schedule/nest.h"
#include "views/models/node_text.h"

#include <QObject>

#include <algorithm>
#include <limits>
#include <set>

namespace loopscope::views {

namespace {

constexpr int kMaxFactors = 14;

// A directive's loops, factors and tail.
struct LoopFields {
    std::vector<std::string> made;  // names of new loops
    std::vector<std::string> named; // existing loops
    std::vector<std::string> factors;
    bool has_tail = false;
    Tail tail = Tail::Guard;
};

LoopFields loop_fields(const Directive& directive) {
    LoopFields out;
    visit_fields(
        directive.read_fields(),
        [&](const char*, const field::Loop& f) { out.named.push_back(f.value); },
        [&](const char*, const field::NewLoop& f) { out.made.push_back(f.value); },
        [&](const char*, const field::Loops& f) {
            out.named.insert(out.named.end(), f.value.begin(), f.value.end());
        },
        [&](const char*, const field::Factor& f) { out.factors.push_back(f.value.text()); },
        [&](const char*, const field::OptionalFactor& f) {
            if (f.value)
                out.factors.push_back(f.value->text());
        },
        [&](const char*, const field::Tail& f) { out.has_tail = true, out.tail = f.value; },
        [](const char*, const auto&) {});
    return out;
}

// The directive's line with its fields changed.
template <typename... Changes>
QString changed_line(const Directive& directive, Changes... changes) {
    const auto changed = directive.clone();
    visit_fields(changed->fields(), changes..., [](const char*, const auto&) {});
    return to_qstring(changed->text());
}

std::string loop_of(const NodeId& id) {
    return id.name.ends_with("@init") ? id.name.substr(0, id.name.size() - 5) : id.name;
}

struct Node {
    const StageState* stage = nullptr;
    int definition = 0;
    const LoopState* loop = nullptr; // null: the node is no loop

    const DefinitionState& nest() const {
        return stage->definitions[static_cast<std::size_t>(definition)];
    }
    QString receiver() const { return to_qstring(definition_name(stage->name, definition)); }
};

Node find_node(const ScheduleTree& tree, const NodeId& id) {
    Node out;
    out.stage = tree.state.find(id.stage);
    if (!out.stage)
        return out;
    out.definition = std::clamp(id.definition, 0,
                                std::max(0, static_cast<int>(out.stage->definitions.size()) - 1));
    if (!out.stage->definitions.empty())
        out.loop = out.nest().find(loop_of(id));
    return out;
}

bool speaks_of(const ScheduleTree& tree, const Directive& d, const Node& node) {
    if (d.receiver.definition != node.definition && !d.per_stage())
        return false;
    const auto matches = match_stages(tree.state, d.receiver.stage);
    return std::find(matches.begin(), matches.end(), node.stage->name) != matches.end();
}

// The directive that made a loop by a factor, and which of its factors that is.
struct Maker {
    DirectivePtr directive;
    std::size_t factor = 0;
    std::string parent; // the loop that was split
};

Maker maker_of(const ScheduleTree& tree, const Schedule* schedule, const Node& node) {
    if (!schedule || !node.loop)
        return {};
    const auto& directives = schedule->directives;
    for (auto d = directives.rbegin(); d != directives.rend(); ++d) { // names may be used again
        if (!speaks_of(tree, **d, node))
            continue;
        const LoopFields fields = loop_fields(**d);
        if (fields.factors.empty() || fields.named.empty())
            continue;
        const auto made = std::find(fields.made.begin(), fields.made.end(), node.loop->name);
        if (made != fields.made.end()) {
            const auto at = static_cast<std::size_t>(made - fields.made.begin());
            const auto which = at % fields.factors.size();
            return {*d, which, fields.named[std::min(which, fields.named.size() - 1)]};
        }
        // vectorize(a, F) and unroll(a, F) keep a's name outside and call the inner loop a_v and
        // a_u.
        const std::string suffix = (*d)->verb() == std::string("vectorize") ? "_v" : "_u";
        if (fields.made.empty() && node.loop->name == fields.named[0] + suffix)
            return {*d, 0, fields.named[0]};
    }
    return {};
}

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
std::int64_t extent_of(const ScheduleTree& tree, const Node& node, int id) {
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
std::int64_t parent_extent(const ScheduleTree& tree, const Node& node, bool by_name) {
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

FormValue placement_value(const QString& label, const QString& line, bool present) {
    return {label, DirectiveEdit(line), present};
}

OptionForm placement_form(const ScheduleTree& tree, const Node& node, const NodeId& id) {
    OptionForm form;
    form.name = QStringLiteral("placement");
    form.title = QObject::tr("Computed at");
    form.tooltip = QObject::tr("Where %1 is computed: once at root, inside a loop of its readers "
                               "piece by piece, or wherever it is read.")
                       .arg(to_qstring(node.stage->name));
    using Kind = Placement::Kind;
    const Placement& now = node.stage->compute;
    if (now.kind == Kind::At) {
        const auto& host =
            tree.state.find(now.at.stage)->definitions[static_cast<std::size_t>(now.at.definition)];
        const auto& loop = host.loops[static_cast<std::size_t>(host.position_of(now.at.loop))];
        form.values.push_back(placement_value(
            to_qstring(definition_name(now.at.stage, now.at.definition) + "." + loop.name), {},
            true));
    } else {
        form.values.push_back(placement_value(
            now.kind == Kind::Root ? QObject::tr("root") : QObject::tr("its readers: inline"), {},
            true));
    }
    for (const DirectiveChoice& choice : move_group(tree, id).choices)
        form.values.push_back(placement_value(
            QString(choice.label).replace(QObject::tr(", loop "), QStringLiteral(".")), choice.line,
            false));
    return form;
}

// The level that a loop is bound to. The line that binds it is edited in its place.
OptionForm level_form(const Node& node, const Schedule* schedule, const ApplyContext& context) {
    OptionForm form;
    form.name = QStringLiteral("bind");
    form.title = QObject::tr("Bound to");
    form.tooltip = QObject::tr("Which blocks, warps or threads of the GPU take the iterations of "
                               "%1, one each.")
                       .arg(to_qstring(node.loop->name));
    const QString loop = to_qstring(node.loop->name);
    int line = 0;
    if (schedule)
        for (const auto& d : schedule->directives)
            if (std::string(d->verb()) == "bind" && d->receiver.definition == node.definition &&
                d->receiver.stage == node.stage->name &&
                loop_fields(*d).named == std::vector<std::string>{node.loop->name})
                line = line_of(*d);
    const bool bound = !node.loop->binding.empty();
    form.values.push_back(
        {QObject::tr("nothing"),
         !bound     ? DirectiveEdit()
         : line > 0 ? DirectiveEdit(QString(), line)
                    : DirectiveEdit(node.receiver() + QStringLiteral(".serial(") + loop + ')'),
         !bound});
    for (const std::string& level : known_levels(context))
        form.values.push_back({to_qstring(level),
                               DirectiveEdit(node.receiver() + QStringLiteral(".bind(") + loop +
                                                 QStringLiteral(", ") + to_qstring(level) + ')',
                                             line),
                               level == node.loop->binding});
    return form;
}

OptionForm kind_form(const Node& node) {
    OptionForm form;
    form.name = QStringLiteral("kind");
    form.title = QObject::tr("Runs");
    form.tooltip = QObject::tr("How the iterations of %1 run: one after another, on all threads, "
                               "in the lanes of vectors, or written out one by one.")
                       .arg(to_qstring(node.loop->name));
    const std::tuple<LoopKind, const char*, QString> kinds[] = {
        {LoopKind::Serial, "serial", QObject::tr("serial")},
        {LoopKind::Parallel, "parallel", QObject::tr("parallel")},
        {LoopKind::Vectorized, "vectorize", QObject::tr("vectorised")},
        {LoopKind::Unrolled, "unroll", QObject::tr("unrolled")}};
    for (const auto& [kind, verb, label] : kinds)
        form.values.push_back(
            {label,
             DirectiveEdit(node.receiver() + '.' + verb + '(' + to_qstring(node.loop->name) + ')'),
             node.loop->binding.empty() && node.loop->kind == kind});
    return form;
}

OptionForm tail_form(const Maker& maker) {
    OptionForm form;
    form.name = QStringLiteral("tail");
    form.title = QObject::tr("Tail");
    form.tooltip = QObject::tr("What happens where the factor does not divide: a condition; the "
                               "last tile moved inwards; or points beyond the end computed too.");
    const Tail now = loop_fields(*maker.directive).tail;
    const std::pair<Tail, QString> tails[] = {{Tail::Guard, QObject::tr("guard")},
                                              {Tail::Shift, QObject::tr("shift")},
                                              {Tail::Pad, QObject::tr("pad")}};
    for (const auto& [tail, label] : tails) {
        const auto line = changed_line(*maker.directive,
                                       [&](const char*, const field::Tail& f) { f.value = tail; });
        form.values.push_back({label, {line, line_of(*maker.directive)}, tail == now});
    }
    return form;
}

// What is switched on for a definition or a stage by a directive without arguments.
// `gpu`: those for GPUs are offered, too; what stands in the script can be switched off anyhow.
void add_switches(const ScheduleTree& tree, const Schedule* schedule, const Node& node, bool gpu,
                  std::vector<OptionForm>& forms) {
    static const std::set<std::string> placements = {"inline", "compute_root", "store_root"};
    for (const DirectiveKind& kind : directive_kinds()) {
        const auto directive = kind.create();
        if (placements.count(kind.verb) || !directive->fields().empty())
            continue;
        directive->receiver = {node.stage->name, directive->per_stage() ? 0 : node.definition};
        OptionForm form;
        form.name = QString::fromLatin1(kind.verb);
        form.title = title_of(kind.verb);
        form.tooltip = QString::fromUtf8(directive->summary());
        form.is_switch = true;
        FormValue value{form.title, DirectiveEdit(to_qstring(directive->text())), false};
        if (schedule)
            for (const auto& d : schedule->directives)
                if (std::string(d->verb()) == kind.verb && speaks_of(tree, *d, node)) {
                    value.present = true;
                    value.edit = DirectiveEdit(QString(), line_of(*d));
                }
        if (!gpu && !value.present && is_for_gpus(kind.section, form.name))
            continue;
        form.values.push_back(value);
        forms.push_back(std::move(form));
    }
}

OptionForm scope_form(const ScheduleTree& tree, const NodeId& id,
                      const std::vector<DirectiveGroup>& groups) {
    OptionForm form;
    const DirectiveGroup* group = find_group(groups, QStringLiteral("scope"));
    if (!group || group->choices.empty())
        return form;
    form.name = group->verb;
    form.title = group->title;
    form.tooltip = group->summary;
    const StageState* stage = tree.state.find(id.stage);
    for (const DirectiveChoice& choice : group->choices)
        form.values.push_back({choice.label, DirectiveEdit(choice.line),
                               stage && to_qstring(stage->scope.name) == choice.label});
    return form;
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
std::vector<NamedFactor> named_factors(const ScheduleTree& tree, const Node& node,
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
std::optional<FactorForm> stages_form(const Schedule* schedule, const Node& node) {
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
    const Node node = find_node(tree, id);
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
    if (const Maker maker = maker_of(tree, schedule, node); maker.directive) {
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

std::vector<OptionForm> option_forms(const ScheduleTree& tree, const Schedule* schedule,
                                     const NodeId& id, const device::Device* device) {
    const Node node = find_node(tree, id);
    std::vector<OptionForm> forms;
    if (!node.stage || node.stage->definitions.empty())
        return forms;
    const std::vector<DirectiveGroup> groups = directive_groups(tree, id, device);
    const bool gpu = device && device->gpu;
    if (node.loop) {
        forms.push_back(kind_form(node));
        if (gpu)
            forms.push_back(level_form(node, schedule, {device}));
        if (const Maker maker = maker_of(tree, schedule, node);
            maker.directive && loop_fields(*maker.directive).has_tail)
            forms.push_back(tail_form(maker));
    }
    if (!tree.pipeline->find_output(node.stage->name))
        forms.push_back(placement_form(tree, node, id));
    const MemoryForms forms_of{tree, schedule, *node.stage, node.definition};
    for (OptionForm form :
         {forms_of.store(id), gpu ? OptionForm() : forms_of.pipeline(), forms_of.sharing(groups)})
        if (form.values.size() > 1)
            forms.push_back(std::move(form));
    if (auto scope = scope_form(tree, id, groups);
        scope.values.size() > 1 && (gpu || !device)) // a hint, for a processor
        forms.push_back(std::move(scope));
    add_switches(tree, schedule, node, gpu || !device, forms);
    return forms;
}

bool exceeds_loop(const ScheduleTree& tree, const NodeId& id, const DirectiveChoice& choice,
                  const device::Device* device) {
    const Node node = find_node(tree, id);
    const TreeNode* row = node.loop ? tree.find(id) : nullptr;
    const auto factor = parsed(choice.label.section(':', 0, 0)); // "native: one vector of …"
    if (!row || iterations(*row) <= 0 || !factor)
        return false;
    const std::int64_t value = value_of(tree, node.stage->name, *factor, device);
    return value < std::numeric_limits<std::int64_t>::max() && value > iterations(*row);
}

bool in_a_form(const QString& verb) {
    static const std::set<QString> verbs = {"split",      "serial",       "parallel", "inline",
                                            "compute_at", "compute_root", "store_at", "store_root",
                                            "pipeline",   "compute_with", "scope"};
    if (verbs.count(verb))
        return true;
    const auto directive = create_directive(verb.toStdString());
    if (!directive)
        return false;
    return directive->read_fields().empty();
}

} // namespace loopscope::views
