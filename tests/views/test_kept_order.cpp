// Nodes stay on their sides of each other while a schedule is edited.

#include "core/language/schedule_parser.h"
#include "tests/views/fixtures.h"
#include "tests/views/sample_graphs.h"
#include "views/geometry/kept_order.h"
#include "views/geometry/layered_layout.h"
#include "views/widgets/pipeline_graph_view.h"

#include <gtest/gtest.h>

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

namespace loopscope::views::test {

namespace test_kept_order {

// One node above three.
GraphDescription three_below_one() {
    GraphDescription g;
    g.nodes = {{60, 30, -1}, {60, 30, -1}, {60, 30, -1}, {60, 30, -1}};
    g.edges = {{0, 1, 0, 0}, {0, 2, 0, 0}, {0, 3, 0, 0}};
    return g;
}

GraphLayout three_below_in_order() {
    GraphLayout layout;
    layout.nodes = {{100, 0, 60, 30}, {0, 70, 60, 30}, {100, 70, 60, 30}, {200, 70, 60, 30}};
    layout.bounds = {0, 0, 260, 100};
    return layout;
}

// Each node stood where the layout has the one of that number; -1: it is new.
GraphDescription having_stood(GraphDescription g, const std::vector<int>& as) {
    for (int n : as)
        g.stood.push_back(
            n < 0 ? std::nullopt
                  : std::optional(three_below_in_order().nodes.at(static_cast<std::size_t>(n))));
    return g;
}

TEST(KeptOrder, CountsPairsThatHaveChangedSides) {
    const GraphDescription g = three_below_one();
    const GraphLayout layout = three_below_in_order();
    const ChangedSides none;
    EXPECT_TRUE(changed_sides(g, layout) == none) << "nothing stood before";
    EXPECT_TRUE(changed_sides(having_stood(g, {0, 1, 2, 3}), layout) == none);
    EXPECT_EQ(changed_sides(having_stood(g, {0, 2, 1, 3}), layout).within, 1u);
    EXPECT_EQ(changed_sides(having_stood(g, {0, 2, -1, 1}), layout).within, 1u);
    EXPECT_TRUE(changed_sides(having_stood(g, {1, 0, 2, 3}), layout) == none)
        << "what stood in another row was on no side";
    EXPECT_EQ(changed_sides(having_stood(g, {0, 1, 2, 3}), mirrored(layout)).within, 3u);
    GraphDescription enclosed = having_stood(g, {0, 1, 2, 3});
    enclosed.groups = 1;
    enclosed.nodes[1].group = 0;
    const ChangedSides changed = changed_sides(enclosed, mirrored(layout));
    EXPECT_EQ(changed.within, 1u);
    EXPECT_EQ(changed.between, 2u);
}

TEST(KeptOrder, AMirrorImageIsOneOfNodesEnclosuresAndEdges) {
    GraphDescription g = three_below_one();
    g.groups = 1;
    g.nodes[3].group = 0;
    const GraphLayout before = layout_graph(g), after = mirrored(before);
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const auto to = static_cast<std::size_t>(g.edges[e].to);
        EXPECT_TRUE(after.nodes[to].grown(3).contains(after.edges[e].curve.back()));
        EXPECT_EQ(after.nodes[to].y, before.nodes[to].y);
    }
    EXPECT_TRUE(after.groups[0].contains(after.nodes[3].centre()));
    for (const Rectangle& node : after.nodes)
        EXPECT_TRUE(before.bounds.grown(0.01).contains(node.centre()));
}

TEST(KeptOrder, EveryOrderOfARowIsKept) {
    std::vector<int> order{1, 2, 3};
    do {
        const GraphDescription g =
            having_stood(three_below_one(), {0, order[0], order[1], order[2]});
        const GraphLayout layout = layout_graph(g);
        ASSERT_EQ(layout.nodes.size(), 4u);
        EXPECT_EQ(changed_sides(g, layout).within, 0u) << order[0] << order[1] << order[2];
    } while (std::next_permutation(order.begin(), order.end()));
}

// Any order, for most of which there is a better one by far; every fifth node is new.
TEST(KeptOrder, RowsOfOurOwnKeepAnyOrder) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        GraphDescription g = random_graph(seed);
        std::vector<int> place(g.nodes.size());
        std::iota(place.begin(), place.end(), 0);
        std::shuffle(place.begin(), place.end(), std::mt19937(seed));
        for (int at : place)
            g.stood.push_back(at % 5 == 0 ? std::nullopt
                                          : std::optional(Rectangle{100.0 * at, 0, 60, 30}));
        LayoutWork work;
        EXPECT_EQ(changed_sides(g, layered_layout(g, work)).within, 0u) << seed;
    }
}

