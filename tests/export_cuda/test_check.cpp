// What an exported host program compares, by which rule, and what it says of it.
#include "compiler/run/reference/reference.h"
#include "core/ir/half.h"
#include "tests/export_cuda/kernel_support.h"
#include "tests/simt/simt_support.h"
#include "tests/support/must.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gmock/gmock.h>

#include <regex>

using namespace loopscope;
using namespace loopscope::test;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

// Which changes one text in another; it must be there.
std::string planted(std::string text, const std::string& right, const std::string& wrong) {
    const auto at = text.find(right);
    EXPECT_NE(at, std::string::npos) << right << " is not in\n" << text;
    return at == std::string::npos ? text : text.replace(at, right.size(), wrong);
}

// ---- The rule, by programs of our own -----------------------------------------------------------

// Results in f32 and i32; A has multiples of 1/64 from -2 to 2.
constexpr const char* kResults = R"(
program judged
input A: f32[64]
output at_an_end: f32[64]
output beyond: f32[64]
output unknown: f32[64]
output same: f32[64]
output zeros: f32[64]
output signs: f32[64]
output part: f32[64]
output whole: i32[64]
output any: i32[64]
launch judged on device (A, at_an_end, beyond, unknown, same, zeros, signs, part, whole, any) {
    bound thread.x for t in 0..64 {
        at_an_end[t] = A[t] + 0.25
        beyond[t] = A[t] + select(t < 60, 0.25, 0.375)
        unknown[t] = A[t]
        same[t] = A[t] + 1.0
        zeros[t] = 0.0*A[t]
        signs[t] = 0.0*A[t]
        part[t] = A[t] + select(t < 16, 5.0, select(t < 48, 1.0, 7.0))
        whole[t] = t
        any[t] = t*t
    }
}
)";

constexpr const char* kWanted = R"(
program wanted
input A: f32[64]
output below: f32[64]
output above: f32[64]
output nothing: f32[64]
output one_more: f32[64]
output zero: f32[64]
output naught: f32[64]
output inside: f32[32]
output number: i32[64]
output least: i32[64]
output greatest: i32[64]
launch wanted on host (A, below, above, nothing, one_more, zero, naught, inside, number, least, greatest) {
    for i in 0..64 {
        below[i] = A[i] - 0.25
        above[i] = A[i] + 0.25
        nothing[i] = (A[i] - A[i])/(A[i] - A[i])
        one_more[i] = A[i] + 1.0
        zero[i] = 0.0
        naught[i] = 0.0
        number[i] = i + i/63
        least[i] = -2147483648
        greatest[i] = 2147483647
    }
    for j in 0..32 {
        inside[j] = A[j + 16] + 1.0
    }
}
)";

codegen::CudaOptions judged_options() {
    codegen::CudaOptions options;
    options.with_main = true;
    codegen::KernelReference reference;
    reference.program = parsed(kWanted);
    reference.parts = {{"at_an_end", {0}, "below", "above"},   {"beyond", {0}, "below", "above"},
                       {"unknown", {0}, "nothing", "nothing"}, {"unknown", {0}, "nothing", "above"},
                       {"same", {0}, "one_more", "one_more"},  {"zeros", {0}, "zero", "naught"},
                       {"signs", {0}, "zero", "zero"},         {"part", {16}, "inside", "inside"},
                       {"whole", {0}, "number", "number"},     {"any", {0}, "least", "greatest"}};
    options.check.references.push_back(std::move(reference));
    options.check.compared = "ten parts";
    return options;
}

void expect_judgements(const std::string& executable) {
    std::string said;
    EXPECT_EQ(run_command(executable, said), 1) << said;
    for (const auto* line :
         {"compared: ten parts\n",
          "at_an_end: 64 elements, all are within their bounds, which are at most 0.5 apart\n",
          "beyond: WRONG in 4 of 64 elements, first at \\[60\\]: [-0-9.]+ is not between ",
          "unknown: WRONG in 64 of 64 elements, first at \\[0\\]: [-0-9.]+ in place of -?nan\n",
          "unknown: 64 elements, nothing is known of any: inconclusive\n",
          "same: 64 elements, every bit is right\n",
          "zeros: 64 elements, all are within their bounds, which are at most 0 apart\n",
          "signs: WRONG in [0-9]+ of 64 elements, first at \\[[0-9]+\\]: -0 in place of 0\n",
          "part\\[16..48\\]: 32 elements, every bit is right\n",
          "whole: WRONG in 1 of 64 elements, first at \\[63\\]: 63 in place of 64\n",
          "any: 64 elements, nothing is known of any: inconclusive\n"})
        EXPECT_THAT(said, ContainsRegex(line));
}

