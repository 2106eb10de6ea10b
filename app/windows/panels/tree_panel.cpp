// The schedule tree, in the middle of the window: what runs, where and how often, and where
// gestures change that.

#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/command_palette.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/models/check_report.h"
#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/schedule_tree_view.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QTimer>

namespace loopscope::app {

using namespace views;

namespace {

constexpr int kTitleMargin = 14; // pixels: with the frame 16, as the docks' titles have

class TreePanel final : public Panel {
public:
    TreePanel(const PanelKind& kind, Services& services);

    QWidget* title_line() const override { return title_; }
    bool start_search() override;
    std::vector<PanelCommand> commands() override;
    void add_entries(CommandPalette& palette) const override;

private:
    void make_title();
    void follow_graph();
    void fill_schedule_menu();
    void show_document() override;
    void show_tree() override;
    void show_estimate() override { tree_->set_estimate(session().estimates().now()); }
    void show_baseline() override { tree_->set_baseline(session().baseline().estimate()); }
    void show_device() override;
    void show_findings();
    void show_note();
    void show_selection(const NodeId& id) override {
        tree_->set_selected(id);
        tree_->set_selected_too(session().selected_too());
    }

    ScheduleTreeView* tree_;
    QFrame* title_ = nullptr;
    QLabel *name_ = nullptr, *note_ = nullptr;   // what the tree's times are of
    DirectiveMenu* menu_ = nullptr;              // whose entries the Schedule menu shows
    std::optional<std::uint64_t> shown_opening_; // of the documents of the session
};

// What is selected stands above all that it holds, and at least half of the view is for that; the
// rows before it stay in sight where there is room for them.
void show_with_content(QTreeView& tree) {
    tree.scrollToTop();
    if (tree.visualRect(tree.currentIndex()).bottom() > tree.viewport()->height() / 2)
        tree.scrollTo(tree.currentIndex(), QAbstractItemView::PositionAtTop);
}

TreePanel::TreePanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new ScheduleTreeView), tree_(static_cast<ScheduleTreeView*>(view())) {
    make_title();
    tree_->set_services(services.editing.services());
    share_selection(tree_);
    connect(tree_, &ScheduleTreeView::nodeToggled, &session(), &session::Session::toggle_selected);
    connect(tree_, &ScheduleTreeView::nodesSelected, &session(), &session::Session::select_nodes);
    connect(tree_, &ScheduleTreeView::directiveRequested, &services.editing,
            [&services](const QString& line) { services.editing.apply(line); });
    connect(tree_, &ScheduleTreeView::directiveRefused, &services.editing, &Editing::show_refusal);
    connect(&services.editing, &Editing::conflictShown, tree_, &ScheduleTreeView::show_conflict);
    connect(&session().tasks(), &session::WorkerTasks::checkReportChanged, this,
            &TreePanel::show_findings);
    follow_graph();
    auto& menu = services.parts.schedule_menu;
    menu.setToolTipsVisible(true);
    connect(&menu, &QMenu::aboutToShow, this, &TreePanel::fill_schedule_menu);
    connect(&menu, &QMenu::hovered, this, [this, &menu](QAction* action) {
        auto* submenu = qobject_cast<QMenu*>(action->property("menu").value<QObject*>());
        if (menu_)
            menu_->point_at(submenu ? submenu : &menu, action);
    });
    connect(&menu, &QMenu::aboutToHide, this, [this] {
        if (menu_)
            menu_->leave();
    });
    fill_schedule_menu();
}

void TreePanel::make_title() {
    title_ = new QFrame;
    title_->setObjectName(QStringLiteral("title"));
    auto* across = new QHBoxLayout(title_);
    across->setContentsMargins(kTitleMargin, 0, kTitleMargin, 0);
    across->setSpacing(3 * kGap);
    name_ = new QLabel(title(), title_);
    keep_font(*name_, bold_font);
    auto* hint = new QLabel(tr("/ find"), title_);
    hint->setObjectName(QStringLiteral("hint"));
    note_ = new QLabel(title_);
    note_->setObjectName(QStringLiteral("hint"));
    note_->setAccessibleName(tr("What the times are of"));
    // A label that a style sheet gives a frame gets an indent too, which would shift its text.
    for (auto* label : {name_, note_, hint})
        label->setIndent(0);
    across->addWidget(name_);
    across->addWidget(note_, 1);
    across->addWidget(hint);
}

// Groups fold in both, and stages are dragged from there.
void TreePanel::follow_graph() {
    auto& gestures = services().gestures;
    connect(&gestures, &StageGestures::stageCarried, tree_, &ScheduleTreeView::carry_stage);
    connect(&gestures, &StageGestures::stageLetGo, tree_, &ScheduleTreeView::let_stage_go);
    connect(&gestures, &StageGestures::directiveKeyPressed, tree_, &ScheduleTreeView::choose_for);
    connect(&gestures, &StageGestures::foldingChanged, tree_,
            [this] { tree_->set_folded(services().gestures.folded()); });
    connect(tree_, &ScheduleTreeView::foldRequested, &gestures, &StageGestures::foldRequested);
    connect(tree_, &ScheduleTreeView::foldAllRequested, &gestures,
            &StageGestures::foldAllRequested);
    connect(tree_, &ScheduleTreeView::menuMade, &gestures, &StageGestures::menuMade);
}

// The tree's own menu for the selection, so that every directive is in the menu bar too.
void TreePanel::fill_schedule_menu() {
    auto& menu = services().parts.schedule_menu;
    menu.clear();
    delete menu_;
    menu_ = nullptr;
    if (session().tree()) {
        menu_ = tree_->make_menu(session().selection());
        menu.installEventFilter(menu_);
        for (auto* action : menu_->actions()) {
            if (action->property("menu").isValid())
                action->setProperty("menu", QVariant::fromValue<QObject*>(&menu));
            menu.addAction(action);
        }
    }
    if (menu.isEmpty())
        menu.addAction(tr("Select a loop or a stage first"))->setEnabled(false);
}

bool TreePanel::start_search() {
    if (session().is_open())
        tree_->start_search();
    return true;
}

std::vector<PanelCommand> TreePanel::commands() {
    return {
        {tr("&Expand all"), tr("Unfolds the schedule tree"), [this] { tree_->expand_all(); }},
        {tr("&Collapse all"), tr("Folds the schedule tree"), [this] { tree_->collapse_all(); }}};
}

void TreePanel::add_entries(CommandPalette& palette) const {
    const auto tree = session().tree();
    if (!tree)
        return;
    auto collect = [&](auto&& self, const TreeNode& node) -> void {
        if (node.kind == TreeKind::Loop && !node.init)
            palette.add_entry(
                tr("loop › %1.%2")
                    .arg(to_qstring(definition_name(node.id.stage, node.id.definition)),
                         to_qstring(node.id.name)),
                {}, node_detail(*tree, node) + ' ' + node_tag(node), [this, id = node.id] {
                    session().select(id);
                    tree_->setFocus();
                });
        for (const auto& child : node.children)
            self(self, *child);
    };
    collect(collect, *tree->root);
}

void TreePanel::show_document() {
    title_->setVisible(session().is_open());
    show_note();
    // Another document, not the same one saved under another name.
    if (!session().is_open() || shown_opening_ == session().opening())
        return;
    shown_opening_ = session().opening();
    QTimer::singleShot(0, tree_, [this] { show_with_content(*tree_); }); // rows have their places
}

void TreePanel::show_tree() {
    tree_->set_tree(session().tree());
    tree_->set_folded(services().gestures.folded()); // stages that an edit made join their groups
}

void TreePanel::show_device() {
    tree_->set_device(session().device());
    show_note();
}

void TreePanel::show_note() {
    const auto& device = *session().device();
    note_->setText(device.is_here() || !session().is_open()
                       ? QString()
                       : tr("≈ times estimated for %1, described").arg(to_qstring(device.name)));
}

void TreePanel::show_findings() {
    const auto report = session().tasks().check_report();
    tree_->set_findings(report ? finding_marks(*report) : std::map<NodeId, QString>{});
}

} // namespace

PanelKind tree_panel() {
    return {.id = "tree",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Schedule tree"),
            .place = {.area = PanelPlace::Centre},
            .make = make_panel<TreePanel>};
}

} // namespace loopscope::app
