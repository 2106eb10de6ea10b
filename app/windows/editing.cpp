#include "app/windows/editing.h"

#include "app/session/edit_questions.h"
#include "app/session/expert_schedule.h"
#include "app/windows/notice_bar.h"
#include "app/windows/previews.h"
#include "views/models/common_choices.h"

#include <QAbstractButton>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace loopscope::app {

using namespace views;

Editing::Editing(session::Session& session, NoticeBar& notice, QWidget& window)
    : session_(session), groups_(session), notice_(notice), window_(window) {}

QString Editing::script_line(int line) const {
    return to_qstring(session_.script()).section('\n', line - 1, line - 1);
}

void Editing::apply(const DirectiveEdit& edit) {
    if (!flush_for(edit))
        return;
    const auto group = groups_.of(edit);
    if (group.too_many)
        notice_.show_error(tr("At most %1 are changed in one step, and %2 are selected.")
                               .arg(kMostAtOnce)
                               .arg(session_.selected_nodes().size()));
    else if (group.members.size() == 1 && group.left_out.empty())
        apply_one(edit);
    else
        apply_group(group);
}

void Editing::apply_alone(const DirectiveEdit& edit) {
    if (flush_for(edit))
        apply_one(edit);
}

// The choice counts lines of the script that was shown with it. False: they are others.
bool Editing::flush_for(const DirectiveEdit& edit) {
    const bool in_place = edit.replaces > 0;
    const QString chosen_from = in_place ? script_line(edit.replaces) : QString();
    flush();
    if (!in_place || script_line(edit.replaces) == chosen_from)
        return true;
    notice_.show_error(tr("What was typed into the script came first, and its lines have moved. "
                          "Choose once more."));
    return false;
}

void Editing::apply_one(const DirectiveEdit& edit) {
    const bool in_place = edit.replaces > 0;
    if (in_place && edit.line.isEmpty()) {
        remove_line(edit.replaces);
        return;
    }
    auto status = in_place ? session_.replace_directive(edit.replaces, edit.line)
                           : session_.apply_directive(edit.line);
    if (!status)
        refused(edit.line, status.errors());
}

// What has changed meanwhile is for the person to look at first.
void Editing::apply_all(const std::vector<DirectiveEdit>& edits) {
    flush();
    const QString line = edits.empty() ? QString() : edits.front().line;
    if (auto status = session_.apply_edits(edits); !status)
        refused(line, status.errors());
}

void Editing::undo() {
    flush();
    session_.undo();
}

void Editing::take_expert() {
    flush();
    if (auto status = session_.expert().take(); !status)
        refused({}, status.errors());
}

void Editing::refused(const QString& line, const Diagnostics& diagnostics) {
    show_refusal(line, session::reason_of(diagnostics));
}

void Editing::show_refusal(const QString& line, const QString& reason) {
    notice_.show_error(line.isEmpty() ? reason : tr("%1 is refused: %2").arg(line, reason));
    emit conflictShown(nullptr);
    if (line.isEmpty() || !session_.is_open() || session_.has_draft())
        return;
    session_.questions().judge({line}, [this](const DirectiveEdit&, const Verdict& verdict) {
        emit conflictShown(verdict.conflict);
    });
    session_.questions().find_alternative(line, [this](const session::Alternative& found) {
        if (!found.line.isEmpty())
            notice_.offer_remedy(tr("Apply %1").arg(found.line),
                                 tr("Applies this directive in place of the refused one"),
                                 [this, legal = found.line] { apply(legal); });
        else if (found.earlier)
            offer_earlier_place(*found.earlier);
    });
}

void Editing::offer_earlier_place(const session::EarlierPlace& place) {
    QStringList follows;
    for (const auto& line : place.follows)
        follows << to_qstring(line);
    notice_.offer_remedy(
        tr("Write it there, then %1").arg(follows.join(QStringLiteral(", "))),
        tr("Writes the line before %1, and has what follows name a part of the loop")
            .arg(to_qstring(place.before)),
        [this, script = place.script, description = place.description] {
            flush();
            if (auto status = session_.take_script(script, description); !status)
                refused({}, status.errors());
        });
}

