#include "core/language/schedule_parser.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace loopscope::test {
namespace {

SourceFilePtr source(const std::string& text) {
    return std::make_shared<SourceFile>("s.sched", text);
}

std::string errors(const std::string& text) {
    auto schedule = parse_schedule(source(text));
    return schedule ? "no error\n" : format(schedule.errors());
}

const char* kScript = "schedule for matmul\n"
                      "target h200\n"
                      "C.tile(i, j, io, jo, ii, ji, 128, 128)\n"
                      "C.split(k, ko, ki, 32)\n"
                      "C.fuse(io, jo, f)\n"
                      "C.reorder(f, ko, ki, ii, ji)\n"
                      "C.bind(f, block.x)\n"
                      "As = C.cache_read(A, shared, D, E.update(1))\n"
                      "As.compute_at(C, ko)\n"
                      "As.compute_at(H.update(0), r)\n"
                      "As.pipeline(3)\n"
                      "R = C.rfactor(k)\n"
                      "st*.unroll(x, 4)\n"
                      "g{1..5}.vectorize(x, 2*native)\n"
                      "g{1..5}_x*.update(2).parallel(y)\n"
                      "*.serial(y)\n"
                      "a.inline()\n"
                      "b.compute_root()\n"
                      "C.contract()\n"
                      "C.atomic()\n";

TEST(ScheduleParser, TextToScheduleToText) {
    auto schedule = parse_schedule(source(kScript));
    ASSERT_TRUE(schedule.ok()) << format(schedule.errors());
    EXPECT_EQ(schedule->pipeline, "matmul");
    EXPECT_EQ(schedule->target, "h200");
    EXPECT_EQ(schedule->directives.size(), 18u);
    EXPECT_EQ(schedule->text(), kScript);
}

TEST(ScheduleParser, FreeForm) {
    auto schedule = parse_schedule(
        source("\xEF\xBB\xBF# a script\r\n\r\nschedule for p # of p\r\ntarget cpu\r\n"
               "S . split ( a ,ao,\r\n   ai, # inner\r\n   8 , guard)\r\nB=S.cache_read(X,local)"));
    ASSERT_TRUE(schedule.ok()) << format(schedule.errors());
    EXPECT_EQ(schedule->text(),
              "schedule for p\ntarget cpu\nS.split(a, ao, ai, 8)\nB = S.cache_read(X, local)\n");
}

TEST(ScheduleParser, PlacesOfParts) {
    auto directive = parse_directive("B = S.update(0).cache_read(X, local, T)");
    ASSERT_TRUE(directive.ok());
    auto text = [&](const std::string& field) {
        const auto& range = (*directive)->places.at(field);
        return range.file->text().substr(range.begin, range.end - range.begin);
    };
    EXPECT_EQ(text("copy"), "B");
    EXPECT_EQ(text("receiver"), "S.update(0)");
    EXPECT_EQ(text("verb"), "cache_read");
    EXPECT_EQ(text("source"), "X");
    EXPECT_EQ(text("readers[0]"), "T");
}

TEST(ScheduleParser, Diagnostics) {
    auto text = "schedule for p\n"
                "S.vectorise(x, 8)\n"
                "S.splitt(x)\n"
                "S.split(x, xo)\n"
                "S.split(x, xo, xi, 8, guard, 9)\n"
                "S.split(x, xo, xi, -8)\n"
                "S.split(x, xo, xi, 8\n"
                "S.reorder(a, b\n"
                "B = S.parallel(x)\n"
                "S.parallel(x y)\n"
                "S.parallel(x) S.parallel(y)\n"
                "S.split(x, min, xi, 8)\n"
                "S.update(x).parallel(y)\n"
                "S.update(0)\n"
                "S.\n"
                "S\n"
                "parallel(x)\n"
                "B = \n"
                "S.cache_read(X, local)\n"
                "S.reorder(a,, b)\n"
                "S.reorder(a, b,)\n"
                "S.compute_at(C.updat(0), x)\n"
                "g{1..}.parallel(x)\n"
                "g {1..5}.parallel(x)\n"
                "S.unroll(x, 8, shifted)\n"
                "target cpu\n"
                "schedule for q\n"
                "S.unroll(x, 99999999999999999999)\n"
                "?!\n";
    EXPECT_EQ(golden_difference("language/schedule.txt", errors(text)), "");
}

TEST(ScheduleParser, TheHeaderIsRequiredAndNamesThePipeline) {
    EXPECT_EQ(
        errors(""),
        "s.sched:1:1: error: the schedule is empty; it begins with: schedule for NAME, with the "
        "pipeline's name\n\n^\n");
    EXPECT_NE(
        errors("C.parallel(i)\n").find("1:1: error: a schedule begins with `schedule for NAME`"),
        std::string::npos);
    EXPECT_NE(
        errors("schedule for\nC.parallel(i)\n").find("1:13: error: the pipeline's name is missing"),
        std::string::npos);
    Pipeline blur;
    blur.name = "blur";
    auto other = parse_schedule(source("schedule for harris\n"), &blur);
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.errors()[0].message, "this schedule is for harris, and the pipeline is blur");
    EXPECT_TRUE(parse_schedule(source("schedule for blur\n"), &blur).ok());
}

