#pragma once
// A broken dependence, drawn as an arrow between what it joins, with its distance beside it.

#include "views/models/snapshots.h"

#include <QPointF>
#include <QRectF>

class QPainter;

namespace loopscope::views {

class ScheduleTreeView;
struct Theme;

// Between two rows of the tree; rows that are folded away stand for the nearest one that is shown.
void paint_conflict(QPainter& painter, const ScheduleTreeView& view, const Conflict& conflict);
// Between two points by way of a third; `room`: where the label may stand.
void paint_arrow(QPainter& painter, const Theme& theme, QPointF from, QPointF by, QPointF to,
                 const QString& label, const QRectF& room);

} // namespace loopscope::views
