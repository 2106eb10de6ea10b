#pragma once
// The loop nest as it will run. Rows show a loop's extent and how it runs, storage with its size,
// and what each costs. A context menu and keys ask for directives: S split, V vectorise, U unroll,
// P parallel, I inline, M move, Shift+M store, Shift+Up/Down reorder and more. Rows can be dragged:
// a loop within its nest, or onto one of another stage, which both then share; any other row to a
// loop or to the root at which its stage is then computed, or to the gutter left of a loop, at
// which it is then stored.

#include "views/models/directive_lines.h"
#include "views/models/schedule_tree_model.h"
#include "views/widgets/picture.h"

#include <QPersistentModelIndex>
#include <QTreeView>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

class QMenu;

namespace loopscope::views {

class DirectiveMenu;
class EmptyState;
class RowCopying;
class ScheduleTreeDrag;
class SearchField;

class ScheduleTreeView : public QTreeView, public Pictured {
    Q_OBJECT
public:
    explicit ScheduleTreeView(QWidget* parent = nullptr);

    // null: the empty state. Selection and folding stay by identity
    void set_tree(ScheduleTreePtr tree);
    void set_estimate(EstimatePtr estimate); // null: no heat
    void set_baseline(EstimatePtr baseline); // null: none is pinned, no column of differences
    void set_services(EditServices services);
    // By node, what a check found wrong there: a mark before its name, and its tooltip.
    void set_findings(std::map<NodeId, QString> findings);
    void set_device(DevicePtr device); // whose levels and intrinsics the menu offers; may be null
    // The groups that are folded in the pipeline graph, by stage: each is a row, closed until
    // somebody opens it.
    void set_folded(std::map<std::string, std::string> groups);
    // The broken dependence behind a refusal, drawn until the tree or the selection changes. May be
    // null.
    void show_conflict(std::shared_ptr<const Conflict> conflict);
    const Conflict* conflict() const { return conflict_.get(); }
    // opens its ancestors; does not emit. Unknown: clears the selection
    void set_selected(const NodeId& id);
    NodeId selected() const; // the root's identity when nothing is selected
    // What is selected beside it: rows are marked where they are there. Directives are for all.
    void set_selected_too(std::vector<NodeId> nodes);
    // The menu for a node; the caller owns it. Unavailable entries are grey, and their tooltip says
    // why.
    DirectiveMenu* make_menu(const NodeId& id);
    // Gives a node a directive by its verb, or begins a gesture (DirectiveKey): at once where there
    // is one choice, else by a menu; where there is none the reason is said.
    void choose_for(const NodeId& node, const QString& verb);
    ScheduleTreeModel* schedule_model() const { return model_; }
    // All rows that are open, those that were not scrolled to yet as well.
    Result<Picture> picture() override;
    void keep_free_below(int height); // pixels below the rows, for what covers none of them

signals:
    void nodeSelected(const loopscope::NodeId& id); // alone
    void nodeToggled(const loopscope::NodeId& id);  // Ctrl: beside the others, or no more
    // Shift and Ctrl+A: all of these, the first is the one that has the keyboard.
    void nodesSelected(const std::vector<loopscope::NodeId>& nodes);
    void directiveRequested(const QString& line); // "C.split(k, ko, ki, 32)"
    // G and Shift+G: the groups of a stage, and all.
    void foldRequested(const QString& stage);
    void foldAllRequested();
    // A row's menu is about to open: others may add to it.
    void menuMade(QMenu* menu, const QString& stage);
    // A key, an entry or a drop asked for a directive that cannot be applied. `line` may be empty.
    void directiveRefused(const QString& line, const QString& reason);

public slots:
    // A stage dragged in another view, which keeps the pointer: over the rows it is dragged on as
    // if it had been one of them.
    void carry_stage(const loopscope::NodeId& stage, const QPoint& global);
    void let_stage_go(bool drop);
    void start_search(); // `/` and Ctrl+F
    void say_shown();
    void search_next(bool forward = true);
    void expand_all();
    void collapse_all();

protected:
    void doItemsLayout() override;
    void scrollContentsBy(int dx, int dy) override;
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;
    void drawBranches(QPainter* painter, const QRect& rectangle,
                      const QModelIndex& index) const override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void updateGeometries() override;

private:
    bool directive_key(QKeyEvent* event);
    bool fold_key(QKeyEvent* event);
    QModelIndex closed_group_of(QModelIndex index) const; // around a row; invalid: none
    void show_rows(const std::function<void()>& change);
    // schedule_tree_selection.cpp
    QModelIndex row_of(const NodeId& id) const;
    void mark_selected_too();
    bool selects_several(const QMouseEvent& press);
    void select_range(const QModelIndex& from, const QModelIndex& to);
    void select_all_rows();
    std::vector<NodeId> with_others(const NodeId& id) const; // that are selected
    void choose_from(const QString& verb);                   // for the selected row
    void open_choices(const DirectiveGroup& group, const QString& heading);
    void open_menu(const QModelIndex& index, const QPoint& at);
    // schedule_tree_folding.cpp
    void restore_folding(const ScheduleTreePtr& before);
    void open_near();
    void open_rows(const std::vector<QModelIndex>& rows, const QModelIndex& fixed);
    void remember_folding(const QModelIndex& index, bool open);
    bool begins_open(const QModelIndex& index) const;
    bool closed_so_far(const QModelIndex& index) const;
    QModelIndex row_below(const QModelIndex& index) const;
    QModelIndex row_above(const QModelIndex& index) const;
    QModelIndex row_in_place() const;
    void keep_in_place(const QModelIndex& row, int top);
    void place_columns();
    int share_width() const;
    int change_width() const; // 0: nothing is pinned
    struct PictureRow {
        QModelIndex index;
        int indent = 0; // pixels
    };
    std::vector<PictureRow> picture_rows() const;
    void paint_rows(QPainter& painter, const std::vector<PictureRow>& rows,
                    const std::vector<int>& widths) const;
    void paint_branch(QPainter& painter, const QPointF& centre, bool open,
                      const Theme& theme) const;
    void measure_tags();
    void show_row(const QModelIndex& index);
    void show_match(const QModelIndex& row); // that the search came to; invalid: to none
    void place_search();
    void restyle();

    ScheduleTreeModel* model_;
    RowCopying* copying_;
    EditServices services_;
    DevicePtr device_;
    ScheduleTreeDrag* drag_;
    std::shared_ptr<const Conflict> conflict_;
    std::set<NodeId> collapsed_; // rows that were closed, and rows of groups that were opened
    std::set<NodeId> opened_;    // rows that are open, or were when they were there last
    bool whole_ = true;          // so small a tree that all of it is open from the beginning
    bool opening_ = false, laying_out_ = false;
    bool choosing_several_ = false; // by the button that is held
    std::vector<NodeId> selected_too_;
    NodeId wanted_; // selected last, also where a closed group's row stands for it
    QPersistentModelIndex hovered_;
    static constexpr int kCostWidth = 84, kTreeIndentation = 16;
    int widest_tag_ = 0, free_below_ = 0;
    bool compares_ = false; // a baseline is pinned
    bool quiet_ = false;    // the program moves the selection, not the person
    EmptyState* empty_;
    SearchField* search_field_;
};

} // namespace loopscope::views