TEST(ScheduleParser, AnOpenBracketSpoilsOneStatement) {
    auto text = errors("schedule for p\nC.split(k, ko,\nC.parallel(i)\nC.parallel(\n");
    EXPECT_NE(text.find("2:8: error: this '(' is not closed"), std::string::npos);
    EXPECT_NE(text.find("4:11: error: this '(' is not closed"), std::string::npos);
    EXPECT_EQ(text.find(":3:"), std::string::npos) << text;
}

TEST(ScheduleParser, OneDirective) {
    EXPECT_EQ((*parse_directive("  C.parallel( i )  # all cores"))->text(), "C.parallel(i)");
    EXPECT_FALSE(parse_directive("").ok());
    EXPECT_FALSE(parse_directive("C.parallel(i)\nC.parallel(j)").ok());
    EXPECT_FALSE(parse_directive("schedule for p").ok());
    EXPECT_FALSE(parse_directive("target cpu").ok());
}

TEST(ScheduleParser, Files) {
    EXPECT_NE(format(parse_schedule_file("/nowhere/x.sched").errors()).find("/nowhere/x.sched"),
              std::string::npos);
    auto path = scratch_folder() + "/x.sched";
    std::ofstream(path) << kScript;
    EXPECT_EQ(parse_schedule_file(path)->text(), kScript);
}

TEST(ScheduleFormat, KeepsCommentsAndBlankLines) {
    auto formatted = format_schedule_source(
        source("\n\n# top\n\n\n\nschedule   for p# p\n# under\ntarget cpu\n\n"
               "S.split(x,\n  xo, # outer\n  # between\n  xi, 8)   # done  \n\n\n"
               "  # last\n\n"));
    ASSERT_TRUE(formatted.ok());
    EXPECT_EQ(*formatted,
              "# top\n\nschedule for p  # p\n# under\ntarget cpu\n\n# outer\n# between\n"
              "S.split(x, xo, xi, 8)  # done\n\n# last\n");
    EXPECT_EQ(*format_schedule_source(source(*formatted)), *formatted) << "idempotent";
    EXPECT_EQ(*format_schedule_source(source(kScript)), kScript);
    EXPECT_FALSE(format_schedule_source(source("schedule for p\nS.nope()\n")).ok());
}

// Noise must end soon and in order, whatever it is; the time itself is not asserted, a hang fails
// by CTest's limit.
TEST(ScheduleParser, HostileTexts) {
    std::mt19937 random(7);
    std::string noise(1 << 20, ' ');
    const std::string letters = "abS.,()=*{}..0189 #\n\n_updateforschedule";
    for (auto& c : noise)
        c = letters[random() % letters.size()];
    std::string brackets(1 << 20, '('), verbs = "schedule for p\n",
                                        stars = "schedule for p\n" + std::string(1 << 19, '*');
    for (int i = 0; i < 80'000; ++i)
        verbs += "S.splat(x)\n";
    std::string names = "schedule for p\nS.reorder(";
    for (int i = 0; i < 200'000; ++i)
        names += "a" + std::to_string(i) + ",";
    for (const auto& text : {noise, brackets, verbs, stars, names, std::string("\xff\xfe\0x", 4)}) {
        auto schedule = parse_schedule(source(text));
        ASSERT_FALSE(schedule.ok());
        EXPECT_LE(schedule.errors().size(), 20'001u);
        EXPECT_LT(format(schedule.errors()).size(), 200'000u);
    }
}

} // namespace
} // namespace loopscope::test
