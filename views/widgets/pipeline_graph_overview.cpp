// The overview in a corner of the pipeline graph: when it is there, where, and what is drawn in it.

#include "views/style/theme.h"
#include "views/widgets/graph_overview.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QPainter>

#include <algorithm>
#include <set>

namespace loopscope::views {

namespace {
constexpr int kLeastWidth = 200, kLeastHeight = 180; // of the view: else there is no room to spare
constexpr double kRoomShare = 0.3;                   // of the view's sides, at most
constexpr int kMostSide = 170;                       // pixels
constexpr double kSlack = 0.5;                       // pixels that may be out of sight
} // namespace

void PipelineGraphView::set_overview_shown(bool shown) {
    if (overview_wanted_ == shown)
        return;
    overview_wanted_ = shown;
    place_overview();
    emit overviewShown(shown);
}

bool PipelineGraphView::laid_out() const {
    return !graph_.nodes.empty() && layout_.nodes.size() == graph_.nodes.size();
}

Rectangle PipelineGraphView::part_in_sight() const {
    const QPointF low = to_graph({0, 0}), high = to_graph(QPointF(width(), height()));
    return {low.x(), low.y(), high.x() - low.x(), high.y() - low.y()};
}

bool PipelineGraphView::all_in_sight() const {
    const Rectangle seen = part_in_sight().grown(kSlack / scale_), &all = layout_.bounds;
    return seen.contains({all.x, all.y}) && seen.contains({all.right(), all.bottom()});
}

void PipelineGraphView::show_part() {
    place_overview();
    update();
}

void PipelineGraphView::renew_overview() {
    if (laid_out()) // else what it shows is of the graph as it was, as all of the view is
        overview_->renew();
}

void PipelineGraphView::place_overview() {
    const bool has_room = width() >= kLeastWidth && height() >= kLeastHeight;
    if (overview_wanted_ && has_room && !laid_out() && former_)
        return; // it stays with the picture of the graph as it was
    if (!overview_wanted_ || !has_room || !laid_out() || layout_.bounds.width <= 0 ||
        layout_.bounds.height <= 0 || all_in_sight()) {
        overview_->hide();
        return;
    }
    const auto room = [](int side) {
        return std::min(kMostSide, static_cast<int>(kRoomShare * side));
    };
    overview_->resize(GraphOverview::size_for(layout_.bounds, {room(width()), room(height())}));
    if (!overview_->held() || overview_->isHidden())
        overview_->move(overview_corner());
    overview_->show_part(layout_.bounds, part_in_sight());
    overview_->show_selected(selected_places());
    overview_->show();
}

// In the graph's coordinates; several stages of a folded group are one.
std::vector<Rectangle> PipelineGraphView::selected_places() const {
    std::set<int> nodes{graph_.index_of(selected_)};
    for (const NodeId& id : selected_too_)
        nodes.insert(graph_.index_of(id.stage));
    nodes.erase(-1);
    std::vector<Rectangle> places;
    for (const int node : nodes)
        places.push_back(layout_.nodes[static_cast<std::size_t>(node)]);
    return places;
}

// At the right; at the left where it would cover the selected node.
QPoint PipelineGraphView::overview_corner() const {
    const int top = height() - overview_->height() - kGap;
    const QPoint left(kGap, top), right(width() - overview_->width() - kGap, top);
    const QRectF selected = node_rectangle(selected_);
    const auto covers = [&](const QPoint& corner) {
        return QRectF(corner, overview_->size()).intersects(selected);
    };
    return covers(right) && !covers(left) ? left : right;
}

// A mark for each node and each enclosure, wide enough to be seen; no edges and no text.
void PipelineGraphView::paint_marks(QPainter& painter, double pixel) const {
    const Theme& t = theme_of(*this);
    painter.setPen(Qt::NoPen);
    const auto mark = [&](const Rectangle& r, const QColor& colour) {
        painter.fillRect(
            QRectF(r.x, r.y, std::max(r.width, 2 * pixel), std::max(r.height, 1.5 * pixel)),
            colour);
    };
    for (const Rectangle& group : layout_.groups)
        if (group.width > 0)
            mark(group, mix(t.window, t.mark(Meaning::Thread), 0.25));
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n) {
        const PipelineNode& node = graph_.nodes[n];
        const QColor plain = mix(t.window, t.faint, 0.6);
        const double share = share_of(node);
        const QColor full =
            share > 0 ? mix(plain, t.mark(Meaning::Pipelined), 0.4 + 0.6 * share) : plain;
        mark(layout_.nodes[n], faded(node) ? mix(t.window, full, 0.3) : full);
    }
}

} // namespace loopscope::views