EditServices Editing::services() {
    EditServices services;
    services.judge = [this](const std::vector<DirectiveEdit>& edits,
                            const session::EditQuestions::VerdictAnswer& answer) {
        judge_any(edits, answer);
    };
    services.preview = [this](const DirectiveEdit& edit,
                              std::function<void(const Preview&)> answer) {
        const auto group = groups_.of(edit);
        forecast(group.edits(), std::move(answer),
                 group.of_several ? session::Refused::IsLeftOut : session::Refused::StopsIfFirst);
    };
    return services;
}

void Editing::forecast(const std::vector<DirectiveEdit>& edits,
                       std::function<void(const Preview&)> answer, session::Refused refused) {
    const QString line = edits.empty() ? QString() : edits.front().line;
    session_.questions().forecast(
        edits,
        [answer = std::move(answer), line, device = session_.device()](
            const session::Forecast& forecast) { answer(preview_of(line, forecast, *device)); },
        refused);
}

void Editing::remove_selected_line() {
    flush();
    const auto lines = session_.lines_about(session_.selection());
    if (lines.empty()) {
        notice_.show_error(tr("No directive speaks of the selection"));
        return;
    }
    if (const int line = chosen_line(lines, tr("Remove a directive"), tr("Which directive goes?")))
        remove_line(line);
}

// The one of several lines of the script that a person chooses, the last unless they choose; 0:
// none.
int Editing::chosen_line(const std::vector<int>& lines, const QString& title,
                         const QString& question) {
    if (lines.size() == 1)
        return lines.front();
    QStringList choices;
    for (int line : lines)
        choices << tr("%1: %2").arg(line).arg(script_line(line).trimmed());
    bool chosen = true;
    const auto choice = QInputDialog::getItem(&window_, title, question, choices,
                                              static_cast<int>(choices.size()) - 1, false, &chosen);
    const auto which = choices.indexOf(choice);
    return chosen && which >= 0 ? lines[static_cast<std::size_t>(which)] : 0;
}

// The selection's recipe; where none speaks of it, any of the script.
void Editing::write_recipe_out() {
    flush();
    auto lines = session::recipe_lines(session_.schedule());
    const auto about = session_.lines_about(session_.selection());
    std::vector<int> selected;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(selected), [&](int line) {
        return std::find(about.begin(), about.end(), line) != about.end();
    });
    if (!selected.empty())
        lines = std::move(selected);
    if (lines.empty()) {
        notice_.show_error(tr("The script holds no recipe, such as tensor_core()"));
        return;
    }
    const int line = chosen_line(lines, tr("Write out a recipe"), tr("Which recipe?"));
    if (line == 0)
        return;
    if (auto status = session_.write_recipe_out(line); !status)
        refused({}, status.errors());
}

void Editing::remove_line(int line) {
    auto removal = session_.remove_line(line, false);
    if (!removal.change && !removal.dependents.empty()) {
        QStringList list;
        for (int dependent : removal.dependents)
            list << script_line(dependent).trimmed();
        QMessageBox box(
            QMessageBox::Question, tr("Remove a directive"),
            tr("Later directives need %1. Remove these too?").arg(script_line(line).trimmed()),
            QMessageBox::NoButton, &window_);
        box.setInformativeText(list.join('\n'));
        const QAbstractButton* all_too = box.addButton(tr("Remove all"), QMessageBox::AcceptRole);
        box.addButton(QMessageBox::Cancel);
        box.exec();
        if (box.clickedButton() != all_too)
            return;
        removal = session_.remove_line(line, true);
    }
    if (!removal.change)
        refused({}, removal.change.errors());
}

} // namespace loopscope::app
