#include "views/widgets/two_line_delegate.h"

#include "views/style/theme.h"

#include <QApplication>
#include <QPainter>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kAroundLines = 3; // above and below the lines
constexpr int kLine = 9;        // height of a row that only separates

// QComboBox::insertSeparator marks its rows so.
bool separates(const QModelIndex& index) {
    return index.data(Qt::AccessibleDescriptionRole).toString() == QLatin1String("separator");
}

QString first_of(const QModelIndex& index) {
    const auto line = index.data(TwoLineDelegate::FirstLine).toString();
    return line.isEmpty() ? index.data(Qt::DisplayRole).toString() : line;
}

QString second_of(const QModelIndex& index) {
    return index.data(TwoLineDelegate::SecondLine).toString();
}

} // namespace

void TwoLineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const auto& colours = option.widget ? theme_of(*option.widget) : theme(ThemeKind::Light);
    if (separates(index)) {
        painter->setPen(colours.line);
        painter->drawLine(option.rect.left(), option.rect.center().y(), option.rect.right(),
                          option.rect.center().y());
        return;
    }
    auto plain = option;
    initStyleOption(&plain, index);
    plain.text.clear();
    const auto* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &plain, painter, option.widget);

    const auto& metrics = option.fontMetrics;
    const auto room = option.rect.adjusted(kGap, kAroundLines, -kGap, -kAroundLines);
    const auto second = second_of(index);
    auto line = room;
    if (!second.isEmpty())
        line.setHeight(metrics.height());
    painter->save();
    painter->setFont(option.font);
    painter->setPen(index.flags() & Qt::ItemIsEnabled ? colours.text : colours.faint);
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(first_of(index), Qt::ElideMiddle, line.width()));
    painter->setPen(colours.faint);
    line.translate(0, metrics.height());
    painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(second, Qt::ElideRight, line.width()));
    painter->restore();
}

QSize TwoLineDelegate::sizeHint(const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    if (separates(index))
        return {0, kLine};
    const auto& metrics = option.fontMetrics;
    const auto second = second_of(index);
    const int width =
        std::max(metrics.horizontalAdvance(first_of(index)), metrics.horizontalAdvance(second));
    const int lines = second.isEmpty() ? 1 : 2;
    return {width + 2 * kGap, lines * metrics.height() + 2 * kAroundLines};
}

} // namespace loopscope::views
