#include "app/windows/main_window.h"

#include "app/session/attached_gpus.h"
#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/expert_schedule.h"
#include "app/session/gpus_elsewhere.h"
#include "app/session/opencl_devices.h"
#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/chrome.h"
#include "app/windows/finder.h"
#include "app/windows/key_owners.h"
#include "app/windows/looks.h"
#include "app/windows/menus.h"
#include "app/windows/notice_bar.h"
#include "app/windows/panel_docks.h"
#include "app/windows/panel_layout.h"
#include "app/windows/panels.h"
#include "app/windows/preferences_dialog.h"
#include "app/windows/reports.h"
#include "app/windows/status_line.h"
#include "app/windows/toolbar.h"
#include "views/widgets/start_page.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QShowEvent>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::app {

using namespace views;

MainWindow::MainWindow(Settings settings) {
    setObjectName(QStringLiteral("main"));
    setAcceptDrops(true);
    setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks |
                   QMainWindow::GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    restyle(*this); // before there are others to be styled anew
    make_centre();
    make_services(settings);
    make_panels();
    make_bars();
    begin();
}

MainWindow::~MainWindow() {
    looks_.reset(); // widgets hear of the font while all that they speak to is there
}

void MainWindow::make_centre() {
    auto* middle = new QWidget(this);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap);
    auto* panel = new QFrame(middle);
    panel->setObjectName(QStringLiteral("panel"));
    auto* inner = new QVBoxLayout(panel);
    inner->setContentsMargins(1, 1, 1, 1);
    inner->setSpacing(0);
    inner->addWidget(centre_ = new QStackedWidget(panel));
    column->addWidget(panel, 1);
    column->addWidget(notice_ = new NoticeBar(middle)); // below: rows stay under the hand
    centre_->addWidget(start_ = new StartPage(centre_));
    setCentralWidget(middle);
}

void MainWindow::make_services(Settings settings) {
    services_ = std::make_unique<Services>(
        WindowParts{*this, *notice_, *statusBar(), *new QMenu(tr("&Schedule"), this),
                    [this](const QString& id) { show_panel(id); }, [this] { take_keyboard(); }},
        settings);
    looks_ = std::make_unique<Looks>(services_->preferences);
    connect(looks_.get(), &Looks::unitsChanged, this, [this] {
        for (const auto& panel : panels_)
            panel->renew();
    });
    auto& session = services_->session;
    connect(&session, &session::Session::opened, this, &MainWindow::show_document);
    connect(&session, &session::Session::treeChanged, notice_, &NoticeBar::clear_error);
    connect(&session.tasks(), &session::WorkerTasks::busyChanged, notice_, [this, &session] {
        if (session.tasks().busy()) // what went wrong before is asked for again
            notice_->clear_error();
    });
    connect(&session, &session::Session::deviceChanged, this, &MainWindow::show_device);
    connect(notice_, &NoticeBar::answered, this, &MainWindow::take_keyboard);
    auto& documents = services_->documents;
    connect(start_, &StartPage::openRequested, &documents,
            [&documents](const QString& path) { documents.open(path); });
    connect(start_, &StartPage::openFileRequested, &documents, &Documents::open_dialog);
    connect(start_, &StartPage::tutorialRequested, this,
            [this] { services_->help.show({QStringLiteral("tutorial"), {}}); });
}

void MainWindow::make_panels() {
    docks_ = std::make_unique<PanelDocks>(*this);
    for (const auto& kind : panel_kinds()) {
        auto& panel = *panels_.emplace_back(kind.make(kind, *services_));
        if (kind.place.area == PanelPlace::Centre) {
            auto* column = static_cast<QVBoxLayout*>(centre_->parentWidget()->layout());
            column->insertWidget(0, panel.title_line());
            centre_->addWidget(panel.view());
        } else {
            docks_->add(panel);
        }
    }
    layout_ = std::make_unique<PanelLayout>(*this, *docks_, services_->settings);
    connect(&services_->documents, &Documents::closing, layout_.get(), &PanelLayout::save);
}

void MainWindow::make_bars() {
    std::vector<Panel*> from_the_left;
    for (const auto& panel : panels_)
        from_the_left.push_back(panel.get());
    std::stable_sort(
        from_the_left.begin(), from_the_left.end(),
        [](const Panel* a, const Panel* b) { return a->kind().place.area < b->kind().place.area; });
    finder_ = std::make_unique<Finder>(*this, *menuBar(), *services_, *docks_, from_the_left);
    reports_ = std::make_unique<Reports>(*services_, from_the_left);
    const auto shown = make_menus({*this, *services_, *docks_, *layout_, *finder_, *reports_,
                                   from_the_left, [this](Preset preset) { set_preset(preset); }});
    addToolBar(toolbar_ = new MainToolBar(*services_, shown, *this));
    add_margins(*this);
    status_ = std::make_unique<StatusLine>(*statusBar(), services_->session, *shown.cancel);
    keys_ = std::make_unique<KeyOwners>(services_->session);
}

