#include "views/models/choice_rows.h"

#include "core/device/hierarchy.h"
#include "views/models/snapshots.h"

#include <QObject>

namespace loopscope::views {

namespace {

constexpr std::size_t kMaxButtons = 10; // more choices than these are a list …
constexpr std::size_t kFewButtons = 6;  // … behind as many buttons

QString short_label(const DirectiveGroup& group, const DirectiveChoice& choice) {
    QString text = choice.label;
    if (text.startsWith("native:"))
        text = QStringLiteral("native");
    if (text.startsWith("all "))
        text = QStringLiteral("all");
    if (const auto comma = text.indexOf(", with "); comma > 0 && group.verb == "tile")
        text.truncate(comma);
    return text;
}

// "A.cache_read(B, shared)": one level of memory is all that a processor's program names.
bool names_gpu_memory(const DirectiveChoice& choice) {
    const auto& global = device::global_memory().name;
    return std::any_of(device::default_scopes().begin(), device::default_scopes().end(),
                       [&](const device::MemoryScope& scope) {
                           const auto name = to_qstring(scope.name);
                           return scope.name != global &&
                                  (choice.line.contains(", " + name + ")") ||
                                   choice.line.endsWith("(" + name + ")"));
                       });
}

std::vector<DirectiveGroup> groups_for(std::vector<DirectiveGroup> groups,
                                       const device::Device* device) {
    if (!device || device->gpu)
        return groups;
    std::erase_if(groups, [](const DirectiveGroup& g) { return is_for_gpus(g.section, g.verb); });
    for (auto& group : groups)
        if (group.verb == "scope" || group.verb == "cache_read" || group.verb == "cache_write")
            std::erase_if(group.choices, names_gpu_memory);
    std::erase_if(groups, [](const DirectiveGroup& group) {
        return group.choices.empty() && group.verb == "scope";
    });
    return groups;
}

// A line of its own for what has several choices, or whose one choice needs its name.
bool in_a_row(const DirectiveGroup& group) {
    return group.choices.size() > 1 ||
           (group.choices.size() == 1 && group.choices.front().label != group.title);
}

ChoiceRow row_of(const OptionForm& form) {
    ChoiceRow row{form.title, form.tooltip, {}, {}};
    for (const FormValue& value : form.values)
        row.choices.push_back({Choice::Look::Option, form.name + '/' + value.label, value.label,
                               form.title + ' ' + value.label, form.tooltip, value.edit,
                               value.present});
    return row;
}

ChoiceRow row_of(DirectiveGroup group, const ScheduleTree& tree, const NodeId& id,
                 const device::Device* device) {
    std::erase_if(group.choices, [&](const DirectiveChoice& choice) {
        return exceeds_loop(tree, id, choice, device);
    });
    ChoiceRow row{group.title, group.summary, {}, {}};
    const bool all = group.choices.size() <= kMaxButtons;
    for (std::size_t i = 0; i < group.choices.size() && (all || i < kFewButtons); ++i) {
        const DirectiveChoice& choice = group.choices[i];
        const QString text = short_label(group, choice);
        row.choices.push_back({Choice::Look::Command, group.verb + '/' + text, text,
                               group.title + ' ' + choice.label, group.summary,
                               DirectiveEdit(choice.line), false});
    }
    if (!all)
        row.all = std::move(group);
    return row;
}

ChoiceRow single_choices(const std::vector<DirectiveGroup>& groups) {
    ChoiceRow row{
        QObject::tr("Change"), QObject::tr("Other directives for what is selected."), {}, {}};
    for (const DirectiveGroup& group : groups)
        if (!in_a_row(group) && !group.choices.empty() && !in_a_form(group.verb))
            row.choices.push_back({Choice::Look::Command, group.verb, group.title, group.title,
                                   group.summary, DirectiveEdit(group.choices.front().line),
                                   false});
    return row;
}

ChoiceRow switches(const std::vector<OptionForm>& forms) {
    ChoiceRow row{QObject::tr("Allow"),
                  QObject::tr("What is switched on by a directive without arguments."),
                  {},
                  {}};
    for (const OptionForm& form : forms)
        if (form.is_switch)
            row.choices.push_back({Choice::Look::Switch, form.name + QStringLiteral("/switch"),
                                   form.title, form.title, form.tooltip, form.values.front().edit,
                                   form.values.front().present});
    return row;
}

} // namespace

std::vector<InspectorRow> inspector_rows(const ScheduleTree& tree, const Schedule* schedule,
                                         const NodeId& id, const device::Device* device) {
    if (id.stage.empty())
        return {};
    std::vector<DirectiveGroup> all = directive_groups(tree, id, device);
    const std::vector<OptionForm> options = option_forms(tree, schedule, id, device, all);
    const std::vector<DirectiveGroup> groups = groups_for(std::move(all), device);
    std::vector<InspectorRow> rows;
    // How a loop runs comes first: splitting it brings and takes sliders, and the kinds stay in
    // their place.
    auto is_kind = [](const OptionForm& form) {
        return form.name == QStringLiteral("kind") || form.name == QStringLiteral("bind");
    };
    for (const OptionForm& form : options)
        if (is_kind(form))
            rows.emplace_back(row_of(form));
    for (FactorForm& form : factor_forms(tree, schedule, id, device))
        rows.emplace_back(std::move(form));
    for (const OptionForm& form : options)
        if (!form.is_switch && !is_kind(form))
            rows.emplace_back(row_of(form));
    auto add = [&](ChoiceRow row) {
        if (!row.choices.empty())
            rows.emplace_back(std::move(row));
    };
    for (const DirectiveGroup& group : groups)
        if (in_a_row(group) && !in_a_form(group.verb) &&
            std::none_of(options.begin(), options.end(),
                         [&](const OptionForm& form) { return form.name == group.verb; }))
            add(row_of(group, tree, id, device));
    add(single_choices(groups));
    add(switches(options));
    return rows;
}

std::size_t without_button(const ChoiceRow& row) {
    return row.all ? row.all->choices.size() - row.choices.size() : 0;
}

} // namespace loopscope::views
