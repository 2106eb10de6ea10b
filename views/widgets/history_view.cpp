#include "views/widgets/history_view.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/focus_line.h"

#include <QEvent>
#include <QHeaderView>
#include <QStyledItemDelegate>

#include <cmath>

namespace loopscope::views {

namespace {

constexpr int kMargin = 8; // right of the times

// The present schedule is bold, times are faint.
class HistoryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {0, std::max(kRowHeight, option.fontMetrics.height() + 8)};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() == HistoryModel::Time) {
            const QColor faint = theme_of(*option->widget).faint;
            option->palette.setColor(QPalette::Text, faint);
            option->palette.setColor(QPalette::HighlightedText, faint);
            option->rect.adjust(0, 0, -kMargin, 0);
        }
        if (index.data(HistoryModel::CurrentRole).toBool())
            option->font.setWeight(QFont::DemiBold);
    }
};

} // namespace

HistoryView::HistoryView(QWidget* parent) : QTreeView(parent), model_(new HistoryModel(this)) {
    setModel(model_);
    new FocusLine(this);
    setItemDelegate(new HistoryDelegate(this));
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setRootIsDecorated(true);
    setIndentation(14);
    setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
    setAccessibleName(tr("History of schedules"));
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(0);
    header()->setSectionResizeMode(HistoryModel::Name, QHeaderView::Stretch);
    header()->setSectionResizeMode(HistoryModel::Time, QHeaderView::Fixed);
    connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
        emit revisionActivated(index.data(HistoryModel::RevisionRole).toLongLong());
    });
    connect(model_, &HistoryModel::renamed, this, &HistoryView::renamed);
}

void HistoryView::set_rows(std::vector<HistoryRow> rows, qint64 current) {
    const bool others = model_->set_rows(std::move(rows), current);
    if (others)
        expandAll();
    fit_times();
    if (!others && current == shown_)
        return;
    shown_ = current;
    setCurrentIndex(model_->current());
    scrollTo(model_->current());
}

// Asked of the view itself it would measure rows again at every change.
void HistoryView::fit_times() {
    const QFontMetricsF metrics(bold_font());
    double widest = 0;
    for (const HistoryRow& row : model_->rows())
        widest = std::max(widest, metrics.horizontalAdvance(row.time));
    header()->resizeSection(HistoryModel::Time,
                            widest > 0 ? static_cast<int>(std::ceil(widest)) + kMargin + 8 : 0);
}

void HistoryView::changeEvent(QEvent* event) {
    QTreeView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fit_times();
}

} // namespace loopscope::views
