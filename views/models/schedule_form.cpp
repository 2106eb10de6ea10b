// The options of a node: how its loop runs, its tail, where it is computed, what is switched on.

#include "views/models/schedule_form.h"

#include "views/models/form_node.h"
#include "views/models/memory_forms.h"
#include "views/models/node_text.h"

#include "core/schedule/levels.h"

#include <QObject>

#include <set>

namespace loopscope::views {

namespace {

FormValue placement_value(const QString& label, const QString& line, bool present) {
    return {label, DirectiveEdit(line), present};
}

OptionForm placement_form(const ScheduleTree& tree, const FormNode& node, const NodeId& id) {
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
OptionForm level_form(const FormNode& node, const Schedule* schedule, const ApplyContext& context) {
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

OptionForm kind_form(const FormNode& node) {
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

OptionForm tail_form(const FactorMaker& maker) {
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
void add_switches(const ScheduleTree& tree, const Schedule* schedule, const FormNode& node,
                  bool gpu, std::vector<OptionForm>& forms) {
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

} // namespace

std::vector<OptionForm> option_forms(const ScheduleTree& tree, const Schedule* schedule,
                                     const NodeId& id, const device::Device* device) {
    return option_forms(tree, schedule, id, device, directive_groups(tree, id, device));
}

std::vector<OptionForm> option_forms(const ScheduleTree& tree, const Schedule* schedule,
                                     const NodeId& id, const device::Device* device,
                                     const std::vector<DirectiveGroup>& groups) {
    const FormNode node = find_node(tree, id);
    std::vector<OptionForm> forms;
    if (!node.stage || node.stage->definitions.empty())
        return forms;
    const bool gpu = device && device->gpu;
    if (node.loop) {
        forms.push_back(kind_form(node));
        if (gpu)
            forms.push_back(level_form(node, schedule, {device}));
        if (const FactorMaker maker = maker_of(tree, schedule, node);
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
