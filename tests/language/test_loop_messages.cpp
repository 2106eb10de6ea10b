// The messages of wrong files, whole, with their places: compared with tests/golden/language/.
#include "tests/language/loop_support.h"
#include "tests/support/support.h"

namespace loopscope::test {
namespace {

struct Case {
    const char* title;
    std::string text;
};

std::string all_messages(const std::vector<Case>& cases) {
    std::string out;
    for (const auto& c : cases)
        out += std::string("== ") + c.title + "\n" + errors(c.text) + "\n";
    return out;
}

TEST(LoopMessages, Syntax) {
    EXPECT_EQ(
        golden_difference(
            "language/syntax.txt",
            all_messages({
                {"empty", ""},
                {"no pipeline", "stage s[i] = 1\noutput s: [8]\n"},
                {"pipeline twice", "pipeline p\npipeline q\n"},
                {"reserved pipeline name", "pipeline sum\n"},
                {"unknown statement", around("stag s[i] = 1")},
                {"no statement", around("3 + 4")},
                {"missing index names", around("stage s = 1")},
                {"no dimensions", around("stage s[] = 1")},
                {"missing value", around("stage s[i] =")},
                {"unclosed bracket", around("stage s[i] = (a[i] + 1\nstage t[i] = a[i")},
                {"two statements on a line", around("stage s[i] = 1 stage t[i] = 2")},
                {"wrong bracket", around("stage s[i] = a[i)")},
                {"chained comparison", around("stage s[i] = 0 < i < 3")},
                {"unary plus", around("stage s[i] = +a[i]")},
                {"bang", around("stage s[i] = !true")},
                {"number without a digit before the point", around("stage s[i] = .5")},
                {"let after an operator", around("stage s[i] = 1 + let t = 2 in t")},
                {"let without in", around("stage s[i] = let t = 2")},
                {"keyword as an expression", around("stage s[i] = where")},
                {"reserved stage name", around("stage min[i] = 1")},
                {"reserved axis", around("stage s[in] = 1")},
                {"unknown type", around("stage s[i]: f23 = 1")},
                {"unknown boundary", "pipeline p\ninput a[i]: f32[8] boundary egde\n"},
                {"update operator",
                 around("stage s[i] = 1\nupdate s[i] -= 1\nupdate s[i] /= 2\nupdate s[i] == 2")},
                {"else alone", around("else { stage s[i] = 1 }")},
                {"brace without a space",
                 around("const N = 2\nfor l in 0..N{\nstage s{l}[i] = 1\n}")},
                {"unclosed block", around("for l in 0..2 {\nstage s{l}[i] = 1\n")},
                {"closed too often", around("}\nstage s[i] = 1")},
                {"template of an axis", around("stage s[i{1}] = 1")},
                {"reduction without a body", around("stage s[i] = sum[k in 0..3]")},
                {"reduction without axes", around("stage s[i] = sum(a[i])")},
                {"characters", around("stage s[i] = a[i] @ 3\nstage t[i] = „a“")},
                {"invalid UTF-8", "pipeline p\n# caf\xE9\n"},
                {"unary minus on a keyword", around("stage s[i] = -over")},
            })),
        "");
}

TEST(LoopMessages, Names) {
    EXPECT_EQ(
        golden_difference(
            "language/names.txt",
            all_messages({
                {"unknown name", around("stage s[i] = aa[i] + bb")},
                {"nearest name", around("stage brightness[i] = a[i]\nstage s[i] = brigthness[i]")},
                {"nearest function", around("stage s[i] = clmap(a[i], 0, 1)")},
                {"used before its definition", around("stage s[i] = t[i]\nstage t[i] = a[i]")},
                {"defined twice", around("stage s[i] = 1\nstage s[i] = 2\nconst s = 3")},
                {"same name in each iteration", around("for l in 0..2 { stage s[i] = l }")},
                {"index name twice", around("stage s[i, i] = 1")},
                {"axis hides an axis", around("stage s[i] = sum[i in 0..3](a[i])")},
                {"axis hides a const", around("const k = 3\nstage s[k] = 1.0*k")},
                {"axis hides the variable of a for", around("for y in 0..2 { stage s{y}[y] = y }")},
                {"let hides an axis", around("stage s[i] = let i = 3 in a[i]")},
                {"let hides a let", around("stage s[i] = let t = a[i] in let t = a[i+1] in t")},
                {"for hides a param",
                 "pipeline p\nparam N = 3\nfor N in 0..2 { }\nstage s[i] = 1\noutput s: [8]\n"},
                {"template makes a reserved word", around("for l in 8..9 { stage u{l}[i] = 1 }")},
                {"template of a negative number", around("for l in -1..1 { stage t{l}[i] = 1 }")},
                {"template of no constant", around("stage s[i] = a{i}[i]")},
                {"stage without an index", around("stage s[i] = a + 1")},
                {"stage called", around("stage s[i] = a(i)")},
                {"const indexed", around("const K = 3\nstage s[i] = K[i]")},
                {"axis indexed", around("stage s[i] = i[3]")},
                {"def without a call", around("def f(x) = x\nstage s[i] = f + 1")},
                {"def of expressions indexed", around("def f(x) = x\nstage s[i] = f(a)[i]")},
                {"def of stages without an index", around("def f(x)[i] = x[i]\nstage s[i] = f(a)")},
                {"def with too few arguments", around("def f(x, y) = x + y\nstage s[i] = f(a[i])")},
                {"def uses itself", around("def f(x) = f(x)\nstage s[i] = a[i]")},
                {"def uses what comes later",
                 around("def f(x) = x*K\nconst K = 3\nstage s[i] = f(a[i])")},
                {"unknown name in an unused def",
                 around("def f(x) = x + nowhere\nstage s[i] = a[i]")},
                {"parameter twice", around("def f(x, x) = x\nstage s[i] = a[i]")},
                {"error inside a def", around("def f(x) = x + 1u8\nstage s[i] = f(a[i])")},
                {"error inside an iteration",
                 around("for l in 0..3 { stage t{l}[i] = a[i] + b[l] }\nstage s[i] = 1")},
                {"function as a value", around("stage s[i] = min + f32")},
                {"wrong rank", around("stage s[i] = g[i] + a[i, i]")},
                {"float index", around("stage s[i] = a[0.5*i] + a[a[i]]")},
                {"bool index", around("stage s[i] = a[i > 3]")},
                {"update of what is no stage",
                 around("stage s[i] = 1\nupdate a[i] = 1\nupdate q[i] = 1")},
                {"output of what is no stage",
                 around("stage s[i] = 1\noutput a: [8]\noutput q: [8]\noutput s: [8]")},
                {"output with the wrong rank", around("stage s[i] = 1", "s: [8, 8]")},
                {"no output", "pipeline p\nstage s[i] = 1\n"},
                {"param in a block", around("if true { param N = 3 }\nstage s[i] = N")},
                {"range that is not constant", around("stage s[i] = sum[k in 0..i](a[k])")},
                {"extent that is not whole", "pipeline p\ninput a[i]: f32[2.5]\n"},
                {"const that reads a stage", around("const C = a[3]\nstage s[i] = C")},
                {"if that is not constant", around("if a[3] > 0 { stage s[i] = 1 }")},
                {"if on a number", around("if 1 { stage s[i] = 1 }")},
                {"reduction inside an expression", around("stage s[i] = 1 + sum[k in 0..3](a[k])")},
                {"not available", around("symbolic L in 1..5 = 3\nstage s[i] = 1")},
            })),
        "");
}

TEST(LoopMessages, Tuples) {
    const std::string pair = "stage t[i] = (a[i], b[i])\n";
    EXPECT_EQ(
        golden_difference(
            "language/tuples.txt",
            all_messages({
                {"one component", around("stage s[i] = (a[i],)\nstage t[i]: (f32) = a[i]")},
                {"too many components",
                 around("stage s[i] = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)")},
                {"tuple inside an expression", around("stage s[i] = 1 + (a[i], b[i])")},
                {"tuple of tuples", around("stage s[i] = (a[i], (b[i], u[i]))")},
                {"type of tuples", around("stage s[i]: (f32, (i32, u8)) = (a[i], b[i])")},
                {"input of tuples", "pipeline p\ninput a[i]: (f32, i32)[8]\n"},
                {"const of tuples", around("const C: (f32, f32) = 1\nstage s[i] = C")},
                {"types that differ", around("stage s[i]: (f32, f32) = (a[i], b[i])")},
                {"declared single", around("stage s[i]: f32 = (a[i], b[i])")},
                {"declared a tuple", around("stage s[i]: (f32, f32) = a[i]")},
                {"read without a component", around(pair + "stage s[i] = t[i]")},
                {"no such component", around(pair + "stage s[i] = t[i].2")},
                {"component of a single", around("stage s[i] = a[i].0 + b[i].1")},
                {"component that is no number", around(pair + "stage s[i] = t[i].x")},
                {"component of an expression", around("stage s[i] = (a[i]).0")},
                {"component of a def",
                 around("def two(f)[i] = (f[i], f[i+1])\ndef one(f)[i] = f[i]\n"
                        "stage s[i] = two(a)[i].2 + one(a)[i].0 + two(a)[i]")},
                {"def that gives a tuple", around("def both(x, y) = let t = x in (t, y)\n"
                                                  "stage s[i] = 1 + both(a[i], b[i])")},
                {"update with one value", around(pair + "update t[i] = 1\nstage s[i] = t[i].0")},
                {"update of a single", around("stage s[i] = a[i]\nupdate s[i] = (1, 2)")},
                {"update of other types",
                 around(pair + "update t[i] += (b[i], b[i])\nstage s[i] = t[i].0")},
                {"update of bools", around("stage t[i] = (a[i], true)\n"
                                           "update t[i] += (1, false)\nstage s[i] = t[i].0")},
                {"reduction of tuples", around("stage s[i] = sum[k in 0..3]((a[k], b[k]))")},
                {"each component has its own error",
                 around("stage s[i] = (a[i] + b[i], nowhere, 1e39)")},
            })),
        "");
}

TEST(LoopMessages, ArgMinAndArgMax) {
    EXPECT_EQ(golden_difference(
                  "language/argmax.txt",
                  all_messages({
                      {"of bools", around("stage s[i] = argmax[k in 0..3](a[k] > 0)")},
                      {"declared single", around("stage s[i]: f32 = argmax[k in 0..3](a[k])")},
                      {"declared with another index",
                       around("stage s[i]: (f32, i64) = argmin[k in 0..3](a[k])")},
                      {"inside an expression", around("stage s[i] = argmax[k in 0..3](a[k]).1")},
                      {"without axes", around("stage s[i] = argmax(a[i])")},
                      {"read as one value", around("stage t[i] = argmax[k in 0..3](a[k])\n"
                                                   "stage s[i] = t[i]")},
                      {"more positions than i32 counts",
                       around("stage s[i] = argmax[k in 0..65536, l in 0..32768](a[k%8])")},
                      {"begins where no index is",
                       around("stage s[i] = argmax[k in -2147483648..-9](a[k%8])")},
                      {"may give no index, and is read with it",
                       "pipeline p\ninput a[i]: f32[8]\n"
                       "stage t[i] = argmax[k in 0..8 where a[k] > 0](a[k])\n"
                       "stage s[i] = a[t[i].1]\noutput s: [8]\n"},
                  })),
              "");
}

TEST(LoopMessages, Functions) {
    EXPECT_EQ(
        golden_difference(
            "language/functions.txt",
            all_messages({
                {"of an integer", around("stage s[i] = exp(b[i]) + pow(a[i], b[i]) + rsqrt(u[i])")},
                {"fma of integers", around("stage s[i] = fma(a[i], b[i], 1)")},
                {"of two types", around("stage s[i] = pow(a[i], f64(a[i]))")},
                {"of a bool", around("stage s[i] = sin(a[i] > 0)")},
                {"of a constant", around("stage s[i] = a[i]*exp(1)\nconst C = pow(2.0, 0.5)\n"
                                         "const D: i32 = fma(1, 2, 3)")},
                {"number of arguments",
                 around("stage s[i] = exp() + pow(a[i]) + fma(a[i]) + bits() + from_bits(f32)")},
                {"bits of an integer", around("stage s[i] = bits(b[i])\nstage t[i] = bits(u[i])\n"
                                              "stage v[i] = bits(i > 3)\nstage w[i] = bits(1.0)")},
                {"from_bits of another width", around("stage s[i] = from_bits(f64, u32(b[i]))")},
                {"from_bits of a signed integer", around("stage s[i] = from_bits(f32, b[i])")},
                {"from_bits without a float type",
                 around("stage s[i] = from_bits(i32, 1) + from_bits(a[i], 1)")},
                {"bits that do not fit", around("stage s[i] = from_bits(f16, 65536)")},
                {"f16 that does not fit", around("stage s[i]: f16 = 65520.0\n"
                                                 "stage t[i] = f16(1e6) + 1e5f16 + -65520f16")},
                {"bf16 that does not fit", around("stage s[i]: bf16 = 3.4e38")},
                {"bf16 beside f16", around("stage s[i] = 1bf16 + f16(a[i])")},
                {"bit operators of f16", around("stage s[i] = f16(a[i]) & 1 | f16(a[i]) % 2")},
            })),
        "");
}

TEST(LoopMessages, AllIndependentErrorsOfARun) {
    EXPECT_EQ(golden_difference(
                  "language/independent.txt",
                  all_messages({
                      {"each statement has its own",
                       around("const K = 1/0\n"            // an error
                              "stage t[i] = a[i]*K\n"      // follows from it: silent
                              "stage v[i] = a[i] + b[i]\n" // an error
                              "stage w[i] = v[i]\n"        // silent
                              "stage x[i = 3\n"            // an error
                              "stage z[i] = x[i]\n"        // silent
                              "for l in 0..nothing {\n"    // an error
                              "    stage t{l}[i] = a[i]\n"
                              "}\n"
                              "stage q[i] = t0[i] + t5[i]\n"       // silent
                              "stage s[i] = a[i] + u[i]*oops\n")}, // two errors
                      {"both sides of an operator",
                       around("stage s[i] = nope[i] + (a[i] + b[i])*none(i)")},
                      {"errors inside of a broken block",
                       around("for l on 0..3 {\n    stage t{l}[i] = a[i\n}\nstage s[i] = t0[i]")},
                  })),
              "");
    std::string many = "pipeline p\n";
    for (int i = 0; i < 150; ++i)
        many += "stage s" + std::to_string(i) + "[i] = nothing_at_all\n";
    auto result = load(many);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.errors().size(), 150u);
    auto text = format(result.errors());
    EXPECT_NE(text.find("… and 50 more\n"), std::string::npos);
}

TEST(LoopMessages, ColumnsCountCharactersAndLinesAreCut) {
    EXPECT_EQ(errors("pipeline p\ninput a[i]: f32[8]\nstage s[i] = a[i] + \xC3\xA9\n"),
              "t.loop:3:21: error: unexpected character 'é'; names are ASCII letters, digits and "
              "'_'; other text belongs in "
              "comments\n"
              "stage s[i] = a[i] + é\n"
              "                    ^\n");
    auto text =
        errors("pipeline p\nstage s[i] = " + std::string(300, ' ') + "oops\noutput s: [8]\n");
    EXPECT_EQ(text, "t.loop:2:314: error: unknown name 'oops'\nstage s[i] = " +
                        std::string(147, ' ') + "\n");
}

} // namespace
} // namespace loopscope::test
