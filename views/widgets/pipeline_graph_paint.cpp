// How the pipeline graph is painted, in the order groups, edges, titles, nodes.

#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace loopscope::views {

namespace {
constexpr double kLegibleLabels = 0.6; // zoom: below it small type is a smear
}

void PipelineGraphView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme_of(*this);
    if (layout_.nodes.size() == graph_.nodes.size()) {
        paint_graph(painter);
    } else if (!earlier_.isNull()) {
        painter.drawPixmap(0, 0, earlier_);
    } else {
        painter.fillRect(rect(), t.surface);
        painter.setPen(t.faint);
        painter.drawText(rect(), Qt::AlignCenter, tr("Laying out the graph …"));
    }
}

void PipelineGraphView::paint_graph(QPainter& painter) const {
    const Theme& t = theme_of(*this);
    painter.fillRect(rect(), t.surface);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(offset_);
    painter.scale(scale_, scale_);
    for (std::size_t g = 0; g < layout_.groups.size(); ++g)
        paint_group(painter, t, g);
    const QPointF low = to_graph({0, 0}), high = to_graph(QPointF(width(), height()));
    const Rectangle seen{low.x(), low.y(), high.x() - low.x(), high.y() - low.y()};
    paint_edges(painter, t, seen);
    for (std::size_t e = 0; e < layout_.edges.size();
         ++e) // after the edges, which would strike them
        if (layout_.edges[e].label.overlaps(seen))
            paint_edge_label(painter, t, e);
    for (std::size_t g = 0; g < layout_.groups.size(); ++g)
        paint_group_title(painter, t, g);
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n)
        if (layout_.nodes[n].overlaps(seen))
            paint_node(painter, t, n);
    painter.resetTransform();
    paint_drag(painter, t);
    paint_conflict_arrow(painter, t);
}

void PipelineGraphView::paint_group(QPainter& painter, const Theme& t, std::size_t group) const {
    const Rectangle& r = layout_.groups[group];
    if (r.width <= 0)
        return;
    const QRectF box(r.x, r.y, r.width, r.height);
    QPen dashed(t.mark(Meaning::Thread), 1.4);
    dashed.setDashPattern({4, 3});
    painter.setPen(dashed);
    painter.setBrush(mix(t.surface, t.mark(Meaning::Thread), 0.05));
    painter.drawRoundedRect(box, 6, 6);
}

QString PipelineGraphView::group_title(const std::string& root) const {
    return tr("kernel %1").arg(to_qstring(root));
}

// After the edges: one runs through it where no room is left beside them.
void PipelineGraphView::paint_group_title(QPainter& painter, const Theme& t,
                                          std::size_t group) const {
    const Rectangle& r = layout_.titles[group];
    if (r.width <= 0 || scale_ < 0.4)
        return;
    const TextMetrics metrics(small_font());
    const double room = r.width - kTitleMargin;
    QString title = group_title(graph_.groups[group].root);
    if (estimate_ && estimate_->seconds)
        for (const model::KernelEstimate& kernel : estimate_->kernels)
            if (kernel.name == graph_.groups[group].root) {
                const auto timed = title + QStringLiteral(" · ") + format_seconds(kernel.seconds);
                if (metrics.width(timed) <= room)
                    title = timed;
            }
    title = metrics.elided(title, Qt::ElideRight, room + 0.5);
    const QRectF line(r.x, r.y + 4, metrics.width(title) + kTitleMargin, metrics.height());
    painter.fillRect(line, mix(t.surface, t.mark(Meaning::Thread), 0.05));
    painter.setFont(small_font());
    painter.setPen(t.ink(Meaning::Block));
    painter.drawText(line, Qt::AlignCenter, title);
}

PipelineGraphView::EdgeLook PipelineGraphView::look_of(const PipelineEdge& edge) const {
    return faded(edge)              ? EdgeLook::Faded
           : touches_selected(edge) ? EdgeLook::Near
                                    : EdgeLook::Plain;
}

