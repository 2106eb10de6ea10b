#pragma once
// The loop nest as it will run. Rows show a loop's extent and how it runs, storage with its size, and what each costs.
// A context menu and keys ask for directives: S split, V vectorise, U unroll, P parallel, I inline, Shift+Up/Down reorder.

#include "views/models/directive_lines.h"
#include "views/models/schedule_tree_model.h"

#include <QPersistentModelIndex>
#include <QTreeView>

#include <set>

class QMenu;

namespace loopscope::views {

class EmptyState;
class SearchField;

class ScheduleTreeView : public QTreeView {
    Q_OBJECT
public:
    explicit ScheduleTreeView(QWidget* parent = nullptr);

    void
    set_tree(ScheduleTreePtr tree); // null: the empty state. Selection and folding stay by identity
    void set_estimate(EstimatePtr estimate); // null: no heat
    void set_refusal_reason(RefusalReason reason);
    void set_selected(
        const NodeId& id);   // opens its ancestors; does not emit. Unknown: clears the selection
    NodeId selected() const; // the root's identity when nothing is selected
    // The menu for a node, filled when shown; the caller owns it. Unavailable entries are grey, and their tooltip says why.
    QMenu* make_menu(const NodeId& id);
    ScheduleTreeModel* schedule_model() const { return model_; }

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void directiveRequested(const QString& line); // "C.split(k, ko, ki, 32)"
    // A key or an entry asked for a directive that cannot be applied.
    void directiveRefused(const QString& line, const QString& reason);

public slots:
    void start_search(); // `/` and Ctrl+F
    void search_next();
    void expand_all();
    void collapse_all();

protected:
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

private:
    bool directive_key(QKeyEvent* event);
    void choose_from(const QString& verb);
    void add_group(QMenu* menu, const DirectiveGroup& group);
    void add_choice(QMenu* menu, const DirectiveGroup& group, const DirectiveChoice& choice,
                    const QString& text);
    void request(const QString& line);
    void restore_folding();
    void place_columns();
    void restyle();

    ScheduleTreeModel* model_;
    RefusalReason refusal_;
    std::set<NodeId> collapsed_;
    QPersistentModelIndex hovered_;
    bool quiet_ = false; // the program moves the selection, not the person
    EmptyState* empty_;
    SearchField* search_field_;
};

} // namespace loopscope::views
