// What is open in the tree. Rows begin open; but of a large tree only those near what is in sight
// are opened, and so made: a page above it and a page below, so that neither a key nor the wheel
// meets a row that is still to be opened. What was opened stays so. A tree that is shown whole
// looks the same: only its scroll bar knows from the beginning how long it is, and that of a large
// one learns it.

#include "views/widgets/schedule_tree_view.h"

#include <QScopedValueRollback>
#include <QScrollBar>

namespace loopscope::views {

namespace {
constexpr std::size_t kOpenedWhole = 200; // rows: some five pages
} // namespace

// What is remembered is what somebody changed: rows begin open, those of groups closed.
bool ScheduleTreeView::begins_open(const QModelIndex& index) const {
    return model_->hasChildren(index) &&
           model_->is_group(index) == (collapsed_.count(model_->node_id(index)) > 0);
}

bool ScheduleTreeView::closed_so_far(const QModelIndex& index) const {
    return !isExpanded(index) && begins_open(index);
}

void ScheduleTreeView::remember_folding(const QModelIndex& index, bool open) {
    const NodeId id = model_->node_id(index);
    if (open)
        opened_.insert(id);
    else
        opened_.erase(id);
    if (quiet_)
        return;
    if (open == model_->is_group(index))
        collapsed_.insert(id);
    else
        collapsed_.erase(id);
    open_near(); // what was below has come nearer, or is new
}

// After new rows: those that were open are again, by identity, and what is new inside of them.
void ScheduleTreeView::restore_folding(const ScheduleTreePtr& before) {
    whole_ = model_->count_rows(kOpenedWhole + 1) <= kOpenedWhole;
    scheduleDelayedItemsLayout(); // once, not for each row
    auto restore = [&](auto&& self, const QModelIndex& parent) -> void {
        for (int row = 0; row < model_->rowCount(parent); ++row) {
            const QModelIndex at = model_->index(row, 0, parent);
            const NodeId id = model_->node_id(at);
            if (!begins_open(at))
                collapse(at);
            else if (whole_ || model_->is_group(at) || opened_.count(id) ||
                     (parent.isValid() && !(before && before->find(id))))
                expand(at);
            if (isExpanded(at))
                self(self, at);
        }
    };
    restore(restore, {});
    executeDelayedItemsLayout();
}

// The row that stays where it is on the screen while others open around it: the selected one, if it
// is in sight and something is above.
QModelIndex ScheduleTreeView::row_in_place() const {
    const QModelIndex current = currentIndex().siblingAtColumn(0);
    if (verticalScrollBar()->value() > 0 && current.isValid() &&
        viewport()->rect().intersects(visualRect(current)))
        return current;
    const QModelIndex top = indexAt({4, 1}).siblingAtColumn(0);
    return top.isValid() ? top : model_->index(0, 0);
}

void ScheduleTreeView::keep_in_place(const QModelIndex& row, int top) {
    if (const QRect place = visualRect(row); place.isValid() && place.top() != top)
        verticalScrollBar()->setValue(verticalScrollBar()->value() + place.top() - top);
}

// The next row, with everything open that begins so.
QModelIndex ScheduleTreeView::row_below(const QModelIndex& index) const {
    if (isExpanded(index) || begins_open(index))
        return model_->index(0, 0, index);
    for (QModelIndex at = index; at.isValid(); at = at.parent())
        if (const QModelIndex next = at.siblingAtRow(at.row() + 1); next.isValid())
            return next;
    return {};
}

QModelIndex ScheduleTreeView::row_above(const QModelIndex& index) const {
    if (index.row() == 0)
        return index.parent();
    QModelIndex at = index.siblingAtRow(index.row() - 1);
    while (isExpanded(at) || begins_open(at))
        at = model_->index(model_->rowCount(at) - 1, 0, at);
    return at;
}

void ScheduleTreeView::open_near() {
    if (whole_ || opening_ || laying_out_)
        return;
    const QScopedValueRollback<bool> under_way(opening_, true);
    const QModelIndex fixed = row_in_place();
    const int height = fixed.isValid() ? rowHeight(fixed) : 0;
    if (height <= 0)
        return;
    const int reach = 2 * (viewport()->height() / height + 1); // the row may be at either end
    std::vector<QModelIndex> closed;
    auto look_at = [&](const QModelIndex& row) {
        if (closed_so_far(row))
            closed.push_back(row);
    };
    QModelIndex at = fixed;
    for (int n = 0; n < reach && at.isValid(); ++n, at = row_below(at))
        look_at(at);
    at = row_above(fixed);
    for (int n = 0; n < reach && at.isValid(); ++n, at = row_above(at))
        look_at(at);
    for (; at.isValid(); at = at.parent()) // the last one is seen only if these are open
        look_at(at);
    open_rows(closed, fixed);
}

void ScheduleTreeView::open_rows(const std::vector<QModelIndex>& rows, const QModelIndex& fixed) {
    if (rows.empty())
        return;
    const QScopedValueRollback<bool> by_itself(quiet_, true);
    const int top = visualRect(fixed).top();
    scheduleDelayedItemsLayout(); // once, not for each row
    for (const QModelIndex& row : rows)
        expand(row);
    executeDelayedItemsLayout();
    keep_in_place(fixed, top);
}

void ScheduleTreeView::doItemsLayout() {
    {
        const QScopedValueRollback<bool> under_way(laying_out_, true);
        QTreeView::doItemsLayout();
    }
    open_near();
}

void ScheduleTreeView::scrollContentsBy(int dx, int dy) {
    QTreeView::scrollContentsBy(dx, dy);
    open_near();
}

QModelIndex ScheduleTreeView::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
    if (action == MoveEnd) { // the last row of all may be in a row that is still to be opened
        std::vector<QModelIndex> closed;
        for (QModelIndex at = model_->index(model_->rowCount() - 1, 0);
             isExpanded(at) || begins_open(at); at = model_->index(model_->rowCount(at) - 1, 0, at))
            if (!isExpanded(at))
                closed.push_back(at);
        open_rows(closed, {});
    }
    return QTreeView::moveCursor(action, modifiers);
}

QModelIndex ScheduleTreeView::closed_group_of(QModelIndex index) const {
    while (index.parent().isValid())
        index = index.parent();
    return model_->is_group(index) && !isExpanded(index) ? index : QModelIndex();
}

void ScheduleTreeView::expand_all() {
    quiet_ = true;
    collapsed_.clear();
    for (int row = 0; row < model_->rowCount(); ++row)
        if (const QModelIndex index = model_->index(row, 0); model_->is_group(index))
            collapsed_.insert(model_->node_id(index));
    restore_folding(model_->tree());
    quiet_ = false;
    open_near();
}

void ScheduleTreeView::collapse_all() {
    collapsed_.clear();
    opened_.clear();
    model_->each_parent([this](const NodeId& id) { collapsed_.insert(id); });
    quiet_ = true;
    collapseAll();
    quiet_ = false;
}

} // namespace loopscope::views