void PipelineGraphView::paint_edges(QPainter& painter, const Theme& t,
                                    const Rectangle& seen) const {
    std::vector<EdgeLook> looks;
    for (const PipelineEdge& edge : graph_.edges)
        looks.push_back(look_of(edge));
    for (const EdgeLook look : {EdgeLook::Faded, EdgeLook::Plain, EdgeLook::Near})
        for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
            if (looks[e] != look)
                continue;
            Rectangle span = layout_.edges[e].label;
            for (const Point& p : layout_.edges[e].curve)
                span = united(span, {p.x, p.y, 1, 1});
            if (span.overlaps(seen))
                paint_edge(painter, t, e, look);
        }
}

// What it shares with others is drawn by one of them, which may look otherwise.
bool PipelineGraphView::draws_whole(const PipelineEdge& edge, EdgeLook look) const {
    return look == EdgeLook::Near    ? edge.to == graph_.index_of(selected_) || !search_.isEmpty()
           : look == EdgeLook::Plain ? !search_.isEmpty()
                                     : false;
}

void PipelineGraphView::paint_edge(QPainter& painter, const Theme& t, std::size_t edge,
                                   EdgeLook look) const {
    const EdgeShape& shape = layout_.edges[edge];
    if (shape.curve.size() < 4)
        return;
    const bool near = touches_selected(graph_.edges[edge]);
    const QColor full = near ? t.accent : mix(t.faint, t.surface, 0.25),
                 colour = look == EdgeLook::Faded ? mix(full, t.surface, 0.75) : full;
    const std::size_t from = draws_whole(graph_.edges[edge], look) ? 0 : shape.fresh_from;
    QPainterPath path(QPointF(shape.curve[from].x, shape.curve[from].y));
    for (std::size_t i = from + 1; i + 2 < shape.curve.size(); i += 3)
        path.cubicTo(shape.curve[i].x, shape.curve[i].y, shape.curve[i + 1].x, shape.curve[i + 1].y,
                     shape.curve[i + 2].x, shape.curve[i + 2].y);
    painter.setPen(QPen(colour, near ? 1.6 : 1.1));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    const Point tip = shape.curve.back(), before = shape.curve[shape.curve.size() - 2];
    const double length = std::hypot(tip.x - before.x, tip.y - before.y);
    if (length > 0) {
        const QPointF along((tip.x - before.x) / length, (tip.y - before.y) / length),
            across(-along.y(), along.x());
        const QPointF end(tip.x, tip.y);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(
            QPolygonF{end, end - along * 7 + across * 3, end - along * 7 - across * 3});
    }
}

void PipelineGraphView::paint_edge_label(QPainter& painter, const Theme& t,
                                         std::size_t edge) const {
    const EdgeShape& shape = layout_.edges[edge];
    const Rectangle& r = shape.label;
    if (r.width <= 0 || scale_ < kLegibleLabels)
        return;
    const PipelineEdge& e = graph_.edges[edge];
    const QString size = format_capacity(e.bytes);
    // Where the room is wider than the text, that stands at the edge it is of.
    const double width = TextMetrics(small_font()).width(size) + 4;
    const QRectF box(shape.label_on_left ? r.right() - width : r.x, r.y, width, r.height);
    painter.setOpacity(faded(e) ? 0.25 : 1);
    painter.setFont(small_font());
    painter.fillRect(box.adjusted(0, 1, 0, -1),
                     QColor(t.surface.red(), t.surface.green(), t.surface.blue(), 200));
    painter.setPen(touches_selected(e) ? t.accent : t.faint);
    painter.drawText(box, Qt::AlignCenter, size);
    painter.setOpacity(1);
}

bool PipelineGraphView::touches_selected(const PipelineEdge& edge) const {
    const int chosen = graph_.index_of(selected_);
    return chosen >= 0 && (edge.from == chosen || edge.to == chosen);
}

bool PipelineGraphView::faded(const PipelineEdge& edge) const {
    return faded(graph_.nodes[static_cast<std::size_t>(edge.from)]) &&
           faded(graph_.nodes[static_cast<std::size_t>(edge.to)]);
}

