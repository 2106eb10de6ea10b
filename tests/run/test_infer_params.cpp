#include "compiler/run/infer_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope {
namespace test_infer_params {

using Params = std::map<std::string, std::int64_t>;
using testing::HasSubstr;

SourceFilePtr file(const std::string& text) { return std::make_shared<SourceFile>("p.loop", text); }

const char* const kMatmul =
    "pipeline m\nparam M = 8\nparam N = 8\nparam K = 8\ninput A[i, k]: f32[M, K]\n"
    "input B[k, j]: f32[K, N]\nstage C[i, j] = sum[k in 0..K](A[i, k]*B[k, j])\noutput C: [M, N]\n";

TEST(InferParams, WholeExtentsGiveValues) {
    auto params = infer_params(file(kMatmul), {{"A", {3, 5}}, {"B", {5, 4}}}, {});
    ASSERT_TRUE(params);
    EXPECT_EQ(*params, (Params{{"M", 3}, {"N", 4}, {"K", 5}}));
}

TEST(InferParams, TheCallersOwnStand) {
    auto params = infer_params(file(kMatmul), {{"A", {3, 5}}}, {{"M", 7}});
    ASSERT_TRUE(params);
    EXPECT_EQ(*params, (Params{{"M", 7}, {"K", 5}}));
}

TEST(InferParams, ConflictsNameBothAndTheirPlace) {
    auto params = infer_params(file(kMatmul), {{"A", {3, 5}}, {"B", {6, 4}}}, {});
    ASSERT_FALSE(params);
    auto text = format(params.errors());
    EXPECT_THAT(text,
                HasSubstr("the arrays do not agree on K: extent 1 of A is 5, extent 0 of B is 6"));
    EXPECT_THAT(text, HasSubstr("p.loop:6:20: error"));
    EXPECT_TRUE(infer_params(file(kMatmul), {{"A", {3, 5}}, {"B", {6, 4}}}, {{"K", 5}}))
        << "then loading says what does not fit";
}

TEST(InferParams, ExpressionsConstsAndOtherRanksInferNothing) {
    auto source =
        file("pipeline p\nparam N = 8\nconst L = 4\ninput a[x]: f32[N + 1]\ninput b[x]: f32[L]\n"
             "input c[x, y]: f32[N, N]\nstage s[x] = a[x] + b[x]\noutput s: [4]\n");
    auto params = infer_params(source, {{"a", {9}}, {"b", {7}}, {"c", {5}}, {"unknown", {1}}}, {});
    ASSERT_TRUE(params);
    EXPECT_TRUE(params->empty());
}

TEST(InferParams, OneArrayMayDisagreeWithItself) {
    auto source = file(
        "pipeline p\nparam N = 8\ninput a[x, y]: f32[N, N]\nstage s[x] = a[x, x]\noutput s: [N]\n");
    EXPECT_FALSE(infer_params(source, {{"a", {3, 4}}}, {}));
    EXPECT_TRUE(infer_params(source, {{"a", {4, 4}}}, {}));
}

TEST(InferParams, BrokenTextsAreLeftToTheLoader) {
    EXPECT_TRUE(infer_params(file("pipeline p\ninput a[x: f32[N\n"), {{"a", {3}}}, {}));
    EXPECT_TRUE(infer_params(file(""), {{"a", {3}}}, {}));
}

TEST(ParamForExtent, SolvesForOneParam) {
    auto source = file("pipeline p\nparam N = 8\nparam M = 8\nconst L = 4\n"
                       "input a[x, y, z, w]: f32[N, 2*N + 1, 16, N*M]\ninput b[x]: f32[L]\n"
                       "stage s[x] = b[x]\noutput s: [4]\n");
    auto value = [&](const SourceFilePtr& of, const std::string& input, std::size_t dimension,
                     std::int64_t wanted) {
        const auto param = param_for_extent(of, input, dimension, wanted);
        return param ? param->name + "=" + std::to_string(param->value) : std::string();
    };
    EXPECT_EQ(value(source, "a", 0, 12), "N=12");
    EXPECT_EQ(value(source, "a", 1, 25), "N=12");
    EXPECT_EQ(value(source, "a", 1, 24), "") << "no whole N";
    EXPECT_EQ(value(source, "a", 2, 12), "") << "fixed";
    EXPECT_EQ(value(source, "a", 3, 12), "") << "two params";
    EXPECT_EQ(value(source, "b", 0, 12), "") << "a const is none";
    EXPECT_EQ(value(source, "c", 0, 12), "");
    EXPECT_EQ(value(source, "a", 9, 12), "");
    EXPECT_EQ(value(file("pipeline p\ninput a[x"), "a", 0, 12), "");
}

} // namespace test_infer_params
} // namespace loopscope
