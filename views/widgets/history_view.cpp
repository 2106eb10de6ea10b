#include "views/widgets/history_view.h"

#include "views/style/theme.h"

#include <QEvent>
#include <QHeaderView>

#include <map>

namespace loopscope::views {

namespace {
constexpr int kIdRole = Qt::UserRole + 1;
}

HistoryView::HistoryView(QWidget* parent) : QTreeWidget(parent) {
    setColumnCount(2);
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setRootIsDecorated(true);
    setIndentation(14);
    setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
    setAccessibleName(tr("History of schedules"));
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(this, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        emit revisionActivated(item->data(0, kIdRole).toLongLong());
    });
    connect(this, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int column) {
        if (!quiet_ && column == 0)
            emit renamed(item->data(0, kIdRole).toLongLong(), item->text(0));
    });
}

void HistoryView::set_rows(const std::vector<HistoryRow>& rows, qint64 current) {
    quiet_ = true;
    std::vector<std::pair<qint64, qint64>> wanted;
    for (const auto& row : rows)
        wanted.emplace_back(row.id, row.parent);
    const bool same = wanted == shown_;
    // Rows that stand stay: a name that is being typed, and the scroll bar, survive new times.
    if (!same) {
        shown_ = std::move(wanted);
        add_rows(rows);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (items_[i]->text(0) != rows[i].name)
            items_[i]->setText(0, rows[i].name);
        items_[i]->setText(1, rows[i].time);
        items_[i]->setToolTip(1, rows[i].time.isEmpty() ? QString() : rows[i].time_tip);
    }
    if (!same || current != current_) {
        current_ = current;
        mark_current();
    }
    quiet_ = false;
}

void HistoryView::add_rows(const std::vector<HistoryRow>& rows) {
    clear();
    items_.clear();
    // A revision stands below its parent's row; only a branch indents, so that a long session stays readable.
    std::map<qint64, QTreeWidgetItem*> items;
    std::map<qint64, int> children;
    for (const auto& row : rows) {
        auto* item = new QTreeWidgetItem;
        item->setData(0, kIdRole, row.id);
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setFlags(item->flags() | Qt::ItemIsEditable);
        item->setToolTip(0, tr("Enter opens this schedule, F2 names it"));
        auto parent = items.find(row.parent);
        bool branch = parent != items.end() && ++children[row.parent] > 1;
        if (branch)
            parent->second->addChild(item);
        else if (parent != items.end() && parent->second->parent())
            parent->second->parent()->addChild(item);
        else
            addTopLevelItem(item);
        items[row.id] = item;
        items_.push_back(item);
    }
    expandAll();
}

void HistoryView::mark_current() {
    const auto& theme = theme_of(*this);
    for (QTreeWidgetItemIterator it(this); *it; ++it) {
        bool is_current = (*it)->data(0, kIdRole).toLongLong() == current_;
        auto font = this->font();
        font.setBold(is_current);
        (*it)->setFont(0, font);
        (*it)->setForeground(1, theme.faint);
        if (is_current) {
            setCurrentItem(*it);
            scrollToItem(*it);
        }
    }
}

void HistoryView::changeEvent(QEvent* event) {
    QTreeWidget::changeEvent(event);
    if (is_theme_change(*event)) {
        quiet_ = true;
        mark_current();
        quiet_ = false;
    }
}

} // namespace loopscope::views