namespace {
// A triangle as in the schedule tree: pointing down where the group is open.
void paint_fold_mark(QPainter& painter, const QRectF& where, bool folded, const QColor& colour) {
    if (where.isEmpty())
        return;
    const QPointF c = where.center();
    QPolygonF triangle;
    if (folded)
        triangle << c + QPointF(-2.5, -4) << c + QPointF(-2.5, 4) << c + QPointF(3, 0);
    else
        triangle << c + QPointF(-4, -2.5) << c + QPointF(4, -2.5) << c + QPointF(0, 3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(triangle);
}
} // namespace

namespace {
// What a schedule made: a sheet with a turned-down corner, as no stage of the text has.
void paint_copy(QPainter& painter, const QRectF& box, const QColor& corner) {
    constexpr double fold = 9;
    const QPointF left(box.right() - fold, box.top()), below(box.right(), box.top() + fold),
        inner(box.right() - fold, box.top() + fold);
    painter.drawPolygon(QPolygonF{box.topLeft(), left, below, box.bottomRight(), box.bottomLeft()});
    painter.setBrush(corner);
    painter.drawPolygon(QPolygonF{left, below, inner});
}
} // namespace

void PipelineGraphView::paint_node(QPainter& painter, const Theme& t, std::size_t n) const {
    const PipelineNode& node = graph_.nodes[n];
    const Rectangle& r = layout_.nodes[n];
    const QRectF box = QRectF(r.x, r.y, r.width, r.height).adjusted(0.5, 0.5, -0.5, -0.5);
    const double share = share_of(node);
    const QColor fill = share > 0 ? t.heat(share) : t.surface;
    const QColor text = readable_on(t.text, fill),
                 second = readable_on(mix(t.faint, t.text, 0.2), fill);
    const bool chosen = graph_.index_of(selected_) == static_cast<int>(n);
    painter.setOpacity(faded(node) ? 0.25 : 1);
    QPen border(chosen ? t.accent
                : share > 0
                    ? mix(t.line, t.mark(Meaning::Pipelined), 0.35 + 0.4 * share)
                    : mix(t.line, t.faint, 0.45), // a frame on the same ground is seen by its line
                chosen ? 2 : 1.1);
    if (node.inlined)
        border.setDashPattern({3, 3});
    painter.setPen(border);
    if (!node.folded.empty()) { // a second sheet behind says that there are several
        painter.setBrush(t.surface);
        painter.drawRoundedRect(box.translated(3, 3), 6, 6);
    }
    painter.setBrush(fill);
    if (node.made)
        paint_copy(painter, box, chosen ? t.accent : t.mark(Meaning::Unrolled));
    else
        painter.drawRoundedRect(box, node.is_input ? 3 : 6, node.is_input ? 3 : 6);
    if (chosen && hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 1));
        painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 8, 8);
    }
    if (scale_ >= 0.3) {
        paint_fold_mark(painter, mark_in(static_cast<int>(n)), !node.folded.empty(), second);
        const TextMetrics bold(bold_font());
        const QRectF first(box.x() + 8, box.y() + 3, box.width() - 16, bold.height());
        const QString percent = share >= 0.005 ? format_share(share) : QString();
        const QString name = shown_name(node);
        const double name_width = bold.width(name), gap = percent.isEmpty() ? 0 : 6;
        const double share_width = percent.isEmpty() ? 0 : TextMetrics(text_font()).width(percent);
        const double x = first.center().x() - (name_width + gap + share_width) / 2;
        painter.setFont(bold_font());
        painter.setPen(node.inlined ? second : text);
        painter.drawText(QRectF(x, first.y(), name_width + 1, first.height()), Qt::AlignVCenter,
                         name);
        painter.setFont(text_font());
        painter.setPen(second);
        painter.drawText(QRectF(x + name_width + gap, first.y(), share_width + 1, first.height()),
                         Qt::AlignVCenter, percent);
        painter.setFont(small_font());
        painter.drawText(
            QRectF(box.x(), first.bottom(), box.width(), box.bottom() - first.bottom() - 3),
            Qt::AlignCenter, shown_detail(node));
    }
    painter.setOpacity(1);
}

} // namespace loopscope::views
