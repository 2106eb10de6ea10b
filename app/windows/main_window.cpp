#include "app/windows/main_window.h"

#include "views/widgets/estimate_view.h"
#include "views/widgets/history_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>

namespace loopscope::app {

using namespace views;

namespace {
constexpr int kNarrow = 1400; // below this width the right column's panels become tabs
}

MainWindow::MainWindow(QWidget* parent) : QMainWindow(parent), session_(new session::Session(this)) {
    setObjectName(QStringLiteral("main"));
    setAcceptDrops(true);
    setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    make_panels();
    make_actions();
    make_toolbar();
    wire_session();
    wire_views();
    resize(1440, 900);
    fill_devices();
    show_document();
}

MainWindow::~MainWindow() {
    // Views answer no more: the session's last signals would reach widgets half destroyed.
    session_->disconnect(this);
}

QDockWidget* MainWindow::dock(const QString& title, const QString& name, QWidget* view, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(view);
    addDockWidget(area, dock);
    docks_.push_back(dock);
    return dock;
}

void MainWindow::make_panels() {
    centre_ = new QStackedWidget(this);
    start_ = new StartPage(centre_);
    tree_ = new ScheduleTreeView(centre_);
    centre_->addWidget(start_);
    centre_->addWidget(tree_);
    setCentralWidget(centre_);

    graph_dock_ = dock(tr("Pipeline"), "pipeline", graph_ = new PipelineGraphView, Qt::LeftDockWidgetArea);
    history_dock_ = dock(tr("History"), "history", history_ = new HistoryView, Qt::LeftDockWidgetArea);
    inspector_dock_ = dock(tr("Inspector"), "inspector", inspector_ = new InspectorView, Qt::BottomDockWidgetArea);
    source_dock_ = dock(tr("Source"), "source", source_ = new SourceView, Qt::BottomDockWidgetArea);
    measurements_dock_ = dock(tr("Measurements"), "measurements", measurements_ = new MeasurementsView, Qt::BottomDockWidgetArea);
    estimate_dock_ = dock(tr("Estimate"), "estimate", estimate_ = new EstimateView, Qt::RightDockWidgetArea);
    roofline_dock_ = dock(tr("Roofline"), "roofline", roofline_ = new RooflineView, Qt::RightDockWidgetArea);
    script_dock_ = dock(tr("Schedule"), "script", script_ = new ScriptEditor(ScriptLanguage::Schedule), Qt::RightDockWidgetArea);
}

void MainWindow::arrange(bool narrow) {
    narrow_ = narrow;
    arranged_ = true;
    splitDockWidget(graph_dock_, history_dock_, Qt::Vertical);
    tabifyDockWidget(inspector_dock_, source_dock_);
    tabifyDockWidget(source_dock_, measurements_dock_);
    if (narrow) {
        tabifyDockWidget(estimate_dock_, roofline_dock_);
        tabifyDockWidget(roofline_dock_, script_dock_);
        estimate_dock_->raise();
    } else {
        addDockWidget(Qt::RightDockWidgetArea, estimate_dock_);
        splitDockWidget(estimate_dock_, roofline_dock_, Qt::Vertical);
        splitDockWidget(roofline_dock_, script_dock_, Qt::Vertical);
        resizeDocks({estimate_dock_, roofline_dock_, script_dock_}, {height() * 4 / 10, height() * 3 / 10, height() * 3 / 10},
                    Qt::Vertical);
    }
    inspector_dock_->raise();
    resizeDocks({graph_dock_, estimate_dock_}, {width() * 22 / 100, width() * 27 / 100}, Qt::Horizontal);
    resizeDocks({graph_dock_, history_dock_}, {height() * 6 / 10, height() * 3 / 10}, Qt::Vertical);
    resizeDocks({inspector_dock_}, {height() * 36 / 100}, Qt::Vertical);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    bool narrow = width() < kNarrow || height() < 820;
    if (session_->is_open() && (narrow != narrow_ || !arranged_))
        arrange(narrow);
}

void MainWindow::set_theme(ThemeKind kind) {
    apply_theme(*qApp, kind);
    QSettings().setValue("theme", kind == ThemeKind::Dark ? "dark" : "light");
}

bool MainWindow::settled() const {
    if (!session_->is_open())
        return true;
    return session_->estimate_current() && !graph_->layout_pending() && source_shown_[source_->current()];
}

bool MainWindow::open_path(const QString& path, const session::OpenOptions& options) {
    if (session_->busy())
        session_->cancel();
    auto status = session_->open(path.toStdString(), options);
    if (!status) {
        auto text = to_qstring(format(status.errors()));
        if (isVisible()) {
            QMessageBox box(QMessageBox::Warning, tr("Cannot open"), tr("%1 cannot be opened.").arg(path), QMessageBox::Ok, this);
            box.setInformativeText(text.left(2000));
            box.exec();
        } else {
            fprintf(stderr, "%s", text.toUtf8().constData());
        }
        return false;
    }
    remember(path);
    return true;
}

void MainWindow::say(const QString& text, bool is_error) {
    statusBar()->setStyleSheet(is_error ? QStringLiteral("QStatusBar { color: %1; }").arg(theme_of(*this).error.name()) : QString());
    statusBar()->showMessage(text, is_error ? 15000 : 8000);
}

void MainWindow::apply(const QString& line) {
    if (auto status = session_->apply_directive(line); !status)
        refused(line, status.errors());
}

void MainWindow::refused(const QString& line, const Diagnostics& diagnostics) {
    const auto& first = diagnostics.front();
    auto reason = to_qstring(first.message);
    if (!first.remedy.empty())
        reason += QStringLiteral("; ") + to_qstring(first.remedy);
    say(line.isEmpty() ? reason : tr("%1 is refused: %2").arg(line, reason), true);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings settings;
    settings.setValue("window/geometry", saveGeometry());
    if (session_->is_open())
        settings.setValue("window/state", saveState());
    session_->cancel();
    script_->flush();
    session_->close();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const auto& url : event->mimeData()->urls())
        if (url.isLocalFile()) {
            open_path(url.toLocalFile());
            return;
        }
}

} // namespace loopscope::app