// The tree after a line more; null: it is refused.
ScheduleTreePtr edited(const ScheduleTreePtr& tree, const std::string& line) {
    const auto directive = parse_directive(line);
    ScheduleState state = tree->state;
    if (!directive || !(*directive)->apply(state, {described_device().get()}))
        return nullptr;
    const auto built = build_tree(state);
    return built ? *built : nullptr;
}

// By verb: every stage inlined, computed in one that reads it, and copied for it.
std::map<std::string, std::vector<std::string>> typical_lines(const ScheduleTree& tree) {
    std::map<std::string, std::vector<std::string>> lines;
    const PipelineGraph graph = pipeline_graph(tree);
    for (const PipelineNode& node : graph.nodes)
        if (!node.is_input)
            lines["inline"].push_back(node.stage + ".inline()");
    for (const PipelineEdge& edge : graph.edges) {
        const std::string &from = graph.nodes[static_cast<std::size_t>(edge.from)].stage,
                          &to = graph.nodes[static_cast<std::size_t>(edge.to)].stage;
        lines["cache_read"].push_back("kept = " + to + ".cache_read(" + from + ", local)");
        if (const auto* reader = tree.find_stage(to))
            lines["compute_at"].push_back(from + ".compute_at(" + to + ", " +
                                          reader->stage.variables.front() + ")");
    }
    return lines;
}

struct Shown {
    PipelineGraph graph;
    GraphLayout layout;
};

Shown show(PipelineGraphView& view, const ScheduleTreePtr& tree) {
    view.set_tree(tree);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !view.layout_pending(); }, 30000));
    return {view.graph(), view.layout_shown()};
}

// Two that stood side by side and do so the other way round, both in one kernel or both in none;
// empty: there are none.
std::string swapped(const Shown& before, const Shown& after) {
    const auto place = [](const Shown& in, const std::string& stage) {
        const int n = in.graph.index_of(stage);
        return n < 0 ? Rectangle{} : in.layout.nodes.at(static_cast<std::size_t>(n));
    };
    const auto left_of = [&](const Shown& in, const PipelineNode& a, const PipelineNode& b) {
        const Rectangle x = place(in, a.stage), y = place(in, b.stage);
        return x.width > 0 && y.width > 0 && x.right() <= y.x && x.y < y.bottom() &&
               y.y < x.bottom();
    };
    for (const PipelineNode& a : after.graph.nodes)
        for (const PipelineNode& b : after.graph.nodes)
            if (a.group == b.group && left_of(before, a, b) && left_of(after, b, a))
                return a.stage + " was left of " + b.stage;
    return {};
}

TEST(KeptOrder, EditsOfASchedulePutNoNodeOnTheOtherSideOfAnother) {
    constexpr std::size_t kLinesOfAVerb = 6;
    std::map<std::string, int> applied;
    for (const char* name : {"matmul", "unsharp", "harris", "bilateral_grid", "camera_pipe"}) {
        const ScheduleTreePtr base = default_tree(name);
        PipelineGraphView view;
        Shown before = show(view, base);
        for (const auto& [verb, lines] : typical_lines(*base)) {
            // From all over the pipeline.
            const std::size_t step = std::max<std::size_t>(1, lines.size() / kLinesOfAVerb);
            for (std::size_t l = 0; l < lines.size(); l += step) {
                const ScheduleTreePtr tree = edited(base, lines[l]);
                if (!tree)
                    continue;
                ++applied[verb];
                for (const ScheduleTreePtr& next : {tree, base}) { // and undone
                    Shown after = show(view, next);
                    EXPECT_EQ(swapped(before, after), "") << name << ": " << lines[l];
                    before = std::move(after);
                }
            }
        }
    }
    for (const char* verb : {"inline", "compute_at", "cache_read"})
        EXPECT_GT(applied[verb], 2) << verb;
}

} // namespace test_kept_order
} // namespace loopscope::views::test
