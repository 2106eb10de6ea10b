#pragma once
// Paints one row of the schedule tree: a bold name with faint detail, the tag in brackets, the heat
// bar, the share.

#include <QStyledItemDelegate>

namespace loopscope::views {

struct Theme;

// What stands on one cell, on whatever ground; `searched`: what the search found is marked.
void paint_tree_cell(QPainter& painter, const QRectF& where, const QModelIndex& index,
                     const Theme& theme, bool searched);
// Of the first column's text, without the indentation: all of it.
double tree_text_width(const QModelIndex& index);
// What a row says of memory, in so many pixels: type and shape give way before the size, which is
// said whole or not at all.
QString fitted_memory(const QString& detail, double room);
int tree_row_height(const QFontMetrics& metrics);

class ScheduleRowDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    static constexpr int kAroundTag = 24; // pixels of a tag's ends and of the room beside it
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace loopscope::views
