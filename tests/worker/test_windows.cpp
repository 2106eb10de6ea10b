// A large result is checked by windows of it.
#include "compiler/worker/windows.h"

#include "compiler/worker/check.h"
#include "compiler/worker/context.h"
#include "compiler/worker/work_count.h"
#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::worker {
namespace test_windows {

using testing::HasSubstr;

const std::atomic<bool> never = false;
const Context quiet([](const measure::Progress&) {}, never);
constexpr double kFlops = 40000;

std::string product(const std::string& term) {
    return "pipeline p\ninput a[i, k]: f32[200, 50]\ninput b[k, j]: f32[50, 300]\n"
           "stage c[i, j]: f32 = sum[k in 0..50](" +
           term + ")\noutput c: [200, 300]\n";
}
const std::string kProduct = product("a[i, k]*b[k, j]");

nlohmann::json check(const std::string& compiled, const std::string& schedule = {}) {
    CheckRequest request;
    request.most_work = kFlops;
    auto code = compile_program(test::load(compiled, schedule)).value();
    return check_program(test::load(kProduct, schedule), code, request, quiet).value();
}

TEST(Windows, LieAtBothCornersAndInside) {
    auto loaded = test::load(kProduct);
    auto parts = with_windows(*loaded.pipeline, 7, kFlops).value();
    ASSERT_EQ(parts.windows.size(), 4u);
    const auto extents = parts.windows[0].extents;
    EXPECT_EQ(extents, (std::vector<std::int64_t>{8, 8})); // 4 * 64 * 50 * 2 FLOPs
    EXPECT_EQ(parts.windows[0].offset, (std::vector<std::int64_t>{0, 0}));
    EXPECT_EQ(parts.windows[1].offset, (std::vector<std::int64_t>{192, 292}));
    for (const auto& window : parts.windows)
        for (std::size_t d = 0; d < 2; ++d) {
            EXPECT_GE(window.offset[d], 0);
            EXPECT_LE(window.offset[d] + window.extents[d], d ? 300 : 200);
        }
    EXPECT_NE(parts.windows[2].offset, parts.windows[3].offset);
    double flops = 0;
    for (const auto& pipeline : parts.pipelines)
        flops += count_work(*pipeline).value().flops;
    EXPECT_LE(flops, kFlops);
}

// A table that each element may need: of one element each, four windows take 40004 FLOPs of the
// 70000 of the whole.
const std::string kTable =
    "pipeline p\ninput a[i, k]: f32[100, 50]\ninput b[i, j]: u8[200, 300]\n"
    "stage t[i]: f32 = sum[k in 0..50](a[i, k]*a[i, k])\n"
    "stage c[i, j]: f32 = t[i32(b[i, j]) % 100] + 1.0\noutput c: [200, 300]\n";

TEST(Windows, AreAsLargeAsTakesHardlyMoreThanTheLeast) {
    auto loaded = test::load(kTable);
    auto parts = with_windows(*loaded.pipeline, 7, 20000).value();
    ASSERT_EQ(parts.windows.size(), 4u);
    EXPECT_EQ(parts.windows[0].extents, (std::vector<std::int64_t>{64, 64}));
    EXPECT_TRUE(windows_of_large(*loaded.pipeline, 7, 20000).value());
}

// Whole numbers are no FLOPs, and take time all the same.
TEST(Windows, AreOfWholeNumbersToo) {
    auto loaded = test::load("pipeline p\ninput a[i, k]: i8[200, 50]\ninput b[k, j]: i8[50, 300]\n"
                             "stage c[i, j]: i32 = sum[k in 0..50](i32(a[i, k])*i32(b[k, j]))\n"
                             "output c: [200, 300]\n");
    auto parts = windows_of_large(*loaded.pipeline, 7, kFlops).value();
    ASSERT_TRUE(parts);
    double points = 0;
    for (const auto& pipeline : parts->pipelines)
        points += count_work(*pipeline).value().points;
    EXPECT_LE(points, kFlops);
    EXPECT_GT(points, kFlops / 8);
}

// What two outputs are made of is then computed once.
TEST(Windows, OfOutputsOfOneShapeLieAtOnePlace) {
    auto loaded =
        test::load("pipeline p\ninput a[i, k]: f32[200, 50]\ninput b[k, j]: f32[50, 300]\n"
                   "stage c[i, j]: f32 = sum[k in 0..50](a[i, k]*b[k, j])\n"
                   "stage d[i, j]: f32 = c[i, j]*2.0\noutput c: [200, 300]\n"
                   "output d: [200, 300]\n");
    auto parts = with_windows(*loaded.pipeline, 7, kFlops).value();
    ASSERT_EQ(parts.windows.size(), 8u);
    for (std::size_t i = 0; i < 8; i += 2)
        EXPECT_EQ(parts.windows[i].offset, parts.windows[i + 1].offset);
}

TEST(Windows, AreNoneWhereTheWholeNeedsNoMore) {
    auto each_of_all = test::load("pipeline p\ninput a[i]: f32[1000]\n"
                                  "stage s[z]: f32 = sum[i in 0..1000](a[i]*a[i])\n"
                                  "stage c[i]: f32 = a[i]/s[0]\noutput c: [1000]\n");
    EXPECT_FALSE(windows_of_large(*each_of_all.pipeline, 7, 100).value());
    auto product = test::load(kProduct);
    EXPECT_TRUE(windows_of_large(*product.pipeline, 7, kFlops).value());
    EXPECT_FALSE(windows_of_large(*product.pipeline, 7, 1e9).value());
}

TEST(Windows, ASmallOutputIsOneWhole) {
    auto loaded = test::load(kProduct);
    auto parts = with_windows(*loaded.pipeline, 7, 1e12).value();
    EXPECT_EQ(parts.windows.size(), 4u) << "60000 elements are more than one window has";
    auto small = test::load("pipeline p\ninput a[i]: f32[10]\nstage c[i]: f32 = a[i]\n"
                            "output c: [10]\n");
    EXPECT_EQ(with_windows(*small.pipeline, 7, 1e12).value().windows.size(), 1u);
}

TEST(Windows, ARightResultIsRightAndTheMethodSaysHowMuchOfIt) {
    auto answer = check(kProduct);
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_THAT(answer.at("method").get<std::string>(),
                HasSubstr("compared: 4 windows of c, in all 256 of 60000 elements"));
    EXPECT_EQ(answer.at("outputs").at(1).at("name"), "c[192..200, 292..300]");
}

TEST(Windows, WhatReassociatesIsHeldToBounds) {
    const std::string vectors = "schedule for p\nc.vectorize(k, 8)\n";
    auto answer = check(kProduct, vectors);
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("whole_numbers"), "equal");
    answer = check(product("a[i, k]*b[k, j]*1.001"), vectors);
    EXPECT_EQ(answer.at("status"), "wrong");
}

TEST(Windows, AnErrorAtTheLastTileIsFound) {
    auto answer = check(product("select(i >= 192, 0.0, a[i, k]*b[k, j])"));
    EXPECT_EQ(answer.at("status"), "wrong");
    EXPECT_THAT(answer.at("first_difference").get<std::string>(),
                HasSubstr("c[192..200, 292..300]"));
    EXPECT_EQ(answer.at("windows"), true);
    EXPECT_EQ(answer.at("difference").at("array"), "c");
    EXPECT_EQ(answer.at("difference").at("at"), (nlohmann::json{192, 292}))
        << "of the whole output";
}

TEST(Windows, TuplesHaveTheirParts) {
    const std::string text = "pipeline p\ninput a[i, k]: f32[300, 60]\n"
                             "stage m[i]: (f32, i32) = argmax[k in 0..60](a[i, k]*2.0)\n"
                             "output m: [300]\n";
    CheckRequest request;
    request.most_work = 2000;
    auto code = compile_program(test::load(text)).value();
    auto answer = check_program(test::load(text), code, request, quiet).value();
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("outputs").size(), 8u);
    EXPECT_THAT(answer.dump(), HasSubstr("m.1["));
}

} // namespace test_windows
} // namespace loopscope::worker
