// Where the panels stand, and how that is remembered.

#include "app/windows/main_window.h"

#include "app/windows/panel_tabs.h"
#include "app/windows/panel_title.h"
#include "views/style/fonts.h"
#include "views/widgets/start_page.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMouseEvent>
#include <QScreen>
#include <QSettings>
#include <QShowEvent>
#include <QStackedWidget>
#include <QTimer>

#include <algorithm>

namespace loopscope::app {

namespace {

constexpr int kLayoutVersion = 3; // a saved layout of another set of panels is not restored
constexpr int kNarrowWidth = 1400, kNarrowHeight = 820, kLargeWidth = 1900;
constexpr auto kSizes = "-sizes";
constexpr double kTeachingType = 1.3; // times the person's own: to be read from the back of a room

using views::scaled;

} // namespace

MainWindow::Arrangement MainWindow::wanted_arrangement() const {
    if (width() < kNarrowWidth || height() < kNarrowHeight)
        return Arrangement::Narrow;
    return width() < kLargeWidth ? Arrangement::Normal : Arrangement::Large;
}

void MainWindow::arrange(Arrangement arrangement) {
    arrangement_ = arrangement;
    sizes_.forget();
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
    // Where the inspector has a place of its own, the panels of a GPU share both places: so many tabs fit no half.
    auto* first = arrangement == Arrangement::Large ? inspector_dock_ : source_dock_;
    tabifyDockWidget(first, timeline_dock_);
    tabifyDockWidget(source_dock_, banks_dock_);
    tabifyDockWidget(arrangement == Arrangement::Large ? timeline_dock_ : banks_dock_,
                     findings_dock_);
    tabifyDockWidget(arrangement == Arrangement::Large ? banks_dock_ : findings_dock_,
                     measurements_dock_);
    tabifyDockWidget(measurements_dock_, compare_dock_);
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
    gpu_docks_shown_ = session_->is_open() && session_->device()->gpu;
    if (!gpu_docks_shown_)
        for (auto* each : gpu_docks())
            each->hide();
    arrange_preset();
    size_panels();
    raise_front();
    // A tab bar is made when the event loop next runs, and takes its height then: sizes are set once more.
    QTimer::singleShot(0, this, [this] {
        size_panels();
        raise_front();
    });
    titles_->start(0);
}

// What the preset leaves out, and what it brings to the front.
void MainWindow::arrange_preset() {
    std::vector<QDockWidget*> hidden;
    QDockWidget* front = arrangement_ == Arrangement::Large ? source_dock_ : inspector_dock_;
    if (preset_ == Preset::Teach)
        hidden = {history_dock_, measurements_dock_, compare_dock_, roofline_dock_, script_dock_};
    if (preset_ == Preset::Tune) {
        hidden = {graph_dock_};
        front = measurements_dock_;
    }
    for (auto* each : hidden)
        each->hide();
    front_ = front;
}

void MainWindow::raise_front() {
    if (!front_)
        return; // a layout that the person left says itself what is in front
    for (auto* each : {estimate_dock_, inspector_dock_, front_}) // what was asked for last
        each->raise();
}

void MainWindow::set_preset(Preset preset) {
    save_layout();
    preset_ = preset;
    for (auto* action : findChildren<QAction*>())
        if (action->property("preset").isValid())
            action->setChecked(action->property("preset").toInt() == static_cast<int>(preset));
    const auto font = preset == Preset::Teach ? scaled(person_font_, kTeachingType) : person_font_;
    if (font != QApplication::font()) {
        qApp->setFont(font);
        // Under a style sheet widgets take another font only when they are polished anew.
        views::apply_theme(*qApp, views::theme_of(*this).kind);
        for (auto* each : docks_)
            if (qobject_cast<PanelTitle*>(each->titleBarWidget())) {
                auto* before = each->titleBarWidget();
                each->setTitleBarWidget(new PanelTitle(each));
                before->deleteLater();
            }
        tree_title_->findChild<QLabel*>()->setFont(views::bold_font());
    }
    if (settings_ == Settings::Keep)
        QSettings().setValue("window/preset", static_cast<int>(preset));
    if (session_->is_open())
        restore_layout();
}

void MainWindow::size_panels() {
    const int h = height();
    auto* left = preset_ == Preset::Tune ? history_dock_ : graph_dock_;
    resizeDocks({left, estimate_dock_}, {width() * 21 / 100, width() * 28 / 100}, Qt::Horizontal);
    resizeDocks({graph_dock_, history_dock_}, {h * 72 / 100, h * 18 / 100}, Qt::Vertical);
    resizeDocks({inspector_dock_}, {h * (preset_ == Preset::Tune ? 46 : 36) / 100}, Qt::Vertical);
    if (arrangement_ == Arrangement::Large)
        resizeDocks({inspector_dock_, source_dock_}, {width() / 4, width() / 4}, Qt::Horizontal);
    if (arrangement_ != Arrangement::Narrow)
        resizeDocks({estimate_dock_, roofline_dock_, script_dock_},
                    {h * 44 / 100, h * 28 / 100, h * 22 / 100}, Qt::Vertical);
}

// A panel in a group of tabs has its name on the tab: a title line would say it twice.
void MainWindow::show_titles() {
    tabs_->name_tabs();
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

// Tabs have no order before there is something to see.
void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (event->spontaneous()) // it comes back from the task bar
        return;
    take_spacing();
    QTimer::singleShot(0, this, [this] {
        raise_front();
        titles_->start(0);
    });
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (document_name_)
        show_name(); // as much of it as there is room for
    if (session_->is_open() && arrangement_ != Arrangement::None &&
        wanted_arrangement() != arrangement_) {
        save_layout();
        restore_layout();
    } else if (sizes_.known()) {
        sizes_.give();
    }
}

bool MainWindow::event(QEvent* event) {
    // The base class moves the separator, and accepts the event.
    if (event->type() == QEvent::MouseButtonPress)
        separator_held_ = isSeparator(static_cast<QMouseEvent*>(event)->position().toPoint());
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::MouseButtonRelease && separator_held_) {
        separator_held_ = false;
        sizes_.take();
    }
    return handled;
}

