#include "views/widgets/schedule_tree_view.h"

#include "views/models/node_text.h"
#include "views/models/pipeline_graph.h"
#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/conflict_arrow.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/list_finding.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/said_state.h"
#include "views/widgets/schedule_row_delegate.h"
#include "views/widgets/schedule_tree_drag.h"
#include "views/widgets/search_field.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollBar>

#include <algorithm>
#include <set>
#include <utility>

namespace loopscope::views {

namespace {
constexpr int kShortCostWidth = 64, kShareWidth = 58, kChangeWidth = 76;
constexpr int kRoomyWidth = 720; // from it on bars have their full length
} // namespace

ScheduleTreeView::ScheduleTreeView(QWidget* parent)
    : QTreeView(parent),
      model_(new ScheduleTreeModel(this)),
      drag_(new ScheduleTreeDrag(this)),
      empty_(new EmptyState(tr("The loop nest as it will run: loops, storage and what each costs."),
                            tr("Ctrl+O opens a pipeline."), this)),
      search_field_(new SearchField(this)) {
    setModel(model_);
    copying_ = new RowCopying(this, RowCopying::Menu::OfTheView);
    setItemDelegate(new ScheduleRowDelegate(this));
    setAccessibleName(tr("Schedule tree"));
    say_shown();
    setHeaderHidden(true);
    setIndentation(kTreeIndentation);
    setUniformRowHeights(true);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setExpandsOnDoubleClick(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(20);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    connect(this, &QTreeView::collapsed, this,
            [this](const QModelIndex& index) { remember_folding(index, false); });
    connect(this, &QTreeView::expanded, this,
            [this](const QModelIndex& index) { remember_folding(index, true); });
    connect(this, &QTreeView::entered, this, [this](const QModelIndex& index) {
        hovered_ = index.siblingAtColumn(0);
        viewport()->update();
    });
    connect(search_field_, &SearchField::textChanged, this, [this](const QString& text) {
        model_->set_search(text);
        show_match(model_->next_match());
    });
    connect(search_field_, &SearchField::nextRequested, this, &ScheduleTreeView::search_next);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &ScheduleTreeView::place_search);
    connect(drag_, &ScheduleTreeDrag::dropped, this, &ScheduleTreeView::directiveRequested);
    connect(drag_, &ScheduleTreeDrag::refused, this, &ScheduleTreeView::directiveRefused);
    restyle();
}

void ScheduleTreeView::set_tree(ScheduleTreePtr tree) {
    if (!tree || !model_->tree() || another_pipeline(*model_->tree()->pipeline, *tree->pipeline))
        opened_.clear();
    show_rows([&] { model_->set_tree(std::move(tree)); });
}

void ScheduleTreeView::set_folded(std::map<std::string, std::string> groups) {
    if (groups == model_->folded())
        return;
    show_rows([&] { model_->set_folded(std::move(groups)); });
    if (currentIndex().isValid())
        show_row(currentIndex());
}

// Selection, folding and place survive, by identity.
void ScheduleTreeView::show_rows(const std::function<void()>& change) {
    const ScheduleTreePtr before = model_->tree();
    const NodeId kept = selected();
    const int scroll = verticalScrollBar()->value();
    const bool seen = viewport()->rect().intersects(visualRect(currentIndex()));
    const QModelIndex fixed = row_in_place();
    const NodeId fixed_id = model_->node_id(fixed);
    const int fixed_at = visualRect(fixed).top();
    drag_->cancel();
    conflict_.reset();
    {
        const QScopedValueRollback<bool> in_place_first(opening_, true);
        quiet_ = true;
        change();
        restore_folding(before);
        quiet_ = false;
        // When a group is unfolded, what its row stood for is selected again.
        const bool unfolded = kept.stage.empty() && !model_->index_of(kept).isValid();
        set_selected(unfolded ? wanted_ : kept);
        mark_selected_too();
        verticalScrollBar()->setValue(scroll);
        if (!whole_ && scroll > 0) // rows above may be closed that are new, and were never seen
            keep_in_place(model_->index_of(fixed_id), fixed_at);
        if (seen && currentIndex().isValid() &&
            !viewport()->rect().intersects(visualRect(currentIndex())))
            show_row(currentIndex()); // rows above it were folded or unfolded
    }
    say_shown();
    open_near();
    empty_->setVisible(model_->rowCount() == 0);
    measure_tags();
    place_columns();
}

// The column of how things run takes what its texts need: names and sizes have the rest.
void ScheduleTreeView::measure_tags() {
    std::set<QString> texts{QStringLiteral("88.8 ms")}; // no time of a stage is wider
    auto collect = [&](auto&& self, const TreeNode& node) -> void {
        texts.insert(node_tag(node));
        for (const TreeNodePtr& child : node.children)
            self(self, *child);
    };
    if (model_->tree())
        collect(collect, *model_->tree()->root);
    const QFontMetrics metrics(text_font());
    widest_tag_ = 0;
    for (const QString& text : texts)
        widest_tag_ = std::max(widest_tag_, metrics.horizontalAdvance(text));
}

void ScheduleTreeView::set_estimate(EstimatePtr estimate) {
    model_->set_estimate(std::move(estimate));
    viewport()->update();
}

void ScheduleTreeView::set_baseline(EstimatePtr baseline) {
    compares_ = baseline != nullptr;
    model_->set_baseline(std::move(baseline));
    place_columns();
    viewport()->update();
}

void ScheduleTreeView::set_services(EditServices services) {
    services_ = services;
    drag_->set_services(std::move(services));
}

void ScheduleTreeView::carry_stage(const NodeId& stage, const QPoint& global) {
    if (isVisible() && rect().contains(mapFromGlobal(global)))
        drag_->carry(stage, viewport()->mapFromGlobal(global));
    else
        drag_->cancel();
}

void ScheduleTreeView::let_stage_go(bool drop) {
    if (drop)
        drag_->release();
    else
        drag_->cancel();
}

void ScheduleTreeView::keep_free_below(int height) {
    free_below_ = height;
    updateGeometries();
}

// The tree sets its margins anew each time.
void ScheduleTreeView::updateGeometries() {
    const QScopedValueRollback<bool> under_way(laying_out_, true);
    QTreeView::updateGeometries();
    QMargins margins = viewportMargins();
    if (margins.bottom() == free_below_)
        return;
    margins.setBottom(free_below_);
    setViewportMargins(margins);
}

void ScheduleTreeView::show_conflict(std::shared_ptr<const Conflict> conflict) {
    conflict_ = std::move(conflict);
    viewport()->update();
}

NodeId ScheduleTreeView::selected() const { return model_->node_id(currentIndex()); }

void ScheduleTreeView::set_selected(const NodeId& id) {
    if (!id.stage.empty() || id.name.empty()) // no group's row
        wanted_ = id;
    if (selected() == id && currentIndex().isValid() == !id.stage.empty())
        return;
    quiet_ = true;
    const QModelIndex index = row_of(id);
    if (index.isValid()) {
        std::vector<QModelIndex> closed;
        for (QModelIndex above = index.parent(); above.isValid(); above = above.parent())
            if (!isExpanded(above))
                closed.push_back(above);
        open_rows(closed, {});
        setCurrentIndex(index);
        show_row(index);
    } else {
        clearSelection();
        setCurrentIndex({});
    }
    quiet_ = false;
    open_near();
}

// What scrolls by pixels still comes to rest on a row: none is cut at the top.
void ScheduleTreeView::show_row(const QModelIndex& index) {
    scrollTo(index);
    const int height = rowHeight(index), at = verticalScrollBar()->value();
    const int rest = height > 0 ? (height - at % height) % height : 0;
    if (rest > 0 && visualRect(index).top() >= rest)
        verticalScrollBar()->setValue(at + rest);
}

void ScheduleTreeView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTreeView::currentChanged(current, previous);
    say_shown();
    conflict_.reset();
    if (!quiet_ && current.isValid() && !model_->is_group(current)) {
        wanted_ = model_->node_id(current);
        emit nodeSelected(wanted_);
    }
}

