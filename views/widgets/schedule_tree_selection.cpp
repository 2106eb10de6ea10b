// Several rows of the schedule tree that are selected at once. The session knows which: rows are
// marked for what it says, and gestures only ask.

#include "core/schedule/shared_loops.h"
#include "views/widgets/schedule_tree_view.h"

#include <QItemSelection>
#include <QMouseEvent>

#include <algorithm>

namespace loopscope::views {

// The row that stands for a node; invalid: none does.
QModelIndex ScheduleTreeView::row_of(const NodeId& id) const {
    QModelIndex index = model_->index_of(id);
    if (!index.isValid() && model_->tree()) // one that it shares stands for it
        index = model_->index_of(shown_loop(*model_->tree(), id));
    if (!index.isValid() &&
        !id.stage.empty()) // a stage chosen elsewhere may be known here by its storage only
        index = model_->index_of({id.stage, -1, "@stage"});
    const QModelIndex group = index.isValid() ? closed_group_of(index) : QModelIndex();
    return group.isValid() ? group : index; // what is folded stays so: its row stands for it
}

void ScheduleTreeView::set_selected_too(std::vector<NodeId> nodes) {
    selected_too_ = std::move(nodes);
    mark_selected_too();
}

void ScheduleTreeView::mark_selected_too() {
    if (selected_too_.empty() && selectionModel()->selectedRows().size() <= 1)
        return;
    QItemSelection rows;
    const auto add = [&](const QModelIndex& row) {
        if (row.isValid())
            rows.select(row.siblingAtColumn(0),
                        row.siblingAtColumn(ScheduleTreeModel::ColumnCount - 1));
    };
    add(currentIndex());
    for (const NodeId& id : selected_too_)
        add(row_of(id));
    selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    viewport()->update();
}

std::vector<NodeId> ScheduleTreeView::with_others(const NodeId& id) const {
    std::vector<NodeId> all{id};
    std::copy_if(selected_too_.begin(), selected_too_.end(), std::back_inserter(all),
                 [&](const NodeId& other) { return other != id; });
    return all;
}

// Does a press choose several, or ask for the menu of those that are chosen? The row under it has
// then no gesture of its own.
bool ScheduleTreeView::selects_several(const QMouseEvent& press) {
    const QModelIndex row = indexAt(press.position().toPoint()).siblingAtColumn(0);
    if (!row.isValid() || model_->is_group(row))
        return false;
    const auto modifiers = press.modifiers() & ~Qt::KeypadModifier;
    if (press.button() == Qt::RightButton)
        return !selected_too_.empty() && selectionModel()->isSelected(row);
    if (press.button() != Qt::LeftButton)
        return false;
    if (modifiers == Qt::ControlModifier)
        emit nodeToggled(model_->node_id(row));
    else if (modifiers == Qt::ShiftModifier)
        select_range(currentIndex().isValid() ? currentIndex() : row, row);
    else
        return false;
    return true;
}

// From the row that has the keyboard, which keeps it, to another one.
void ScheduleTreeView::select_range(const QModelIndex& from, const QModelIndex& to) {
    const bool downwards = visualRect(from).top() <= visualRect(to).top();
    std::vector<NodeId> nodes{model_->node_id(from)};
    for (QModelIndex row = from; row.isValid() && row != to;) {
        row = downwards ? indexBelow(row) : indexAbove(row);
        if (row.isValid() && !model_->is_group(row))
            nodes.push_back(model_->node_id(row));
    }
    emit nodesSelected(nodes);
}

// Those that are open.
void ScheduleTreeView::select_all_rows() {
    std::vector<NodeId> nodes;
    if (currentIndex().isValid() && !model_->is_group(currentIndex()))
        nodes.push_back(selected());
    for (QModelIndex row = model_->index(0, 0); row.isValid(); row = indexBelow(row))
        if (row != currentIndex() && !model_->is_group(row))
            nodes.push_back(model_->node_id(row));
    emit nodesSelected(nodes);
}

} // namespace loopscope::views