QStringList MainWindow::panel_names() {
    return {"pipeline",     "history", "tree",     "inspector", "source",
            "measurements", "compare", "estimate", "roofline",  "script",
            "timeline",     "banks",   "findings", "help",      "start"};
}

QWidget* MainWindow::panel_widget(const QString& name) const {
    if (name == QLatin1String("tree"))
        return centre_->parentWidget();
    if (name == QLatin1String("start"))
        return start_;
    if (name == QLatin1String("help"))
        return help_;
    return findChild<QDockWidget*>(name == QLatin1String("graph") ? QStringLiteral("pipeline")
                                                                  : name);
}

bool MainWindow::show_panel(const QString& name) {
    if (name == QLatin1String("help"))
        show_help_at(QStringLiteral("window"), {});
    auto* panel = panel_widget(name);
    if (!panel)
        return false;
    if (name == QLatin1String("start"))
        return !session_->is_open();
    if (auto* dock = qobject_cast<QDockWidget*>(panel)) {
        if (!session_->is_open())
            return false;
        dock->show();
        dock->raise();
        front_ = dock; // also where the tabs are still being made
    }
    return true;
}

QString MainWindow::kept_layout() const {
    const auto preset = preset_ == Preset::Explore
                            ? QString()
                            : QStringLiteral("-%1").arg(static_cast<int>(preset_));
    return QStringLiteral("window/layout-%1%2").arg(static_cast<int>(arrangement_)).arg(preset);
}

void MainWindow::save_layout() {
    if (settings_ == Settings::Ignore)
        return;
    QSettings settings;
    settings.setValue("window/geometry", saveGeometry());
    if (session_->is_open() && arrangement_ != Arrangement::None) {
        settings.setValue(kept_layout(), saveState(kLayoutVersion));
        if (sizes_.known())
            settings.setValue(kept_layout() + kSizes, sizes_.kept());
    }
}

// What is kept is the place without a frame: with one, the last line could come to lie below the screen.
void MainWindow::restore_place() {
    restoreGeometry(QSettings().value("window/geometry").toByteArray());
    const auto room = screen()->availableGeometry();
    if (height() <= room.height() && geometry().bottom() > room.bottom())
        move(x(), std::max(room.top(), y() - (geometry().bottom() - room.bottom())));
}

// The arrangement for the window's size, and in it what the person made of it last time.
void MainWindow::restore_layout() {
    arrange(wanted_arrangement());
    if (settings_ == Settings::Ignore)
        return;
    const auto kept = QSettings().value(kept_layout()).toByteArray();
    if (!kept.isEmpty()) {
        front_ = nullptr;
        const auto sizes = QSettings().value(kept_layout() + kSizes);
        QTimer::singleShot(0, this, [this, kept, sizes, arrangement = arrangement_] {
            if (arrangement_ != arrangement || !session_->is_open() ||
                !restoreState(kept, kLayoutVersion))
                return;
            sizes_.restore(sizes);
            if (sizes_.known())
                sizes_.give();
            titles_->start(0);
        });
    }
}

} // namespace loopscope::app
