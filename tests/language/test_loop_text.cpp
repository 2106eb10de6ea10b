// Round trips: the expanded pipeline as text, and canonical formatting.
#include "tests/language/loop_support.h"
#include "tests/support/support.h"

#include <filesystem>

namespace loopscope::test {
namespace {

void expect_round_trip(const Pipeline& p) {
    auto text = to_text(p);
    auto again = load(text);
    ASSERT_TRUE(again) << format(again.errors()) << "in\n" << text;
    EXPECT_TRUE(equal(p, *again->pipeline)) << text << "became\n" << to_text(*again->pipeline);
    EXPECT_EQ(to_text(*again->pipeline), text);
}

// Formats, and checks that nothing but the layout changed.
std::string formatted(const std::string& text) {
    auto once = format_pipeline_source(source(text));
    if (!once) {
        ADD_FAILURE() << format(once.errors());
        return {};
    }
    auto twice = format_pipeline_source(source(*once));
    EXPECT_EQ(twice.ok() ? *twice : format(twice.errors()), *once);
    auto before = load(text), after = load(*once);
    EXPECT_EQ(before.ok(), after.ok());
    EXPECT_TRUE(!before.ok() || !after.ok() || equal(*before->pipeline, *after->pipeline));
    return *once;
}

std::vector<std::string> shipped() {
    std::vector<std::string> out;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_path("resources/pipelines")))
        if (entry.path().extension() == ".loop")
            out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

TEST(LoopText, EveryShippedPipelineLoadsAndRoundTrips) {
    auto files = shipped();
    EXPECT_GE(files.size(), 8u);
    for (const auto& path : files) {
        auto result = load_pipeline_file(path);
        ASSERT_TRUE(result) << format(result.errors());
        EXPECT_TRUE(result->warnings.empty()) << format(result->warnings);
        expect_round_trip(*result->pipeline);
        formatted(read_file(path));
    }
}

TEST(LoopText, EverythingRoundTrips) {
    expect_round_trip(*loaded(around(
        "param N = 4\n"
        "stage c1[i] = 2i32 + 3i32*4i32\n"
        "stage c2[i] = -(5i32) + ~7i32\n"
        "stage c3[i] = f64(0.5f32) + sqrt(f64(2))\n"
        "stage c4[i] = min(1.5f32, 2.5f32) + -0.0\n"
        "stage c5[i] = let t = 3u8 in t*t\n"
        "stage c6[i] = select(true, 1, 2) + select(i < 3, 1i32, 2i32)\n"
        "stage c7[i] = max(a[i], f32(nan)) + f32(-inf) + 1e-45f32\n"
        "stage c8[i] = 1u8 << 2u8 == 4u8\n"
        "stage c9[i] = true and not false or i < 3\n"
        "stage c10[i] = 18446744073709551615u64 / 7u64\n"
        "stage c11[i] = i64(-9223372036854775808i64)\n"
        "stage c12[i]: f64 = 0.1\n"
        "stage d1[i] = b[i] - (b[i+1] - b[i+2]) - -3\n"
        "stage d2[i] = a[i]/(a[i+1]/a[i+2])*a[i+3]\n"
        "stage d3[i] = (b[i] | 1) & 3 ^ (b[i] << 2 >> 1)\n"
        "stage d4[i] = (b[i] < 3) == (i > 2)\n"
        "stage d5[i] = -(-b[i]) + -(b[i]*2) + ~(~b[i])\n"
        "stage d6[i] = (let t = a[i] in t*t) + (let q = a[i] in let r = q + 1 in q*r)\n"
        "stage d7[i] = a[clamp(i + N, 0, 5)] + a[u[i]] + floor(a[i]) + a[i]**7\n"
        "stage e1[i] = (1i32 + 2i32, let t = a[i] in t*t, 0.5f16)\n"
        "stage e2[i] = argmax[k in 0..4, l in 2..5 where k != i](f16(a[k+l]))\n"
        "update e2[i] max= (e2[i].0, e1[i].0)\n"
        "update e2[r] = (e2[r-1].0*2, e2[r].1) over r in 1..4\n"
        "stage e3[i] = exp(2.0f32) + pow(2f32, 3f32) + pow(a[i], 3) + fma(1f32, 2f32, 3f32)\n"
        "stage e4[i] = bits(2.0f32) + bits(a[i]) - bits(-f32(nan))\n"
        "stage e5[i] = from_bits(f32, 5) + from_bits(f32, u32(b[i])) + from_bits(f32, 7u32)\n"
        "stage e6[i] = bf16(nan) + bf16(-inf) + 1e30bf16 - bf16(a[i])*0.1\n"
        "stage e7[i] = f16(1e-7f32) + 65504f16 + f16(-inf) + -0.0f16 + f16(u[i])**5\n"
        "stage e8[i] = e2[e2[i].1 & 7].0 + e1[i].2 + f16(e1[i].0)\n"
        "stage e9[i] = -f32(nan) + select(i > 3, nan, a[i]) + tanh(select(i > 0, 1.0, nan))\n"
        "stage d8[i]: bool = all[k in -2..3, l in 0..N where k < l](a[i+k] > a[l])\n"
        "stage s[i]: i32 = prod[k in 0..3](b[k])\n"
        "update s[u[r]] += select(b[r] > 0, 1, 2) over r in 0..8 where b[r] != 3\n"
        "update s[i] max= 4\nupdate s[3] min= 4\nupdate s[r] *= s[r-1] over r in "
        "1..4\nupdate s[i] = 0 where s[i] < 0")));
}

TEST(LoopText, TheTextOfAnExpandedPipeline) {
    auto p = loaded(around("param N = 3\nconst C = 0.5\ndef twice(f)[i] = f[i]*2\n"
                           "for l in 0..2 { stage t{l}[i] = twice(a)[i+l]*C }\n"
                           "stage s[i]: f32 = sum[k in 0..N where k != i](t0[k] + t1[i])\n"
                           "update s[r] += 1 over r in 0..2*N where r > 2"),
                    {{{"N", 5}}});
    EXPECT_EQ(to_text(*p), "pipeline p\n"
                           "param N = 5\n"
                           "input a[i]: f32[8] boundary edge\n"
                           "input b[i]: i32[8] boundary edge\n"
                           "input u[i]: u8[8] boundary edge\n"
                           "input g[y, x]: f32[8, 8] boundary zero\n"
                           "stage t0[i]: f32 = a[i + 0]*2.0*0.5\n"
                           "stage t1[i]: f32 = a[i + 1]*2.0*0.5\n"
                           "stage s[i]: f32 = sum[k in 0..5 where k != i](t0[k] + t1[i])\n"
                           "update s[r] += 1.0 over r in 0..10 where r > 2\n"
                           "output s: [8]\n");
}

TEST(LoopText, EqualityTellsPipelinesApart) {
    auto base = around("stage s[i] = a[i] + 1");
    EXPECT_TRUE(equal(*loaded(base), *loaded("# comment\n" + base)));
    EXPECT_FALSE(equal(*loaded(base), *loaded(around("stage s[i] = a[i] + 2"))));
    EXPECT_FALSE(equal(*loaded(base), *loaded(around("stage s[j] = a[j] + 1"))));
    EXPECT_FALSE(equal(*loaded(base), *loaded(around("stage s[i] = a[i] + 1", "s: [7]"))));
    EXPECT_FALSE(equal(*loaded(base), *loaded(around("stage s[i] = a[i] + 1\nupdate s[i] = 1"))));
}

TEST(LoopFormat, SpacingAndIndentation) {
    EXPECT_EQ(
        formatted(
            "\n\n# about\npipeline   p\nparam N=4 # size\n\n\n\ninput a[ i ] :f32[N+1]boundary "
            "edge\n"
            "for l in 0..N-1 {\nconst C=2 *l\n  stage t{ l+1 }[i]=a[ i + l ]*C-  1   # why\n\n}\n"
            "if N>2{ stage q[i]=1 } else { stage q[i] = 2 }\n"
            "stage s[i]=sum[k in 0..N - 1 where k<i](\n   a[k+1]\n +a[ k ]\n)\n"
            "update s[ i ]max=-1 over r in 0..N-1 where r>=0 and not (r==2)\n"
            "output s:[N]\n#end"),
        "# about\n"
        "pipeline p\n"
        "param N = 4  # size\n"
        "\n"
        "input a[i]: f32[N+1] boundary edge\n"
        "for l in 0..N-1 {\n"
        "    const C = 2*l\n"
        "    stage t{l+1}[i] = a[i+l]*C - 1  # why\n"
        "}\n"
        "if N > 2 {\n"
        "    stage q[i] = 1\n"
        "} else {\n"
        "    stage q[i] = 2\n"
        "}\n"
        "stage s[i] = sum[k in 0..N-1 where k < i](\n"
        "    a[k+1]\n"
        "    + a[k]\n"
        ")\n"
        "update s[i] max= -1 over r in 0..N-1 where r >= 0 and not (r == 2)\n"
        "output s: [N]\n"
        "#end\n");
}

TEST(LoopFormat, ContinuationLinesKeepTheirPlaceBesideTheStatement) {
    EXPECT_EQ(formatted("pipeline p\ninput a[i]: f32[8] boundary edge\n"
                        "   stage s[i] = (a[i]   # first\n"
                        "                  # between\n"
                        "                 + a[i+1])\n"
                        "output s: [8]\n"),
              "pipeline p\ninput a[i]: f32[8] boundary edge\n"
              "stage s[i] = (a[i]  # first\n"
              "               # between\n"
              "              + a[i+1])\n"
              "output s: [8]\n");
}

TEST(LoopFormat, OperatorsUnaryAndBinary) {
    EXPECT_EQ(formatted(around("stage s[i] = - b[i]-  -1+~ b[ -i ]* - 2**  2 <<1|i%3")),
              around("stage s[i] = -b[i] - -1 + ~b[-i]*-2**2 << 1 | i%3"));
    EXPECT_EQ(formatted(around("stage s[i] = let t=a[ i ]in t *( t+1 )-select( i<3,1.0 , t )")),
              around("stage s[i] = let t = a[i] in t*(t + 1) - select(i < 3, 1.0, t)"));
}

TEST(LoopFormat, TuplesAndTheirComponents) {
    EXPECT_EQ(formatted(around("stage t[i]:( f32 ,i32 )=( a[i]+1 ,\n b[ i ])\n"
                               "update t[i]max=( 1,2 )\n"
                               "stage s[i] = t[ i ].0-t[i]. 0 * from_bits( f32,bits( a[i] ) )")),
              around("stage t[i]: (f32, i32) = (a[i] + 1,\n    b[i])\n"
                     "update t[i] max= (1, 2)\n"
                     "stage s[i] = t[i].0 - t[i].0*from_bits(f32, bits(a[i]))"));
}

TEST(LoopFormat, CommentsAfterBracesAndByteOrderMark) {
    EXPECT_EQ(formatted("\xEF\xBB\xBFpipeline p\r\nfor l in 0..2 { # loop\r\n# inside\r\nstage "
                        "t{l}[i] = 1\r\n\r\n# last\r\n} # done\r\n"
                        "output t0: [3]\r\n"),
              "pipeline p\n"
              "for l in 0..2 {  # loop\n"
              "    # inside\n"
              "    stage t{l}[i] = 1\n"
              "\n"
              "    # last\n"
              "}  # done\n"
              "output t0: [3]\n");
}

TEST(LoopFormat, WrongSyntaxIsNotFormatted) {
    auto result = format_pipeline_source(source("pipeline p\nstage s[i = 3\n"));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.errors().size(), 1u);
    // What only the meaning of names would refuse is formatted.
    EXPECT_TRUE(format_pipeline_source(source("pipeline p\nstage s[i] = unknown\n")));
}