void ScheduleTreeView::place_columns() {
    const int width = viewport()->width();
    const int tag =
        std::min(widest_tag_ + ScheduleRowDelegate::kAroundTag, std::max(106, width / 3));
    // a narrow panel keeps the numbers and drops the bars
    const bool heat = width > (compares_ ? 440 : 360);
    const int cost = !heat ? 0 : width < kRoomyWidth ? kShortCostWidth : kCostWidth;
    const int share = share_width(), change = change_width();
    header()->resizeSection(ScheduleTreeModel::Tag, tag);
    header()->resizeSection(ScheduleTreeModel::Cost, heat ? cost : 20);
    setColumnHidden(ScheduleTreeModel::Cost, !heat);
    header()->resizeSection(ScheduleTreeModel::Share, share);
    setColumnHidden(ScheduleTreeModel::Change, !compares_);
    if (compares_)
        header()->resizeSection(ScheduleTreeModel::Change, change);
    header()->resizeSection(ScheduleTreeModel::What,
                            std::max(80, width - tag - cost - share - change));
}

int ScheduleTreeView::share_width() const {
    return std::max(kShareWidth,
                    QFontMetrics(font()).horizontalAdvance(QStringLiteral("100 %")) + 18);
}

int ScheduleTreeView::change_width() const {
    return compares_
               ? std::max(kChangeWidth,
                          QFontMetrics(font()).horizontalAdvance(QStringLiteral("▴ 99.9×")) + 20)
               : 0;
}