void MainWindow::begin() {
    using session::Session;
    auto& session = services_->session;
    auto& commands = services_->commands;
    for (auto changed : {&Session::opened, &Session::treeChanged, &Session::draftChanged,
                         &Session::undoChanged, &Session::deviceChanged})
        connect(&session, changed, &commands, &Commands::refresh);
    connect(&session.estimates(), &session::Estimates::changed, &commands, &Commands::refresh);
    connect(&session.baseline(), &session::PinnedBaseline::changed, &commands, &Commands::refresh);
    connect(&session.expert(), &session::ExpertSchedule::changed, &commands, &Commands::refresh);
    for (auto changed : {&session::WorkerTasks::busyChanged, &session::WorkerTasks::machineChanged})
        connect(&session.tasks(), changed, &commands, &Commands::refresh);
    resize(1440, 900);
    layout_->restore_place();
    take_spacing(*this);
    looks_->begin();
    if (const auto kept = layout_->kept_preset(); kept != Preset::Explore)
        set_preset(kept);
    commands.refresh();
    for (const auto& panel : panels_)
        panel->begin();
    show_document();
    tell_faults(*services_); // what can be recovered takes its place
    services_->documents.offer_recovery();
    if (services_->settings.kept()) { // what is only drawn is the same on every machine
        session.gpus_elsewhere().read();
        session.attached_gpus().look();
        session.opencl_devices().look();
    }
}

bool MainWindow::open_path(const std::string& path, const session::OpenOptions& options) {
    return services_->documents.open(path, options);
}

bool MainWindow::open_path(const QString& path, const session::OpenOptions& options) {
    return services_->documents.open(path, options);
}

void MainWindow::set_theme(ThemeKind kind) {
    auto values = services_->preferences.now();
    values.theme = kind == ThemeKind::Dark ? ThemeChoice::Dark : ThemeChoice::Light;
    services_->preferences.set(values);
    looks_->wear_theme();
}

Preset MainWindow::preset() const { return layout_->preset(); }

void MainWindow::set_preset(Preset preset) {
    layout_->set_preset(preset);
    services_->commands.refresh();
    looks_->set_large_type(preset == Preset::Teach);
    if (layout_->shown())
        layout_->open();
}

void MainWindow::show_document() {
    const bool open = services_->session.is_open();
    setWindowTitle(open ? services_->session.title() + QStringLiteral(" — Loopscope")
                        : QStringLiteral("Loopscope"));
    notice_->clear_error();
    for (const auto& each : docks_->all())
        each.dock->toggleViewAction()->setEnabled(open);
    centre_->setCurrentIndex(open ? 1 : 0);
    show_gpu_panels();
    if (!open) {
        layout_->close();
        services_->documents.fill(*start_);
        take_keyboard();
        return;
    }
    if (!layout_->shown())
        layout_->open();
    take_keyboard();
}

void MainWindow::show_device() {
    show_gpu_panels();
    if (!services_->session.is_open()) // which programs have an expert schedule there
        services_->documents.fill(*start_);
}

void MainWindow::show_gpu_panels() {
    const auto& session = services_->session;
    layout_->set_gpu(session.is_open() && session.device()->gpu);
}

void MainWindow::take_keyboard() {
    centre_->widget(services_->session.is_open() ? 1 : 0)->setFocus();
}

QWidget* MainWindow::panel_widget(const QString& name) const {
    if (name == QLatin1String("start"))
        return start_;
    if (name == QLatin1String("help"))
        return services_->help.window();
    for (const auto& panel : panels_)
        if (name == panel->kind().id && panel->kind().place.area == PanelPlace::Centre)
            return centre_->parentWidget();
    return docks_->find(name == QLatin1String("graph") ? QStringLiteral("pipeline") : name);
}

bool MainWindow::show_panel(const QString& name) {
    if (name == QLatin1String("help"))
        services_->help.show({QStringLiteral("window"), {}});
    auto* widget = panel_widget(name);
    if (!widget)
        return false;
    const bool open = services_->session.is_open();
    if (name == QLatin1String("start"))
        return !open;
    if (auto* dock = qobject_cast<QDockWidget*>(widget)) {
        if (!open)
            return false;
        layout_->bring_to_front(*dock);
    }
    return true;
}

bool MainWindow::settled() const {
    const auto& session = services_->session;
    return !session.is_open() ||
           (session.estimates().settled() && session.baseline().settled() &&
            !session.questions().judging() && docks_->settled() && !services_->comparisons.busy() &&
            std::all_of(panels_.begin(), panels_.end(),
                        [](const auto& panel) { return panel->settled(); }));
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && toolbar_ && restyle(*this))
        toolbar_->show_name();
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (event->spontaneous()) // it comes back from the task bar
        return;
    take_spacing(*this);
    layout_->window_shown();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (toolbar_)
        layout_->window_resized();
}

bool MainWindow::event(QEvent* event) {
    if (event->type() == QEvent::ThemeChange && looks_)
        looks_->system_changed();
    // The base class moves the separator, and accepts the event.
    if (event->type() == QEvent::MouseButtonPress)
        separator_held_ = isSeparator(static_cast<QMouseEvent*>(event)->position().toPoint());
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::MouseButtonRelease && separator_held_) {
        separator_held_ = false;
        layout_->separator_moved();
    }
    return handled;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    services_->editing.flush();
    if (!services_->documents.may_let_go()) {
        event->ignore();
        return;
    }
    layout_->save();
    services_->session.close();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    services_->documents.open_dropped(*event->mimeData());
}

} // namespace loopscope::app