TEST(KernelCheckOnHost, JudgesPartsByTheirBitsOrBetweenEnds) {
    expect_judgements(on_host(cuda_text(parsed(kResults), judged_options())));
}

TEST(KernelCheckOpencl, JudgesPartsByTheirBitsOrBetweenEnds) {
    if (auto reason = no_opencl(); !reason.empty())
        GTEST_SKIP() << reason;
    expect_judgements(on_opencl(opencl_text(parsed(kResults), judged_options())));
}

// ---- What too little is known of ----------------------------------------------------------------

// A has multiples of 1/64 from -2 to 2. Of `most` 31 elements have ends, of `half` 32.
constexpr const char* kOfOneArray = R"(
program judged
input A: f32[64]
output B: f32[64]
output N: i32[64]
launch judged on device (A, B, N) {
    bound thread.x for t in 0..64 {
        B[t] = A[t]
        N[t] = t
    }
}
)";

constexpr const char* kEnds = R"(
program wanted
input A: f32[64]
output most: f32[64]
output half: f32[64]
output far: f32[64]
output below: f32[64]
output above: f32[64]
output near: f32[64]
output bits: f32[64]
output number: i32[64]
launch wanted on host (A, most, half, far, below, above, near, bits, number) {
    for i in 0..64 {
        most[i] = select(i < 33, 0.0/(A[i] - A[i]), A[i])
        half[i] = select(i < 32, 0.0/(A[i] - A[i]), A[i])
        far[i] = select(i < 33, 1.0/abs(A[i] - A[i]), A[i])
        below[i] = A[i] - 4.0
        above[i] = A[i] + 4.0
        near[i] = A[i] + 0.015625
        bits[i] = A[i]
        number[i] = i
    }
}
)";

using Parts = std::vector<codegen::KernelReference::Part>;

std::string one_array_text(const Parts& parts) {
    codegen::CudaOptions options;
    options.with_main = true;
    codegen::KernelReference reference;
    reference.program = parsed(kEnds);
    reference.parts = parts;
    options.check.references.push_back(std::move(reference));
    options.check.compared = "parts";
    return cuda_text(parsed(kOfOneArray), options);
}

constexpr int kInconclusive = 4;

// As `check` has it: less than half of the elements are judged, or one value for all would pass.
TEST(KernelCheckOnHost, WhatTooLittleIsKnownOfIsNotRight) {
    std::string said;
    const auto text = one_array_text({{"B", {0}, "bits", "bits"},
                                      {"B", {0}, "most", "near"},
                                      {"B", {0}, "below", "above"},
                                      {"B", {0}, "bits", "far"}});
    EXPECT_EQ(run_command(on_host(text), said), kInconclusive) << said;
    for (const auto* line :
         {"B: 64 elements, every bit is right\n",
          "B: 64 elements, 31 are within their bounds, which are at most 0.015625 apart; of 33 "
          "nothing is known: inconclusive\n",
          "B: 64 elements, all are within their bounds, which are at most 8 apart, where one value "
          "for all would pass too: inconclusive\n",
          "B: 64 elements, 31 are within their bounds, which are at most 0 apart; of 33 nothing is "
          "known: inconclusive\n"})
        EXPECT_THAT(said, HasSubstr(line));
}

// On a device that does not compute to the bit, too.
TEST(KernelCheckOnHost, WhatEnoughIsKnownOfIsRight) {
    const auto text = one_array_text({{"B", {0}, "bits", "bits"},
                                      {"B", {0}, "half", "near"},
                                      {"B", {0}, "bits", "near"},
                                      {"N", {0}, "number", "number"}});
    const auto said = expect_right(on_host(text), "enough");
    EXPECT_THAT(said, HasSubstr("32 are within their bounds, which are at most 0.015625 apart; of "
                                "32 nothing is known\n"));
    EXPECT_THAT(said, Not(HasSubstr("inconclusive")));
    const auto off =
        expect_right(on_host(planted(text, "host_check(0);", "host_check(1e-5);")), "inexact");
    EXPECT_THAT(off, ContainsRegex("B: 64 elements, all are at most [0-9.e-]+ off\n"));
    EXPECT_THAT(off, ContainsRegex("apart, or at most [0-9.e-]+ off; of 32 nothing is known\n"));
    EXPECT_THAT(off, Not(HasSubstr("B: 64 elements, every bit")));
    EXPECT_THAT(off, HasSubstr("N: 64 elements, every bit is right\n"));
}

