// The layout of large graphs: what it promises of any graph, on random ones and on those that are
// hard, and what it takes, in steps.

#include "tests/views/sample_graphs.h"
#include "views/geometry/layered_layout.h"
#include "views/geometry/passing_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace loopscope::views::test {

namespace {

GraphLayout laid_out(const GraphDescription& g) {
    LayoutWork work;
    return layered_layout(g, work);
}

// Whole runs of nodes in enclosures, so that what is between them is acyclic.
GraphDescription enclosed_runs(GraphDescription g, int length) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
        const int run = static_cast<int>(n) / length;
        g.nodes[n].group = run % 2 == 0 ? run / 2 : -1;
        g.groups = std::max(g.groups, run / 2 + 1);
    }
    return g;
}

std::vector<GraphDescription> hard_graphs() {
    return {chain_with_common_input(100),
            chain_with_common_input(150),
            all_read_all(40),
            chain_with_skips(120, 7),
            chain_with_skips(60, 2),
            chain_of_blocks(30),
            enclosed_runs(all_read_all(20), 5),
            enclosed_runs(chain_with_skips(80, 9), 4),
            enclosed_runs(chain_with_common_input(30), 8)};
}

void expect_nodes_in_their_places(const GraphDescription& g, const GraphLayout& layout) {
    ASSERT_EQ(layout.nodes.size(), g.nodes.size());
    ASSERT_EQ(layout.groups.size(), static_cast<std::size_t>(g.groups));
    const Rectangle all = layout.bounds.grown(0.01);
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const Rectangle& r = layout.nodes[i];
        EXPECT_DOUBLE_EQ(r.width, g.nodes[i].width);
        EXPECT_TRUE(all.contains({r.x, r.y}) && all.contains({r.right(), r.bottom()}));
        for (std::size_t j = 0; j < i; ++j)
            ASSERT_FALSE(r.overlaps(layout.nodes[j])) << i << " and " << j;
        for (int group = 0; group < g.groups; ++group) {
            const Rectangle& enclosure = layout.groups[static_cast<std::size_t>(group)];
            if (g.nodes[i].group == group) {
                EXPECT_TRUE(enclosure.contains({r.x, r.y}) &&
                            enclosure.contains({r.right(), r.bottom()}));
                EXPECT_GE(r.y, enclosure.y + g.group_title_height - 0.01) << "the title has room";
            } else {
                EXPECT_FALSE(enclosure.width > 0 && enclosure.overlaps(r))
                    << i << " is not of " << group;
            }
        }
    }
}

void expect_edges_from_node_to_node(const GraphDescription& g, const GraphLayout& layout) {
    ASSERT_EQ(layout.edges.size(), g.edges.size());
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const EdgeShape& edge = layout.edges[e];
        ASSERT_GE(edge.curve.size(), 4u);
        EXPECT_EQ(edge.curve.size() % 3, 1u);
        for (std::size_t part : {edge.alone_from, edge.fresh_from}) {
            EXPECT_EQ(part % 3, 0u);
            EXPECT_LT(part, edge.curve.size() - 1) << "its end is its own";
        }
        EXPECT_TRUE(layout.nodes[static_cast<std::size_t>(g.edges[e].from)].grown(1).contains(
            edge.curve.front()));
        EXPECT_TRUE(layout.nodes[static_cast<std::size_t>(g.edges[e].to)].grown(1).contains(
            edge.curve.back()));
    }
}

// Expects downward edges beside nodes in a graph without cycles, also between enclosures.
void expect_edges_downwards_beside_nodes(const GraphDescription& g, const GraphLayout& layout) {
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const std::vector<Point> points = points_along(layout.edges[e].curve, 3);
        for (std::size_t i = 1; i < points.size(); ++i)
            ASSERT_GE(points[i].y, points[i - 1].y - 1e-6) << "edge " << e << " turns upwards";
        const double left = std::min_element(points.begin(), points.end(), [](Point a, Point b) {
                                return a.x < b.x;
                            })->x;
        for (std::size_t n = 0; n < g.nodes.size(); ++n) {
            const Rectangle inside = layout.nodes[n].grown(-0.5);
            if (inside.right() < left || inside.bottom() < points.front().y ||
                inside.y > points.back().y)
                continue;
            for (const Point& p : points)
                ASSERT_FALSE(inside.contains(p)) << "edge " << e << " runs through node " << n;
        }
    }
}

