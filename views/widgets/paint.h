#pragma once
// Small things that several views paint alike: tags, bars, elided text.

#include "views/style/theme.h"

#include <QPainter>

namespace loopscope::views {

constexpr int kCellPadding = 8; // pixels on both sides of a table's cell, as in the header's style

// A tag as the tree shows it: the text in a capsule, vertically centred. Returns its width.
qreal paint_tag(QPainter& painter, const QRectF& where, const QString& text, const QColor& colour);
// A horizontal bar on its track; `share` in [0, 1]. A positive share is always visible.
void paint_bar(QPainter& painter, const QRectF& where, double share, const QColor& colour,
               const QColor& track);
// A small mark before a name: what is a copy of something else, memory that is circular, copies
// that rotate. Returns its width.
enum class RowMark { Copy, Circle, Sheets };
constexpr qreal kRowMarkSize = 12;
qreal paint_mark(QPainter& painter, const QRectF& where, RowMark mark, const QColor& colour);
// Black or white: what can be read better on a filled area.
QColor text_on(const QColor& ground);
// Left-aligned text that ends in an ellipsis where it does not fit. Returns the width used.
qreal paint_text(QPainter& painter, const QRectF& where, const QString& text, const QFont& font,
                 const QColor& colour, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);

} // namespace loopscope::views
