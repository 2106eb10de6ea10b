#include "app/windows/main_window.h"

#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/pass_programs.h"
#include "app/session/pinned_baseline.h"
#include "app/windows/chrome.h"
#include "app/windows/comparison_window.h"
#include "app/windows/notice_bar.h"
#include "app/windows/open_error.h"
#include "app/windows/panel_tabs.h"
#include "app/windows/panel_title.h"
#include "views/style/fonts.h"
#include "views/widgets/compare_view.h"
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

#include <QAbstractButton>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>

namespace loopscope::app {

using namespace views;

MainWindow::MainWindow(Settings settings)
    : scratch_(settings == Settings::Ignore ? std::make_unique<QTemporaryDir>() : nullptr),
      // Nobody's work: what is only drawn is not kept among the person's documents.
      session_(new session::Session(this, scratch_ ? scratch_->path().toStdString() : "")),
      settings_(settings),
      person_font_(QApplication::font()) {
    setObjectName(QStringLiteral("main"));
    setAcceptDrops(true);
    setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks |
                   QMainWindow::GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    titles_ = new QTimer(this);
    titles_->setSingleShot(true);
    connect(titles_, &QTimer::timeout, this, [this] {
        show_titles();
        if (arrangement_ != Arrangement::None)
            sizes_.take_if_rearranged();
    });
    tabs_ = std::make_unique<PanelTabs>(*this, docks_);
    connect(tabs_.get(), &PanelTabs::roomChanged, this, [this] { titles_->start(0); });
    tick_ = new QTimer(this);
    tick_->setInterval(500);
    connect(tick_, &QTimer::timeout, this, &MainWindow::show_elapsed);
    make_panels();
    make_actions();
    make_toolbar();
    make_margins();
    make_status_bar();
    wire_session();
    wire_views();
    wire_panels();
    wire_comparison();
    wire_passes();
    wire_gpu();
    wire_side_by_side();
    qApp->installEventFilter(this);
    resize(1440, 900);
    if (settings_ == Settings::Keep)
        restore_place();
    restyle();
    if (settings_ == Settings::Keep)
        if (const int kept = QSettings().value("window/preset").toInt();
            kept == static_cast<int>(Preset::Teach) || kept == static_cast<int>(Preset::Tune))
            set_preset(static_cast<Preset>(kept));
    show_device();
    show_undo();
    show_document();
    offer_recovery();
}

MainWindow::~MainWindow() {
    // Views answer no more: the session's last signals would reach widgets half destroyed.
    session_->disconnect(this);
    for (QDockWidget* dock : findChildren<QDockWidget*>())
        dock->disconnect(
            this); // they are hidden with the window, when it is no main window any more
    if (preset_ == Preset::Teach)
        qApp->setFont(person_font_);
}

QDockWidget* MainWindow::dock(const QString& title, const QString& name, QWidget* view,
                              Qt::DockWidgetArea area, const QString& short_title) {
    auto* dock = new QDockWidget(this);
    dock->setObjectName(name);
    name_panel(*dock, title, short_title.isEmpty() ? title : short_title);
    auto* panel = new QFrame(dock);
    panel->setObjectName(QStringLiteral("panel"));
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, 1, 1, 1);
    column->addWidget(view);
    dock->setWidget(panel);
    dock->setTitleBarWidget(new PanelTitle(dock));
    addDockWidget(area, dock);
    docks_.push_back(dock);
    for (auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged})
        connect(dock, signal, this, [this] { titles_->start(0); });
    connect(dock, &QDockWidget::dockLocationChanged, this, [this] { titles_->start(0); });
    return dock;
}

QWidget* MainWindow::make_tree_title(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setObjectName(QStringLiteral("title"));
    auto* across = new QHBoxLayout(line);
    across->setContentsMargins(14, 0, 14, 0); // with the frame 16, as the docks' titles have
    across->setSpacing(3 * kGap);
    auto* name = new QLabel(tr("Schedule tree"), line);
    name->setFont(bold_font());
    auto* hint = new QLabel(tr("/ find"), line);
    hint->setObjectName(QStringLiteral("hint"));
    tree_note_ = new QLabel(line);
    tree_note_->setObjectName(QStringLiteral("hint"));
    tree_note_->setAccessibleName(tr("What the times are of"));
    for (auto* label : {name, tree_note_, hint})
        label->setIndent(0); // what a style sheet makes a frame would be given one
    across->addWidget(name);
    across->addWidget(tree_note_, 1);
    across->addWidget(hint);
    return line;
}

void MainWindow::make_panels() {
    auto* middle = new QWidget(this);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap);
    auto* panel = new QFrame(middle);
    panel->setObjectName(QStringLiteral("panel"));
    auto* inner = new QVBoxLayout(panel);
    inner->setContentsMargins(1, 1, 1, 1);
    inner->setSpacing(0);
    inner->addWidget(tree_title_ = make_tree_title(panel));
    inner->addWidget(centre_ = new QStackedWidget(panel));
    column->addWidget(panel, 1);
    column->addWidget(notice_ = new NoticeBar(middle)); // below: rows stay under the hand
    start_ = new StartPage(centre_);
    tree_ = new ScheduleTreeView(centre_);
    centre_->addWidget(start_);
    centre_->addWidget(tree_);
    setCentralWidget(middle);

    graph_dock_ =
        dock(tr("Pipeline"), "pipeline", graph_ = new PipelineGraphView, Qt::LeftDockWidgetArea);
    history_dock_ =
        dock(tr("History"), "history", history_ = new HistoryView, Qt::LeftDockWidgetArea);
    inspector_dock_ = dock(tr("Inspector"), "inspector", inspector_ = new InspectorView,
                           Qt::BottomDockWidgetArea);
    source_dock_ = dock(tr("Source"), "source", source_ = new SourceView, Qt::BottomDockWidgetArea);
    measurements_dock_ =
        dock(tr("Measurements"), "measurements", measurements_ = new MeasurementsView,
             Qt::BottomDockWidgetArea, tr("Measured"));
    compare_dock_ = dock(tr("Comparison"), "compare", compare_ = new CompareView,
                         Qt::BottomDockWidgetArea, tr("Compare"));
    make_gpu_panels();
    estimate_dock_ =
        dock(tr("Estimate"), "estimate", estimate_ = new EstimateView, Qt::RightDockWidgetArea);
    roofline_dock_ =
        dock(tr("Roofline"), "roofline", roofline_ = new RooflineView, Qt::RightDockWidgetArea);
    script_dock_ =
        dock(tr("Schedule"), "script", script_ = new ScriptEditor(ScriptLanguage::Schedule),
             Qt::RightDockWidgetArea);
}

