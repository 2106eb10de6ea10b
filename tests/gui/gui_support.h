#pragma once
// The real window on scratch folders, and what a person does with it.

#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/pass_programs.h"
#include "app/session/pinned_baseline.h"
#include "app/session/source_texts.h"
#include "app/session/worker_tasks.h"
#include "app/windows/main_window.h"
#include "tests/gui/latency.h"
#include "tests/gui/window_views.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QElapsedTimer>

#include <functional>
#include <memory>
#include <string>

class QMenu;

namespace loopscope::app::test {

// Times every event that the loop handles for the LatencyRecorder, outermost first; those of a
// nested loop (a message box) count alone.
class WatchedApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;

private:
    int depth_ = 0;
};

// Figures for this machine in the cache, so that no test waits for a probe.
void keep_host_figures();
std::string bundled(const std::string& file); // resources/pipelines/FILE

// Advice is computed at a low priority: beside a build it takes minutes for thousands of stages.
bool wait_until(const std::function<bool()>& holds, int seconds = 240);

class WindowTest : public testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;
    // A new window, as a person sees it at that size; the one before is closed.
    MainWindow& show(int width = 1440, int height = 900);
    MainWindow& open(const std::string& file, session::OpenOptions options = {}, int width = 1440,
                     int height = 900);
    void close_window();
    bool settle(); // everything shown is of the present schedule

    const std::string& script() const { return window_->session().script(); }
    void click(const NodeId& node);                                      // its row in the tree
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier); // to the tree
    void choose(const QString& text); // an entry of the menu that is open, and of its submenus
    QMenu* open_menu() const;
    // Presses a row of the tree, moves in steps and lets go on another; `to` may be a place of the
    // viewport.
    QPoint row_centre(const NodeId& node);
    void drag(const NodeId& from, const QPoint& to, bool drop = true);
    // What a drag or a hovered choice says, and the answer is there: waits for it.
    QString bubble_text(QWidget* in);
    // Keeps a picture of the window where LOOPSCOPE_PICTURES names a folder.
    void keep_picture(const QString& name); // of the window
    void keep_picture(const QString& name, QWidget& of);
    // Types into the script, at its end.
    void type(const QString& text);

    std::unique_ptr<MainWindow> window_;
};

} // namespace loopscope::app::test
