// Edits of several nodes at once: what is selected together, and copies that belong together.

#include "app/windows/editing.h"
#include "app/windows/notice_bar.h"
#include "views/models/common_choices.h"

#include <algorithm>

namespace loopscope::app {

using namespace views;

void Editing::set_together(bool together) {
    if (together == groups_.together())
        return;
    groups_.set_together(together);
    emit togetherChanged();
}

QStringList Editing::companions() const {
    QStringList names;
    for (const auto& stage : groups_.companions_of_selection())
        names << to_qstring(stage);
    return names;
}

// What is refused of the one that was asked for is refused, where the others merely belong to it.
void Editing::apply_group(const EditGroup& group) {
    const auto applied = session_.apply_each(group.edits(), !group.of_several);
    const auto& asked = group.members.front().edit;
    if (!applied.status) {
        if (group.of_several)
            refused(asked.line, applied.status.errors());
        else
            apply_one(asked); // says why, and what would be legal
        return;
    }
    say_left_out(group, applied.refusals);
}

namespace {

QString reason_text(const NodeId& node, const QString& reason) {
    return Editing::tr("%1: %2").arg(short_node_name(node), reason);
}

// The first few of them.
QString listed(const QStringList& reasons) {
    constexpr qsizetype kNamed = 3;
    const QString text = QStringList(reasons.mid(0, kNamed)).join(QStringLiteral(" · "));
    return reasons.size() > kNamed
               ? Editing::tr("%1 · and %2 more").arg(text).arg(reasons.size() - kNamed)
               : text;
}

} // namespace

// Of what is selected the notice says what was left as it is; of what merely belongs to it the
// status line, beside what was changed with it.
void Editing::say_left_out(const EditGroup& group, const std::vector<Diagnostics>& refusals) {
    QStringList left, kept, changed;
    int selected = 0;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
        const auto& [node, edit, companion] = group.members[i];
        if (!refusals[i].empty())
            (companion ? kept : left) << reason_text(node, session::reason_of(refusals[i]));
        else if (companion)
            changed << (edit.line.isEmpty() ? short_node_name(node) : edit.line);
        else
            ++selected;
    }
    for (const auto& [node, reason, companion] : group.left_out)
        (companion ? kept : left) << reason_text(node, reason);

    QStringList said;
    if (group.of_several)
        said << tr("%1 changed as one step").arg(selected);
    if (!changed.empty())
        said << tr("Also changed: %1").arg(changed.join(QStringLiteral(", ")));
    if (!kept.empty())
        said << tr("Left as it is: %1").arg(listed(kept));
    session_.say(said.join(QStringLiteral(" · ")), false);
    if (!left.empty())
        notice_.show_error(tr("%1 of %2 were left as they are: %3")
                               .arg(left.size())
                               .arg(left.size() + selected)
                               .arg(listed(left)));
}

// ---- verdicts -----------------------------------------------------------------------------------

struct Editing::OpenVerdict {
    DirectiveEdit edit;
    Verdict verdict; // of that one
    std::vector<DirectiveEdit> others;
    std::size_t next = 0;
    session::EditQuestions::VerdictAnswer answer;
};

// Most choices are available for the first that is asked: the others are asked of the rest.
void Editing::judge_any(const std::vector<DirectiveEdit>& edits,
                        const session::EditQuestions::VerdictAnswer& answer) {
    if (session_.selected_too().empty()) {
        session_.questions().judge(edits, answer);
        return;
    }
    session_.questions().judge(edits,
                               [this, answer](const DirectiveEdit& edit, const Verdict& verdict) {
                                   if (verdict.available)
                                       return answer(edit, verdict);
                                   auto open = std::make_shared<OpenVerdict>();
                                   open->edit = edit;
                                   open->verdict = verdict;
                                   const auto group = groups_.of(edit);
                                   for (const auto& member : group.members)
                                       if (!member.companion && member.edit != edit)
                                           open->others.push_back(member.edit);
                                   open->answer = answer;
                                   judge_next(open);
                               });
}

void Editing::judge_next(const std::shared_ptr<OpenVerdict>& open) {
    if (open->next == open->others.size())
        return open->answer(open->edit, open->verdict);
    session_.questions().judge({open->others[open->next++]},
                               [this, open](const DirectiveEdit&, const Verdict& verdict) {
                                   if (verdict.available)
                                       open->answer(open->edit, verdict);
                                   else
                                       judge_next(open);
                               });
}

} // namespace loopscope::app
