#include "tests/support/comma_locale.h"
#include "views/geometry/graph_layout.h"

#include "views/geometry/passing_edges.h"

#include <gtest/gtest.h>

#include <thread>

namespace loopscope::views {

namespace {

// A diamond: 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3; 1 and 2 in one enclosure.
GraphDescription diamond() {
    GraphDescription g;
    g.nodes = {{100, 36, -1}, {90, 36, 0}, {80, 36, 0}, {100, 36, -1}};
    g.edges = {{0, 1, 40, 12}, {0, 2, 40, 12}, {1, 3, 40, 12}, {2, 3, 0, 0}};
    g.groups = 1;
    return g;
}

bool close(double a, double b, double by) { return std::abs(a - b) <= by; }

} // namespace

TEST(GraphLayout, NodesKeepTheirSizesAndDoNotOverlap) {
    const GraphDescription g = diamond();
    const GraphLayout layout = layout_graph(g);
    ASSERT_TRUE(layout.ok);
    ASSERT_EQ(layout.nodes.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_DOUBLE_EQ(layout.nodes[i].width, g.nodes[i].width);
        EXPECT_DOUBLE_EQ(layout.nodes[i].height, g.nodes[i].height);
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_FALSE(layout.nodes[i].overlaps(layout.nodes[j])) << i << " and " << j;
    }
}

TEST(GraphLayout, DataFlowsDownwards) {
    const GraphLayout layout = layout_graph(diamond());
    EXPECT_LT(layout.nodes[0].bottom(), layout.nodes[1].y);
    EXPECT_LT(layout.nodes[1].bottom(), layout.nodes[3].y);
    EXPECT_LT(layout.nodes[2].bottom(), layout.nodes[3].y);
}

TEST(GraphLayout, EdgesRunFromNodeToNode) {
    const GraphDescription g = diamond();
    const GraphLayout layout = layout_graph(g);
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const auto& curve = layout.edges[e].curve;
        ASSERT_GE(curve.size(), 4u);
        EXPECT_EQ(curve.size() % 3, 1u);
        const Rectangle from = layout.nodes[static_cast<std::size_t>(g.edges[e].from)],
                        to = layout.nodes[static_cast<std::size_t>(g.edges[e].to)];
        EXPECT_TRUE(from.grown(3).contains(curve.front()));
        EXPECT_TRUE(to.grown(3).contains(curve.back()));
        EXPECT_TRUE(close(curve.back().y, to.y, 3)) << "enters from above";
    }
}

TEST(GraphLayout, EnclosuresHoldTheirNodesAndNoOthers) {
    const GraphLayout layout = layout_graph(diamond());
    ASSERT_EQ(layout.groups.size(), 1u);
    const Rectangle group = layout.groups[0];
    for (int inside : {1, 2}) {
        EXPECT_GE(layout.nodes[static_cast<std::size_t>(inside)].y, group.y + 14)
            << "the title has room";
        EXPECT_LE(layout.nodes[static_cast<std::size_t>(inside)].right(), group.right());
    }
    EXPECT_FALSE(group.overlaps(layout.nodes[0]));
    EXPECT_FALSE(group.overlaps(layout.nodes[3]));
}

TEST(GraphLayout, LabelsStandFree) {
    const GraphLayout layout = layout_graph(diamond());
    EXPECT_EQ(layout.edges[3].label.width, 0);
    for (std::size_t e = 0; e < 3; ++e) {
        const Rectangle label = layout.edges[e].label;
        // no free place was found: better none than one on a node
        if (label.width == 0)
            continue;
        for (const Rectangle& node : layout.nodes)
            EXPECT_FALSE(label.overlaps(node));
        for (std::size_t f = 0; f < e; ++f)
            EXPECT_FALSE(layout.edges[f].label.width > 0 && label.overlaps(layout.edges[f].label));
    }
}

// A text narrower than its room is drawn at the side where the edge passes: that side must be known
// rightly.
TEST(GraphLayout, LabelsKnowTheSideOfTheirEdge) {
    GraphDescription g = diamond();
    for (double width : {10.0, 40.0, 90.0, 200.0}) {
        for (GraphEdgeEnds& ends : g.edges)
            ends.label_width = width, ends.label_height = 12;
        const GraphLayout layout = layout_graph(g);
        int placed = 0;
        for (const EdgeShape& edge : layout.edges) {
            const Rectangle& label = edge.label;
            if (label.width == 0)
                continue;
            ++placed;
            double left = 1e9, right = -1e9; // of the edge, where it passes the label
            for (const Point& p : points_along(edge.curve, 1))
                if (p.y >= label.y && p.y <= label.bottom())
                    left = std::min(left, p.x), right = std::max(right, p.x);
            // it found a place near the edge's end only
            if (left > right)
                continue;
            if (edge.label_on_left)
                EXPECT_LT(label.x + label.width / 2, left) << width;
            else
                EXPECT_GT(label.x + label.width / 2, right) << width;
        }
        EXPECT_GE(placed, 2) << width;
    }
}

