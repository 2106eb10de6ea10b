#pragma once
// The help, in a window of its own.

#include <QCoreApplication>
#include <QString>

class QWidget;

namespace loopscope::views {
class HelpView;
}

namespace loopscope::app {

class Messages;

// A place in the help: a page ("schedules"), and the heading or the word in it that is looked for.
struct HelpPlace {
    QString page, word;
};

class HelpWindow {
    Q_DECLARE_TR_FUNCTIONS(loopscope::app::HelpWindow)
public:
    HelpWindow(QWidget& parent, const Messages& messages) : parent_(parent), messages_(messages) {}

    void show(const HelpPlace& place);
    QWidget* window() const { return window_; } // null until it was asked for

private:
    void make_window();

    QWidget& parent_;
    const Messages& messages_;
    QWidget* window_ = nullptr;
    views::HelpView* view_ = nullptr;
};

} // namespace loopscope::app
