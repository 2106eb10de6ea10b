#include "views/geometry/graph_layout.h"

#include "views/geometry/edge_labels.h"
#include "views/geometry/enclosure_titles.h"
#include "views/geometry/graphviz_layout.h"
#include "views/geometry/kept_order.h"
#include "views/geometry/layered_layout.h"
#include "views/geometry/layout_choice.h"

#include <algorithm>

namespace loopscope::views {

namespace {

GraphLayout labelled(const GraphDescription& description, GraphLayout layout, LayoutWork& work) {
    if (work.cancelled())
        return {};
    if (!layout.ok)
        return layout;
    place_titles(description, layout);
    place_edge_labels(description, layout, work);
    if (work.cancelled())
        return {};
    for (const EdgeShape& edge : layout.edges)
        if (edge.label.width > 0)
            layout.bounds = united(layout.bounds, edge.label);
    return layout;
}

// Graphviz' picture, or its mirror image, where that leaves nodes on their sides; else rows of our
// own, which are sorted so.
GraphLayout in_order(const GraphDescription& description, GraphLayout layout, LayoutWork& work) {
    if (description.stood.empty() || work.cancelled() || !layout.ok)
        return layout;
    ChangedSides changed = changed_sides(description, layout);
    if (changed == ChangedSides{})
        return layout;
    GraphLayout turned = mirrored(layout);
    if (const ChangedSides now = changed_sides(description, turned); now < changed) {
        changed = now;
        layout = std::move(turned);
    }
    return changed.within == 0 ? layout : layered_layout(description, work);
}

} // namespace

GraphLayout layout_graph(const GraphDescription& description,
                         const std::function<bool()>& cancelled) {
    if (description.nodes.empty())
        return {};
    LayoutWork work(cancelled);
    if (choose_layout(extent_of(description)).method == LayoutMethod::Layered)
        return labelled(description, layered_layout(description, work), work);
    GraphLayout layout = *graphviz_layout(description, work, GraphvizBusy::Wait);
    return labelled(description, in_order(description, std::move(layout), work), work);
}

std::optional<GraphLayout> layout_at_once(const GraphDescription& description, LayoutTime most) {
    if (description.nodes.empty())
        return GraphLayout{};
    const auto [method, time] = choose_layout(extent_of(description));
    if (time > most)
        return std::nullopt;
    LayoutWork work;
    if (method == LayoutMethod::Layered)
        return labelled(description, layered_layout(description, work), work);
    auto layout = graphviz_layout(description, work, GraphvizBusy::GiveUp);
    if (!layout)
        return std::nullopt;
    return labelled(description, in_order(description, std::move(*layout), work), work);
}

namespace {

constexpr double kSpare = 64; // pixels: more empty room than this is not kept

bool fits(double room, double wanted) {
    return wanted <= room && room - wanted <= kSpare && (wanted > 0) == (room > 0);
}

// The same nodes and edges, whatever is written on them.
bool same_shape(const GraphDescription& a, const GraphDescription& b) {
    return a.groups == b.groups && a.group_title_height == b.group_title_height &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](const GraphNodeSize& x, const GraphNodeSize& y) {
                          return x.group == y.group && x.height == y.height;
                      }) &&
           std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(),
                      [](const GraphEdgeEnds& x, const GraphEdgeEnds& y) {
                          return x.from == y.from && x.to == y.to &&
                                 x.label_height == y.label_height;
                      });
}

} // namespace

bool has_room_for(const GraphDescription& laid_out, const GraphDescription& now) {
    if (!same_shape(laid_out, now) || laid_out.titles.size() != now.titles.size())
        return false;
    for (std::size_t i = 0; i < now.nodes.size(); ++i)
        if (!fits(laid_out.nodes[i].width, now.nodes[i].width))
            return false;
    for (std::size_t i = 0; i < now.edges.size(); ++i)
        if (!fits(laid_out.edges[i].label_width, now.edges[i].label_width))
            return false;
    for (std::size_t i = 0; i < now.titles.size(); ++i)
        if (!fits(laid_out.titles[i].width, now.titles[i].width) ||
            !fits(laid_out.titles[i].least_width, now.titles[i].least_width))
            return false;
    return true;
}

GraphDescription with_room(const GraphDescription& laid_out, GraphDescription now) {
    constexpr double kTwoDigits = 14; // pixels
    if (!same_shape(laid_out, now))
        return now;
    const auto widen = [](double room, double& wanted) {
        if (fits(room, wanted))
            wanted = room;
        else if (wanted > room && room > 0)
            wanted += kTwoDigits;
    };
    for (std::size_t i = 0; i < now.nodes.size(); ++i)
        widen(laid_out.nodes[i].width, now.nodes[i].width);
    for (std::size_t i = 0; i < now.edges.size(); ++i)
        widen(laid_out.edges[i].label_width, now.edges[i].label_width);
    return now;
}

int node_at(const GraphLayout& layout, Point point) {
    for (std::size_t i = 0; i < layout.nodes.size(); ++i)
        if (layout.nodes[i].contains(point))
            return static_cast<int>(i);
    return -1;
}

} // namespace loopscope::views
