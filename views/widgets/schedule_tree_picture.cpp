// The schedule tree as a picture: every row that is open, as wide as its texts.

#include "views/style/fonts.h"
#include "views/widgets/schedule_row_delegate.h"
#include "views/widgets/schedule_tree_view.h"

#include <QPainter>

#include <cmath>
#include <numeric>
#include <optional>

namespace loopscope::views {

namespace {
constexpr int kBehindTexts = 24; // pixels between names and how they run
}

std::vector<ScheduleTreeView::PictureRow> ScheduleTreeView::picture_rows() const {
    std::vector<PictureRow> rows;
    for (QModelIndex at = model_->index(0, 0); at.isValid(); at = row_below(at)) {
        int depth = 1;
        for (QModelIndex above = at.parent(); above.isValid(); above = above.parent())
            ++depth;
        rows.push_back({at, depth * kTreeIndentation});
    }
    return rows;
}

Result<Picture> ScheduleTreeView::picture() {
    if (model_->rowCount() == 0)
        return error("there is no schedule tree to draw", "open a pipeline first");
    const std::vector<PictureRow> rows = picture_rows();
    double what = 0;
    for (const PictureRow& row : rows)
        what = std::max(what, row.indent + tree_text_width(row.index));
    // By column.
    const std::vector<int> widths{static_cast<int>(std::ceil(what)) + kBehindTexts,
                                  widest_tag_ + ScheduleRowDelegate::kAroundTag, kCostWidth,
                                  share_width(), change_width()};
    const int height = tree_row_height(QFontMetrics(text_font()));
    const QSize size(std::accumulate(widths.begin(), widths.end(), 0),
                     static_cast<int>(rows.size()) * height);
    return Picture{QStringLiteral("tree"), tr("Schedule tree"), size,
                   [this, rows, widths](QPainter& painter) { paint_rows(painter, rows, widths); },
                   height};
}

// On paper each page asks for its rows: those of all others would be painted as often as there are
// pages.
void ScheduleTreeView::paint_rows(QPainter& painter, const std::vector<PictureRow>& rows,
                                  const std::vector<int>& widths) const {
    const Theme& t = picture_theme();
    const int height = tree_row_height(QFontMetrics(text_font()));
    const bool clipped = painter.hasClipping();
    const QRectF seen = clipped ? painter.clipBoundingRect() : QRectF();
    int y = -height;
    for (const PictureRow& row : rows) {
        y += height;
        if (clipped && (y + height <= seen.top() || y >= seen.bottom()))
            continue;
        if (model_->hasChildren(row.index))
            paint_branch(painter, QPointF(row.indent - kTreeIndentation / 2.0, y + height / 2.0),
                         isExpanded(row.index) || begins_open(row.index), t);
        int x = 0;
        for (int column = 0; column < ScheduleTreeModel::ColumnCount; ++column) {
            const int width = widths[static_cast<std::size_t>(column)];
            const int indent = column == ScheduleTreeModel::What ? row.indent : 0;
            if (width > 0)
                paint_tree_cell(painter, QRectF(x + indent, y, width - indent, height),
                                row.index.siblingAtColumn(column), t, false);
            x += width;
        }
    }
}

void ScheduleTreeView::paint_branch(QPainter& painter, const QPointF& c, bool open,
                                    const Theme& t) const {
    QPolygonF triangle;
    if (open)
        triangle << c + QPointF(-3.5, -2) << c + QPointF(3.5, -2) << c + QPointF(0, 2.5);
    else
        triangle << c + QPointF(-2, -3.5) << c + QPointF(-2, 3.5) << c + QPointF(2.5, 0);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.faint);
    painter.drawPolygon(triangle);
    painter.restore();
}

} // namespace loopscope::views
