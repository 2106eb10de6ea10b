#pragma once
// Paints one row of the schedule tree: a bold name with faint detail, the tag in brackets, the heat
// bar, the share.

#include <QStyledItemDelegate>

namespace loopscope::views {

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