void ScheduleTreeView::resizeEvent(QResizeEvent* event) {
    const bool seen = viewport()->rect().intersects(visualRect(currentIndex()));
    QTreeView::resizeEvent(event);
    place_columns();
    // What was scrolled only because there was no room is not when there is: no half row is left at
    // the top.
    if (const QRect row = visualRect(currentIndex());
        seen && row.bottom() + verticalScrollBar()->value() < viewport()->height())
        verticalScrollBar()->setValue(0);
    else if (seen)
        show_row(currentIndex());
    open_near();
    empty_->setGeometry(viewport()->geometry());
    place_search();
}

void ScheduleTreeView::changeEvent(QEvent* event) {
    QTreeView::changeEvent(event);
    if (is_theme_change(*event))
        restyle();
    if (event->type() == QEvent::FontChange) {
        measure_tags();
        place_columns();
    }
}

void ScheduleTreeView::restyle() {
    QPalette p = palette();
    if (p.color(QPalette::Highlight) == QColor(Qt::transparent))
        return;
    p.setColor(QPalette::Highlight, Qt::transparent); // rows paint their own selection, whole
    setPalette(p);
    viewport()->update();
}

void ScheduleTreeView::leaveEvent(QEvent* event) {
    QTreeView::leaveEvent(event);
    hovered_ = QPersistentModelIndex();
    viewport()->update();
}

void ScheduleTreeView::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    QPainter painter(viewport());
    if (conflict_ && !drag_->active())
        paint_conflict(painter, *this, *conflict_);
    drag_->paint(painter);
}

void ScheduleTreeView::mousePressEvent(QMouseEvent* event) {
    choosing_several_ = selects_several(*event);
    if (choosing_several_)
        return;
    const QModelIndex before = currentIndex();
    const QPoint at = event->position().toPoint();
    QTreeView::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    drag_->press(at);
    // The others are let go, though the current row stays the same.
    if (const QModelIndex row = indexAt(at).siblingAtColumn(0);
        !selected_too_.empty() && row.isValid() && row == before && row == currentIndex() &&
        !model_->is_group(row) && at.x() >= visualRect(row).left())
        emit nodeSelected(model_->node_id(row));
}

