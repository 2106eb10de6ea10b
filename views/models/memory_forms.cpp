#include "views/models/memory_forms.h"

#include <QObject>

#include <algorithm>
#include <set>

namespace loopscope::views {

int line_of(const Directive& d) {
    return d.where.file ? d.where.file->position(d.where.begin).line : 0;
}

namespace {

constexpr std::size_t kNearest = 6; // choices of shared loops

FormValue value(const QString& label, const QString& line, bool present) {
    return {label, DirectiveEdit(line), present};
}

QString loop_words(const ScheduleTree& tree, const LoopRef& at) {
    const DefinitionState& host =
        tree.state.find(at.stage)->definitions[static_cast<std::size_t>(at.definition)];
    return to_qstring(definition_name(at.stage, at.definition) + "." +
                      host.loops[static_cast<std::size_t>(host.position_of(at.loop))].name);
}

// The last line that gives a directive to this stage alone; 0: none.
int own_line(const Schedule* schedule, const char* verb, const DefinitionRef& receiver) {
    int line = 0;
    if (schedule)
        for (const auto& d : schedule->directives)
            if (std::string(d->verb()) == verb && d->receiver == receiver)
                line = line_of(*d);
    return line;
}

} // namespace

// Where a stage's memory lives, beside where it is computed.
OptionForm MemoryForms::store(const NodeId& id) const {
    OptionForm form;
    if (stage.compute.kind != Placement::Kind::At)
        return form;
    form.name = QStringLiteral("store");
    form.title = QObject::tr("Stored at");
    form.tooltip = QObject::tr("Where the memory of %1 lives: further out, what one iteration "
                               "computed serves the next ones.")
                       .arg(to_qstring(stage.name));
    const bool same = stage.store == stage.compute;
    form.values.push_back(value(same ? QObject::tr("where it is computed")
                                : stage.store.kind == Placement::Kind::Root
                                    ? QObject::tr("root")
                                    : loop_words(tree, stage.store.at),
                                {}, true));
    for (const DirectiveChoice& choice : store_group(tree, id).choices)
        form.values.push_back(
            value(choice.label.contains(':')
                      ? QObject::tr("where it is computed")
                      : QString(choice.label).replace(QObject::tr(", loop "), QStringLiteral(".")),
                  choice.line, false));
    return form;
}

// How many copies of a stage's memory rotate. Of 1, nothing is computed ahead: the line goes.
OptionForm MemoryForms::pipeline() const {
    OptionForm form;
    if (stage.compute.kind != Placement::Kind::At)
        return form;
    form.name = QStringLiteral("pipeline");
    form.title = QObject::tr("Copies");
    form.tooltip = QObject::tr("Computed that many iterations less one ahead of its use, into as "
                               "many copies of its memory, which rotate.");
    const int line = own_line(schedule, "pipeline", {stage.name, 0});
    std::set<std::int64_t> counts{1, 2, 3, 4, 6, stage.pipeline};
    for (std::int64_t copies : counts) {
        const QString call = to_qstring(stage.name) + QStringLiteral(".pipeline(%1)").arg(copies);
        form.values.push_back(
            {copies == 1 ? QObject::tr("1, not ahead") : QString::number(copies),
             copies == 1 && line > 0 ? DirectiveEdit(QString(), line) : DirectiveEdit(call, line),
             copies == stage.pipeline});
    }
    return form;
}

// With whom a definition shares its outer loops.
OptionForm MemoryForms::sharing(const std::vector<DirectiveGroup>& groups) const {
    OptionForm form;
    const DirectiveGroup* group = find_group(groups, QStringLiteral("compute_with"));
    const auto& with = stage.definitions[static_cast<std::size_t>(definition)].with;
    if (!group || (group->choices.empty() && !with))
        return form;
    form.name = group->verb;
    form.title = QObject::tr("Shares loops");
    form.tooltip = group->summary;
    const int line = own_line(schedule, "compute_with", {stage.name, definition});
    if (!with || line > 0)
        form.values.push_back(
            {QObject::tr("none"), with ? DirectiveEdit(QString(), line) : DirectiveEdit(), !with});
    if (with)
        form.values.push_back({QObject::tr("to %1").arg(loop_words(tree, *with)), {}, true});
    const std::size_t shown = std::min(group->choices.size(), kNearest);
    for (std::size_t i = 0; i < shown; ++i)
        form.values.push_back(
            {QObject::tr("to %1").arg(QString(group->choices[i].label)
                                          .replace(QObject::tr(", loop "), QStringLiteral("."))),
             DirectiveEdit(group->choices[i].line, line), false});
    if (shown < group->choices.size())
        form.tooltip += QObject::tr(" The nearest are here; W in the tree lists all %1.")
                            .arg(group->choices.size());
    return form;
}

} // namespace loopscope::views
