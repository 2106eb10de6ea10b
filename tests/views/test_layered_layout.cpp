// The layout of large graphs: the same promises as the small one's, on random graphs, and its time (recorded, not judged).

#include "views/geometry/layered_layout.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>

namespace loopscope::views {

namespace {

// A chain of blocks with reads that skip ahead; every fourth block is an enclosure.
GraphDescription blocks(int count) {
    GraphDescription g;
    for (int b = 0; b < count; ++b) {
        const bool enclosed = b % 4 == 0;
        for (int n = 0; n < 5; ++n) {
            const int at = 5 * b + n;
            g.nodes.push_back({90.0 + 10 * n, 36, enclosed ? g.groups : -1});
            if (at > 0)
                g.edges.push_back({at - 1, at, 0, 0});
            if (n == 4 && b > 0)
                g.edges.push_back({5 * b - 1, at, 30, 12});
        }
        g.groups += enclosed;
    }
    return g;
}

GraphDescription random_graph(unsigned seed) {
    std::mt19937 random(seed);
    GraphDescription g;
    const int count = 2 + static_cast<int>(random() % 60);
    g.groups = static_cast<int>(random() % 4);
    // Enclosures are runs of nodes, so that the graph between them stays acyclic, as kernels' is.
    for (int n = 0; n < count; ++n)
        g.nodes.push_back({40.0 + random() % 80, 20.0 + random() % 30,
                           g.groups > 0 && random() % 3 ? n * g.groups / count : -1});
    for (int e = 0; e < 2 * count; ++e) {
        const int a = static_cast<int>(random() % count), b = static_cast<int>(random() % count);
        if (a != b)
            g.edges.push_back({std::min(a, b), std::max(a, b), 0, 0});
    }
    return g;
}

void expect_promises(const GraphDescription& g, const GraphLayout& layout) {
    ASSERT_EQ(layout.nodes.size(), g.nodes.size());
    ASSERT_EQ(layout.edges.size(), g.edges.size());
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
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const auto& curve = layout.edges[e].curve;
        ASSERT_GE(curve.size(), 4u);
        EXPECT_EQ(curve.size() % 3, 1u);
        EXPECT_TRUE(layout.nodes[static_cast<std::size_t>(g.edges[e].from)].grown(1).contains(
            curve.front()));
        EXPECT_TRUE(
            layout.nodes[static_cast<std::size_t>(g.edges[e].to)].grown(1).contains(curve.back()));
    }
}

} // namespace

TEST(LayeredLayout, KeepsItsPromisesOnRandomGraphs) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const GraphDescription g = random_graph(seed);
        expect_promises(g, layered_layout(g));
        if (HasFatalFailure())
            return;
    }
}

TEST(LayeredLayout, DataFlowsDownwards) {
    const GraphDescription g = blocks(6);
    const GraphLayout layout = layered_layout(g);
    expect_promises(g, layout);
    for (const GraphEdgeEnds& e : g.edges)
        EXPECT_LT(layout.nodes[static_cast<std::size_t>(e.from)].bottom(),
                  layout.nodes[static_cast<std::size_t>(e.to)].y);
}

TEST(LayeredLayout, ACycleEnds) {
    GraphDescription g;
    g.nodes = {{50, 20, -1}, {50, 20, -1}, {50, 20, -1}};
    g.edges = {{0, 1, 0, 0}, {1, 2, 0, 0}, {2, 0, 0, 0}, {1, 1, 0, 0}};
    expect_promises(g, layered_layout(g));
}

TEST(LayeredLayout, TwoAndAHalfThousandNodes) {
    const GraphDescription g = blocks(500);
    const auto start = std::chrono::steady_clock::now();
    const GraphLayout layout = layout_graph(g);
    const auto took = std::chrono::steady_clock::now() - start;
    std::printf("[ RECORD   ] layout of 2500 nodes: %.0f ms\n",
                std::chrono::duration<double, std::milli>(took).count());
    ASSERT_EQ(layout.nodes.size(), 2500u);
    for (std::size_t i = 1; i < layout.nodes.size(); ++i)
        EXPECT_FALSE(layout.nodes[i].overlaps(layout.nodes[i - 1]));
    EXPECT_TRUE(layout.ok);
}

} // namespace loopscope::views
