// What the boxes tell: reads outside of inputs, i32, indices that cannot be bounded, sizes.
#include "tests/language/loop_support.h"

#include "core/ir/box.h"

namespace loopscope::test {
namespace {

std::string bare(const std::string& statements) {
    return "pipeline p\ninput n[i]: f32[8]\ninput b[i]: i32[8] boundary zero\n" + statements +
           "\noutput s: [8]\n";
}

std::string first_message(const std::string& text) {
    auto all = errors(text);
    auto from = all.find(": error: ");
    return from == std::string::npos ? all : all.substr(from + 9, all.find('\n') - from - 9);
}

TEST(LoopBounds, AReadOutsideOfAnInputNeedsABoundary) {
    EXPECT_EQ(errors(bare("stage s[i] = n[i] + n[i+1]")),
              "t.loop:4:23: error: the input 'n' is read outside: index 0 runs over 1..8, and the "
              "input has 0..7 (in the "
              "stage 's'); give the input a boundary (edge, zero, constant(V), mirror, reflect, "
              "wrap), or clamp the index to 0..7\n"
              "stage s[i] = n[i] + n[i+1]\n"
              "                      ^\n");
    loaded(bare("stage s[i] = n[i] + n[min(i+1, 7)]"));
}

TEST(LoopBounds, AGuardDoesNotCount) {
    EXPECT_EQ(first_message(bare("stage s[i] = select(i > 0, n[i-1], 0.0)")).substr(0, 32),
              "the input 'n' is read outside: i");
}

TEST(LoopBounds, ReadsThroughAChainAreBoundedByWhatIsNeeded) {
    auto text = bare("stage t[i] = n[i]\nstage s[i] = t[i] + t[i+1]");
    EXPECT_NE(errors(text).find(
                  "t.loop:4:16: error: the input 'n' is read outside: index 0 runs over 0..8"),
              std::string::npos);
}

TEST(LoopBounds, ADataDependentIndexMustBeBoundable) {
    EXPECT_EQ(first_message(bare("stage t[i] = n[clamp(i, 0, 7)]\nstage s[i] = t[b[i]]")),
              "index 0 of 't' cannot be bounded: b[i]; clamp it to a range: clamp(INDEX, LEAST, "
              "GREATEST)");
    loaded(bare("stage t[i] = n[clamp(i, 0, 7)]\nstage s[i] = t[clamp(b[i], 0, 100)]"));
    loaded(bare("stage t[i] = n[clamp(i, 0, 7)]\nstage s[i] = t[b[i] % 8]"));
    loaded(bare("stage t[v] = f32(v)\nstage s[i] = let x = clamp(n[i], 0.0, 9.0) in let y = x + "
                "0.0 in t[i32(max(x, 2.0))]"));
    loaded(bare(
        "stage t[v] = f32(v)\nstage s[i] = let x = clamp(b[i], 0, 9) in let y = x + 1 in t[y]"));
    loaded(bare("stage s[i] = f32(b[b[i]])")); // any index is right where there is a boundary
}

TEST(LoopBounds, AnIndexThatMayLeaveI32) {
    EXPECT_EQ(first_message(bare("stage s[i] = f32(b[i*1000000000])")),
              "index 0 of 'b' may leave i32: it runs over 0..7000000000 (in the stage 's'); "
              "compute it in i64: i64(…)");
    loaded(bare("stage s[i] = f32(b[i64(i)*1000000000])"));
    EXPECT_EQ(first_message(bare(
                  "stage t[i] = n[clamp(i, 0, 7)]\nstage s[i] = t[i*1000000000 - i*1000000000]")),
              "index 0 of 't' may leave i32: it runs over -7000000000..7000000000 (in the stage "
              "'s'); compute it in i64: "
              "i64(…)");
    EXPECT_EQ(first_message(bare("stage s[i] = sum[k in 0..8 where k*i*100000000 < 5](n[k])")),
              "a condition may leave i32: it runs over 0..4900000000 (in the stage 's'); compute "
              "it in i64: i64(…)");
    EXPECT_EQ(first_message(bare("stage s[i] = let t = i*1000000000 in f32(b[t])")),
              "index 0 of 'b' may leave i32: it runs over 0..7000000000 (in the stage 's'); "
              "compute it in i64: i64(…)");
}

// Index arithmetic wraps like any other: what bounds the result of it makes an index.
TEST(LoopBounds, WhatMayWrapIsAnIndexWhereItIsBounded) {
    const std::vector<std::string> wraps = {"i*1500000000", "i + 2147483647", "-(i*1500000000) - 5",
                                            "i*65536*65536", "(i << 30)*3"};
    const std::vector<std::pair<std::string, std::string>> bounds = {
        {"clamp(", ", 0, 7)"}, {"(", ") % 8"},          {"min(max(", ", 0), 7)"},
        {"(", ") & 7"},        {"i32(u8(", ") % 8u8)"}, {"max(0, min(7, ", "))"}};
    for (const auto& wrap : wraps) {
        for (const auto& [before, after] : bounds) {
            const auto index = before + wrap + after;
            loaded(bare("stage s[i] = n[" + index + "]"));
            loaded(bare("stage s[i] = let t = " + wrap + " in n[" + before + "t" + after + "]"));
            loaded(bare("stage s[i] = sum[k in 0..8 where " + index + " > 3](n[k])"));
            loaded(bare("stage s[i] = 0.0\nupdate s[" + index + "] += n[i] over i in 0..8"));
        }
        EXPECT_NE(first_message(bare("stage s[i] = f32(b[" + wrap + "])")).find("may leave i32"),
                  std::string::npos)
            << wrap;
    }
}

TEST(LoopBounds, AStageHasThePointsThatAnI32Names) {
    auto far = [](const std::string& index) {
        return bare("stage t[i] = f32(b[i])\nstage s[i] = t[" + index + "]");
    };
    EXPECT_EQ(
        errors(far("i64(i) + 2147483641")),
        "t.loop:5:16: error: the stage 't' has no such points: index 0 runs over "
        "2147483641..2147483648, and index variables are i32, -2147483648..2147483647 (in the "
        "stage 's'); clamp the index, or define 't' over smaller coordinates\n"
        "stage s[i] = t[i64(i) + 2147483641]\n"
        "               ^\n");
    EXPECT_EQ(first_message(far("i64(i) - 3000000000")).substr(0, 60),
              "the stage 't' has no such points: index 0 runs over -3000000");
    loaded(far("i64(i) + 2147483640"));
    loaded(far("i64(i) - 2147483648"));
    loaded(bare("stage s[i] = f32(b[i64(i) + 3000000000])")); // an input with a boundary has all
    EXPECT_EQ(first_message(bare("stage t[i] = 0.0\nupdate t[i64(r) + 2147483641] += 1.0 over r in "
                                 "0..8\nstage s[i] = t[i64(i) + 2147483640]"))
                  .substr(0, 60),
              "the stage 't' has no such points: index 0 runs over 21474836");
}

TEST(LoopBounds, AxesAndExtents) {
    EXPECT_EQ(first_message(bare("stage s[i] = sum[k in 0..3000000000](n[i])")).substr(0, 37),
              "the axis 'k' leaves the range of i32;");
    EXPECT_EQ(
        first_message(bare("stage s[i] = sum[k in -2000000000..2000000000](n[i])")).substr(0, 37),
        "the extent of the axis 'k' is more th");
    EXPECT_EQ(first_message("pipeline p\ninput n[i]: f32[0]\n"),
              "the extent is 0; an extent is at least 1");
    EXPECT_EQ(first_message("pipeline p\ninput n[i]: f32[2147483648]\n"),
              "the extent is 2147483648; an extent is at most 2147483647 (2^31 - 1)");
    EXPECT_EQ(first_message("pipeline p\ninput n: f32[2147483647, 2147483647]\n"),
              "the input 'n' has more than 2^62 bytes; make it smaller");
    EXPECT_EQ(
        first_message(
            "pipeline p\nstage s[i, j, k] = 1\noutput s: [2147483647, 2147483647, 2147483647]\n"),
        "the output 's' has more than 2^62 bytes; make it smaller");
    EXPECT_EQ(first_message("pipeline p\nstage t[i, j] = 1\n"
                            "stage s[i] = t[i*100000000, i*200000000] + t[-i*100000000, "
                            "-i*200000000]\noutput s: [11]\n"),
              "the stage 't' is needed over -2000000000..2000000000 of 'j', and an extent is at "
              "most 2147483647 (2^31 - 1); "
              "clamp the index with which it is read");
}

TEST(LoopBounds, UpdatesExtendTheBox) {
    auto p = loaded(bare("stage s[i] = n[clamp(i, 0, 7)]\nupdate s[r+3] = 1.0 over r in 0..10"));
    EXPECT_EQ(required_boxes(*p)->at("s")[0], (Interval{0, 12}));
}

TEST(LoopBounds, AnUnneededStageIsNotJudged) {
    loaded(bare("stage t[i] = n[i+100]\nstage s[i] = n[i]"));
}

} // namespace
} // namespace loopscope::test
