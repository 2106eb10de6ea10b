// Which part of the pipeline graph is shown, and how large.

#include "views/style/fonts.h"
#include "views/widgets/graph_overview.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QCursor>
#include <QKeyEvent>

#include <algorithm>
#include <vector>

namespace loopscope::views {

namespace {
constexpr double kMinZoom = 0.002, kMaxZoom = 4, kMaxFit = 1.15;
constexpr double kGraphMargin = 14;
// Zooms: below the first a whole graph is too crowded to work in; the least that a part is shown
// at.
constexpr double kCrowded = 0.45, kReading = 0.8;
constexpr double kPanStep = 0.25, kPageStep = 0.9; // of the view's sides, for one key
} // namespace

void PipelineGraphView::zoom_to_fit() {
    fit();
    show_part();
}

void PipelineGraphView::fit() {
    fitted_ = true;
    partial_ = false;
    const Rectangle& b = layout_.bounds;
    if (b.width <= 0 || b.height <= 0 || width() < 4 * kGraphMargin || height() < 4 * kGraphMargin)
        return;
    scale_ = std::clamp(
        std::min((width() - 2 * kGraphMargin) / b.width, (height() - 2 * kGraphMargin) / b.height),
        kMinZoom, kMaxFit);
    offset_ = QPointF(width() / 2.0, height() / 2.0) - QPointF(b.centre().x, b.centre().y) * scale_;
}

// The whole graph, as large as it can be; of one that could not be read so, a part.
void PipelineGraphView::frame() {
    fit();
    if (!layout_.nodes.empty() && (scale_ < kCrowded || !all_names_legible()))
        frame_part();
    show_part();
}

void PipelineGraphView::frame_part() {
    scale_ = std::max(kReading, least_legible_zoom(small_font()));
    partial_ = true;
    const int chosen = framing_ == Framing::Selection ? graph_.index_of(selected_) : -1;
    if (chosen >= 0 && static_cast<std::size_t>(chosen) < layout_.nodes.size())
        place_around(static_cast<std::size_t>(chosen));
    else
        place_beginning();
}

namespace {

// The graph, or a node, along one axis.
struct GraphSpan {
    double low = 0, length = 0;
    double high() const { return low + length; }
};

// Where the graph's 0 is in the view, so that the middle of `part` is in its middle. No room is
// left empty beyond an end of the graph while its other end is out of sight.
double offset_around(const GraphSpan& all, const GraphSpan& part, double zoom, int room) {
    if (all.length * zoom + 2 * kGraphMargin <= room)
        return room / 2.0 - (all.low + all.length / 2) * zoom;
    return std::clamp(room / 2.0 - (part.low + part.length / 2) * zoom,
                      room - kGraphMargin - all.high() * zoom, kGraphMargin - all.low * zoom);
}

// So that the graph begins at the view's edge; where `part` would then not be in sight, so that
// this does.
double offset_from(const GraphSpan& all, const GraphSpan& part, double zoom, int room) {
    if (all.length * zoom + 2 * kGraphMargin <= room)
        return offset_around(all, part, zoom, room);
    const bool with_part = (part.high() - all.low) * zoom + 2 * kGraphMargin <= room;
    return std::max(kGraphMargin - (with_part ? all : part).low * zoom,
                    room - kGraphMargin - all.high() * zoom);
}

GraphSpan span_across(const Rectangle& r) { return {r.x, r.width}; }
GraphSpan span_down(const Rectangle& r) { return {r.y, r.height}; }

} // namespace

void PipelineGraphView::place_around(std::size_t node) {
    const Rectangle &all = layout_.bounds, &part = layout_.nodes[node];
    offset_ = {offset_around(span_across(all), span_across(part), scale_, width()),
               offset_around(span_down(all), span_down(part), scale_, height())};
}

void PipelineGraphView::place_beginning() {
    const Rectangle &all = layout_.bounds, &part = layout_.nodes[first_node()];
    offset_ = {offset_from(span_across(all), span_across(part), scale_, width()),
               offset_from(span_down(all), span_down(part), scale_, height())};
}

// The highest input, and the leftmost of those beside it; of stages where nothing is an input.
std::size_t PipelineGraphView::first_node() const {
    std::vector<std::size_t> inputs;
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n)
        if (graph_.nodes[n].is_input)
            inputs.push_back(n);
    for (std::size_t n = 0; inputs.empty() && n < layout_.nodes.size(); ++n)
        inputs.push_back(n);
    const auto highest =
        *std::min_element(inputs.begin(), inputs.end(), [this](std::size_t a, std::size_t b) {
            return layout_.nodes[a].y < layout_.nodes[b].y;
        });
    std::size_t first = highest;
    for (const std::size_t n : inputs)
        if (layout_.nodes[n].y < layout_.nodes[highest].bottom() &&
            layout_.nodes[n].x < layout_.nodes[first].x)
            first = n;
    return first;
}

