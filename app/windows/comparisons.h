#pragma once
// Two schedules side by side, in a window of their own: opened from the history, the comparison
// panel, the menu or by key.

#include "app/windows/comparison_window.h"
#include "app/windows/person_settings.h"

#include <QObject>

#include <functional>
#include <optional>
#include <vector>

namespace loopscope::app {

class Documents;
class Editing;
class FileDialogs;

class Comparisons : public QObject {
    Q_OBJECT
public:
    Comparisons(session::Session& session, Editing& editing, FileDialogs& files,
                Documents& documents, const PersonSettings& settings, QWidget& window);

    void compare(const ComparedSide& left, const ComparedSide& right);
    // With a file that is asked for, at the left.
    void compare_with_file(const ComparedSide& right);
    // The shipped schedule for this device (app/session/expert_schedule.h) with the one of now.
    void compare_with_expert();
    // Two revisions that are chosen; else the baseline, or the schedule before, and the one of now.
    void compare_two();
    // `chosen`: the revisions that a person has selected somewhere.
    void set_choice(std::function<std::vector<qint64>()> chosen) { chosen_ = std::move(chosen); }
    bool busy() const { return window_ && window_->busy(); }

private:
    void make_window();
    void make_current(const ComparedSide& side);
    std::optional<ComparedSide> ask_for_file();

    session::Session& session_;
    Editing& editing_;
    FileDialogs& files_;
    Documents& documents_;
    const PersonSettings& settings_;
    QWidget& parent_;
    std::function<std::vector<qint64>()> chosen_;
    ComparisonWindow* window_ = nullptr; // null until it was asked for
};

} // namespace loopscope::app
