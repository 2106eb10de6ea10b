// What the command line's texts are made of: units, tables, the drawing of a graph.
#include "app/cli/graph_text.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::cli {
namespace {

using testing::ElementsAre;

TEST(Units, ThreeSignificantDigits) {
    EXPECT_EQ(significant(0), "0");
    EXPECT_EQ(significant(3.14159), "3.14");
    EXPECT_EQ(significant(31.4159), "31.4");
    EXPECT_EQ(significant(314.159), "314");
    EXPECT_EQ(significant(31415.9), "31400");
    EXPECT_EQ(significant(0.00314159), "0.00314");
    EXPECT_EQ(significant(9.996), "10.0");
    EXPECT_EQ(significant(-2.5), "-2.50");
    EXPECT_EQ(significant(1.0 / 3, 2), "0.33");
    EXPECT_EQ(significant(1.0 / 0.0), "infinite");
}

TEST(Units, SecondsTakeTheUnitThatFits) {
    EXPECT_EQ(seconds_text(2.5), "2.50 s");
    EXPECT_EQ(seconds_text(0.00321), "3.21 ms");
    EXPECT_EQ(seconds_text(4.56e-5), "45.6 µs");
    EXPECT_EQ(seconds_text(7e-9), "7.00 ns");
    EXPECT_EQ(seconds_text(0.9998), "1.00 s") << "not 1000 ms";
}

TEST(Units, RatesAmountsAndMemory) {
    EXPECT_EQ(rate_text(1.23e10, "FLOP/s"), "12.3 GFLOP/s");
    EXPECT_EQ(amount_text(48234567, "B"), "48.2 MB");
    EXPECT_EQ(amount_text(0, "B"), "0 B");
    EXPECT_EQ(memory_text(32768), "32 KiB");
    EXPECT_EQ(memory_text(std::int64_t(3) << 29), "1.50 GiB");
    EXPECT_EQ(memory_text(100), "100 B");
    EXPECT_EQ(grouped(6291456), "6 291 456");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(extents_text({3, 1024}), "[3, 1024]");
}

TEST(TextTable, AlignsByCharactersAndDropsEmptyColumns) {
    TextTable table({TextTable::Align::Left, TextTable::Align::Left, TextTable::Align::Right});
    table.header({"name", "nothing", "value"});
    table.row({"µs", "", "1"});
    table.row({"long name", "", "1000"});
    EXPECT_EQ(table.text(), "  name       value\n"
                            "  µs             1\n"
                            "  long name   1000\n");
}

TEST(GraphText, AChainStaysNarrow) {
    std::vector<GraphNode> chain(5);
    chain[0].input = true;
    for (int i = 1; i < 5; ++i)
        chain[static_cast<std::size_t>(i)].reads = {i - 1};
    chain[4].output = true;
    EXPECT_THAT(draw_graph(chain), ElementsAre("○", "└─●", "●─┘", "└─●", "◆─┘"));
}

TEST(GraphText, CrossingIsNotReading) {
    // img; a reads img; b reads img, crossing a; c reads a and b.
    std::vector<GraphNode> nodes{
        {{}, true, false}, {{0}, false, false}, {{0}, false, false}, {{1, 2}, false, true}};
    EXPECT_THAT(draw_graph(nodes), ElementsAre("○", "├─●", "└─│─●", "◆─┴─┘"));
}

TEST(GraphText, ALaneThatGoesOnIsDrawnSo) {
    // 1 and 2 read 0; 3 reads 0, 1 and 2; 4 reads 0 and 2.
    std::vector<GraphNode> nodes{{{}, true, false},
                                 {{0}, false, false},
                                 {{0}, false, false},
                                 {{0, 1, 2}, false, false},
                                 {{0, 2, 3}, false, true}};
    EXPECT_THAT(draw_graph(nodes), ElementsAre("○", "├─●", "├─│─●", "├─┴─┼─●", "└─◆─┴─┘"));
}

TEST(GraphText, StagesWithoutReadersLeaveNoLane) {
    std::vector<GraphNode> nodes{{{}, true, false}, {{}, true, false}, {{0}, false, true}};
    EXPECT_THAT(draw_graph(nodes), ElementsAre("○", "│ ○", "└─◆"));
}

} // namespace
} // namespace loopscope::cli
