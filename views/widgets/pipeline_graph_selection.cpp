// Several nodes of the pipeline graph that are selected at once. The session knows which: nodes are
// marked for what it says, and gestures only ask.

#include "views/style/theme.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QPainter>

#include <algorithm>

namespace loopscope::views {

void PipelineGraphView::set_selected_too(std::vector<NodeId> nodes) {
    if (selected_too_ == nodes)
        return;
    selected_too_ = std::move(nodes);
    show_part(); // the overview marks them, too
}

bool PipelineGraphView::is_selected(int node) const {
    return graph_.index_of(selected_) == node ||
           std::any_of(selected_too_.begin(), selected_too_.end(),
                       [&](const NodeId& id) { return graph_.index_of(id.stage) == node; });
}

NodeId PipelineGraphView::id_of(const std::string& stage) const {
    return whole_.nodes[static_cast<std::size_t>(whole_.index_of(stage))].id;
}

std::vector<NodeId> PipelineGraphView::ids_of(int node) const {
    std::vector<NodeId> ids;
    for (const std::string& stage : graph_.nodes[static_cast<std::size_t>(node)].members)
        ids.push_back(id_of(stage));
    return ids;
}

// What is selected as a loop, elsewhere, is let go as that.
void PipelineGraphView::toggle_selected(int node) {
    const auto ids = ids_of(node);
    if (ids.size() > 1)
        return emit nodesAdded(ids);
    const auto of_stage = [&](const NodeId& id) { return id.stage == ids.front().stage; };
    const auto known = std::find_if(selected_too_.begin(), selected_too_.end(), of_stage);
    emit nodeToggled(of_stage(selected_id_)         ? selected_id_
                     : known == selected_too_.end() ? ids.front()
                                                    : *known);
}

// Those whose nodes the frame touches. Inputs take no directives.
void PipelineGraphView::select_framed() {
    const QPointF low = to_graph(selecting_->topLeft()), high = to_graph(selecting_->bottomRight());
    const Rectangle frame{low.x(), low.y(), high.x() - low.x(), high.y() - low.y()};
    std::vector<NodeId> nodes;
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n)
        if (!graph_.nodes[n].is_input && layout_.nodes[n].overlaps(frame)) {
            const auto ids = ids_of(static_cast<int>(n));
            nodes.insert(nodes.end(), ids.begin(), ids.end());
        }
    update();
    if (!nodes.empty())
        emit nodesSelected(nodes);
}

void PipelineGraphView::select_all_stages() {
    std::vector<NodeId> nodes;
    for (const PipelineNode& node : whole_.nodes)
        if (!node.is_input)
            nodes.push_back(node.id);
    std::stable_partition(nodes.begin(), nodes.end(),
                          [&](const NodeId& id) { return id.stage == selected_; });
    if (!nodes.empty())
        emit nodesSelected(nodes);
}

void PipelineGraphView::paint_frame(QPainter& painter, const Theme& t) const {
    if (!selecting_ || !panning_)
        return;
    QColor inside = t.accent;
    inside.setAlpha(24);
    painter.setPen(QPen(t.accent, 1, Qt::DashLine));
    painter.setBrush(inside);
    painter.drawRect(*selecting_);
}

} // namespace loopscope::views
