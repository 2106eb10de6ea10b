// Which graphs Graphviz may have, and for which the window may wait.

#include "tests/views/sample_graphs.h"
#include "views/geometry/graph_ranks.h"
#include "views/geometry/layout_choice.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace loopscope::views::test {

namespace {

LayoutChoice choice_of(const GraphDescription& g) { return choose_layout(extent_of(g)); }

} // namespace

TEST(LayoutChoice, SmallGraphsAreGraphvizAtOnce) {
    for (const GraphDescription& g :
         {chain_with_skips(14, 3), chain_with_skips(99, 99), chain_with_skips(80, 7),
          all_read_all(12), chain_with_common_input(10)}) {
        EXPECT_EQ(choice_of(g).method, LayoutMethod::Graphviz) << g.nodes.size();
        EXPECT_LE(choice_of(g).time, LayoutTime::Hundredths) << g.nodes.size();
    }
}

// Beside an edit, which has more to show.
TEST(LayoutChoice, TheSmallestTakeNextToNothing) {
    for (const GraphDescription& g :
         {chain_with_skips(14, 3), chain_with_skips(30, 30), chain_with_common_input(30)})
        EXPECT_EQ(choice_of(g).time, LayoutTime::Milliseconds) << g.nodes.size();
    for (const GraphDescription& g : {chain_with_skips(60, 60), chain_with_common_input(100)})
        EXPECT_EQ(choice_of(g).time, LayoutTime::Hundredths) << g.nodes.size();
}

// Graphviz takes 13 s for the first of these, and memory and time without end for the last.
TEST(LayoutChoice, LongEdgesAreNotForGraphviz) {
    for (int stages : {100, 150, 200})
        EXPECT_EQ(choice_of(chain_with_common_input(stages)).method, LayoutMethod::Layered);
    EXPECT_EQ(choice_of(all_read_all(200)).method, LayoutMethod::Layered);
    EXPECT_EQ(choice_of(all_read_all(200)).time, LayoutTime::Longer)
        << "20,000 edges are for a job";
}

// Graphviz would be quick, but scatter the stages along lines that say the same.
TEST(LayoutChoice, APictureOfLongEdgesIsNotForGraphviz) {
    const LayoutChoice choice = choice_of(chain_with_common_input(30));
    EXPECT_EQ(choice.method, LayoutMethod::Layered);
    EXPECT_LE(choice.time, LayoutTime::Hundredths);
}

TEST(LayoutChoice, ManyNodesAreNotForGraphviz) {
    const LayoutChoice choice = choice_of(chain_of_blocks(500));
    EXPECT_EQ(choice.method, LayoutMethod::Layered);
    EXPECT_EQ(choice.time, LayoutTime::Longer);
}

// It is how far edges go: nodes and edges are as many in both.
TEST(LayoutChoice, LooksAtTheSpanOfEdges) {
    const GraphDescription near = chain_with_skips(101, 2), far = chain_with_skips(200, 101);
    GraphDescription reordered = near;
    for (GraphEdgeEnds& ends : reordered.edges)
        if (ends.to == ends.from + 2)
            ends = {ends.from / 2, 100 - ends.from / 2, ends.label_width, ends.label_height};
    ASSERT_EQ(reordered.edges.size(), near.edges.size());
    EXPECT_EQ(choice_of(near).method, LayoutMethod::Graphviz);
    EXPECT_EQ(choice_of(reordered).method, LayoutMethod::Layered);
    EXPECT_EQ(choice_of(far).method, LayoutMethod::Layered);
}

TEST(LayoutChoice, NeverChangesBackAsGraphsGrow) {
    for (const auto grown : {chain_with_common_input, all_read_all, chain_of_blocks}) {
        LayoutMethod before = LayoutMethod::Graphviz;
        LayoutTime time = LayoutTime::Milliseconds;
        for (int size = 2; size < 130; ++size) {
            const LayoutChoice choice = choice_of(grown(size));
            EXPECT_TRUE(before == LayoutMethod::Graphviz || choice.method == before) << size;
            if (choice.method == before) {
                EXPECT_GE(choice.time, time) << size;
            }
            before = choice.method;
            time = choice.time;
        }
    }
}

