// How the pipeline graph is painted, in the order groups, edges, titles, nodes.

#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QPainter>
#include <QPainterPath>
#include <QScopedValueRollback>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {
constexpr double kPictureMargin = 14;
} // namespace

void PipelineGraphView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme_of(*this);
    if (layout_.nodes.size() == graph_.nodes.size()) {
        paint_window(painter);
    } else if (former_) {
        paint_former(painter);
    } else {
        painter.fillRect(rect(), t.surface);
        painter.setPen(t.faint);
        painter.drawText(rect(), Qt::AlignCenter, tr("Laying out the graph …"));
    }
}

void PipelineGraphView::paint_window(QPainter& painter) const {
    const Theme& t = theme_of(*this);
    painter.fillRect(rect(), t.surface);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(offset_);
    painter.scale(scale_, scale_);
    const QPointF low = to_graph({0, 0}), high = to_graph(QPointF(width(), height()));
    paint_graph(painter, t, {low.x(), low.y(), high.x() - low.x(), high.y() - low.y()});
    painter.resetTransform();
    paint_drag(painter, t);
    paint_frame(painter, t);
    paint_conflict_arrow(painter, t);
}

void PipelineGraphView::swap_former() {
    std::swap(graph_, former_->graph);
    std::swap(layout_, former_->layout);
    std::swap(estimate_, former_->estimate);
    std::swap(seconds_, former_->seconds);
}

void PipelineGraphView::paint_former(QPainter& painter) {
    swap_former();
    paint_window(painter);
    swap_former();
}

Result<Picture> PipelineGraphView::picture() {
    if (graph_.nodes.empty())
        return error("there is no graph to draw", "open a pipeline first");
    if (layout_.nodes.size() != graph_.nodes.size())
        return error("the graph is still being laid out", "wait a moment, and try again");
    const QSize size(static_cast<int>(std::ceil(layout_.bounds.width + 2 * kPictureMargin)),
                     static_cast<int>(std::ceil(layout_.bounds.height + 2 * kPictureMargin)));
    return Picture{QStringLiteral("graph"), tr("Pipeline graph"), size,
                   [this](QPainter& painter) { paint_picture(painter); }};
}

// As if nobody had zoomed, chosen a node or searched.
void PipelineGraphView::paint_picture(QPainter& painter) {
    const QScopedValueRollback<double> zoom(scale_, 1.0);
    const QScopedValueRollback<std::string> selection(selected_, std::string());
    const QScopedValueRollback<std::vector<NodeId>> others(selected_too_, std::vector<NodeId>());
    const QScopedValueRollback<QString> search(search_, QString());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(kPictureMargin - layout_.bounds.x, kPictureMargin - layout_.bounds.y);
    Rectangle seen = layout_.bounds;
    if (painter.hasClipping()) { // a page of it; a frame is wider than its node
        const QRectF clip = painter.clipBoundingRect().adjusted(-kPictureMargin, -kPictureMargin,
                                                                kPictureMargin, kPictureMargin);
        seen = {clip.x(), clip.y(), clip.width(), clip.height()};
    }
    paint_graph(painter, picture_theme(), seen);
}

void PipelineGraphView::paint_graph(QPainter& painter, const Theme& t,
                                    const Rectangle& seen) const {
    for (std::size_t g = 0; g < layout_.groups.size(); ++g)
        paint_group(painter, t, g);
    paint_edges(painter, t, seen);
    const bool small_type = legible(small_font(), scale_);
    // after the edges, which would strike them
    for (std::size_t e = 0; small_type && e < layout_.edges.size(); ++e)
        if (layout_.edges[e].label.overlaps(seen))
            paint_edge_label(painter, t, e);
    for (std::size_t g = 0; g < layout_.groups.size(); ++g)
        paint_group_title(painter, t, g);
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n)
        if (layout_.nodes[n].overlaps(seen))
            paint_node(painter, t, n);
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

// After the edges: one runs through it where no room is left beside them. Where its own size could
// not be read it is larger, as names are, if it has the height.
void PipelineGraphView::paint_group_title(QPainter& painter, const Theme& t,
                                          std::size_t group) const {
    const Rectangle& r = layout_.titles[group];
    constexpr double kLeastHeight = 6; // pixels: below, no font is asked, which takes long of many
    if (r.width <= 0 || r.height * scale_ < kLeastHeight)
        return;
    const TextMetrics metrics(small_font());
    const double larger = std::max(1.0, least_legible_zoom(small_font()) / scale_),
                 height = larger * metrics.height(), room = r.width / larger - kTitleMargin;
    if (height > r.height)
        return;
    QString title = group_title(graph_.groups[group].root);
    if (estimate_ && estimate_->seconds)
        for (const model::KernelEstimate& kernel : estimate_->kernels)
            if (kernel.name == graph_.groups[group].root) {
                const auto timed = title + QStringLiteral(" · ") + format_seconds(kernel.seconds);
                if (metrics.width(timed) <= room)
                    title = timed;
            }
    title = metrics.elided(title, Qt::ElideRight, room + 0.5);
    const QRectF line(r.x, r.y + std::min(4.0, r.height - height),
                      larger * (metrics.width(title) + kTitleMargin), height);
    painter.fillRect(line, mix(t.surface, t.mark(Meaning::Thread), 0.05));
    painter.setFont(scaled(small_font(), larger));
    painter.setPen(t.ink(Meaning::Block));
    painter.drawText(line, Qt::AlignCenter | Qt::TextDontClip, title);
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
    if (r.width <= 0)
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
    const bool chosen = is_selected(static_cast<int>(n));
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
    if (graph_.index_of(selected_) == static_cast<int>(n) && hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 1));
        painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 8, 8);
    }
    paint_node_text(painter, t, n, fill);
    painter.setOpacity(1);
}

} // namespace loopscope::views
