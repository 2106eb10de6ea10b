// Where the panels stand, and how that is remembered.

#include "app/windows/main_window.h"

#include "app/windows/panel_title.h"

#include <QDockWidget>
#include <QSettings>
#include <QTimer>

#include <algorithm>

namespace loopscope::app {

namespace {

constexpr int kLayoutVersion = 1; // a saved layout of another set of panels is not restored
constexpr int kNarrowWidth = 1400, kNarrowHeight = 820, kLargeWidth = 1900;

} // namespace

MainWindow::Arrangement MainWindow::wanted_arrangement() const {
    if (width() < kNarrowWidth || height() < kNarrowHeight)
        return Arrangement::Narrow;
    return width() < kLargeWidth ? Arrangement::Normal : Arrangement::Large;
}

void MainWindow::arrange(Arrangement arrangement) {
    arrangement_ = arrangement;
    for (auto* each : docks_) {
        each->setFloating(false);
        removeDockWidget(each);
    }
    addDockWidget(Qt::LeftDockWidgetArea, graph_dock_);
    splitDockWidget(graph_dock_, history_dock_, Qt::Vertical);
    addDockWidget(Qt::BottomDockWidgetArea, inspector_dock_);
    if (arrangement == Arrangement::Large)
        splitDockWidget(inspector_dock_, source_dock_, Qt::Horizontal);
    else
        tabifyDockWidget(inspector_dock_, source_dock_);
    tabifyDockWidget(source_dock_, measurements_dock_);
    addDockWidget(Qt::RightDockWidgetArea, estimate_dock_);
    if (arrangement == Arrangement::Narrow) {
        tabifyDockWidget(estimate_dock_, roofline_dock_);
        tabifyDockWidget(roofline_dock_, script_dock_);
    } else {
        splitDockWidget(estimate_dock_, roofline_dock_, Qt::Vertical);
        splitDockWidget(roofline_dock_, script_dock_, Qt::Vertical);
    }
    for (auto* each : docks_)
        each->show();
    size_panels();
    for (auto* front :
         {arrangement == Arrangement::Large ? source_dock_ : inspector_dock_, estimate_dock_})
        front->raise();
    // A tab bar is made when the event loop next runs, and takes its height then: sizes are set once more.
    QTimer::singleShot(0, this, [this] { size_panels(); });
    titles_->start(0);
}

void MainWindow::size_panels() {
    const int h = height();
    resizeDocks({graph_dock_, estimate_dock_}, {width() * 21 / 100, width() * 28 / 100},
                Qt::Horizontal);
    resizeDocks({graph_dock_, history_dock_}, {h * 72 / 100, h * 18 / 100}, Qt::Vertical);
    resizeDocks({inspector_dock_}, {h * 36 / 100}, Qt::Vertical);
    if (arrangement_ == Arrangement::Large)
        resizeDocks({inspector_dock_, source_dock_}, {width() / 4, width() / 4}, Qt::Horizontal);
    if (arrangement_ != Arrangement::Narrow)
        resizeDocks({estimate_dock_, roofline_dock_, script_dock_},
                    {h * 44 / 100, h * 28 / 100, h * 22 / 100}, Qt::Vertical);
}

// A panel in a group of tabs has its name on the tab: a title line would say it twice.
void MainWindow::show_titles() {
    for (auto* each : docks_) {
        const auto others = tabifiedDockWidgets(each);
        const bool tabbed =
            !each->isFloating() && std::any_of(others.begin(), others.end(),
                                               [](QDockWidget* d) { return !d->isHidden(); });
        const bool titled = qobject_cast<PanelTitle*>(each->titleBarWidget());
        if (titled != tabbed && each->titleBarWidget())
            continue;
        auto* before = each->titleBarWidget();
        each->setTitleBarWidget(tabbed ? new QWidget(each) : new PanelTitle(each));
        if (before)
            before->deleteLater();
    }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (session_->is_open() && arrangement_ != Arrangement::None &&
        wanted_arrangement() != arrangement_) {
        save_layout();
        restore_layout();
    }
}

bool MainWindow::show_panel(const QString& name) {
    auto* panel = findChild<QDockWidget*>(name);
    if (!panel)
        return false;
    panel->show();
    panel->raise();
    return true;
}

namespace {
QString layout_key(int arrangement) { return QStringLiteral("window/layout-%1").arg(arrangement); }
} // namespace

void MainWindow::save_layout() {
    if (settings_ == Settings::Ignore)
        return;
    QSettings settings;
    settings.setValue("window/geometry", saveGeometry());
    if (session_->is_open() && arrangement_ != Arrangement::None)
        settings.setValue(layout_key(static_cast<int>(arrangement_)), saveState(kLayoutVersion));
}

// The arrangement for the window's size, and in it what the person made of it last time.
void MainWindow::restore_layout() {
    arrange(wanted_arrangement());
    if (settings_ == Settings::Ignore)
        return;
    const auto kept = QSettings().value(layout_key(static_cast<int>(arrangement_))).toByteArray();
    if (!kept.isEmpty())
        QTimer::singleShot(0, this, [this, kept, arrangement = arrangement_] {
            if (arrangement_ == arrangement && session_->is_open())
                restoreState(kept, kLayoutVersion);
        });
}

} // namespace loopscope::app