void ScheduleTreeView::mouseMoveEvent(QMouseEvent* event) {
    if (choosing_several_)
        return;
    if (!drag_->pressed() || !(event->buttons() & Qt::LeftButton)) {
        QTreeView::mouseMoveEvent(event);
        return;
    }
    // The tree's own idea of a moving pointer, selecting row after row, is not wanted.
    drag_->move(event->position().toPoint());
}

void ScheduleTreeView::mouseReleaseEvent(QMouseEvent* event) {
    if (std::exchange(choosing_several_, false))
        return;
    const bool dragged = drag_->active();
    if (event->button() == Qt::LeftButton)
        drag_->release();
    if (!dragged)
        QTreeView::mouseReleaseEvent(event);
}

bool ScheduleTreeView::event(QEvent* event) {
    // Escape ends the drag before it is anybody's shortcut.
    if (event->type() == QEvent::ShortcutOverride && drag_->active() &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QTreeView::event(event);
}

void ScheduleTreeView::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const Theme& t = theme_of(*this);
    const QRect whole(0, option.rect.y(), viewport()->width(), option.rect.height());
    const bool chosen = selectionModel()->isSelected(index);
    if (chosen)
        painter->fillRect(whole, t.selection);
    else if (hovered_.isValid() && index.siblingAtColumn(0) == hovered_)
        painter->fillRect(whole, t.hover);
    if (chosen && hasFocus() && index.row() == currentIndex().row() &&
        index.parent() == currentIndex().parent()) // the keyboard's place is more than a tint
        painter->fillRect(QRect(whole.x(), whole.y(), 3, whole.height()), t.accent);
    QStyleOptionViewItem plain = option;
    plain.state &= ~(QStyle::State_Selected | QStyle::State_MouseOver | QStyle::State_HasFocus);
    QTreeView::drawRow(painter, plain, index);
}

void ScheduleTreeView::drawBranches(QPainter* painter, const QRect& rectangle,
                                    const QModelIndex& index) const {
    if (!model_->hasChildren(index))
        return;
    const QPointF c(rectangle.right() - kTreeIndentation / 2.0 + 1, rectangle.center().y() + 0.5);
    paint_branch(*painter, c, isExpanded(index), theme_of(*this));
}

// Columns and rows Qt says by itself.
void ScheduleTreeView::say_shown() {
    const auto& tree = model_->tree();
    if (!tree)
        return say_state(*this, tr("Loops, storage and computations of the schedule; the menu key "
                                   "offers directives."));
    const auto chosen = selected();
    const auto name = !chosen.stage.empty() ? node_title(chosen)
                      : currentIndex().isValid()
                          ? currentIndex().siblingAtColumn(0).data().toString()
                          : tr("nothing");
    say_state(*this, tr("Schedule of %1, %2 rows at the root, %3 selected")
                         .arg(to_qstring(tree->pipeline->name))
                         .arg(model_->rowCount())
                         .arg(name));
}

void ScheduleTreeView::start_search() {
    place_beside_rows(*search_field_, *this, currentIndex());
    search_field_->open();
}

void ScheduleTreeView::place_search() {
    if (!search_field_->isHidden())
        place_beside_rows(*search_field_, *this, currentIndex());
}

void ScheduleTreeView::search_next(bool forward) {
    const NodeId here = model_->node_id(currentIndex());
    const QModelIndex next = forward ? model_->next_match(here) : model_->previous_match(here);
    if (next.isValid())
        setCurrentIndex(next);
    show_match(next);
}

void ScheduleTreeView::show_match(const QModelIndex& row) {
    if (row.isValid())
        show_row(row);
    const auto place = model_->match_place(model_->node_id(row));
    search_field_->say_match(place.at, place.count);
    place_beside_rows(*search_field_, *this, row);
}

} // namespace loopscope::views
