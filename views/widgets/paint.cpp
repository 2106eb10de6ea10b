#include "views/widgets/paint.h"

#include "views/style/text_metrics.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

QColor text_on(const QColor& ground) {
    const QColor white(Qt::white), black(Qt::black);
    return contrast_ratio(white, ground) >= contrast_ratio(black, ground) ? white : black;
}

qreal paint_text(QPainter& painter, const QRectF& where, const QString& text, const QFont& font,
                 const QColor& colour, Qt::Alignment alignment) {
    if (text.isEmpty() || where.width() < 4)
        return 0;
    const TextMetrics metrics(font);
    const QString shown = metrics.elided(text, Qt::ElideRight, where.width() + 0.5);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(where, static_cast<int>(alignment) | Qt::TextSingleLine, shown);
    return metrics.width(shown);
}

qreal paint_tag(QPainter& painter, const QRectF& where, const QString& text, const QColor& colour) {
    const TextMetrics metrics(painter.font());
    constexpr qreal padding = 8;
    const qreal height = std::floor(std::min(where.height() - 6, metrics.height() + 4));
    const qreal width = std::min(metrics.width(text) + 2 * padding, where.width());
    // On whole pixels, so that the line is sharp.
    const QRectF box(where.x() + 0.5, std::floor(where.center().y() - height / 2) + 0.5, width - 1,
                     height);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    // A pale line: lighter than a frame in every row, and no tint, on which the text would stand
    // out less.
    QColor line = colour;
    line.setAlphaF(0.5f);
    painter.setPen(QPen(line, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, height / 2, height / 2);
    painter.restore();
    paint_text(painter, box.adjusted(padding - 0.5, 0, -padding + 0.5, 0), text, painter.font(),
               colour);
    return width;
}

qreal paint_mark(QPainter& painter, const QRectF& where, RowMark mark, const QColor& colour) {
    constexpr qreal size = kRowMarkSize;
    const QRectF box(std::floor(where.x()) + 0.5, std::floor(where.center().y() - size / 2) + 0.5,
                     size - 1, size - 1);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.2));
    painter.setBrush(Qt::NoBrush);
    switch (mark) {
    case RowMark::Copy: // the one in front is the copy
        painter.drawRect(QRectF(box.topLeft(), QSizeF(7, 7)));
        painter.fillRect(QRectF(box.topLeft() + QPointF(4, 4), QSizeF(7, 7)), colour);
        break;
    case RowMark::Circle: { // most of a ring, and the head of an arrow where it begins anew
        painter.drawArc(box.adjusted(1, 1, -1, -1), 20 * 16, 290 * 16);
        const QPointF tip(box.right() - 0.5, box.center().y() - 2);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(
            QPolygonF{tip + QPointF(-4, 0), tip + QPointF(2, 0), tip + QPointF(-1, 4)});
        break;
    }
    case RowMark::Sheets:
        for (qreal sheet : {0.0, 4.0, 8.0})
            painter.drawLine(QPointF(box.left() + sheet / 2, box.top() + 1.5 + sheet),
                             QPointF(box.right() - 4 + sheet / 2, box.top() + 1.5 + sheet));
        break;
    }
    painter.restore();
    return size;
}

void paint_bar(QPainter& painter, const QRectF& where, double share, const QColor& colour,
               const QColor& track) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const qreal radius = std::min(4.0, where.height() / 2);
    QPainterPath shape;
    shape.addRoundedRect(where, radius, radius);
    painter.fillPath(shape, track);
    if (share > 0) {
        QRectF part = where;
        part.setWidth(std::max(3.0, where.width() * std::min(share, 1.0)));
        QPainterPath filled;
        filled.addRoundedRect(part, std::min(radius, part.width() / 2), radius);
        painter.fillPath(filled, colour);
    }
    painter.restore();
}

} // namespace loopscope::views