// What edges draw together is all of each: a point of a curve that is left out is on one that is
// not.
void expect_every_part_is_drawn(const GraphLayout& layout) {
    std::set<std::pair<long, long>> drawn;
    const auto at = [](const Point& p) {
        return std::pair{std::lround(p.x * 4), std::lround(p.y * 4)};
    };
    for (const EdgeShape& edge : layout.edges)
        for (std::size_t i = edge.fresh_from; i < edge.curve.size(); i += 3)
            drawn.insert(at(edge.curve[i]));
    for (const EdgeShape& edge : layout.edges) {
        EXPECT_TRUE(drawn.contains(at(edge.curve.front())));
        EXPECT_TRUE(drawn.contains(at(edge.curve.back())));
    }
}

} // namespace

TEST(LayeredLayout, KeepsItsPromisesOnRandomGraphs) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const GraphDescription g = random_graph(seed);
        const GraphLayout layout = laid_out(g);
        expect_nodes_in_their_places(g, layout);
        expect_edges_from_node_to_node(g, layout);
        if (HasFailure())
            return;
    }
}

TEST(LayeredLayout, EdgesRunDownwardsBesideNodes) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        GraphDescription g = random_graph(seed);
        g = enclosed_runs(std::move(g), seed % 2 ? 4 : 1000); // of every other one: all in one
        const GraphLayout layout = laid_out(g);
        expect_edges_downwards_beside_nodes(g, layout);
        if (HasFailure())
            return;
    }
}

TEST(LayeredLayout, KeepsItsPromisesOnHardGraphs) {
    int number = 0;
    for (const GraphDescription& g : hard_graphs()) {
        SCOPED_TRACE(number++);
        const GraphLayout layout = laid_out(g);
        expect_nodes_in_their_places(g, layout);
        expect_edges_from_node_to_node(g, layout);
        expect_edges_downwards_beside_nodes(g, layout);
        expect_every_part_is_drawn(layout);
        for (const GraphEdgeEnds& e : g.edges)
            EXPECT_LT(layout.nodes[static_cast<std::size_t>(e.from)].bottom(),
                      layout.nodes[static_cast<std::size_t>(e.to)].y);
    }
}

TEST(LayeredLayout, AChainIsStraightAndWhatAllReadRunsBesideIt) {
    const GraphDescription g = chain_with_common_input(100);
    const GraphLayout layout = laid_out(g);
    for (int k = 1; k <= 100; ++k)
        EXPECT_NEAR(layout.nodes[static_cast<std::size_t>(k)].centre().x,
                    layout.nodes[1].centre().x, 0.01);
    EXPECT_LT(layout.bounds.width, 4 * g.nodes[0].width) << "one line for all readers, not 100";
    const Point branches = layout.edges.back().curve[layout.edges.back().alone_from];
    for (std::size_t e = g.edges.size() - 90; e < g.edges.size(); ++e) {
        const EdgeShape& edge = layout.edges[e];
        EXPECT_NEAR(edge.curve[edge.alone_from].x, branches.x, 0.01);
        EXPECT_LE(edge.curve.size(), 40u) << "however many rows it passes";
    }
}

// Where long edges overlap without end, what has ended leaves its room to others: the picture stays
// as wide.
TEST(LayeredLayout, ALongerGraphIsNotWider) {
    const double narrow = laid_out(chain_with_skips(60, 7)).bounds.width;
    EXPECT_LE(laid_out(chain_with_skips(600, 7)).bounds.width, 1.5 * narrow);
}

TEST(LayeredLayout, IsAPureFunction) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const GraphDescription g = random_graph(seed);
        const GraphLayout a = laid_out(g), b = laid_out(g);
        for (std::size_t n = 0; n < g.nodes.size(); ++n) {
            EXPECT_EQ(a.nodes[n].x, b.nodes[n].x);
            EXPECT_EQ(a.nodes[n].y, b.nodes[n].y);
        }
        for (std::size_t e = 0; e < g.edges.size(); ++e)
            for (std::size_t i = 0; i < a.edges[e].curve.size(); ++i)
                EXPECT_EQ(a.edges[e].curve[i].x, b.edges[e].curve[i].x);
    }
}

