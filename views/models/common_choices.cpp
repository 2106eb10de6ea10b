#include "views/models/common_choices.h"

#include "views/models/alike_edits.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <set>

namespace loopscope::views {

std::vector<DirectiveGroup> groups_of_any(const ScheduleTree& tree,
                                          const std::vector<NodeId>& nodes,
                                          const device::Device* device) {
    if (nodes.empty())
        return {};
    auto groups = directive_groups(tree, nodes.front(), device);
    const auto count = std::min(nodes.size(), kMostAtOnce);
    for (std::size_t n = 1; n < count && groups.empty(); ++n) // an input has none
        groups = directive_groups(tree, nodes[n], device);
    auto lacks = [](const DirectiveGroup& group) { return group.choices.empty(); };
    for (std::size_t n = 1; n < count && std::any_of(groups.begin(), groups.end(), lacks); ++n) {
        const auto others = directive_groups(tree, nodes[n], device);
        for (auto& group : groups)
            if (const auto* other = find_group(others, group.verb); lacks(group) && other)
                group = lacks(*other) ? group : *other;
    }
    return groups;
}

namespace {

using Rows = std::vector<InspectorRow>;

const Choice* choice_named(const Rows& rows, const QString& name) {
    for (const auto& row : rows)
        if (const auto* choices = std::get_if<ChoiceRow>(&row))
            for (const auto& choice : choices->choices)
                if (choice.name == name)
                    return &choice;
    return nullptr;
}

// Keeps the choices that all have; what is so for some only is made for the others.
void take_common(ChoiceRow& row, const std::vector<Rows>& others) {
    std::erase_if(row.choices, [&](Choice& choice) {
        for (const auto& rows : others) {
            const auto* other = choice_named(rows, choice.name);
            if (!other)
                return true;
            if (choice.present && !other->present) {
                choice.present = false;
                choice.edit = other->edit;
            }
        }
        return false;
    });
}

bool all_ask(const FactorForm& form, const std::vector<Rows>& others) {
    return std::all_of(others.begin(), others.end(), [&](const Rows& rows) {
        return std::any_of(rows.begin(), rows.end(), [&](const InspectorRow& row) {
            const auto* other = std::get_if<FactorForm>(&row);
            return other && same_question(*other, form);
        });
    });
}

bool is_loop(const NodeId& id) { return !id.name.starts_with("@"); }

} // namespace

std::vector<InspectorRow> common_rows(const ScheduleTree& tree, const Schedule* schedule,
                                      const std::vector<NodeId>& nodes,
                                      const device::Device* device) {
    if (nodes.empty() || nodes.size() > kMostAtOnce)
        return {};
    auto rows = inspector_rows(tree, schedule, nodes.front(), device);
    std::vector<Rows> others;
    for (std::size_t n = 1; n < nodes.size(); ++n)
        others.push_back(inspector_rows(tree, schedule, nodes[n], device));
    for (auto& row : rows)
        if (auto* choices = std::get_if<ChoiceRow>(&row))
            take_common(*choices, others);
    std::erase_if(rows, [&](const InspectorRow& row) {
        const auto* choices = std::get_if<ChoiceRow>(&row);
        return choices ? choices->choices.empty() : !all_ask(std::get<FactorForm>(row), others);
    });
    return rows;
}

QString nodes_title(const std::vector<NodeId>& nodes) {
    if (std::all_of(nodes.begin(), nodes.end(), is_loop))
        return QObject::tr("%1 loops").arg(nodes.size());
    std::set<std::string> stages;
    for (const auto& id : nodes)
        stages.insert(id.stage);
    return std::none_of(nodes.begin(), nodes.end(), is_loop) && stages.size() == nodes.size()
               ? QObject::tr("%1 stages").arg(nodes.size())
               : QObject::tr("%1 rows").arg(nodes.size());
}

QString short_node_name(const NodeId& id) {
    return to_qstring(is_loop(id) ? definition_name(id.stage, id.definition) + "." + id.name
                                  : id.stage);
}

QString names_text(const std::vector<NodeId>& nodes) {
    constexpr std::size_t kNamed = 6;
    QStringList names;
    for (std::size_t n = 0; n < std::min(nodes.size(), kNamed); ++n)
        names << short_node_name(nodes[n]);
    const QString text = names.join(QStringLiteral(", "));
    return nodes.size() > kNamed
               ? QObject::tr("%1 and %2 more").arg(text).arg(nodes.size() - kNamed)
               : text;
}

} // namespace loopscope::views
