// Menus, keys and the toolbar. Every action is in a menu, with its key.

#include "app/windows/main_window.h"

#include "compiler/measure/host_device.h"
#include "compiler/measure/paths.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"

#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QProgressBar>
#include <QSettings>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QUndoStack>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace loopscope::app {

using namespace views;

namespace {

constexpr int kRecentFiles = 10;

QAction* add(QMenu* menu, const QString& text, const QKeySequence& key, const QString& tip, std::function<void()> run) {
    auto* action = menu->addAction(text);
    if (!key.isEmpty())
        action->setShortcut(key);
    action->setStatusTip(tip);
    action->setToolTip(tip);
    QObject::connect(action, &QAction::triggered, action, [run = std::move(run)] { run(); });
    return action;
}

} // namespace

void MainWindow::make_actions() {
    auto* file = menuBar()->addMenu(tr("&File"));
    add(file, tr("&Open…"), QKeySequence::Open, tr("Opens a pipeline, a schedule or a document"), [this] { open_dialog(); });
    recent_menu_ = file->addMenu(tr("Open &recent"));
    connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_recent);
    file->addSeparator();
    auto save_document = [this](const std::string& path) { return session_->save_document(path); };
    save_ = add(file, tr("&Save"), QKeySequence::Save, tr("Saves the document; a saved one saves itself at every edit"), [this, save_document] {
        if (session_->untitled())
            save_dialog("Loopscope document (*.loopscope)", ".loopscope", save_document);
        else
            say(tr("Saved: every edit is saved as it is made"), false);
    });
    save_as_ = add(file, tr("Save &as…"), QKeySequence::SaveAs, tr("Saves a copy and continues in it"),
                   [this, save_document] { save_dialog("Loopscope document (*.loopscope)", ".loopscope", save_document); });
    save_schedule_ = add(file, tr("Save s&chedule as…"), {}, tr("Writes the script as a .sched file"), [this] {
        save_dialog("Schedule (*.sched)", ".sched", [this](const std::string& path) { return session_->save_schedule(path); });
    });
    save_pipeline_ = add(file, tr("Save &pipeline as…"), {}, tr("Writes the pipeline as a .loop file"), [this] {
        save_dialog("Pipeline (*.loop)", ".loop", [this](const std::string& path) { return session_->save_pipeline(path); });
    });
    file->addSeparator();
    close_ = add(file, tr("&Close"), QKeySequence::Close, tr("Goes back to the start page"), [this] {
        session_->close();
        show_document();
    });
    add(file, tr("&Quit"), QKeySequence::Quit, tr("Ends the program; nothing is lost"), [this] { QWidget::close(); });

    auto* edit = menuBar()->addMenu(tr("&Edit"));
    undo_ = session_->undo_stack()->createUndoAction(this, tr("&Undo"));
    undo_->setShortcut(QKeySequence::Undo);
    redo_ = session_->undo_stack()->createRedoAction(this, tr("&Redo"));
    redo_->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Y), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)});
    edit->addActions({undo_, redo_});
    edit->addSeparator();
    remove_ = add(edit, tr("Remove &directive…"), QKeySequence(Qt::CTRL | Qt::Key_Backspace),
                  tr("Removes a directive that speaks of the selection"), [this] { remove_selected_line(); });
    add(edit, tr("&Find"), QKeySequence::Find, tr("Searches the panel that has the keyboard"), [this] {
        auto* focus = QApplication::focusWidget();
        if (focus && source_->isAncestorOf(focus))
            source_->start_search();
        else if (focus && script_->isAncestorOf(focus))
            script_->start_search();
        else if (focus && (graph_ == focus || graph_->isAncestorOf(focus)))
            graph_->start_search();
        else
            tree_->start_search();
    });

    auto* schedule = menuBar()->addMenu(tr("&Schedule"));
    connect(schedule, &QMenu::aboutToShow, this, [this, schedule] {
        schedule->clear();
        if (!session_->tree())
            return;
        // The tree's own menu for the selection, so that every directive is in the menu bar too.
        auto* own = tree_->make_menu(session_->selection());
        own->setParent(schedule);
        for (auto* action : own->actions())
            schedule->addAction(action);
        if (schedule->isEmpty())
            schedule->addAction(tr("Select a loop or a stage first"))->setEnabled(false);
    });
    schedule->addAction(tr("Select a loop or a stage first"))->setEnabled(false);

    auto* run = menuBar()->addMenu(tr("&Run"));
    measure_ = add(run, tr("&Measure"), QKeySequence(Qt::Key_Space), tr("Compiles the schedule and times it in a worker process"),
                   [this] { session_->measure(); });
    check_ = add(run, tr("&Check"), QKeySequence(Qt::CTRL | Qt::Key_K), tr("Compares the compiled schedule with the reference interpreter"),
                 [this] { session_->check(); });
    cancel_ = add(run, tr("C&ancel"), QKeySequence(Qt::Key_Escape), tr("Stops what the worker does"), [this] { session_->cancel(); });
    run->addSeparator();
    pin_ = add(run, tr("&Pin baseline"), QKeySequence(Qt::CTRL | Qt::Key_B), tr("Shows every number against the present schedule from now on"),
               [this] { session_->pin_baseline(); });
    add(run, tr("&Unpin baseline"), {}, tr("Shows plain numbers again"), [this] { session_->clear_baseline(); });
    add(run, tr("Measure the host's p&eaks"), {}, tr("Measures FLOP/s and bandwidths of this machine anew"), [this] { session_->probe_host(); });

    auto* view = menuBar()->addMenu(tr("&View"));
    for (auto* dock : docks_)
        view->addAction(dock->toggleViewAction());
    view->addSeparator();
    add(view, tr("&Zoom the graph to fit"), {}, tr("Shows the whole pipeline graph"), [this] { graph_->zoom_to_fit(); });
    add(view, tr("&Expand all"), {}, tr("Unfolds the schedule tree"), [this] { tree_->expand_all(); });
    add(view, tr("&Collapse all"), {}, tr("Folds the schedule tree"), [this] { tree_->collapse_all(); });
    add(view, tr("&Arrange the panels"), {}, tr("Puts every panel back in its place"), [this] {
        for (auto* dock : docks_) {
            dock->setFloating(false);
            dock->show();
        }
        arrange(narrow_);
    });
    view->addSeparator();
    add(view, tr("&Light theme"), {}, tr("Dark text on light surfaces"), [this] { set_theme(ThemeKind::Light); });
    add(view, tr("&Dark theme"), {}, tr("Light text on dark surfaces"), [this] { set_theme(ThemeKind::Dark); });

    auto* help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("&Keys"), QKeySequence::HelpContents, tr("Lists the keys"), [this] {
        QMessageBox box(QMessageBox::Information, tr("Keys"),
                        tr("<table cellspacing='4'>"
                           "<tr><td><b>S</b></td><td>split the selected loop</td></tr>"
                           "<tr><td><b>V</b></td><td>vectorise it</td></tr>"
                           "<tr><td><b>U</b></td><td>unroll it</td></tr>"
                           "<tr><td><b>P</b></td><td>run it in parallel</td></tr>"
                           "<tr><td><b>I</b></td><td>inline the stage</td></tr>"
                           "<tr><td><b>Shift+↑, Shift+↓</b></td><td>move the loop outwards, inwards</td></tr>"
                           "<tr><td><b>Space</b></td><td>measure</td></tr>"
                           "<tr><td><b>Ctrl+K</b></td><td>check against the reference</td></tr>"
                           "<tr><td><b>Esc</b></td><td>cancel</td></tr>"
                           "<tr><td><b>Ctrl+B</b></td><td>pin the estimate as the baseline</td></tr>"
                           "<tr><td><b>Ctrl+Z, Ctrl+Y</b></td><td>undo, redo</td></tr>"
                           "<tr><td><b>/, Ctrl+F</b></td><td>search</td></tr></table>"),
                        QMessageBox::Close, this);
        box.exec();
    });
}

