// The interpreter of loop programs: results, findings, counters, limits.
#include "compiler/lower/pass.h"
#include "compiler/lower/program_parser.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "tests/support/program_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace loopscope {
namespace test_loop_interpreter {

lower::Program parsed(const std::string& text) {
    auto program = lower::parse_program(text);
    if (!program) {
        ADD_FAILURE() << format(program.errors());
        return {};
    }
    auto errors = lower::verify(*program);
    EXPECT_TRUE(errors.empty()) << format(errors);
    return *program;
}

template <typename T> Buffer filled(ScalarType type, std::vector<std::int64_t> extents,
                                    std::vector<T> values) {
    auto buffer = make_buffer(type, std::move(extents)).value();
    std::copy(values.begin(), values.end(), buffer.template as<T>());
    return buffer;
}

LoopRun run(const std::string& text, const std::map<std::string, Buffer>& inputs = {},
            const LoopInterpreterOptions& options = {}) {
    auto result = run_loop_program(parsed(text), inputs, options);
    if (!result) {
        ADD_FAILURE() << format(result.errors());
        return {};
    }
    return *result;
}

template <typename T> std::vector<T> values(const Buffer& b) {
    return {b.as<T>(), b.as<T>() + b.count()};
}

// One i32 expression, evaluated.
std::int32_t evaluated(const std::string& e) {
    auto result =
        run("program p\noutput out: i32[1]\nlaunch p on host (out) {\nout[0] = " + e + "\n}\n");
    return result.outputs.empty() ? -12345 : result.outputs.at("out").as<std::int32_t>()[0];
}

TEST(LoopInterpreter, Arithmetic) {
    EXPECT_EQ(evaluated("(-7)/2"), -4);
    EXPECT_EQ(evaluated("(-7) % 2"), 1);
    EXPECT_EQ(evaluated("7 % (-2)"), -1);
    EXPECT_EQ(evaluated("7/0 + 7 % 0"), 0);
    EXPECT_EQ(evaluated("(-2147483648)/(-1)"), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(evaluated("2147483647 + 1"), std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(evaluated("1 << 32"), 0);
    EXPECT_EQ(evaluated("(-8) >> 1"), -4);
    EXPECT_EQ(evaluated("(-8) >> (-1)"), -16);
    EXPECT_EQ(evaluated("i32(300u16)*i32(u8(300u16))"), 300 * 44);
    EXPECT_EQ(evaluated("i32(3e9) + i32(nan) + i32(-1e20)"), -1); // saturates both ways
    EXPECT_EQ(evaluated("i32(-1.9)"), -1);
    EXPECT_EQ(evaluated("i32(u8(-1.0)) + i32(u8(256.0))"), 255);
    EXPECT_EQ(evaluated("i32(round(2.5)) + i32(round(3.5)) + i32(round(-0.5))"), 6);
    EXPECT_EQ(evaluated("i32(1.0/min(0.0, -0.0) < 0.0)"), 1);
    EXPECT_EQ(evaluated("i32(1.0/max(0.0, -0.0) > 0.0)"), 1);
    EXPECT_EQ(evaluated("i32(min(nan, 1.0) == min(nan, 1.0))"), 0);
    EXPECT_EQ(evaluated("i32(16777216.0 + 1.0 == 16777216.0)"), 1);
    EXPECT_EQ(evaluated("i32(f32(16777217) == 16777216.0)"), 1);
    EXPECT_EQ(evaluated("i32(fma(16777217.0f64, 1.0, 1.0) == 16777218.0)"), 1);
    EXPECT_EQ(evaluated("let t = 3 in t*t + (let s = 4 in s*t)"), 21);
    EXPECT_EQ(evaluated("select(3u8 > 250u8 - 248u8, 1, 2)"), 1);
    EXPECT_EQ(evaluated("i32(not true or false)"), 0);
}

TEST(LoopInterpreter, VectorsMasksAndWindows) {
    auto result =
        run(test::on_host("input A: i32[8]\noutput out: i32[10] from [-1] window [8]",
                          R"(    out[0] = 100
    out[9] = 100
    out[ramp(1, 1, 8)] = ramp(0, 10, 8)
    out[ramp(8, -1, 8) where ramp(0, 1, 8) < broadcast(3, 8)] = A[ramp(0, 1, 8) where ramp(0, 1, 8) != broadcast(1, 8)]
)"),
            {{"A", filled<std::int32_t>(ScalarType::I32, {8}, {1, 2, 3, 4, 5, 6, 7, 8})}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(values<std::int32_t>(result.outputs.at("out")),
              (std::vector<std::int32_t>{0, 10, 20, 30, 40, 3, 0, 1}));
    EXPECT_EQ(result.by_buffer.at("A").loads, 7u);
    EXPECT_EQ(result.by_buffer.at("out").stores, 13u);
    EXPECT_EQ(result.by_buffer.at("out").distinct.written, 40);
}

TEST(LoopInterpreter, ParallelIterationsThatWriteOnePlaceConflict) {
    auto result = run(test::on_host("output out: i32[8]\noutput sum: i32[1]", R"(    sum[0] = 0
    parallel for x in 0..8 {  @ C/x
        out[x/2*2 + x % 2] = 1
        sum[0] = sum[0] + x  @ C/@compute
    }
)"));
    ASSERT_EQ(result.findings.size(), 1u) << format(result.findings);
    EXPECT_EQ(result.findings[0].kind, LoopFinding::Kind::Conflict);
    EXPECT_EQ(result.findings[0].buffer, "sum");
    EXPECT_EQ(result.findings[0].origin.text(), "C/@compute");
    EXPECT_NE(result.findings[0].message.find("parallel loop C/x"), std::string::npos);
    EXPECT_GT(result.findings[0].count, 1u);
}

TEST(LoopInterpreter, ReadsOfWhatAnotherIterationWritesConflict) {
    const std::string text = test::on_host("output out: i32[9]", R"(    for i in 0..9 {
        out[i] = 0
    }
    KIND for x in 0..8 {
        out[x] = out[x + 1] + 1
    }
)");
    for (std::string kind : {"parallel", "vectorised"}) {
        auto program = text;
        program.replace(program.find("KIND"), 4, kind);
        auto result = run(program);
        ASSERT_EQ(result.findings.size(), 1u) << format(result.findings);
        EXPECT_EQ(result.findings[0].kind, LoopFinding::Kind::Conflict);
    }
}

TEST(LoopInterpreter, IndependentIterationsAndTheirOwnMemoryDoNotConflict) {
    auto result =
        run(test::on_host("input A: i32[8]\noutput out: i32[4, 8]", R"(    parallel for y in 0..4 {
        allocate tmp: i32[8] in host
        parallel for x in 0..8 {
            tmp[x] = A[x] + y
        }
        vectorised for x2 in 0..8 {
            out[y, x2] = tmp[7 - x2]
        }
    }
)"),
            {{"A", filled<std::int32_t>(ScalarType::I32, {8}, {1, 2, 3, 4, 5, 6, 7, 8})}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(result.outputs.at("out").as<std::int32_t>()[8], 9);
}

TEST(LoopInterpreter, AVectorizedReductionAxisIsNoConflictButAScatterIs) {
    auto reduction = [](const std::string& statement) {
        return run("program p\ninput A: i32[8]\noutput out: i32[8]\nlaunch p on host (A, out) "
                   "{\nfor i in 0..8 {\nout[i] = 0\n}\n"
                   "vectorised for k in 0..8 {\n" +
                       statement + "\n}\n}\n",
                   {{"A", filled<std::int32_t>(ScalarType::I32, {8}, {1, 2, 3, 1, 5, 6, 7, 0})}});
    };
    EXPECT_TRUE(reduction("out[0] = out[0] + A[k]").findings.empty());
    EXPECT_TRUE(reduction("out[0] = max(A[k], out[0])").findings.empty());
    EXPECT_EQ(reduction("out[0] = A[k]").findings.size(), 1u);
    EXPECT_EQ(reduction("out[0] = out[0] + A[k]\nout[1] = out[0]").findings.size(), 1u);
    EXPECT_EQ(reduction("out[A[k]] = k").findings.size(), 1u);
}

TEST(LoopInterpreter, TwoLanesOfOneStoreConflict) {
    auto result = run(
        "program p\noutput out: i32[8]\nlaunch p on host (out) {\nfor i in 0..8 {\nout[i] = 0\n}\n"
        "out[ramp(0, 1, 8)/broadcast(2, 8)] = ramp(0, 1, 8)\n}\n");
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_NE(result.findings[0].message.find("two lanes"), std::string::npos);
}

TEST(LoopInterpreter, OutOfBoundsIsReportedAndLeftOut) {
    auto result = run(test::on_host("input A: i32[4]\noutput out: i32[4, 2]", R"(    for y in 0..4 {
        for x in 0..2 {
            out[y, x] = A[y + x]  @ C/@compute
        }
        out[y, y] = 5  @ C.update(0)/@compute
    }
)"),
                      {{"A", filled<std::int32_t>(ScalarType::I32, {4}, {1, 2, 3, 4})}});
    ASSERT_EQ(result.findings.size(), 2u) << format(result.findings);
    EXPECT_EQ(result.findings[0].kind, LoopFinding::Kind::OutOfBounds);
    EXPECT_EQ(result.findings[0].buffer, "out");
    EXPECT_EQ(result.findings[0].origin.text(), "C.update(0)/@compute");
    EXPECT_EQ(result.findings[1].message, "reads A[4], whose extents are [4]");
    EXPECT_EQ(result.findings[1].count, 1u);
    EXPECT_EQ(values<std::int32_t>(result.outputs.at("out")),
              (std::vector<std::int32_t>{5, 2, 2, 5, 3, 4, 4, 0}));
}

TEST(LoopInterpreter, UninitializedReads) {
    auto result = run(test::on_host("output out: i32[4]", R"(    for i in 0..2 {
        allocate t: i32[2] in register
        if i == 0 {
            t[1] = 5
        }
        t[0] = 1
        out[i] = t[0] + t[1]  @ C/@compute
    }
    out[2] = 0
)"));
    ASSERT_EQ(result.findings.size(), 2u) << format(result.findings);
    EXPECT_EQ(result.findings[0].kind,
              LoopFinding::Kind::UninitializedRead); // the second allocation does not see the first
    EXPECT_EQ(result.findings[0].message, "reads t[1], which nothing has written");
    EXPECT_EQ(result.findings[0].count, 1u);
    EXPECT_EQ(result.findings[1].message, "out[3] of the output was never written");
}

TEST(LoopInterpreter, Counts) {
    auto result = run(test::on_host("input A: f32[8, 8]\ninput B: f32[8, 8]\noutput C: f32[8, 8]",
                                    R"(    for i in 0..8 {  @ C/i
        for j in 0..8 {  @ C/j
            C[i, j] = 0.0  @ C/@init
            for k in 0..8 {  @ C/k
                C[i, j] = C[i, j] + A[i, k]*B[k, j]  @ C/@compute
            }
        }
    }
)"),
                      {{"A", make_buffer(ScalarType::F32, {8, 8}).value()},
                       {"B", make_buffer(ScalarType::F32, {8, 8}).value()}},
                      [] {
                          LoopInterpreterOptions o;
                          NodeId i, j;
                          NodeId::parse("C/i", i);
                          NodeId::parse("C/j", j);
                          NodeId k;
                          NodeId::parse("C/k", k);
                          o.footprints = {i, j, k};
                          return o;
                      }());
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(result.total.flops, 1024u);
    EXPECT_EQ(result.total.loads, 3 * 512u);
    EXPECT_EQ(result.total.stores, 512u + 64);
    NodeId compute, init, i, j, k;
    NodeId::parse("C/@compute", compute);
    NodeId::parse("C/@init", init);
    NodeId::parse("C/i", i);
    NodeId::parse("C/j", j);
    NodeId::parse("C/k", k);
    EXPECT_EQ(result.by_origin.at(compute).stores, 512u);
    EXPECT_EQ(result.by_origin.at(init).stores, 64u);
    EXPECT_EQ(result.by_buffer.at("A").distinct.read, 256);
    EXPECT_EQ(result.by_buffer.at("C").distinct.touched, 256);
    EXPECT_EQ(result.footprints.at(i).executions, 1u);
    EXPECT_EQ(result.footprints.at(i).total.touched, 768);
    EXPECT_EQ(result.footprints.at(j).executions, 8u);
    EXPECT_EQ(result.footprints.at(j).total.touched, 32 + 256 + 32);
    EXPECT_EQ(result.footprints.at(k).executions, 64u);
    EXPECT_EQ(result.footprints.at(k).total.touched, 32 + 32 + 4);
    EXPECT_EQ(result.footprints.at(k).by_buffer.at("C").written, 4);
    EXPECT_EQ(result.footprints.at(k).by_buffer.at("B").read, 32);
}

TEST(LoopInterpreter, SharedNodesCountAsOftenAsTheyStandInTheText) {
    auto program = parsed("program p\ninput A: f32[4]\noutput out: f32[4]\nlaunch p on host (A, "
                          "out) {\nout[0] = 0.0\n}\n");
    auto a = load("A", ScalarType::F32, {constant_int(ScalarType::I32, 0)});
    auto twice = binary(Op::Multiply, a, a);
    program.launches[0].body =
        lower::store({}, "out", {constant_int(ScalarType::I32, 0)}, binary(Op::Add, twice, twice));
    auto result = run_loop_program(program, {{"A", make_buffer(ScalarType::F32, {4}).value()}});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->total.loads, 4u);
    EXPECT_EQ(result->total.flops, 3u);
}

TEST(LoopInterpreter, LimitsAndErrors) {
    const char* text = "program p\nsymbol L = 4\ninput A: f32[L]\noutput out: f32[1]\nlaunch p on "
                       "host (A, out) {\nfor i in 0..1000000 {\nout[0] = A[0]\n}\n}\n";
    auto program = parsed(text);
    std::map<std::string, Buffer> inputs{{"A", make_buffer(ScalarType::F32, {4}).value()}};
    LoopInterpreterOptions options;
    auto message = [&] {
        auto result = run_loop_program(program, inputs, options);
        return result.ok() ? "fine" : format(result.errors());
    };
    EXPECT_NE(message().find("the symbol L has no value"), std::string::npos);
    options.symbols["L"] = 5;
    EXPECT_NE(message().find("the input A is f32[4], not f32[5]"), std::string::npos);
    options.symbols["L"] = 4;
    options.step_limit = 1000;
    EXPECT_NE(message().find("more than 1000 steps"), std::string::npos);
    options.step_limit = 1u << 30;
    EXPECT_EQ(message(), "fine");
    options.memory_limit = 8;
    EXPECT_NE(message().find("more than 8 bytes"), std::string::npos);
    options.memory_limit = 1 << 20;
    std::atomic<bool> cancel = true;
    options.cancel = &cancel;
    EXPECT_NE(message().find("cancelled"), std::string::npos);
    inputs.clear();
    EXPECT_NE(message().find("the input A is missing"), std::string::npos);
}

// A prefetch looks at its place, and counts nothing.
TEST(LoopInterpreter, PrefetchesAreCheckedAndNotCounted) {
    auto counted = [](const std::string& hint) {
        auto input = filled<float>(ScalarType::F32, {8}, {0, 1, 2, 3, 4, 5, 6, 7});
        return run("program p\ninput A: f32[8]\noutput C: f32[8]\nlaunch p on host (A, C) {\n"
                   "for i in 0..6 {\n" +
                       hint + "C[i + 2] = A[i]\n}\nC[0] = 0.0\nC[1] = 0.0\n}\n",
                   {{"A", input}});
    };
    auto plain = counted(""), inside = counted("prefetch A[i + 2]\n"),
         outside = counted("prefetch A[i + 3]\n");
    EXPECT_TRUE(inside.findings.empty()) << format(inside.findings);
    EXPECT_EQ(inside.total.loads, plain.total.loads);
    EXPECT_EQ(inside.total.integer_operations, plain.total.integer_operations);
    EXPECT_EQ(inside.by_buffer.at("A").distinct.read, 24);
    ASSERT_EQ(outside.findings.size(), 1u);
    EXPECT_EQ(outside.findings[0].message, "prefetches A[8], whose extents are [8]");
    EXPECT_EQ(outside.findings[0].count, 1u);
}

} // namespace test_loop_interpreter
} // namespace loopscope
