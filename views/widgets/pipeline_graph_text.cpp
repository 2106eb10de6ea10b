// What is written on the nodes of the pipeline graph: as much as can be read at its zoom.

#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QFontInfo>
#include <QPainter>

#include <algorithm>

namespace loopscope::views {

namespace {
// How much larger than in its own size a name is drawn where that could not be read.
double name_scale(double zoom) { return std::max(1.0, least_legible_zoom(bold_font()) / zoom); }
} // namespace

QString PipelineGraphView::shown_name(const PipelineNode& node) {
    return TextMetrics(bold_font()).elided(node.name, Qt::ElideMiddle, kWidestName);
}

QString PipelineGraphView::shown_detail(const PipelineNode& node) {
    return TextMetrics(small_font()).elided(node.detail, Qt::ElideMiddle, kWidestName + 60);
}

double PipelineGraphView::room_for_name(std::size_t node) const {
    const double marks = mark_in(static_cast<int>(node)).isEmpty() ? 0 : 2 * kFoldMarkRoom;
    return layout_.nodes[node].width - 8 - marks;
}

// Where its own size could not be read the name stands alone, larger, and is cut where it has no
// room; where not even a line has, nothing is written.
PipelineGraphView::NodeText PipelineGraphView::node_text(std::size_t node) const {
    const double own = QFontInfo(bold_font()).pixelSize();
    const QString name = shown_name(graph_.nodes[node]);
    if (legible(bold_font(), scale_))
        return {name, own * scale_, legible(small_font(), scale_)};
    const TextMetrics metrics(bold_font());
    const double larger = name_scale(scale_);
    if (metrics.height() * larger > layout_.nodes[node].height)
        return {};
    const QString cut = metrics.elided(name, Qt::ElideMiddle, room_for_name(node) / larger);
    constexpr int kLeastLetters = 4; // of a cut name: fewer say nothing
    if (cut != name && cut.size() < kLeastLetters)
        return {};
    return {cut, own * larger * scale_, false};
}

PipelineGraphView::NodeText PipelineGraphView::text_on(const std::string& stage) const {
    const int node = graph_.index_of(stage);
    if (node < 0 || static_cast<std::size_t>(node) >= layout_.nodes.size())
        return {};
    return node_text(static_cast<std::size_t>(node));
}

bool PipelineGraphView::all_names_legible() const {
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n)
        if (node_text(n).name != shown_name(graph_.nodes[n]))
            return false;
    return true;
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

void PipelineGraphView::paint_node_text(QPainter& painter, const Theme& t, std::size_t n,
                                        const QColor& fill) const {
    const PipelineNode& node = graph_.nodes[n];
    const Rectangle& r = layout_.nodes[n];
    if (r.height * scale_ < kLeastTextPixels) // of thousands of nodes no fonts are asked
        return;
    const QRectF box = QRectF(r.x, r.y, r.width, r.height).adjusted(0.5, 0.5, -0.5, -0.5);
    const QColor text = readable_on(t.text, fill),
                 second = readable_on(mix(t.faint, t.text, 0.2), fill);
    paint_fold_mark(painter, mark_in(static_cast<int>(n)), !node.folded.empty(), second);
    if (!legible(bold_font(), scale_)) {
        const QString name = node_text(n).name;
        if (name.isEmpty())
            return;
        const double room = room_for_name(n);
        paint_first_line(painter, node, name, name_scale(scale_),
                         QRectF(box.center().x() - room / 2, box.y(), room, box.height()),
                         node.inlined ? second : text, second);
        return;
    }
    const bool detail = legible(small_font(), scale_);
    const QRectF first(box.x() + 8, detail ? box.y() + 3 : box.y(), box.width() - 16,
                       detail ? TextMetrics(bold_font()).height() : box.height());
    paint_first_line(painter, node, shown_name(node), 1, first, node.inlined ? second : text,
                     second);
    if (!detail)
        return;
    painter.setFont(small_font());
    painter.drawText(
        QRectF(box.x(), first.bottom(), box.width(), box.bottom() - first.bottom() - 3),
        Qt::AlignCenter, shown_detail(node));
}

// The name and, beside it where there is room, the share of the time.
void PipelineGraphView::paint_first_line(QPainter& painter, const PipelineNode& node,
                                         const QString& name, double larger, const QRectF& line,
                                         const QColor& name_colour,
                                         const QColor& share_colour) const {
    const double share = share_of(node);
    const QString percent = share >= 0.005 ? format_share(share) : QString();
    const double name_width = larger * TextMetrics(bold_font()).width(name),
                 beside = larger * (6 + TextMetrics(text_font()).width(percent));
    // At its own size the layout keeps room for it.
    const bool with_share =
        !percent.isEmpty() && (larger == 1 || name_width + beside <= line.width());
    const double x = line.center().x() - (name_width + (with_share ? beside : 0)) / 2;
    const int flags = Qt::AlignVCenter | Qt::TextDontClip;
    painter.setFont(scaled(bold_font(), larger));
    painter.setPen(name_colour);
    painter.drawText(QRectF(x, line.y(), name_width + 1, line.height()), flags, name);
    if (!with_share)
        return;
    painter.setFont(scaled(text_font(), larger));
    painter.setPen(share_colour);
    painter.drawText(QRectF(x + name_width + larger * 6, line.y(), beside, line.height()), flags,
                     percent);
}

} // namespace loopscope::views
