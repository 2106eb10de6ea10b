// What is refused of a script: each wrong line, and none that merely follows from another.
#include "core/schedule/refusals.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_refusals {

using testing::ElementsAre;
using testing::IsEmpty;

// Lines (from 1, the header not counted) of the errors of a script.
std::vector<int> wrong(const PipelinePtr& pipeline, const std::string& lines,
                       const std::string& header = {}) {
    const auto first = header.empty() ? "schedule for " + pipeline->name : header;
    const auto script =
        parse_lines(std::make_shared<SourceFile>("s.sched", first + "\n" + lines), pipeline.get());
    std::vector<int> out;
    for (const auto& e : script_errors(script, ScheduleState::initial(pipeline), 0, {})) {
        EXPECT_TRUE(e.range.file) << e.message;
        if (e.range.file)
            out.push_back(e.range.file->position(e.range.begin).line - 1);
    }
    return out;
}

TEST(Refusals, EachWrongLineIsToldInTheOrderOfTheText) {
    EXPECT_THAT(wrong(matmul(), "C.split(q, qo, qi, 8)\n"
                                "C.parallel(i)\n"
                                "C.unroll(z)\n"
                                "nowhere.parallel(i)\n"
                                "C.spilt(i, a, b, 4)\n"
                                "out.parallel(k)\n"),
                ElementsAre(1, 3, 4, 5, 6));
    EXPECT_THAT(wrong(matmul(), "C.parallel(i)\nC.split(k, ko, ki, 8)\nC.unroll(ki)\n"), IsEmpty());
}

TEST(Refusals, AreThoseOfATree) {
    const auto schedule =
        parse_schedule(std::make_shared<SourceFile>(
                           "s.sched", "schedule for p\nC.unroll(z)\nC.parallel(i)\nC.unroll(y)\n"))
            .value();
    const auto tree = schedule_tree(matmul(), schedule, {});
    ASSERT_FALSE(tree.ok());
    EXPECT_EQ(tree.errors().size(), 2u) << format(tree.errors());
}

TEST(Refusals, LoopsThatAWrongLineWouldHaveMadeAreMissedNowhere) {
    EXPECT_THAT(wrong(matmul(), "C.split(q, qo, qi, 8)\n"
                                "C.unroll(qi)\n"
                                "C.reorder(qo, j)\n"
                                "out.compute_at(C, qo)\n"
                                "out.unroll(qi)\n"),
                ElementsAre(1, 5))
        << "qi was to be a loop of C, and out has none";
    EXPECT_THAT(wrong(matmul(), "C.splt(k, ko, ki, 8)\nC.unroll(ki)\nC.unroll(z)\n"),
                ElementsAre(1, 3))
        << "also of a line that could not be read";
    EXPECT_THAT(wrong(matmul(), "C.splt(k, ko, ki, 8)\n*.unroll(z)\n"), ElementsAre(1, 2));
}

TEST(Refusals, NorIsAStageThatAWrongLineWouldHaveMade) {
    EXPECT_THAT(wrong(matmul(), "As = C.cache_raed(A, local)\n"
                                "As.compute_at(C, i)\n"
                                "As.vectorize(k, 4)\n"
                                "C.unroll(z)\n"),
                ElementsAre(1, 4));
    EXPECT_THAT(wrong(matmul(), "st1 = C.cache_read(nothing, local)\nst*.vectorize(k, 4)\n"
                                "su*.unroll(k)\n"),
                ElementsAre(1, 3))
        << "nor by a pattern";
}

TEST(Refusals, WhatALineWouldHaveReplacedOrPlacedIsInDoubt) {
    // After the split there would be no k to be wrong about.
    EXPECT_THAT(wrong(matmul(), "C.split(k, i, ki, 8)\nC.parallel(k)\n"), ElementsAre(1));
    EXPECT_THAT(wrong(matmul(), "C.compute_at(out, z)\nC.store_at(out, i)\nout.unroll(z)\n"),
                ElementsAre(1, 3));
}

// A line may be of any length, and whoever wrote it may mean harm.
TEST(Refusals, AnUnreadLineHoldsEachOfItsNamesOnce) {
    std::string same, different;
    for (int i = 0; i < 100000; ++i) {
        same += "C ";
        different += "k" + std::to_string(i) + " ";
    }
    const auto script = parse_lines(
        std::make_shared<SourceFile>("s.sched", "schedule for p\n" + same + "\n"), nullptr);
    ASSERT_EQ(script.unread.size(), 1u);
    EXPECT_THAT(script.unread.front().names, ElementsAre("C"));
    EXPECT_THAT(wrong(matmul(), same + "\nC.unroll(z)\n"), ElementsAre(1, 2));
    EXPECT_THAT(wrong(matmul(), "C out A B " + different + "\nC.unroll(k99999)\nC.unroll(z)\n"),
                ElementsAre(1, 3));
}

TEST(Refusals, EndBehindAThousandLines) {
    std::string lines;
    for (int i = 0; i < 1100; ++i)
        lines += "C.unroll(z)\n";
    EXPECT_EQ(wrong(matmul(), lines).size(), 1000u);
}

TEST(Refusals, OfAnotherPipelinesScriptTheHeaderAloneIsTold) {
    EXPECT_THAT(wrong(matmul(), "S.unroll(z)\n", "schedule for somewhere_else"), ElementsAre(0));
}

} // namespace test_refusals
} // namespace loopscope::test
