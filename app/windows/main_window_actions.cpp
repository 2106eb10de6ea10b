// Menus, keys and the toolbar. Every action is in a menu, with its key.

#include "app/windows/main_window.h"

#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/command_palette.h"
#include "views/models/node_text.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QProgressBar>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

namespace loopscope::app {

using namespace views;

namespace {

QAction* add(QMenu* menu, const QString& text, const QKeySequence& key, const QString& tip,
             std::function<void()> run) {
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
    make_file_menu();
    make_edit_menu();
    make_schedule_menu();
    make_run_menu();
    make_view_menu();
    make_help_menu();
}

void MainWindow::make_file_menu() {
    auto* file = menuBar()->addMenu(tr("&File"));
    add(file, tr("&Open…"), QKeySequence::Open, tr("Opens a pipeline, a schedule or a document"),
        [this] { open_dialog(); });
    recent_menu_ = file->addMenu(tr("Open &recent"));
    connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fill_recent);
    file->addSeparator();
    save_ = add(file, tr("&Save"), QKeySequence::Save,
                tr("Saves the document; a saved one saves itself at every edit"), [this] {
                    if (session_->untitled())
                        save_document();
                    else
                        say(tr("Saved: every edit is saved as it is made"), false);
                });
    save_as_ = add(file, tr("Save &as…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
                   tr("Saves a copy and continues in it"), [this] { save_document(); });
    save_schedule_ =
        add(file, tr("Save s&chedule as…"), {}, tr("Writes the script as a .sched file"), [this] {
            save(tr("Schedule (*.sched)"), ".sched",
                 [this](const std::string& path) { return session_->save_schedule(path); });
        });
    save_pipeline_ =
        add(file, tr("Save &pipeline as…"), {}, tr("Writes the pipeline as a .loop file"), [this] {
            save(tr("Pipeline (*.loop)"), ".loop",
                 [this](const std::string& path) { return session_->save_pipeline(path); });
        });
    save_source_ = add(file, tr("Save so&urce as…"), {},
                       tr("Writes what the source panel shows: loops, LLVM IR or C"), [this] {
                           show_panel(QStringLiteral("source"));
                           save_source();
                       });
    export_ = add(file, tr("&Export…"), QKeySequence(Qt::CTRL | Qt::Key_E),
                  tr("Writes C source, pseudo-loops, LLVM IR or the schedule to a file"),
                  [this] { export_dialog(); });
    file->addSeparator();
    close_ =
        add(file, tr("&Close"), QKeySequence::Close, tr("Goes back to the start page"), [this] {
            script_->flush();
            save_layout();
            say_where_kept();
            session_->close();
        });
    add(file, tr("&Quit"), QKeySequence::Quit, tr("Ends the program; nothing is lost"),
        [this] { QWidget::close(); });
}

void MainWindow::make_edit_menu() {
    auto* edit = menuBar()->addMenu(tr("&Edit"));
    undo_ = add(edit, tr("&Undo"), QKeySequence::Undo,
                tr("Goes back by one step; nothing is discarded"), [this] {
                    script_->flush();
                    session_->undo();
                });
    redo_ = add(edit, tr("&Redo"), {}, tr("Goes forward again"), [this] { session_->redo(); });
    redo_->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::Key_Y), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)});
    edit->addSeparator();
    remove_ = add(edit, tr("Remove &directive…"), QKeySequence(Qt::CTRL | Qt::Key_Backspace),
                  tr("Removes a directive that speaks of the selection"),
                  [this] { remove_selected_line(); });
    write_out_ = add(edit, tr("Write out a reci&pe"), {},
                     tr("Puts the lines that a recipe, such as tensor_core(), stands for in its "
                        "place"),
                     [this] { write_recipe_out(); });
    add(edit, tr("&Find"), QKeySequence::Find, tr("Searches the panel that has the keyboard"),
        [this] { find_in_panel(); });
    find_ = add(edit, tr("Find &anything…"), QKeySequence(Qt::Key_Slash),
                tr("Searches stages, loops, directives and panels by name"),
                [this] { find_anything(); });
}

void MainWindow::make_schedule_menu() {
    auto* schedule = menuBar()->addMenu(tr("&Schedule"));
    schedule->setToolTipsVisible(true);
    connect(schedule, &QMenu::aboutToShow, this,
            [this, schedule] { fill_schedule_menu(schedule); });
    connect(schedule, &QMenu::hovered, this, [this, schedule](QAction* action) {
        auto* menu = qobject_cast<QMenu*>(action->property("menu").value<QObject*>());
        if (tree_menu_)
            tree_menu_->point_at(menu ? menu : schedule, action);
    });
    fill_schedule_menu(schedule);
}