void MainWindow::make_toolbar() {
    auto* bar = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("toolbar"));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    document_name_ = new QLabel(bar);
    document_name_->setAccessibleName(tr("Open document"));
    document_name_->setContentsMargins(kGap, 0, kGap, 0);
    bar->addWidget(document_name_);
    devices_ = new QComboBox(bar);
    devices_->setAccessibleName(tr("Device"));
    devices_->setToolTip(tr("The machine that estimates are made for"));
    bar->addWidget(devices_);
    connect(devices_, &QComboBox::activated, this, [this](int index) {
        if (auto status = session_->set_device(devices_->itemData(index).toString().toStdString()); !status) {
            refused({}, status.errors());
            fill_devices();
        }
    });
    auto* gap = new QWidget(bar);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(gap);
    bar->addActions({undo_, redo_, pin_, check_, measure_});
    if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(measure_)))
        button->setObjectName(QStringLiteral("primary"));

    legality_ = new QLabel(this);
    legality_->setAccessibleName(tr("Legality of the schedule"));
    legality_->setContentsMargins(kGap, 0, kGap, 0);
    worker_state_ = new QLabel(tr("worker ready"), this);
    worker_state_->setAccessibleName(tr("State of the worker process"));
    worker_state_->setContentsMargins(kGap, 0, kGap, 0);
    progress_ = new QProgressBar(this);
    progress_->setMaximumWidth(160);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress"));
    progress_->hide();
    statusBar()->addPermanentWidget(legality_);
    statusBar()->addPermanentWidget(progress_);
    statusBar()->addPermanentWidget(worker_state_);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::open_dialog() {
    auto path = QFileDialog::getOpenFileName(this, tr("Open"), QSettings().value("folder").toString(),
                                             tr("Loopscope files (*.loop *.loopscope *.sched);;All files (*)"));
    if (!path.isEmpty()) {
        QSettings().setValue("folder", QFileInfo(path).absolutePath());
        open_path(path);
    }
}