TEST(LayeredLayout, ACycleEnds) {
    GraphDescription g;
    g.nodes = {{50, 20, -1}, {50, 20, -1}, {50, 20, -1}};
    g.edges = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 0, 0, 0}, {1, 1, 0, 0}};
    expect_nodes_in_their_places(g, laid_out(g));
    expect_edges_from_node_to_node(g, laid_out(g));
    // Between enclosures, though not between nodes; and within one.
    g.nodes = {{50, 20, 0}, {50, 20, 1}, {50, 20, 0}, {50, 20, 1}, {50, 20, -1}, {50, 20, 1}};
    g.edges = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}, {3, 4, 0, 0},
               {4, 0, 0, 0}, {3, 5, 0, 0}, {5, 1, 0, 0}, {1, 3, 0, 0}};
    g.groups = 2;
    expect_nodes_in_their_places(g, laid_out(g));
    expect_edges_from_node_to_node(g, laid_out(g));
}

// What is read alone stands just above its reader, however far down that is, as a network's weights
// do.
TEST(LayeredLayout, WhatIsReadLateStandsAboveItsReader) {
    GraphDescription g = chain_with_skips(50, 50);
    for (int n = 1; n < 50; ++n) {
        g.nodes.push_back({60, 30, -1});
        g.edges.push_back({static_cast<int>(g.nodes.size()) - 1, n, 0, 0});
    }
    const GraphLayout layout = laid_out(g);
    for (std::size_t n = 1; n < 50; ++n)
        EXPECT_DOUBLE_EQ(layout.nodes[49 + n].y, layout.nodes[n - 1].y) << n;
}

TEST(LayeredLayout, StepsDoNotDependOnHowFarEdgesGo) {
    const auto steps = [](const GraphDescription& g) {
        LayoutWork work;
        EXPECT_FALSE(layered_layout(g, work).nodes.empty());
        EXPECT_LE(work.longest(), 2 * (g.nodes.size() + g.edges.size())) << "of one piece";
        return work.steps();
    };
    for (const GraphDescription& g :
         {chain_with_common_input(100), chain_with_common_input(200), chain_with_common_input(3000),
          all_read_all(40), all_read_all(200), chain_of_blocks(500)}) {
        const std::size_t size = g.nodes.size() + g.edges.size(), trunks = g.nodes.size();
        EXPECT_LE(steps(g), 20 * size + trunks * trunks / 2) << size;
    }
    // What is known of runs of rows grows with the logarithm of their number besides.
    EXPECT_LE(steps(chain_with_common_input(2000)), 13 * steps(chain_with_common_input(200)));
}

TEST(LayeredLayout, ACancellationIsHeededAtOnce) {
    const GraphDescription g = enclosed_runs(chain_with_skips(120, 7), 30);
    int pieces = 0;
    LayoutWork whole([&pieces] { return ++pieces < 0; });
    ASSERT_FALSE(layered_layout(g, whole).nodes.empty());
    ASSERT_GT(pieces, 20);
    for (int stop = 1; stop <= pieces; ++stop) {
        int asked = 0;
        LayoutWork work([&] { return ++asked >= stop; });
        const GraphLayout layout = layered_layout(g, work);
        EXPECT_TRUE(layout.nodes.empty()) << stop;
        EXPECT_EQ(asked, stop) << "nothing more is done, and nobody asked again";
        EXPECT_LT(work.steps(), whole.steps());
    }
}

TEST(LayeredLayout, TwoAndAHalfThousandNodes) {
    const GraphDescription g = chain_of_blocks(500);
    const GraphLayout layout = layout_graph(g);
    ASSERT_EQ(layout.nodes.size(), 2500u);
    for (std::size_t i = 1; i < layout.nodes.size(); ++i)
        EXPECT_FALSE(layout.nodes[i].overlaps(layout.nodes[i - 1]));
    EXPECT_TRUE(layout.ok);
}

} // namespace loopscope::views::test