// A number that comparisons of floats decide may be any, there.
TEST(KernelCheckOnHost, OfWhatFloatsDecideOnAnInexactDeviceNothingIsKnown) {
    const auto text = one_array_text({{"N", {0}, "number", "number"}});
    std::string said;
    EXPECT_EQ(run_command(on_host(planted(text, "verdict = host_check(0);",
                                          "npy_arguments[2].data[0] ^= 1; verdict = "
                                          "host_check(1e-5);")),
                          said),
              kInconclusive)
        << said;
    EXPECT_THAT(said, HasSubstr("N: 64 elements, nothing is known of any: inconclusive\n"));
}

// ---- A schedule that approximates ---------------------------------------------------------------

// Exponentials by an approximation, in a product of f16: as a device's own exponential, or the
// order in which tensor cores sum, it moves a few results across a boundary between two numbers of
// f16.
constexpr const char* kAttention = R"(schedule for attention_f16
score.inline()
e.inline()
match.gpu_tile(i, j, io, jo, ii, ji, 4, 32)
weight.fast_math()
weight.gpu_tile(i, j, io, jo, ii, ji, 4, 32)
total.fast_math()
total.bind(h, block.x)
total.bind(i, thread.x)
greatest.bind(h, block.x)
greatest.bind(i, thread.x)
mean.gpu_tile(i, d, io, do, ii, di, 4, 16)
out.gpu_tile(i, d, io, do, ii, di, 4, 16)
)";

CaseProgram attention() {
    KernelCase which;
    which.pipeline = "attention_f16";
    which.params = {{"HEADS", 3}, {"LENGTH", 64}, {"DEPTH", 32}};
    which.schedule = kAttention;
    return case_program(which);
}

// What the host program fills its arrays with (host_fill).
Buffers drawn(const lower::Program& program) {
    Buffers inputs;
    for (std::size_t a = 0; a < program.arguments.size(); ++a) {
        const auto& argument = program.arguments[a];
        if (argument.role != lower::Role::Input)
            continue;
        std::vector<std::int64_t> extents;
        for (const auto& extent : argument.extents)
            extents.push_back(extent.constant());
        auto buffer = make_buffer(argument.type, extents).value();
        for (std::int64_t i = 0; i < buffer.count(); ++i) {
            auto n = (static_cast<std::uint64_t>(i) + (a << 40) + 1) * 0x9e3779b97f4a7c15u;
            n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
            n = (n ^ n >> 27) * 0x94d049bb133111ebu;
            n ^= n >> 31;
            buffer.as<std::uint16_t>()[i] = f16_bits((static_cast<double>(n % 257) - 128) / 64);
        }
        inputs[argument.buffer] = std::move(buffer);
    }
    return inputs;
}

int last_places(std::uint16_t a, std::uint16_t b) {
    auto ordered = [](std::uint16_t x) { return x & 0x8000 ? 0x8000 - x : int{x}; };
    return std::abs(ordered(a) - ordered(b));
}

// Elements that are the number beside the reference's.
int neighbours(const Buffer& actual, const Buffer& expected) {
    int count = 0;
    for (std::int64_t i = 0; i < actual.count(); ++i)
        count += last_places(actual.as<std::uint16_t>()[i], expected.as<std::uint16_t>()[i]) == 1;
    return count;
}

TEST(KernelCheckOnHost, WhatTheScheduleMayChangeIsRight) {
    LOOPSCOPE_LONG_TEST();
    const auto all = checked(attention());
    const auto executable = on_host(cuda_text(all.program, all.options));
    const auto inputs = drawn(all.program);
    const auto actual = run_on_files(executable, all.program, inputs);
    const auto expected = must(evaluate(*all.tree->pipeline, inputs));
    EXPECT_GT(neighbours(actual.at("out"), expected.at("out")), 0)
        << "nothing crosses a boundary: this test shows nothing";
    const auto said = expect_right(executable, "attention");
    EXPECT_THAT(said, HasSubstr("compared: all elements; allowed: "));
    EXPECT_THAT(said, HasSubstr("the approximations' declared errors"));
    EXPECT_THAT(said, HasSubstr("out: 6144 elements, all are within their bounds"));
}

void expect_wrong(const std::string& executable, const std::string& where) {
    std::string said;
    EXPECT_EQ(run_command(executable, said), 1) << said;
    EXPECT_THAT(said, ContainsRegex(where));
}