TEST(LayoutChoice, CountsTheRowsThatEdgesPass) {
    const GraphExtent extent = extent_of(chain_with_common_input(100));
    EXPECT_EQ(extent.nodes, 102u);
    EXPECT_EQ(extent.edges, 200u);
    EXPECT_EQ(extent.virtual_nodes, 99u * 100 / 2);
    EXPECT_EQ(extent_of(chain_with_skips(50, 50)).virtual_nodes, 0u);
    EXPECT_EQ(extent_of({}).nodes, 0u);
}

// A network's weights are each read once, far down: Graphviz puts them there too, and has an easy
// time.
TEST(LayoutChoice, WhatIsReadOnceIsNoLongEdge) {
    GraphDescription g = chain_with_skips(60, 60);
    for (int n = 1; n < 60; ++n) {
        g.nodes.push_back({60, 30, -1});
        g.edges.push_back({static_cast<int>(g.nodes.size()) - 1, n, 0, 0});
    }
    EXPECT_EQ(extent_of(g).virtual_nodes, 0u);
    EXPECT_EQ(choice_of(g).method, LayoutMethod::Graphviz);
}

TEST(GraphRanks, EveryNodeIsBelowWhatItReads) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const GraphDescription g = random_graph(seed);
        std::vector<GraphLink> links;
        for (const GraphEdgeEnds& ends : g.edges)
            links.push_back({ends.from, ends.to});
        const std::vector<int> rank = graph_ranks(static_cast<int>(g.nodes.size()), links);
        for (const auto& [from, to] : links)
            EXPECT_LT(rank[static_cast<std::size_t>(from)], rank[static_cast<std::size_t>(to)]);
    }
}

TEST(LayoutAtOnce, IsTheSameLayout) {
    for (const GraphDescription& g : {chain_with_skips(14, 3), chain_with_common_input(100)}) {
        const auto at_once = layout_at_once(g);
        ASSERT_TRUE(at_once);
        const GraphLayout waited_for = layout_graph(g);
        ASSERT_EQ(at_once->nodes.size(), g.nodes.size());
        for (std::size_t n = 0; n < g.nodes.size(); ++n) {
            EXPECT_EQ(at_once->nodes[n].x, waited_for.nodes[n].x);
            EXPECT_EQ(at_once->nodes[n].y, waited_for.nodes[n].y);
        }
    }
    EXPECT_TRUE(layout_at_once({})->nodes.empty());
    EXPECT_FALSE(layout_at_once(chain_of_blocks(500)));
    EXPECT_FALSE(layout_at_once(all_read_all(200)));
    EXPECT_TRUE(layout_at_once(chain_with_skips(14, 3), LayoutTime::Milliseconds));
    EXPECT_FALSE(layout_at_once(chain_with_skips(60, 60), LayoutTime::Milliseconds));
}

// Graphviz lays out one graph at a time, and cannot be interrupted: who is waited for does not wait
// for another's.
TEST(LayoutAtOnce, DoesNotWaitForAnotherThreadsGraphviz) {
    std::atomic<bool> stop{false};
    std::thread other([&] {
        while (!stop)
            layout_graph(chain_with_skips(140, 7));
    });
    bool refused = false;
    while (!refused) {
        refused = !layout_at_once(chain_with_skips(5, 2));
        std::this_thread::yield();
    }
    stop = true;
    other.join();
    EXPECT_TRUE(refused);
    EXPECT_TRUE(layout_at_once(chain_with_skips(5, 2))) << "and gets its own once that is done";
}

TEST(LayoutGraph, ACancellationIsHeeded) {
    for (const GraphDescription& g : {chain_with_skips(14, 3), chain_with_common_input(150)}) {
        EXPECT_TRUE(layout_graph(g, [] { return true; }).nodes.empty());
        // Whenever it comes, even while labels are placed.
        int asked = 0;
        ASSERT_FALSE(layout_graph(g, [&] { return ++asked < 0; }).nodes.empty());
        for (const int stop : {1, 2, asked / 2, asked}) {
            int now = 0;
            EXPECT_TRUE(layout_graph(g, [&] { return ++now >= stop; }).nodes.empty()) << stop;
            EXPECT_EQ(now, stop) << "nothing more is done";
        }
    }
}

} // namespace loopscope::views::test
