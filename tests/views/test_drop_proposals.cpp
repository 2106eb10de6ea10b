// What dropping one thing on another asks for.

#include "tests/views/fixtures.h"
#include "views/jobs/queue_job.h"
#include "views/models/drop_proposals.h"

#include <gtest/gtest.h>

#include <QTest>

#include <algorithm>
#include <atomic>

namespace loopscope::views::test {

namespace test_drop_proposals {

QString drop(const ScheduleTreePtr& tree, const NodeId& what, const NodeId& on,
             DropPlace place = DropPlace::On) {
    return drop_proposal(*tree, what, on, place).line;
}

const NodeId kI{"C", 0, "i"}, kJ{"C", 0, "j"}, kK{"C", 0, "k"};

TEST(DropProposals, ALoopTakesThePlaceOfTheOneItIsDroppedOn) {
    const auto tree = default_tree("matmul");
    EXPECT_EQ(drop(tree, kK, kJ), "C.reorder(k, j)");
    EXPECT_EQ(drop(tree, kK, kI), "C.reorder(k, i, j)");
    EXPECT_EQ(drop(tree, kI, kK), "C.reorder(j, k, i)");
    EXPECT_EQ(drop(tree, {"C", 0, "j@init"}, kI), "C.reorder(j, i)")
        << "the copy for the initialisation stands for its loop";
}

TEST(DropProposals, BetweenLoopsIsTheGap) {
    const auto tree = default_tree("matmul");
    EXPECT_EQ(drop(tree, kK, kI, DropPlace::Below), "C.reorder(k, j)");
    EXPECT_EQ(drop(tree, kK, kI, DropPlace::Above), "C.reorder(k, i, j)");
    EXPECT_EQ(drop(tree, kI, kK, DropPlace::Above), "C.reorder(j, i)");
    EXPECT_EQ(drop(tree, kI, kJ, DropPlace::Above), "") << "that is where it is";
    EXPECT_EQ(drop(tree, kK, kJ, DropPlace::Below), "");
}

TEST(DropProposals, ALoopStaysInItsNest) {
    const auto tree = default_tree("harris");
    const auto proposal = drop_proposal(*tree, {"ix", 0, "y"}, {"out", 0, "yo"}, DropPlace::On);
    EXPECT_TRUE(proposal.line.isEmpty());
    EXPECT_TRUE(proposal.sentence.contains("its own nest")) << proposal.sentence.toStdString();
}

TEST(DropProposals, AStageMovesToALoopAStageOrTheRoot) {
    const auto tree = bundled_tree("harris");
    EXPECT_EQ(drop(tree, {"gray", -1, "@stage"}, {"out", 0, "yo"}), "gray.compute_at(out, yo)");
    EXPECT_EQ(drop(tree, {"gray", 0, "@compute"}, {"out", 0, "yo"}), "gray.compute_at(out, yo)");
    EXPECT_EQ(drop(tree, {"gray", -1, "@stage"}, {}, DropPlace::Root), "gray.compute_root()");
    EXPECT_EQ(drop(tree, {"out", -1, "@stage"}, {}, DropPlace::Root), "") << "it is there";
    EXPECT_TRUE(drop(tree, {"peak", -1, "@stage"}, {"corners", -1, "@stage"})
                    .startsWith("peak.compute_at(corners, "));
    EXPECT_EQ(dragged_kind(*tree, {"img", -1, "@storage"}), Dragged::Nothing);
}

TEST(DropProposals, TheProducerMovesIntoTheConsumerWhicheverIsDragged) {
    const auto tree = default_tree("blur");
    for (const auto& fusion :
         {fusion_of(*tree, "blur_x", "out"), fusion_of(*tree, "out", "blur_x")}) {
        EXPECT_EQ(fusion.producer, "blur_x");
        EXPECT_EQ(fusion.consumer, "out");
        ASSERT_EQ(fusion.choices.size(), 3u);
        EXPECT_EQ(fusion.choices[0].line, "blur_x.compute_at(out, x)") << "the innermost first";
        EXPECT_EQ(fusion.choices[1].line, "blur_x.compute_at(out, y)");
        EXPECT_EQ(fusion.inline_line, "blur_x.inline()");
    }
}

TEST(DropProposals, WhatCannotBeFusedSaysWhoStandsAgainstIt) {
    const auto tree = default_tree("harris");
    const auto shared = fusion_of(*tree, "gray", "ix"); // iy reads gray too
    EXPECT_TRUE(shared.absent.contains("iy")) << shared.absent.toStdString();
    EXPECT_EQ(shared.refused_line, "gray.compute_at(ix, y)");
    EXPECT_FALSE(shared.inline_line.isEmpty()) << "inlining is still possible";
    EXPECT_TRUE(fusion_of(*tree, "ix", "iy").absent.contains("Neither"));
    EXPECT_FALSE(fusion_of(*tree, "img", "gray").absent.isEmpty());
}

TEST(QueueJob, AnswersAllAndTheLatestBatchFirst) {
    std::atomic<bool> go{false};
    QueueJob<int, int> job([&](const int& question) {
        while (!go)
            QThread::usleep(100);
        return question * 2;
    });
    std::vector<int> answers;
    auto done = [&](const int&, const int& answer) { answers.push_back(answer); };
    job.ask({1}, done);
    QTest::qWait(5); // it runs, and waits
    job.ask({2, 3}, done);
    job.ask({4}, done);
    EXPECT_TRUE(job.busy());
    go = true;
    ASSERT_TRUE(QTest::qWaitFor([&] { return !job.busy(); }, 5000));
    EXPECT_EQ(answers.size(), 4u);
    EXPECT_LT(std::find(answers.begin(), answers.end(), 8),
              std::find(answers.begin(), answers.end(), 4));
}

TEST(QueueJob, WhatWasClearedIsNotAnswered) {
    std::atomic<bool> go{false};
    QueueJob<int, int> job([&](const int& question) {
        while (!go)
            QThread::usleep(100);
        return question;
    });
    std::vector<int> answers;
    auto done = [&](const int&, const int& answer) { answers.push_back(answer); };
    job.ask({1, 2}, done);
    QTest::qWait(5);
    job.clear();
    EXPECT_FALSE(job.busy());
    go = true;
    job.ask({3}, done);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !job.busy(); }, 5000));
    QTest::qWait(10);
    EXPECT_EQ(answers, std::vector<int>{3});
}

} // namespace test_drop_proposals
} // namespace loopscope::views::test