void PipelineGraphView::show_beginning() {
    if (!laid_out())
        return;
    fitted_ = false;
    place_beginning();
    show_part();
}

void PipelineGraphView::show_end() {
    if (!laid_out())
        return;
    const auto& nodes = layout_.nodes;
    const auto lowest =
        std::max_element(nodes.begin(), nodes.end(), [](const Rectangle& a, const Rectangle& b) {
            return a.bottom() < b.bottom();
        });
    fitted_ = false;
    place_around(static_cast<std::size_t>(lowest - nodes.begin()));
    show_part();
}

// The middle of the view never leaves the graph.
void PipelineGraphView::show_centre(const QPointF& in_graph) {
    if (!laid_out())
        return;
    const Rectangle& all = layout_.bounds;
    const QPointF middle(std::clamp(in_graph.x(), all.x, all.right()),
                         std::clamp(in_graph.y(), all.y, all.bottom()));
    fitted_ = false;
    offset_ = QPointF(width() / 2.0, height() / 2.0) - middle * scale_;
    show_part();
}

bool PipelineGraphView::pan_by_key(const QKeyEvent& event) {
    const Qt::KeyboardModifiers held =
        event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::ShiftModifier);
    QPointF steps; // of the view's sides
    switch (event.key()) {
    case Qt::Key_Left: steps = {-kPanStep, 0}; break;
    case Qt::Key_Right: steps = {kPanStep, 0}; break;
    case Qt::Key_Up: steps = {0, -kPanStep}; break;
    case Qt::Key_Down: steps = {0, kPanStep}; break;
    case Qt::Key_PageUp: steps = {0, -kPageStep}; break;
    case Qt::Key_PageDown: steps = {0, kPageStep}; break;
    case Qt::Key_Home:
    case Qt::Key_End: break;
    default: return false;
    }
    const bool arrow = event.key() >= Qt::Key_Left && event.key() <= Qt::Key_Down;
    if (held != (arrow ? Qt::ControlModifier : Qt::NoModifier))
        return false;
    if (all_in_sight()) // there is nowhere to go
        return true;
    if (event.key() == Qt::Key_Home)
        show_beginning();
    else if (event.key() == Qt::Key_End)
        show_end();
    else
        show_centre(to_graph(QPointF((0.5 + steps.x()) * width(), (0.5 + steps.y()) * height())));
    return true;
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
    const bool pointed = underMouse() && !overview_->underMouse();
    const QPointF anchor =
        pointed ? QPointF(mapFromGlobal(QCursor::pos())) : QPointF(rect().center());
    const QPointF fixed = to_graph(anchor);
    scale_ = std::clamp(scale_ * factor, kMinZoom, kMaxZoom);
    offset_ = anchor - fixed * scale_;
    fitted_ = false;
    show_part();
}

void PipelineGraphView::bring_into_view(int node) {
    if (node < 0)
        return;
    if (!laid_out()) {
        wanted_in_view_ = true;
        return;
    }
    const QRectF r = node_rectangle(graph_.nodes[static_cast<std::size_t>(node)].members.front());
    if (QRectF(rect()).adjusted(8, 8, -8, -8).contains(r))
        return;
    fitted_ = false;
    offset_ += QPointF(rect().center()) - r.center();
    show_part();
}

} // namespace loopscope::views
