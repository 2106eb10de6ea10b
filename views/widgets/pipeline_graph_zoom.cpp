// Which part of the pipeline graph is shown, and how large.

#include "views/style/fonts.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QCursor>

#include <algorithm>

namespace loopscope::views {

namespace {
constexpr double kMinZoom = 0.002, kMaxZoom = 4, kMaxFit = 1.15;
constexpr double kGraphMargin = 14;
// Zooms: below the first a whole graph is too crowded to work in; the least that a part is shown
// at.
constexpr double kCrowded = 0.45, kReading = 0.8;
} // namespace

void PipelineGraphView::zoom_to_fit() {
    fitted_ = true;
    partial_ = false;
    const Rectangle& b = layout_.bounds;
    if (b.width <= 0 || b.height <= 0 || width() < 4 * kGraphMargin || height() < 4 * kGraphMargin)
        return;
    scale_ = std::clamp(
        std::min((width() - 2 * kGraphMargin) / b.width, (height() - 2 * kGraphMargin) / b.height),
        kMinZoom, kMaxFit);
    offset_ = QPointF(width() / 2.0, height() / 2.0) - QPointF(b.centre().x, b.centre().y) * scale_;
    update();
}

// The whole graph, as large as it can be; of one that could not be read so, a part.
void PipelineGraphView::frame() {
    zoom_to_fit();
    if (layout_.nodes.empty() || (scale_ >= kCrowded && all_names_legible()))
        return;
    const Point centre = layout_.nodes[framed_node()].centre();
    scale_ = std::max(kReading, least_legible_zoom(small_font()));
    partial_ = true;
    // No room is left empty beyond an end of the graph while its other end is out of sight.
    const auto begin = [this](double middle, double low, double length, int room) {
        if (length * scale_ + 2 * kGraphMargin <= room)
            return room / 2.0 - (low + length / 2) * scale_;
        return std::clamp(room / 2.0 - middle * scale_,
                          room - kGraphMargin - (low + length) * scale_,
                          kGraphMargin - low * scale_);
    };
    const Rectangle& b = layout_.bounds;
    offset_ =
        QPointF(begin(centre.x, b.x, b.width, width()), begin(centre.y, b.y, b.height, height()));
}

// What a part of the graph is shown around: the selection or, at first, what stands highest.
std::size_t PipelineGraphView::framed_node() const {
    const int chosen = framing_ == Framing::Selection ? graph_.index_of(selected_) : -1;
    if (chosen >= 0 && static_cast<std::size_t>(chosen) < layout_.nodes.size())
        return static_cast<std::size_t>(chosen);
    const auto highest =
        std::min_element(layout_.nodes.begin(), layout_.nodes.end(),
                         [](const Rectangle& a, const Rectangle& b) { return a.y < b.y; });
    return static_cast<std::size_t>(highest - layout_.nodes.begin());
}

void PipelineGraphView::show_selected() {
    const int node = graph_.index_of(selected_);
    if (node < 0)
        return;
    framing_ = Framing::Selection;
    if (!fitted_)
        bring_into_view(node);
    else if (partial_)
        frame();
}

void PipelineGraphView::zoom_by(double factor) {
    const QPointF anchor =
        underMouse() ? QPointF(mapFromGlobal(QCursor::pos())) : QPointF(rect().center());
    const QPointF fixed = to_graph(anchor);
    scale_ = std::clamp(scale_ * factor, kMinZoom, kMaxZoom);
    offset_ = anchor - fixed * scale_;
    fitted_ = false;
    update();
}

void PipelineGraphView::bring_into_view(int node) {
    if (static_cast<std::size_t>(node) >= layout_.nodes.size())
        return;
    const QRectF r = node_rectangle(graph_.nodes[static_cast<std::size_t>(node)].members.front());
    if (QRectF(rect()).adjusted(8, 8, -8, -8).contains(r))
        return;
    fitted_ = false;
    offset_ += QPointF(rect().center()) - r.center();
    update();
}

} // namespace loopscope::views