TEST(GraphLayout, IsAPureFunction) {
    const GraphLayout a = layout_graph(diamond()), b = layout_graph(diamond());
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        EXPECT_EQ(a.nodes[i].x, b.nodes[i].x);
        EXPECT_EQ(a.nodes[i].y, b.nodes[i].y);
    }
}

TEST(GraphLayout, OneServesWhatHasRoomInIt) {
    const GraphDescription g = diamond();
    auto changed = [&](auto change) {
        GraphDescription other = g;
        change(other);
        return has_room_for(g, other);
    };
    EXPECT_TRUE(has_room_for(g, g));
    EXPECT_TRUE(changed([](auto& o) { o.nodes[1].width = 70; }));
    EXPECT_TRUE(changed([](auto& o) { o.edges[0].label_width = 20; }));
    EXPECT_FALSE(changed([](auto& o) { o.nodes[1].width = 91; })) << "a text would be cut";
    EXPECT_FALSE(changed([](auto& o) { o.edges[0].label_width = 41; }));
    EXPECT_FALSE(changed([](auto& o) { o.nodes[0].width = 30; })) << "most of it would be empty";
    EXPECT_FALSE(changed([](auto& o) { o.edges[0].label_width = 0; })) << "nothing is stored now";
    EXPECT_FALSE(changed([](auto& o) { o.edges[3].label_width = 8; }));
    EXPECT_FALSE(changed([](auto& o) { o.edges[3].from = 1; }));
    EXPECT_FALSE(changed([](auto& o) { o.edges.pop_back(); }));
    EXPECT_FALSE(changed([](auto& o) { o.nodes.push_back({100, 36, -1}); }));
    EXPECT_FALSE(changed([](auto& o) { o.nodes[2].group = -1; }));
    EXPECT_FALSE(changed([](auto& o) { o.nodes[2].height = 20; }));
    EXPECT_FALSE(changed([](auto& o) { o.titles.push_back({50, 20}); }));
}

TEST(GraphLayout, WhatOutgrewItsRoomGetsMore) {
    const GraphDescription g = diamond();
    GraphDescription grown = g;
    grown.nodes[1].width = 93;
    grown.nodes[2].width = 50;
    grown.nodes[0].width = 20;
    const GraphDescription room = with_room(g, grown);
    EXPECT_GT(room.nodes[1].width, 93 + 6) << "for a digit more";
    EXPECT_EQ(room.nodes[2].width, 80) << "what fits stays";
    EXPECT_EQ(room.nodes[0].width, 20) << "and what is far too wide does not";
    EXPECT_TRUE(has_room_for(room, grown));
    grown.edges.pop_back();
    EXPECT_EQ(with_room(g, grown), grown) << "another graph";
}

TEST(GraphLayout, EmptyAndSingle) {
    EXPECT_TRUE(layout_graph({}).nodes.empty());
    GraphDescription one;
    one.nodes = {{50, 20, -1}};
    const GraphLayout layout = layout_graph(one);
    ASSERT_EQ(layout.nodes.size(), 1u);
    EXPECT_EQ(node_at(layout, layout.nodes[0].centre()), 0);
    EXPECT_EQ(node_at(layout, {-5, -5}), -1);
}

namespace {
// Does an edge run through a rectangle? By many points of its curves.
bool crossed(const GraphLayout& layout, const Rectangle& place) {
    for (const EdgeShape& edge : layout.edges)
        for (std::size_t at = 0; at + 3 < edge.curve.size(); at += 3)
            for (int step = 0; step <= 200; ++step) {
                const double t = step / 200.0, s = 1 - t;
                auto blend = [&](double Point::* c) {
                    return s * s * s * (edge.curve[at].*c) +
                           3 * s * s * t * (edge.curve[at + 1].*c) +
                           3 * s * t * t * (edge.curve[at + 2].*c) +
                           t * t * t * (edge.curve[at + 3].*c);
                };
                if (place.contains({blend(&Point::x), blend(&Point::y)}))
                    return true;
            }
    return false;
}
} // namespace