// One unit in the last place everywhere, or one term of the sums left out, in turns.
TEST(KernelCheckOnHost, WhatItMayNotChangeIsWrong) {
    LOOPSCOPE_LONG_TEST();
    const auto all = checked(attention());
    const auto text = cuda_text(all.program, all.options);
    if (has_turn(0, 2)) {
        const auto kernel = text.find("attention_f16_out(");
        ASSERT_NE(kernel, std::string::npos);
        const auto before = text.substr(0, kernel), behind = text.substr(kernel);
        expect_wrong(
            on_host(before + planted(behind, "f16_from_f32(", "1 + f16_from_f32(")),
            "out: WRONG in [0-9]+ of 6144 elements, first at \\[[0-9, ]+\\]: [-0-9.e]+ is not "
            "between [-0-9.e]+ and ");
    }
    if (has_turn(1, 2)) {
        const auto sums = text.find("attention_f16_mean");
        ASSERT_NE(sums, std::string::npos);
        expect_wrong(
            on_host(text.substr(0, sums) + planted(text.substr(sums), "j < 64;", "j < 63;")),
            "out: WRONG in ");
    }
}

// ---- Windows ------------------------------------------------------------------------------------

constexpr double kFewFlops = 20000;

TEST(KernelCheckOnHost, OfALargeResultWindowsAreCompared) {
    const auto all = checked(case_program(kernel_cases()[1]), kFewFlops); // 45 x 37, 29 terms
    ASSERT_EQ(all.options.check.references.size(), 4u);
    const auto text = cuda_text(all.program, all.options);
    EXPECT_THAT(text, HasSubstr("matmul_reference_3("));
    const auto said = expect_right(on_host(text), "windows");
    EXPECT_THAT(said, ContainsRegex("compared: 4 windows of C, in all [0-9]+ of 1665 elements, "
                                    "every bit\nC\\[0..([0-9]+), 0..[0-9]+\\]: "));
    EXPECT_THAT(said, ContainsRegex("C\\[[0-9]+..45, [0-9]+..37\\]: [0-9]+ elements, every bit"));
    // One bit of the last element is wrong.
    expect_wrong(
        on_host(planted(text, "verdict = host_check(0);",
                        "npy_arguments[2].data[45*37*4 - 1] ^= 1; verdict = host_check(0);")),
        "C\\[[0-9]+..45, [0-9]+..37\\]: WRONG in 1 of [0-9]+ elements, first at \\[44, 36\\]");
}

TEST(KernelCheckOpencl, WindowsWithBounds) {
    if (auto reason = no_opencl(); !reason.empty())
        GTEST_SKIP() << reason;
    const auto all = checked(attention(), 300000);
    ASSERT_EQ(all.options.check.references.size(), 4u);
    const auto text = opencl_text(all.program, all.options);
    const auto said = expect_right(on_opencl(text), "windows with bounds");
    EXPECT_THAT(said, ContainsRegex("out\\[[0-9]+..3, [0-9]+..64, [0-9]+..32\\]: [0-9]+ elements, "
                                    "all are within their bounds"));
}

// ---- Text ---------------------------------------------------------------------------------------

std::string from_to(const std::string& text, const std::string& from, const std::string& to) {
    const auto begin = text.find(from), end = text.find(to, begin);
    EXPECT_NE(end, std::string::npos) << from << " to " << to << " in\n" << text;
    return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

TEST(KernelCheckText, KernelsAreTheSameWithAndWithoutACheck) {
    auto all = attention();
    const auto with = checked(all);
    auto kernels = [](const std::string& text) {
        return from_to(text, "// match: ", "/*\n * Arrays are row-major");
    };
    EXPECT_EQ(kernels(cuda_text(all.program, all.options)),
              kernels(cuda_text(with.program, with.options)));
}

// Bounds are computed in f64, which a device need not have.
TEST(KernelCheckText, WhatOnlyTheHostNeedsIsNotTheKernels) {
    const auto all = checked(attention());
    const auto opencl = opencl_text(all.program, all.options);
    // Before the functions that both sides have the host's language is asked for.
    for (const auto& part : {from_to(opencl, "// the device's language", "#else // the host's: C"),
                             from_to(opencl, "no-tree-slp-vectorize", "#else // the host program")})
        EXPECT_THAT(part, Not(HasSubstr("double")));
    EXPECT_THAT(opencl, Not(HasSubstr("CL_DEVICE_DOUBLE_FP_CONFIG")));
    EXPECT_THAT(opencl, HasSubstr("double"));
}

TEST(KernelCheckText, TheHeaderSaysWhatIsCompared) {
    const auto all = checked(attention());
    for (const auto& text :
         {cuda_text(all.program, all.options), opencl_text(all.program, all.options)}) {
        const auto head =
            std::regex_replace(text.substr(0, text.find("*/")), std::regex("\n \\* "), " ");
        EXPECT_THAT(head, HasSubstr("Without arguments the program checks the kernels"));
        EXPECT_THAT(head, HasSubstr("Compared: all elements; allowed: "));
    }
}

} // namespace
