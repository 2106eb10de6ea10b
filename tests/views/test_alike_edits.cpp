// An edit of one node, as it reads for another.

#include "views/models/alike_edits.h"

#include "core/language/schedule_parser.h"
#include "tests/views/fixtures.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loopscope::views::test {

namespace test_alike_edits {

// The operands of a product in shared memory, as `first` and `other`.
const std::string kLines =
    "schedule for matmul\n"
    "CL = C.cache_write(register)\nC.tile(i, j, io, jo, ii, ji, 64, 64)\n"
    "CL.compute_at(C, jo)\nCL.split(k, ko, ki, 16)\nCL.reorder(ko, ki, i, j)\n"
    "first = CL.cache_read(A, shared)\nother = CL.cache_read(B, shared)\n"
    "first.compute_at(CL, ko)\nother.compute_at(CL, ko)\n"
    "first.pipeline(2)\nother.pipeline(3)\n";

class AlikeEditsTest : public testing::Test {
protected:
    AlikeEditsTest() {
        const auto pipeline = bundled_pipeline("matmul");
        schedule_ = std::make_shared<const Schedule>(
            parse_schedule(std::make_shared<SourceFile>("test.sched", kLines), pipeline.get())
                .value());
        tree_ = schedule_tree(pipeline, *schedule_, {}).value();
        alike_ = std::make_unique<AlikeEdits>(*tree_, schedule_.get(), nullptr);
    }
    // Of the line that begins so, from 1.
    static int line(const std::string& begin) {
        const auto at = kLines.find(begin);
        return static_cast<int>(std::count(
                   kLines.begin(), kLines.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
               1;
    }
    AlikeEdits::Answer other(const NodeId& to, const NodeId& from, const DirectiveEdit& edit) {
        return alike_->edit_for(to, from, edit, made_);
    }

    SchedulePtr schedule_;
    ScheduleTreePtr tree_;
    std::unique_ptr<AlikeEdits> alike_;
    std::set<std::string> made_;
    const NodeId first_{"first", -1, "@stage"}, other_{"other", -1, "@stage"}, k_{"first", 0, "k"},
        j_{"other", 0, "j"};
};

TEST_F(AlikeEditsTest, LoopsAndIndicesAreThoseAtTheSamePlaces) {
    EXPECT_EQ(other(j_, k_, QString("first.vectorize(k, 4)")).edit,
              DirectiveEdit("other.vectorize(j, 4)"));
    EXPECT_EQ(other(j_, k_, QString("first.split(k, ko, ki, 4)")).edit,
              DirectiveEdit("other.split(j, jo, ji, 4)"));
    EXPECT_EQ(other(j_, k_, QString("first.reorder(k, i)")).edit,
              DirectiveEdit("other.reorder(j, k)"));
    EXPECT_EQ(other(other_, first_, QString("first.pad_storage(k, 4)")).edit,
              DirectiveEdit("other.pad_storage(j, 4)"));
    EXPECT_FALSE(other(other_, k_, QString("first.vectorize(k, 4)")).absent.isEmpty())
        << "a stage is no loop";
}

TEST_F(AlikeEditsTest, WhatIsMadeHasANameOfItsOwn) {
    EXPECT_EQ(other(other_, first_, QString("A_near = first.cache_read(A, register)")).edit,
              DirectiveEdit("B_near = other.cache_read(B, register)"));
    EXPECT_EQ(other(other_, first_, QString("A_near = first.cache_read(A, register)")).edit,
              DirectiveEdit("B_near2 = other.cache_read(B, register)"))
        << "in the same step";
}

TEST_F(AlikeEditsTest, ALineIsChangedWhereTheOtherHasItsOwn) {
    const DirectiveEdit deeper("first.pipeline(4)", line("first.pipeline"));
    EXPECT_EQ(other(other_, first_, deeper).edit,
              DirectiveEdit("other.pipeline(4)", line("other.pipeline")));
    const DirectiveEdit same("first.pipeline(3)", line("first.pipeline"));
    EXPECT_TRUE(other(other_, first_, same).so_already);
    const DirectiveEdit gone(QString(), line("first.pipeline"));
    EXPECT_EQ(other(other_, first_, gone).edit, DirectiveEdit(QString(), line("other.pipeline")));
}

TEST_F(AlikeEditsTest, AFactorIsTurnedInTheLineThatMadeTheLoop) {
    const DirectiveEdit edit("CL.split(k, ko, ki, 32)", line("CL.split"));
    const auto answer = other({"C", 0, "ii"}, {"CL", 0, "ki"}, edit);
    EXPECT_FALSE(answer.absent.isEmpty()) << "that was made by tile, whose factor is another one";
    EXPECT_EQ(other({"C", 0, "ji"}, {"C", 0, "ii"},
                    {"C.tile(i, j, io, jo, ii, ji, 32, 64)", line("C.tile")})
                  .absent.isEmpty(),
              false)
        << "the other factor of the same line";
}

TEST_F(AlikeEditsTest, WhatTheLineNamesIsNotDoneToItself) {
    EXPECT_FALSE(other(other_, first_, QString("first.compute_with(other, i)")).absent.isEmpty());
    EXPECT_FALSE(
        other({"A", -1, "@storage"}, first_, QString("first.compute_root()")).absent.isEmpty())
        << "an input";
}

} // namespace test_alike_edits
} // namespace loopscope::views::test