void MainWindow::set_theme(ThemeKind kind) {
    apply_theme(*qApp, kind);
    if (settings_ == Settings::Keep)
        QSettings().setValue("theme", kind == ThemeKind::Dark ? "dark" : "light");
}

void MainWindow::restyle() {
    const auto sheet = chrome_style(theme_of(*this));
    if (styleSheet() == sheet) // setting one sends the event that brought us here
        return;
    setStyleSheet(sheet);
    take_spacing();
    show_name(); // in the theme's colours
}

// The window asks for the gap between panels, and a toolbar for its margins, when the style changes; for the sheet that is
// set first, that is before it holds.
void MainWindow::take_spacing() {
    QList<QWidget*> all{this};
    for (auto* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
        all << bar;
    for (auto* each : all) {
        QEvent event(QEvent::StyleChange);
        QApplication::sendEvent(each, &event);
    }
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && script_)
        restyle();
}

bool MainWindow::settled() const {
    if (!session_->is_open())
        return true;
    return session_->estimates().settled() && session_->baseline().settled() &&
           !graph_->layout_pending() && !inspector_->judging() &&
           !session_->questions().judging() && !titles_->isActive() && !baseline_source_wanted_ &&
           !session_->passes().making() && !banks_waiting_ &&
           !(comparison_ && comparison_->busy()) &&
           (!source_visible_ || source_shown_.count(source_->current()));
}

bool MainWindow::open_path(const QString& path, const session::OpenOptions& options) {
    script_->flush();
    auto status = session_->open(path.toStdString(), options);
    if (!status) {
        auto text = to_qstring(format(status.errors(), 20));
        if (isVisible()) {
            show_open_error(*this, path, text);
        } else {
            fprintf(stderr, "%s", text.toUtf8().constData());
        }
        return false;
    }
    remember(path);
    return true;
}

void MainWindow::say(const QString& text, bool is_error) {
    if (is_error)
        notice_->show_error(text);
    else
        statusBar()->showMessage(text, 8000);
}

void MainWindow::apply(const DirectiveEdit& edit) {
    const auto line = [&] {
        return to_qstring(session_->script()).section('\n', edit.replaces - 1, edit.replaces - 1);
    };
    const QString chosen_from = edit.replaces > 0 ? line() : QString();
    script_->flush();
    // The choice counts lines of the script that was shown with it.
    if (edit.replaces > 0 && line() != chosen_from) {
        say(tr("What was typed into the script came first, and its lines have moved. "
               "Choose once more."),
            true);
        return;
    }
    if (edit.replaces > 0 && edit.line.isEmpty()) {
        remove_line(edit.replaces);
        return;
    }
    auto status = edit.replaces > 0 ? session_->replace_directive(edit.replaces, edit.line)
                                    : session_->apply_directive(edit.line);
    if (!status)
        refused(edit.line, status.errors());
}

void MainWindow::refused(const QString& line, const Diagnostics& diagnostics) {
    show_refusal(line, session::reason_of(diagnostics));
}

void MainWindow::show_refusal(const QString& line, const QString& reason) {
    say(line.isEmpty() ? reason : tr("%1 is refused: %2").arg(line, reason), true);
    tree_->show_conflict(nullptr); // an earlier one's arrow would look like this one's
    graph_->show_conflict(nullptr);
    if (line.isEmpty() || !session_->is_open() || session_->has_draft())
        return;
    session_->questions().judge({line}, [this](const DirectiveEdit&, const Verdict& verdict) {
        tree_->show_conflict(verdict.conflict);
        graph_->show_conflict(verdict.conflict);
    });
    session_->questions().find_alternative(line, [this](const QString& legal) {
        if (!legal.isEmpty())
            notice_->offer_remedy(tr("Apply %1").arg(legal), [this, legal] { apply(legal); });
    });
}

void MainWindow::closeEvent(QCloseEvent* event) {
    script_->flush();
    save_layout();
    session_->close();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    // A pipeline and its schedule may come together.
    QString file, schedule;
    for (const auto& url : event->mimeData()->urls())
        if (url.isLocalFile())
            (url.toLocalFile().endsWith(".sched") ? schedule : file) = url.toLocalFile();
    event->acceptProposedAction();
    session::OpenOptions options;
    if (!file.isEmpty())
        options.schedule_file = schedule.toStdString();
    const auto path = file.isEmpty() ? schedule : file;
    if (!path.isEmpty()) // after the drop, so that a message does not hold the other program
        QTimer::singleShot(0, this, [this, path, options] { open_path(path, options); });
}

} // namespace loopscope::app
