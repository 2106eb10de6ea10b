#include "app/windows/edit_groups.h"

#include "core/language/schedule_parser.h"
#include "core/schedule/companions.h"
#include "views/models/common_choices.h"

#include <QObject>

#include <algorithm>

namespace loopscope::app {

using namespace views;

std::vector<DirectiveEdit> EditGroup::edits() const {
    std::vector<DirectiveEdit> all;
    for (const auto& member : members)
        all.push_back(member.edit);
    return all;
}

namespace {

// What an edit in place changes, or what is added. Null: it is no directive, which is said when it
// is applied.
DirectivePtr directive_of(const session::Session& session, const DirectiveEdit& edit) {
    if (edit.replaces > 0) {
        const auto* on_line = session::directive_on(session.schedule(), edit.replaces);
        return on_line ? DirectivePtr(on_line->clone()) : nullptr;
    }
    auto parsed = parse_directive(edit.line.toStdString());
    return parsed ? *parsed : nullptr;
}

// Which of the selected nodes a directive is about; null: none of them. A loop in the script may
// have another name by now, so that an edit in place needs no more than the stage.
const NodeId* asked_for(const std::vector<NodeId>& selected, const Directive& directive,
                        bool in_place) {
    const auto loops = loops_named_by(directive, true);
    const auto of_stage = [&](const NodeId& id) {
        return matches_pattern(directive.receiver.stage, id.stage);
    };
    auto found = std::find_if(selected.begin(), selected.end(), [&](const NodeId& id) {
        return of_stage(id) && (loops.empty() || id.name.starts_with("@") ||
                                std::find(loops.begin(), loops.end(), id.name) != loops.end());
    });
    if (found == selected.end() && in_place)
        found = std::find_if(selected.begin(), selected.end(), of_stage);
    return found == selected.end() ? nullptr : &*found;
}

std::set<std::string> made_by(const Directive& directive) {
    std::set<std::string> made;
    visit_fields(
        directive.read_fields(), [&](const char*, const field::Result& f) { made.insert(f.value); },
        [](const char*, const auto&) {});
    return made;
}

} // namespace

EditGroup EditGroups::of(const DirectiveEdit& edit) {
    EditGroup group;
    const auto present = session_.present();
    const auto directive = present ? directive_of(session_, edit) : nullptr;
    if (!directive) {
        group.members.push_back({{}, edit});
        return group;
    }
    if (present != present_) {
        present_ = present;
        alike_.emplace(*present->scheduled->tree, &present->scheduled->schedule,
                       present->device.get());
    }
    const auto selected = session_.selected_nodes();
    const auto* about = asked_for(selected, *directive, edit.replaces > 0);
    group.members.push_back(
        {about ? *about : session::subject_of(*directive, *present->scheduled->tree), edit});
    auto made = made_by(*directive);
    if (about && selected.size() > 1) {
        group.of_several = true;
        group.too_many = selected.size() > kMostAtOnce;
        for (const auto& node : selected)
            if (node != *about && !group.too_many)
                add(group, node, *about, edit, false, made);
    }
    if (together_)
        add_companions(group, made);
    return group;
}

void EditGroups::add_companions(EditGroup& group, std::set<std::string>& made) {
    const auto& state = present_->scheduled->tree->state;
    const auto selected = group.members;
    std::set<std::string> known;
    for (const auto& member : selected)
        known.insert(member.node.stage);
    for (const auto& left_out : group.left_out)
        known.insert(left_out.node.stage);
    for (const auto& member : selected)
        for (const auto& stage : companions(state, member.node.stage))
            if (known.insert(stage).second) {
                const auto node = counterpart(state, member.node, stage);
                if (node.stage.empty())
                    group.left_out.push_back(
                        {{stage, -1, "@stage"}, QObject::tr("its loops are not as many"), true});
                else
                    add(group, node, member.node, member.edit, true, made);
            }
}

void EditGroups::add(EditGroup& group, const NodeId& node, const NodeId& like,
                     const DirectiveEdit& edit, bool companion, std::set<std::string>& made) {
    const auto answer = alike_->edit_for(node, like, edit, made);
    if (answer.so_already)
        return;
    auto reason = answer.absent;
    if (reason.isEmpty()) {
        for (const auto& member : group.members) {
            if (member.edit == answer.edit) // nodes of one stage, or a line about both
                return;
            if (answer.edit.replaces > 0 && member.edit.replaces == answer.edit.replaces)
                reason = QObject::tr("its line is changed for %1 already")
                             .arg(short_node_name(member.node));
        }
    }
    if (reason.isEmpty())
        group.members.push_back({node, answer.edit, companion});
    else
        group.left_out.push_back({node, reason, companion});
}

std::vector<std::string> EditGroups::companions_of_selection() const {
    std::vector<std::string> out;
    const auto tree = session_.tree();
    if (!tree)
        return out;
    std::set<std::string> known;
    const auto selected = session_.selected_nodes();
    for (const auto& node : selected)
        known.insert(node.stage);
    for (const auto& node : selected)
        for (const auto& stage : companions(tree->state, node.stage))
            if (known.insert(stage).second)
                out.push_back(stage);
    return out;
}

} // namespace loopscope::app