TEST(LoopLint, WhatNothingUses) {
    auto result = load(
        "pipeline p\nparam N = 3\nparam M = 4\nconst C = 1\nconst D = 2\ndef f(x) = x\n"
        "input a[i]: f32[N] boundary zero\ninput b[i]: f32[N]\n"
        "stage t[i] = a[i]\nstage v[i] = b[i]\nstage s[i] = t[i]*D\n"
        "update s[r] = s[r-1] over r in 1..3\nupdate s[i] += 1 over r in 3..3\noutput s: [N]\n");
    ASSERT_TRUE(result) << format(result.errors());
    std::string text;
    for (const auto& d : lint(*result))
        text += d.message + "\n";
    EXPECT_EQ(text, "the param 'M' is never used\n"
                    "the const 'C' is never used\n"
                    "the def 'f' is never used\n"
                    "no output needs the input 'b'\n"
                    "no output needs the stage 'v'\n"
                    "update 0 of 's' has no free variable: a GPU target runs it in one thread\n"
                    "the range of the axis 'r' is empty: the definition does nothing\n");
}

// A schedule lets an update be parallel only where its steps combine in any order.
TEST(LoopLint, OfUpdatesInOneThreadOnlyLegalDirectives) {
    auto remedy = [](const std::string& statements) {
        auto result = load(around(statements));
        EXPECT_TRUE(result) << format(result.errors());
        for (const auto& d : result ? lint(*result) : Diagnostics{})
            if (d.code == "one-thread")
                return d.remedy;
        return std::string("none");
    };
    const std::string free = "leave an index free", in = " in the schedule";
    EXPECT_EQ(remedy("stage s[i] = a[i]\nupdate s[r] = s[r-1] + a[r] over r in 1..8"), free);
    EXPECT_EQ(remedy("stage s[i] = a[i]\nupdate s[r] += s[r-1] over r in 1..8"), free);
    EXPECT_EQ(remedy("stage s[i] = 0.0\nupdate s[clamp(b[r], 0, 7)] += a[r] over r in 0..8"),
              free + ", or let it be parallel by atomic() or rfactor()" + in);
    EXPECT_EQ(remedy("stage t[i] = (0.0, 0.0)\nupdate t[0] += (a[r], a[r-1]) over r in 0..8\n"
                     "stage s[i] = t[i].0"),
              free + ", or let it be parallel by rfactor()" + in);
}

} // namespace
} // namespace loopscope::test