// The tree's own menu for the selection, so that every directive is in the menu bar too.
void MainWindow::fill_schedule_menu(QMenu* menu) {
    menu->clear();
    delete tree_menu_;
    tree_menu_ = nullptr;
    if (session_->tree()) {
        tree_menu_ = tree_->make_menu(session_->selection());
        for (auto* action : tree_menu_->actions()) {
            if (action->property("menu").isValid())
                action->setProperty("menu", QVariant::fromValue<QObject*>(menu));
            menu->addAction(action);
        }
    }
    if (menu->isEmpty())
        menu->addAction(tr("Select a loop or a stage first"))->setEnabled(false);
}

void MainWindow::make_run_menu() {
    auto* run = menuBar()->addMenu(tr("&Run"));
    measure_ = add(run, tr("&Measure"), QKeySequence(Qt::Key_Space),
                   tr("Compiles the schedule and times it in a worker process"), [this] {
                       script_->flush();
                       session_->tasks().measure();
                   });
    check_ = add(run, tr("&Check"), QKeySequence(Qt::CTRL | Qt::Key_K),
                 tr("Compares the compiled schedule with the reference interpreter"), [this] {
                     script_->flush();
                     session_->tasks().check();
                 });
    cancel_ = add(run, tr("C&ancel"), QKeySequence(Qt::Key_Escape),
                  tr("Stops what the worker does"), [this] { session_->tasks().cancel(); });
    run->addSeparator();
    pin_ = add(run, tr("&Pin baseline"), QKeySequence(Qt::CTRL | Qt::Key_B),
               tr("Shows every number against the present schedule from now on"),
               [this] { session_->baseline().pin(); });
    unpin_ = add(run, tr("&Unpin baseline"), {}, tr("Shows plain numbers again"),
                 [this] { session_->baseline().clear(); });
    compare_action_ =
        add(run, tr("C&ompare with baseline"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B),
            tr("Shows numbers, directives and loops beside the pinned schedule's"),
            [this] { show_panel(QStringLiteral("compare")); });
    compare_two_ =
        add(run, tr("Compare t&wo schedules…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D),
            tr("Shows scripts, trees and numbers of any two schedules side by side"),
            [this] { compare_two(); });
    run->addSeparator();
    add(run, tr("Measure this machine's p&eaks"), {},
        tr("Measures FLOP/s and bandwidths anew; takes some seconds"),
        [this] { session_->tasks().probe_host(); });
}

void MainWindow::make_view_menu() {
    auto* view = menuBar()->addMenu(tr("&View"));
    for (auto* dock : docks_)
        view->addAction(dock->toggleViewAction());
    view->addSeparator();
    add(view, tr("&Zoom the graph to fit"), {}, tr("Shows the whole pipeline graph"),
        [this] { graph_->zoom_to_fit(); });
    add(view, tr("&Fold the graph's groups"), {},
        tr("Draws the stages of each loop of the pipeline's text as one node"),
        [this] { graph_->fold_all(); });
    add(view, tr("U&nfold the graph"), {}, tr("Draws every stage"),
        [this] { graph_->unfold_all(); });
    add(view, tr("&Expand all"), {}, tr("Unfolds the schedule tree"),
        [this] { tree_->expand_all(); });
    add(view, tr("&Collapse all"), {}, tr("Folds the schedule tree"),
        [this] { tree_->collapse_all(); });
    arrange_ = add(view, tr("&Arrange the panels"), {}, tr("Puts every panel back in its place"),
                   [this] { arrange(wanted_arrangement()); });
    auto* layouts = view->addMenu(tr("La&yout"));
    auto* group = new QActionGroup(layouts);
    const std::tuple<Preset, QString, QString> presets[] = {
        {Preset::Explore, tr("&Explore"), tr("Every panel, each at its place")},
        {Preset::Teach, tr("&Teach"), tr("Large type and few panels, for a lecture or a lesson")},
        {Preset::Tune, tr("T&une"), tr("Measurements, history and comparison in front")}};
    for (const auto& [preset, text, tip] : presets) {
        auto* action = add(layouts, text, {}, tip, [this, preset = preset] { set_preset(preset); });
        action->setCheckable(true);
        action->setChecked(preset == preset_);
        action->setProperty("preset", static_cast<int>(preset));
        group->addAction(action);
    }
    view->addSeparator();
    auto* themes = new QActionGroup(view);
    const std::tuple<ThemeKind, QString, QString> kinds[] = {
        {ThemeKind::Light, tr("&Light theme"), tr("Dark text on light surfaces")},
        {ThemeKind::Dark, tr("&Dark theme"), tr("Light text on dark surfaces")}};
    for (const auto& [kind, text, tip] : kinds) {
        auto* action = add(view, text, {}, tip, [this, kind = kind] { set_theme(kind); });
        action->setCheckable(true);
        themes->addAction(action);
        connect(view, &QMenu::aboutToShow, action,
                [this, action, kind = kind] { action->setChecked(theme_of(*this).kind == kind); });
    }
}

void MainWindow::make_help_menu() {
    auto* help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("&Commands…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
        tr("Searches all actions"), [this] { show_commands(); });
    add(help, tr("&Help on this"), QKeySequence::HelpContents,
        tr("Opens the help at what is selected"), [this] { show_help(); });
    add(help, tr("&Tutorial"), {}, tr("From a slow kernel to a fast one, step by step"),
        [this] { show_help_at(QStringLiteral("tutorial"), {}); });
    add(help, tr("&Pipeline language"), {}, tr("What a pipeline can say"),
        [this] { show_help_at(QStringLiteral("pipelines"), {}); });
    add(help, tr("&Schedule language"), {}, tr("Every directive, with examples"),
        [this] { show_help_at(QStringLiteral("schedules"), {}); });
    add(help, tr("&Keys"), QKeySequence(Qt::SHIFT | Qt::Key_F1), tr("Lists the keys"),
        [this] { show_keys(); });
}

QList<QMenu*> MainWindow::all_menus() const {
    QList<QMenu*> menus;
    for (auto* action : menuBar()->actions())
        menus << action->menu();
    return menus;
}

void MainWindow::show_commands() {
    auto* palette = new CommandPalette(tr("Commands"), tr("What to do: some of its words"), this);
    palette->add_actions(all_menus());
    palette->open();
}

// Things first, then what can be done with the one that is selected.
void MainWindow::find_anything() {
    auto* palette = new CommandPalette(
        tr("Find"), tr("A stage, a loop, a directive or a panel: some of its name"), this);
    if (const auto tree = session_->tree()) {
        auto go = [this](const NodeId& id) {
            return [this, id] {
                session_->select(id);
                tree_->setFocus();
            };
        };
        for (const auto& node : graph_->graph().nodes)
            palette->add_entry((node.is_input ? tr("input › %1") : tr("stage › %1")).arg(node.name),
                               {}, node.detail, go(node.id));
        auto collect = [&](auto&& self, const TreeNode& node) -> void {
            if (node.kind == TreeKind::Loop && !node.init)
                palette->add_entry(
                    tr("loop › %1.%2")
                        .arg(to_qstring(definition_name(node.id.stage, node.id.definition)),
                             to_qstring(node.id.name)),
                    {}, node_detail(*tree, node) + ' ' + node_tag(node), go(node.id));
            for (const auto& child : node.children)
                self(self, *child);
        };
        collect(collect, *tree->root);
        for (auto* panel : docks_)
            palette->add_entry(tr("panel › %1").arg(panel->toggleViewAction()->text()), {},
                               tr("Brings the panel to the front"),
                               [this, name = panel->objectName()] { show_panel(name); });
    }
    palette->add_actions(all_menus());
    palette->open();
}

void MainWindow::show_keys() {
    const std::pair<QString, QString> keys[] = {
        {"S", tr("split the selected loop")},
        {"T", tr("tile it with the loop inside")},
        {"F", tr("fuse it with the loop inside")},
        {"V", tr("vectorise it")},
        {"U", tr("unroll it")},
        {"P", tr("run it in parallel")},
        {tr("Shift+↑, Shift+↓"), tr("move it outwards, inwards")},
        {"I", tr("inline the stage")},
        {"R", tr("compute the stage at root")},
        {"M", tr("move the stage: a list of the loops at which it may be computed")},
        {tr("Shift+M, Shift+R"), tr("store it elsewhere: a list of loops; at root")},
        {"W", tr("share loops with another stage")},
        {"L", tr("pipeline it: copies that are filled ahead")},
        {tr("C, Shift+C"), tr("copy what it reads; write it through a cache")},
        {"H", tr("prefetch what the loop reads")},
        {"B", tr("bind the loop to a level of the target")},
        {tr("Menu, Shift+F10"), tr("every directive for what is selected")},
        {tr("Space"), tr("measure; on a button that was reached by Tab: press it")},
        {"Ctrl+K", tr("check against the reference")},
        {"Ctrl+E", tr("export C, LLVM IR, pseudo-loops or the schedule")},
        {"Esc", tr("cancel")},
        {"Ctrl+Shift+P", tr("search all commands")},
        {"Ctrl+B", tr("pin the estimate as the baseline")},
        {"Ctrl+Shift+B", tr("compare with the baseline")},
        {"Ctrl+Shift+D", tr("compare two schedules side by side")},
        {tr("Alt+←, Alt+→"), tr("in the source's passes: the pass before, the next one")},
        {tr("F8, Shift+F8"), tr("the next difference, the one before")},
        {tr("G, Shift+G"), tr("fold or unfold a group of stages, all groups")},
        {"0", tr("in the graph: fit it to the panel")},
        {"Ctrl+Backspace", tr("remove a directive of the selection")},
        {"Ctrl+Z, Ctrl+Y", tr("undo, redo")},
        {"/", tr("find a stage, a loop, a directive or a panel")},
        {"Ctrl+F", tr("search in the panel that has the keyboard")},
        {tr("drag a row or a stage"), tr("move it; Esc leaves it where it is")},
        {tr("… to the gutter of a loop"), tr("store the stage there")},
        {tr("… a loop on another stage's"), tr("share the loops of both")},
        {tr("Tab, Ctrl+Tab"),
         tr("next control; out of the script, where Tab is a key of the text")},
        {"F1", tr("help on what is selected")},
    };
    QString table = QStringLiteral("<table cellspacing='5'>");
    for (const auto& [key, meaning] : keys)
        table += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                     .arg(key.toHtmlEscaped(), meaning);
    QMessageBox box(QMessageBox::NoIcon, tr("Keys"), table + QStringLiteral("</table>"),
                    QMessageBox::Close, this);
    box.exec();
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
    devices_action_ = bar->addWidget(devices_);
    connect(devices_, &QComboBox::activated, this, &MainWindow::choose_device);
    auto* gap = new QWidget(bar);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(gap);
    const std::pair<QAction*, QString> buttons[] = {{undo_, QStringLiteral("↶")},
                                                    {redo_, QStringLiteral("↷")},
                                                    {pin_, tr("Pin baseline")},
                                                    {check_, tr("Check")},
                                                    {measure_, tr("Measure  Space")}};
    for (const auto& [action, text] : buttons) {
        action->setIconText(text);
        bar->addAction(action);
        auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action));
        button->setAccessibleName(action->text().remove('&'));
        button->setFocusPolicy(Qt::TabFocus);
        if (action == measure_)
            button->setObjectName(QStringLiteral("primary"));
    }
}