void MainWindow::save_dialog(const char* filter, const QString& ending, std::function<Status(const std::string&)> save) {
    auto name = QFileInfo(session_->title()).completeBaseName();
    auto folder = QSettings().value("folder").toString();
    auto path = QFileDialog::getSaveFileName(this, tr("Save"), (folder.isEmpty() ? QString() : folder + "/") + name + ending, tr(filter));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += ending;
    if (auto status = save(path.toStdString()); !status) {
        refused({}, status.errors());
        return;
    }
    remember(path);
    say(tr("Saved %1").arg(path), false);
}

void MainWindow::remove_selected_line() {
    auto lines = session::lines_about(session_->schedule(), session_->selection());
    if (lines.empty()) {
        say(tr("No directive speaks of the selection"), true);
        return;
    }
    std::istringstream text(session_->script());
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);)
        all.push_back(line);
    QStringList choices;
    for (int line : lines)
        choices << to_qstring(std::to_string(line) + ": " + all[static_cast<std::size_t>(line - 1)]);
    bool ok = false;
    auto choice = choices.size() == 1 ? choices.front()
                                      : QInputDialog::getItem(this, tr("Remove a directive"), tr("Which directive goes?"), choices, static_cast<int>(choices.size()) - 1, false, &ok);
    if (choices.size() > 1 && !ok)
        return;
    int line = choice.section(':', 0, 0).toInt();
    auto removal = session_->remove_line(line, false);
    if (!removal.change && !removal.dependents.empty()) {
        QString list;
        for (int d : removal.dependents)
            list += to_qstring(all[static_cast<std::size_t>(d - 1)]) + "\n";
        QMessageBox box(QMessageBox::Question, tr("Remove a directive"), tr("Later directives need this one. Remove these too?"),
                        QMessageBox::Yes | QMessageBox::Cancel, this);
        box.setInformativeText(list);
        if (box.exec() == QMessageBox::Yes)
            removal = session_->remove_line(line, true);
        else
            return;
    }
    if (!removal.change)
        refused({}, removal.change.errors());
}

void MainWindow::fill_devices() {
    devices_->clear();
    auto current = session_->device();
    auto add_device = [&](const device::Device& d) {
        auto text = d.is_host ? tr("This machine · %1").arg(to_qstring(d.description)) : to_qstring(d.name) + tr(" · described");
        devices_->addItem(text, to_qstring(d.file.empty() ? d.name : d.file));
        if (current && d.name == current->name)
            devices_->setCurrentIndex(devices_->count() - 1);
    };
    add_device(measure::host_device());
    for (const auto& name : measure::described_devices())
        if (auto device = measure::find_device(name))
            add_device(*device);
}

void MainWindow::remember(const QString& path) {
    QSettings settings;
    auto absolute = QFileInfo(path).absoluteFilePath();
    auto recent = settings.value("recent").toStringList();
    recent.removeAll(absolute);
    recent.prepend(absolute);
    while (recent.size() > kRecentFiles)
        recent.removeLast();
    settings.setValue("recent", recent);
}

void MainWindow::fill_recent() {
    recent_menu_->clear();
    for (const auto& path : QSettings().value("recent").toStringList())
        if (QFileInfo::exists(path))
            recent_menu_->addAction(path, this, [this, path] { open_path(path); });
    if (recent_menu_->isEmpty())
        recent_menu_->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void MainWindow::fill_start_page() {
    std::vector<ProgramEntry> programs;
    std::error_code failed;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(measure::resource_folder() + "/pipelines", failed))
        if (entry.path().extension() == ".loop")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        std::ifstream in(file);
        std::ostringstream text;
        text << in.rdbuf();
        programs.push_back({to_qstring(file.stem().string()), first_sentence(to_qstring(text.str())), to_qstring(file.string())});
    }
    start_->set_programs(programs);
    std::vector<RecentEntry> recent;
    for (const auto& path : session::Session::recoverable())
        recent.push_back({to_qstring(path), QFileInfo(to_qstring(path)).lastModified()});
    for (const auto& path : QSettings().value("recent").toStringList())
        if (QFileInfo::exists(path))
            recent.push_back({path, QFileInfo(path).lastModified()});
    start_->set_recent(recent);
}

} // namespace loopscope::app
