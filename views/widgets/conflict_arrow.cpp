#include "views/widgets/conflict_arrow.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/schedule_tree_view.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

// The row of a node, or of the innermost thing around it that is shown.
QRect row_of(const ScheduleTreeView& view, const NodeId& id) {
    const QModelIndex index = view.schedule_model()->index_of(id);
    for (QModelIndex at = index; at.isValid(); at = at.parent())
        if (const QRect row = view.visualRect(at); row.isValid())
            return row;
    return {};
}

} // namespace

void paint_arrow(QPainter& painter, const Theme& t, QPointF from, QPointF by, QPointF to,
                 const QString& label, const QRectF& room) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath path(from);
    path.cubicTo(by, by, to);
    painter.setPen(QPen(t.error, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.error);
    painter.drawEllipse(from, 3, 3);
    const QPointF along = to - by;
    if (const double length = std::hypot(along.x(), along.y()); length > 0) {
        const QPointF step = along / length, across(-step.y(), step.x());
        painter.drawPolygon(QPolygonF{to, to - step * 9 + across * 4, to - step * 9 - across * 4});
    }
    if (!label.isEmpty()) {
        painter.setFont(small_font());
        const QFontMetricsF metrics(small_font());
        const QString text = metrics.elidedText(label, Qt::ElideRight, room.width() - 16);
        QRectF box(0, 0, metrics.horizontalAdvance(text) + 12, metrics.height() + 6);
        box.moveCenter(path.pointAtPercent(0.5) + QPointF(box.width() / 2 + 6, 0));
        if (box.right() > room.right())
            box.moveRight(room.right());
        box.moveTop(
            std::clamp(box.top(), room.top(), std::max(room.top(), room.bottom() - box.height())));
        painter.setPen(QPen(t.error, 1));
        painter.setBrush(t.raised);
        painter.drawRoundedRect(box, 4, 4);
        painter.setPen(readable_on(t.error, t.raised));
        painter.drawText(box, Qt::AlignCenter, text);
    }
    painter.restore();
}

void paint_conflict(QPainter& painter, const ScheduleTreeView& view, const Conflict& conflict) {
    const QRect from = row_of(view, conflict.from), to = row_of(view, conflict.to);
    if (!from.isValid() || !to.isValid())
        return;
    const QRectF room = view.viewport()->rect().adjusted(4, 4, -4, -4);
    // Beside the names, where a row says little.
    const double x = std::min<double>(room.right() - 150, std::max(from.left(), to.left()) + 150);
    const QPointF a(x, from.center().y()), b(x, to.center().y());
    const double bulge = std::min(60.0, 26 + std::abs(b.y() - a.y()) * 0.2);
    paint_arrow(painter, theme_of(view), a, {x + bulge, (a.y() + b.y()) / 2}, b, conflict.label,
                room);
}

} // namespace loopscope::views