// The gap between the window's rim and the panels, which docks have no setting for: empty bars.
void MainWindow::make_margins() {
    for (auto side :
         {Qt::TopToolBarArea, Qt::LeftToolBarArea, Qt::RightToolBarArea, Qt::BottomToolBarArea}) {
        auto* bar = new QToolBar(this);
        bar->setObjectName(QStringLiteral("margin-%1").arg(side));
        bar->setProperty("margin", true);
        bar->setMovable(false);
        bar->setContextMenuPolicy(Qt::PreventContextMenu);
        bar->toggleViewAction()->setVisible(false);
        if (side == Qt::TopToolBarArea || side == Qt::BottomToolBarArea)
            bar->setFixedHeight(kGap);
        else
            bar->setFixedWidth(kGap);
        if (side == Qt::TopToolBarArea)
            addToolBarBreak(side);
        addToolBar(side, bar);
    }
}

void MainWindow::make_status_bar() {
    auto label = [this](const QString& accessible) {
        auto* made = new QLabel(this);
        made->setAccessibleName(accessible);
        made->setContentsMargins(kGap, 0, kGap, 0);
        return made;
    };
    legality_ = label(tr("Legality of the schedule"));
    worker_state_ = label(tr("State of the worker process"));
    auto* commands = label(tr("Key of the commands"));
    commands->setText(tr("Ctrl+Shift+P commands"));
    progress_ = new QProgressBar(this);
    progress_->setFixedWidth(140);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress"));
    cancel_button_ = new QToolButton(this);
    cancel_button_->setText(tr("Cancel  Esc"));
    cancel_button_->setAccessibleName(tr("Cancel"));
    connect(cancel_button_, &QToolButton::clicked, cancel_, &QAction::trigger);
    statusBar()->addWidget(legality_);
    for (QWidget* each : {static_cast<QWidget*>(worker_state_), static_cast<QWidget*>(progress_),
                          static_cast<QWidget*>(cancel_button_)})
        statusBar()->addPermanentWidget(each);
    statusBar()->addPermanentWidget(commands);
    statusBar()->setSizeGripEnabled(false);
    show_busy();
}

void MainWindow::find_in_panel() {
    auto* focus = QApplication::focusWidget();
    if (focus && source_->isAncestorOf(focus))
        source_->start_search();
    else if (focus && script_->isAncestorOf(focus))
        script_->start_search();
    else if (focus && (graph_ == focus || graph_->isAncestorOf(focus)))
        graph_->start_search();
    else if (session_->is_open())
        tree_->start_search();
}

} // namespace loopscope::app