TEST(GraphLayout, TitlesStandBesideTheEdges) {
    for (const double width : {30.0, 80.0, 140.0, 300.0}) {
        // One column, where an edge runs down the middle of both enclosures.
        GraphDescription column;
        column.nodes = {{100, 36, -1}, {110, 36, 0}, {90, 36, 0}, {120, 36, 1}};
        column.edges = {{0, 1, 40, 12}, {1, 2, 40, 12}, {2, 3, 40, 12}};
        column.groups = 2;
        column.titles = {{width, width}, {width, width}};
        GraphDescription wide = diamond();
        wide.titles = {{width, width}};
        for (const GraphDescription& g : {column, wide}) {
            const GraphLayout layout = layout_graph(g);
            ASSERT_EQ(layout.titles.size(), layout.groups.size());
            for (std::size_t i = 0; i < layout.titles.size(); ++i) {
                const Rectangle title = layout.titles[i], group = layout.groups[i];
                EXPECT_GE(title.width, width);
                EXPECT_FALSE(crossed(layout, title)) << width << ", enclosure " << i;
                EXPECT_GE(title.x, group.x);
                EXPECT_LE(title.right(), group.right());
                EXPECT_GE(title.y, group.y);
                for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
                    EXPECT_FALSE(title.overlaps(layout.nodes[n]));
                    EXPECT_TRUE(g.nodes[n].group == static_cast<int>(i) ||
                                !group.overlaps(layout.nodes[n]))
                        << "a stranger's node";
                }
                for (const EdgeShape& edge : layout.edges)
                    EXPECT_FALSE(edge.label.width > 0 && edge.label.overlaps(title));
            }
            for (std::size_t i = 1; i < layout.groups.size(); ++i)
                EXPECT_FALSE(layout.groups[i].overlaps(layout.groups[i - 1]));
            EXPECT_LE(layout.bounds.x, layout.groups[0].x);
            EXPECT_GE(layout.bounds.right(), layout.groups[0].right());
        }
    }
}

// Strangers on both sides: the title stays in its enclosure, where it is cut.
TEST(GraphLayout, ATitleWithoutRoomStaysInside) {
    GraphDescription g;
    g.nodes = {{60, 30, -1}, {60, 30, -1}, {60, 30, 0}, {60, 30, -1}, {60, 30, -1}};
    g.edges = {{0, 1, 0, 0}, {0, 2, 0, 0}, {0, 3, 0, 0}, {1, 4, 0, 0}, {2, 4, 0, 0}, {3, 4, 0, 0}};
    g.groups = 1;
    for (const double least : {20.0, 900.0}) {
        g.titles = {{900, least}};
        const GraphLayout layout = layout_graph(g);
        const Rectangle title = layout.titles.at(0), group = layout.groups.at(0);
        EXPECT_EQ(crossed(layout, title), least > 100) << "what must be said has room";
        EXPECT_GE(title.x, group.x);
        EXPECT_LE(title.right(), group.right());
        for (int n : {0, 1, 3, 4})
            EXPECT_FALSE(group.overlaps(layout.nodes[static_cast<std::size_t>(n)]));
    }
}

TEST(GraphLayout, ACommaAsDecimalSignChangesNothing) {
    const GraphLayout before = layout_graph(diamond());
    const loopscope::test::CommaLocale german;
    if (!german.made())
        GTEST_SKIP() << "no locale with a decimal comma can be made here (package locales)";
    const GraphLayout after = layout_graph(diamond());
    ASSERT_EQ(after.nodes.size(), before.nodes.size());
    for (std::size_t n = 0; n < before.nodes.size(); ++n) {
        EXPECT_DOUBLE_EQ(after.nodes[n].x, before.nodes[n].x);
        EXPECT_DOUBLE_EQ(after.nodes[n].y, before.nodes[n].y);
        for (std::size_t m = 0; m < n; ++m)
            EXPECT_FALSE(after.nodes[n].overlaps(after.nodes[m]));
    }
    EXPECT_DOUBLE_EQ(after.bounds.width, before.bounds.width);
    EXPECT_DOUBLE_EQ(after.bounds.height, before.bounds.height);
}

TEST(GraphLayout, ThreadsTakeTurns) {
    std::vector<GraphLayout> results(4);
    std::vector<std::thread> threads;
    for (auto& result : results)
        threads.emplace_back([&result] { result = layout_graph(diamond()); });
    for (auto& thread : threads)
        thread.join();
    for (const auto& result : results)
        EXPECT_DOUBLE_EQ(result.bounds.width, results[0].bounds.width);
}

} // namespace loopscope::views
