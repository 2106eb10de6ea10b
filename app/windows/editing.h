#pragma once
// What gestures ask for becomes lines of the script. What is refused is said with its reason, drawn
// as the dependence that it would break, and answered with a directive that would be legal, or with
// the place in the script at which it is.

#include "app/session/earlier_place.h"
#include "app/session/session.h"
#include "views/models/snapshots.h"

#include <QObject>
#include <QString>

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
    void apply(const views::DirectiveEdit& edit);
    void apply_all(const std::vector<views::DirectiveEdit>& edits); // as one step
    void undo();

    // Removes one of the selection's lines; asks which, and whether others that depend on it go
    // too.
    void remove_selected_line();
    void write_recipe_out();
    void take_expert(); // app/session/expert_schedule.h

    // `line` may be empty: what was refused is no directive.
    void refused(const QString& line, const Diagnostics& diagnostics);
    void show_refusal(const QString& line, const QString& reason);

    views::EditServices services(); // whom views ask about edits
    void forecast(const std::vector<views::DirectiveEdit>& edits,
                  std::function<void(const views::Preview&)> answer);

signals:
    void flushWanted();
    // Behind a refusal; null: an earlier one's arrow would look like this one's.
    void conflictShown(const std::shared_ptr<const loopscope::views::Conflict>& conflict);

private:
    void offer_earlier_place(const session::EarlierPlace& place);
    QString script_line(int line) const;
    void remove_line(int line);
    int chosen_line(const std::vector<int>& lines, const QString& title, const QString& question);

    session::Session& session_;
    NoticeBar& notice_;
    QWidget& window_;
};

} // namespace loopscope::app
