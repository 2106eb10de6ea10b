#pragma once
// Rows of a list with a second line in the colour of secondary text. Both are cut where there is no
// room: the tip and the accessible text have them whole.

#include <QStyledItemDelegate>

namespace loopscope::views {

class TwoLineDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    // A row's lines; without a first one it shows its text as others do.
    enum Role { FirstLine = Qt::UserRole + 1, SecondLine };

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace loopscope::views
