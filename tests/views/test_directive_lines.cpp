#include "core/language/schedule_parser.h"
#include "core/schedule/directive.h"
#include "tests/views/fixtures.h"
#include "views/models/directive_lines.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loopscope::views::test {

namespace test_directive_lines {

std::vector<QString> lines_of(const ScheduleTreePtr& tree, const NodeId& id, const QString& verb) {
    std::vector<QString> lines;
    const auto groups = directive_groups(*tree, id);
    if (const DirectiveGroup* group = find_group(groups, verb))
        for (const DirectiveChoice& choice : group->choices)
            lines.push_back(choice.line);
    return lines;
}

QString absent(const ScheduleTreePtr& tree, const NodeId& id, const QString& verb) {
    const auto groups = directive_groups(*tree, id);
    const DirectiveGroup* group = find_group(groups, verb);
    return group ? group->absent : QStringLiteral("no such group");
}

bool contains(const std::vector<QString>& lines, const QString& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

ScheduleTreePtr matmul() { return default_tree("matmul"); }

TEST(FactorChoices, AreDivisorsAndPowersOfTwo) {
    EXPECT_EQ(factor_choices(12), (std::vector<std::int64_t>{2, 3, 4, 6, 8}));
    EXPECT_EQ(factor_choices(2), std::vector<std::int64_t>{});
    EXPECT_EQ(factor_choices(1), std::vector<std::int64_t>{});
    EXPECT_EQ(factor_choices(3), (std::vector<std::int64_t>{2}));
}

TEST(FactorChoices, AreFewAndKeepTheUsualOnes) {
    const auto factors = factor_choices(1920, 12);
    EXPECT_LE(factors.size(), 12u);
    EXPECT_TRUE(std::is_sorted(factors.begin(), factors.end()));
    for (std::int64_t usual : {8, 16, 32, 64, 128})
        EXPECT_NE(std::find(factors.begin(), factors.end(), usual), factors.end()) << usual;
}

TEST(DirectiveLines, EveryDirectiveOfTheLanguageIsOffered) {
    const auto groups = directive_groups(*matmul(), {"C", 0, "i"});
    for (const char* verb :
         {"split", "tile", "fuse", "reorder up", "reorder down", "serial", "parallel", "unroll",
          "vectorize", "inline", "compute_root", "compute_at", "cache_read", "contract"}) {
        const DirectiveGroup* group = find_group(groups, verb);
        ASSERT_NE(group, nullptr) << verb;
        EXPECT_FALSE(group->title.isEmpty());
        EXPECT_FALSE(group->summary.isEmpty()) << verb;
        EXPECT_NE(group->choices.empty(), group->absent.isEmpty())
            << verb << ": either choices, or why there are none";
    }
    // Directives that came later have a group of their own, without a line of code about them.
    for (const DirectiveKind& kind : directive_kinds())
        if (std::string(kind.verb) != "reorder") {
            EXPECT_NE(find_group(groups, kind.verb), nullptr) << kind.verb;
        }
}

TEST(DirectiveLines, LinesNameTheLoopsOfTheSchedule) {
    const auto tree = matmul();
    EXPECT_TRUE(contains(lines_of(tree, {"C", 0, "k"}, "split"), "C.split(k, ko, ki, 32)"));
    EXPECT_TRUE(
        contains(lines_of(tree, {"C", 0, "i"}, "tile"), "C.tile(i, j, io, jo, ii, ji, 32, 32)"));
    EXPECT_EQ(lines_of(tree, {"C", 0, "i"}, "fuse"), std::vector<QString>{"C.fuse(i, j, i_j)"});
    EXPECT_EQ(lines_of(tree, {"C", 0, "j"}, "reorder up"), std::vector<QString>{"C.reorder(j, i)"});
    EXPECT_EQ(lines_of(tree, {"C", 0, "j"}, "reorder down"),
              std::vector<QString>{"C.reorder(k, j)"});
    EXPECT_EQ(lines_of(tree, {"C", 0, "i"}, "parallel"), std::vector<QString>{"C.parallel(i)"});
    EXPECT_EQ(lines_of(tree, {"C", 0, "j"}, "vectorize").front(), "C.vectorize(j, native)");
    EXPECT_TRUE(
        contains(lines_of(tree, {"C", 0, "i"}, "cache_read"), "B_local = C.cache_read(B, local)"));
    EXPECT_EQ(lines_of(tree, {"C", -1, "@stage"}, "contract"),
              std::vector<QString>{"C.contract()"});
}

TEST(DirectiveLines, MemoryTraffic) {
    const auto tree = matmul();
    EXPECT_EQ(lines_of(tree, {"C", -1, "@stage"}, "non_temporal"),
              std::vector<QString>{"C.non_temporal()"});
    const auto streams =
        bundled_tree("matmul", "schedule for matmul\nC.non_temporal()\nC.prefetch(B, k, 2)\n");
    EXPECT_TRUE(absent(streams, {"C", 0, "i"}, "non_temporal").contains("already"));
    EXPECT_TRUE(contains(lines_of(tree, {"C", 0, "k"}, "prefetch"), "C.prefetch(B, k, 2)"));
    EXPECT_TRUE(contains(lines_of(tree, {"C", 0, "k"}, "prefetch"), "C.prefetch(A, k, 8)"));
    EXPECT_TRUE(absent(tree, {"C", -1, "@stage"}, "prefetch").contains("loop"));
}

TEST(DirectiveLines, NewNamesDoNotHideLoops) {
    const auto tree = bundled_tree("matmul", "schedule for matmul\nC.split(k, ko, ki, 32)\n");
    for (const QString& line : lines_of(tree, {"C", 0, "ko"}, "split"))
        EXPECT_TRUE(line.startsWith("C.split(ko, koo, koi, ")) << line.toStdString();
    const auto again = bundled_tree("matmul", "schedule for matmul\nC.split(i, ko, ki, 32)\n");
    for (const QString& line : lines_of(again, {"C", 0, "k"}, "split"))
        EXPECT_TRUE(line.startsWith("C.split(k, ko2, ki2, ")) << line.toStdString();
}

TEST(DirectiveLines, WhatIsAbsentSaysWhy) {
    const auto tree = matmul();
    EXPECT_TRUE(absent(tree, {"C", 0, "i"}, "reorder up").contains("outermost"));
    EXPECT_TRUE(absent(tree, {"C", 0, "k"}, "fuse").contains("no loop inside"));
    EXPECT_TRUE(absent(tree, {"C", -1, "@stage"}, "split").contains("loop"));
    EXPECT_TRUE(absent(tree, {"C", 0, "i"}, "compute_at").contains("No stage reads C"));
    EXPECT_TRUE(absent(tree, {"C", 0, "i"}, "compute_root").contains("already"));
    EXPECT_TRUE(absent(tree, {"C", 0, "i"}, "serial").contains("already"));
}

TEST(DirectiveLines, PlacesAreLoopsThatHoldAllReaders) {
    const auto tree = bundled_tree("harris");
    const std::vector<QString> of_ix = lines_of(tree, {"ix", -1, "@stage"}, "compute_at");
    EXPECT_TRUE(contains(of_ix, "ix.compute_at(out, yo)"));
    EXPECT_FALSE(contains(of_ix, "ix.compute_at(out, xo)")) << "it is there already";
    for (const QString& line : of_ix)
        EXPECT_TRUE(line.startsWith("ix.compute_at(out, ")) << line.toStdString();
    // out is read by peak, which is placed inside corners.
    EXPECT_TRUE(contains(lines_of(tree, {"out", -1, "@stage"}, "compute_at"),
                         "out.compute_at(corners, yo)"));
    EXPECT_TRUE(absent(default_tree("harris"), {"gray", -1, "@stage"}, "compute_at")
                    .contains("share no loop"));
}

TEST(DirectiveLines, InlinedStagesCanBeTakenBack) {
    const auto tree = bundled_tree("harris");
    EXPECT_EQ(lines_of(tree, {"ixx", -1, "@stage"}, "compute_root"),
              std::vector<QString>{"ixx.compute_root()"});
    EXPECT_TRUE(absent(tree, {"ixx", -1, "@stage"}, "inline").contains("already"));
}

TEST(DirectiveLines, UnknownThingsOfferNothing) {
    EXPECT_TRUE(directive_groups(*matmul(), {"no such stage", 0, "x"}).empty());
    EXPECT_TRUE(directive_groups(*matmul(), {"A", -1, "@storage"}).empty())
        << "an input takes no directive";
}

TEST(DirectiveLines, LoopsOfAnInitializationStandForTheirOriginals) {
    const auto tree = bundled_tree("matmul");
    EXPECT_EQ(lines_of(tree, {"C", 0, "ji@init"}, "serial"),
              lines_of(tree, {"C", 0, "ji"}, "serial"));
}

// What is offered can be read; what the session accepts can be built.
TEST(DirectiveLines, EveryLineParsesAndAcceptedOnesBuildATree) {
    for (const char* program : {"harris", "matmul", "histogram_equalise", "iir_blur"}) {
        const auto tree = bundled_tree(program);
        std::vector<NodeId> ids;
        auto collect = [&](auto&& self, const TreeNode& node) -> void {
            ids.push_back(node.id);
            for (const auto& child : node.children)
                self(self, *child);
        };
        collect(collect, *tree->root);
        int accepted = 0, refused = 0;
        for (const NodeId& id : ids)
            for (const DirectiveGroup& group : directive_groups(*tree, id))
                for (const DirectiveChoice& choice : group.choices) {
                    const auto directive = parse_directive(choice.line.toStdString());
                    ASSERT_TRUE(directive) << choice.line.toStdString() << '\n'
                                           << format(directive.errors());
                    EXPECT_EQ((*directive)->text(), choice.line.toStdString())
                        << "written as the formatter writes it";
                    const auto reason = refusal(tree, choice.line);
                    reason ? ++refused : ++accepted;
                    if (reason) {
                        EXPECT_GT(reason->size(), 10) << choice.line.toStdString();
                    }
                }
        EXPECT_GT(accepted, 10) << program;
        EXPECT_GT(refused, 5) << program << ": the shipped schedule leaves some things impossible";
    }
}

} // namespace test_directive_lines
} // namespace loopscope::views::test
