#pragma once
// What gestures ask for becomes lines of the script. What is refused is said with its reason, drawn
// as the dependence that it would break, and answered with a directive that would be legal, or with
// the place in the script at which it is.

#include "app/session/earlier_place.h"
#include "app/session/edit_questions.h"
#include "app/session/session.h"
#include "app/windows/edit_groups.h"
#include "views/models/snapshots.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>
#include <vector>

namespace loopscope::app {

class NoticeBar;

class Editing : public QObject {
    Q_OBJECT
public:
    // `window`: whose dialogs ask.
    Editing(session::Session& session, NoticeBar& notice, QWidget& window);

    // Text that was typed and waits for its pause becomes an edit: before anything else is done
    // with the script.
    void flush() { emit flushWanted(); }
    // For all that are selected, where it is about one of them, and for copies that belong to what
    // it changes, as one step; what is left out is said.
    void apply(const views::DirectiveEdit& edit);
    void apply_alone(const views::DirectiveEdit& edit);
    void apply_all(const std::vector<views::DirectiveEdit>& edits); // as one step
    void undo();

    // Removes one of the selection's lines; asks which, and whether others that depend on it go
    // too.
    void remove_selected_line();
    void write_recipe_out();
    void take_expert(); // app/session/expert_schedule.h

    bool together() const { return groups_.together(); } // edit_groups.h
    void set_together(bool together);
    QStringList companions() const; // of the selection

    // `line` may be empty: what was refused is no directive.
    void refused(const QString& line, const Diagnostics& diagnostics);
    void show_refusal(const QString& line, const QString& reason);

    views::EditServices services(); // whom views ask about edits
    void forecast(const std::vector<views::DirectiveEdit>& edits,
                  std::function<void(const views::Preview&)> answer,
                  session::Refused refused = session::Refused::Stops);

signals:
    void flushWanted();
    void togetherChanged();
    // Behind a refusal; null: an earlier one's arrow would look like this one's.
    void conflictShown(const std::shared_ptr<const loopscope::views::Conflict>& conflict);

private:
    bool flush_for(const views::DirectiveEdit& edit);
    void apply_one(const views::DirectiveEdit& edit);
    void apply_group(const EditGroup& group);
    void say_left_out(const EditGroup& group, const std::vector<Diagnostics>& refusals);
    // Available is what is so for one of a group.
    struct OpenVerdict;
    void judge_any(const std::vector<views::DirectiveEdit>& edits,
                   const session::EditQuestions::VerdictAnswer& answer);
    void judge_next(const std::shared_ptr<OpenVerdict>& open);
    void offer_earlier_place(const session::EarlierPlace& place);
    QString script_line(int line) const;
    void remove_line(int line);
    int chosen_line(const std::vector<int>& lines, const QString& title, const QString& question);

    session::Session& session_;
    EditGroups groups_;
    NoticeBar& notice_;
    QWidget& window_;
};

} // namespace loopscope::app
