// Shuffles and matrix instructions. The layouts of fragments are written out here once more, after
// the PTX ISA, so that a slip in matrix_fragments.h is no slip here.
#include "core/ir/half.h"
#include "tests/simt/simt_support.h"

#include <cmath>

namespace loopscope {
namespace {

using namespace test;

std::vector<std::int32_t> shuffled(const std::string& name, int threads = 32) {
    auto n = std::to_string(threads);
    auto result = run("program p\noutput out: i32[" + n + "]\nlaunch p on device (out) {\n" +
                      "bound thread.x for t in 0.." + n + " {\nallocate a: i32[3] in register\n" +
                      "allocate b: i32[1] in register\na[2] = 10*t\nintrinsic " + name +
                      " b[0], a[2]  @ C/k\nout[t] = b[0]\n}\n}\n");
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(result.launches.at(0).total.shuffles, static_cast<std::uint64_t>(threads / 32));
    return values<std::int32_t>(result, "out");
}

TEST(SimtShuffles, TakeTheValuesOfOthers) {
    auto down = shuffled("shuffle_down_5"), up = shuffled("shuffle_up_3"),
         butterfly = shuffled("shuffle_xor_6"), one = shuffled("shuffle_index_7"),
         two_warps = shuffled("shuffle_down_16", 64);
    for (int t = 0; t < 32; ++t) {
        auto i = static_cast<std::size_t>(t);
        EXPECT_EQ(down[i], 10 * (t + 5 < 32 ? t + 5 : t));
        EXPECT_EQ(up[i], 10 * (t >= 3 ? t - 3 : t));
        EXPECT_EQ(butterfly[i], 10 * (t ^ 6));
        EXPECT_EQ(one[i], 70);
        EXPECT_EQ(two_warps[32 + i], 10 * (32 + (t < 16 ? t + 16 : t)));
    }
}

TEST(SimtShuffles, ReductionOfWarpsAndBlock) {
    auto input = random(T::F32, {256});
    std::string steps;
    for (auto distance : {"16", "8", "4", "2", "1"})
        steps += std::string("intrinsic shuffle_down_") + distance +
                 " other[0], acc[0]\nacc[0] = acc[0] + other[0]\n";
    auto result =
        run("program p\ninput A: f32[256]\noutput out: f32[1]\nlaunch p on device (A, out) {\n"
            "bound thread.x for t in 0..256 {\nallocate acc: f32[1] in register\n"
            "allocate other: f32[1] in register\nallocate s: f32[8] in shared\n"
            "acc[0] = A[t]\n" +
                steps +
                "if t % 32 == 0 {\ns[t/32] = acc[0]\n}\nbarrier block\n"
                "if t == 0 {\nout[0] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]\n}\n"
                "}\n}\n",
            {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    float sum = 0; // of small whole numbers: exact in any order
    for (int i = 0; i < 256; ++i)
        sum += input.as<float>()[i];
    EXPECT_EQ(values<float>(result, "out").at(0), sum);
    EXPECT_EQ(result.launches.at(0).total.shuffles, 40u);
}

TEST(SimtShuffles, WhatIsWrong) {
    const std::string text =
        "program p\noutput out: i32[32]\nlaunch p on device (out) {\nbound thread.x for t in 0..32 "
        "{\n"
        "allocate a: i32[1] in register\nallocate b: i32[1] in register\na[0] = t\n"
        "intrinsic shuffle_down_16 b[0], a[0]  @ C/k\nout[t] = b[0]\n}\n}\n";
    auto small = replaced(replaced(text, "t in 0..32", "t in 0..20"), "i32[32]", "i32[20]");
    expect_only(run(small), Kind::UninitializedRead, "C/k",
                "a[0] of thread 4 of block 0 is wanted of thread 20, which takes no part");
    auto some = replaced(text, "  @ C/k\n", "  @ C/k\n}\n");
    auto diverged =
        run(replaced(replaced(some, "intrinsic", "b[0] = 0\nif t < 30 {\nintrinsic"), "", ""), {},
            false);
    ASSERT_FALSE(diverged.findings.empty());
    EXPECT_EQ(diverged.findings[0].kind, Kind::Divergence);
    EXPECT_NE(diverged.findings[0].message.find(
                  "shuffle_down_16 is reached by threads 0 to 29 of warp 0"),
              std::string::npos)
        << diverged.findings[0].message;
    expect_only(run(replaced(text, "a[0] = t\n", "")), Kind::UninitializedRead, "C/k",
                "reads a[0], which nothing has written");
    auto types = run_simt_program(
        parsed(replaced(text, "b: i32[1] in register", "b: i32[1] in shared")), {});
    ASSERT_FALSE(types);
    EXPECT_EQ(types.errors().front().message,
              "the intrinsic shuffle_down_16 does not take its operand 1: b is not of one thread");
}

// A matrix instruction of one warp, with fragments loaded element by element. Element i of a thread
// with g = t/4 and c = t % 4 stands at the row and column given.
struct Instruction {
    std::string name, type, sum;
    int k;
    std::vector<std::string> a, b; // "row, column"
};

const Instruction kF16 = {"mma_m16n8k16_f16",
                          "f16",
                          "f32",
                          16,
                          {"g, 2*c", "g, 2*c + 1", "g + 8, 2*c", "g + 8, 2*c + 1", "g, 2*c + 8",
                           "g, 2*c + 9", "g + 8, 2*c + 8", "g + 8, 2*c + 9"},
                          {"2*c, g", "2*c + 1, g", "2*c + 8, g", "2*c + 9, g"}};

Instruction bf16() {
    auto i = kF16;
    i.name = "mma_m16n8k16_bf16";
    i.type = "bf16";
    return i;
}

const Instruction kTF32 = {
    "mma_m16n8k8_tf32",  "f32", "f32", 8, {"g, c", "g + 8, c", "g, c + 4", "g + 8, c + 4"},
    {"c, g", "c + 4, g"}};

const Instruction kS8 = {"mma_m16n8k32_s8",
                         "i8",
                         "i32",
                         32,
                         {"g, 4*c", "g, 4*c + 1", "g, 4*c + 2", "g, 4*c + 3", "g + 8, 4*c",
                          "g + 8, 4*c + 1", "g + 8, 4*c + 2", "g + 8, 4*c + 3", "g, 4*c + 16",
                          "g, 4*c + 17", "g, 4*c + 18", "g, 4*c + 19", "g + 8, 4*c + 16",
                          "g + 8, 4*c + 17", "g + 8, 4*c + 18", "g + 8, 4*c + 19"},
                         {"4*c, g", "4*c + 1, g", "4*c + 2, g", "4*c + 3, g", "4*c + 16, g",
                          "4*c + 17, g", "4*c + 18, g", "4*c + 19, g"}};

const std::vector<std::string> kSums = {"g, 2*c", "g, 2*c + 1", "g + 8, 2*c", "g + 8, 2*c + 1"};

std::string fragment_loads(const std::string& to, const std::string& from,
                           const std::vector<std::string>& places) {
    std::string text;
    for (std::size_t i = 0; i < places.size(); ++i)
        text += to + "[" + std::to_string(i) + "] = " + from + "[" + places[i] + "]\n";
    return text;
}

std::string matrix_program(const Instruction& i, const std::string& loads) {
    auto k = std::to_string(i.k);
    std::string stores;
    for (std::size_t s = 0; s < kSums.size(); ++s)
        stores += "D[" + kSums[s] + "] = d[" + std::to_string(s) + "]\n";
    return "program p\ninput A: " + i.type + "[16, " + k + "]\ninput B: " + i.type + "[" + k +
           ", 8]\ninput C: " + i.sum + "[16, 8]\noutput D: " + i.sum +
           "[16, 8]\nlaunch p on device (A, B, C, D) {\nbound thread.x for t in 0..32 {\n" +
           "let g = t/4\nlet c = t % 4\n" + "allocate a: " + i.type + "[" +
           std::to_string(i.a.size()) + "] in register\nallocate b: " + i.type + "[" +
           std::to_string(i.b.size()) + "] in register\nallocate d: " + i.sum +
           "[4] in register\n" + loads + fragment_loads("d", "C", kSums) + "intrinsic " + i.name +
           " d[0], a[0], b[0], d[0]  @ D/@compute\n" + stores + "}\n}\n";
}

double number(const Buffer& b, std::int64_t i) {
    switch (b.type) {
    case T::F16: return f16_value(b.as<std::uint16_t>()[i]);
    case T::BF16: return bf16_value(b.as<std::uint16_t>()[i]);
    case T::F32: return b.as<float>()[i];
    case T::I8: return b.as<std::int8_t>()[i];
    default: return b.as<std::int32_t>()[i];
    }
}

struct Matrices {
    std::map<std::string, Buffer> inputs;

    explicit Matrices(const Instruction& i) {
        T type = T::F32, sum = T::F32;
        parse_scalar_type(i.type, type);
        parse_scalar_type(i.sum, sum);
        inputs["A"] = random(type, {16, i.k}, 1, RandomMode::Reals);
        inputs["B"] = random(type, {i.k, 8}, 2, RandomMode::Reals);
        inputs["C"] = random(sum, {16, 8}, 3, RandomMode::Reals);
        if (i.name == kTF32.name) // numbers that tf32 has
            for (auto name : {"A", "B"})
                for (std::int64_t e = 0; e < inputs[name].count(); ++e)
                    inputs[name].as<std::uint32_t>()[e] &= ~0x1fffu;
    }

    // The greatest difference from the product in f64, in units of the sum of magnitudes.
    double error_of(const SimtRun& result) const {
        const auto &a = inputs.at("A"), &b = inputs.at("B"), &c = inputs.at("C");
        const auto k = a.extents[1];
        double worst = 0;
        for (std::int64_t row = 0; row < 16; ++row)
            for (std::int64_t column = 0; column < 8; ++column) {
                double sum = number(c, row * 8 + column), size = std::abs(sum);
                for (std::int64_t i = 0; i < k; ++i) {
                    sum += number(a, row * k + i) * number(b, i * 8 + column);
                    size += std::abs(number(a, row * k + i) * number(b, i * 8 + column));
                }
                auto difference = number(result.outputs.at("D"), row * 8 + column) - sum;
                worst = std::max(worst, std::abs(difference) / size);
            }
        return worst;
    }
};

constexpr double kRounding = 1e-7; // of one rounding to f32

TEST(SimtMatrices, ProductsOfFragments) {
    for (const auto& i : {kF16, bf16(), kTF32, kS8}) {
        Matrices m(i);
        auto loads = fragment_loads("a", "A", i.a) + fragment_loads("b", "B", i.b);
        auto result = run(matrix_program(i, loads), m.inputs);
        EXPECT_TRUE(result.findings.empty()) << i.name << format(result.findings);
        EXPECT_LT(m.error_of(result), kRounding) << i.name;
        EXPECT_EQ(result.launches.at(0).total.tensor_flops,
                  static_cast<std::uint64_t>(2 * 16 * 8 * i.k));
        EXPECT_EQ(counts_of(result, "D/@compute").flops, 0u);
    }
}

TEST(SimtMatrices, RegistersInAnotherOrderGiveAnotherProduct) {
    for (const auto& right : {kF16, bf16(), kTF32, kS8})
        for (bool of_b : {false, true}) {
            auto i = right;
            auto& places = of_b ? i.b : i.a;
            std::swap(places.front(), places.back());
            Matrices m(i);
            auto loads = fragment_loads("a", "A", i.a) + fragment_loads("b", "B", i.b);
            EXPECT_GT(m.error_of(run(matrix_program(i, loads), m.inputs)), 1e-3) << i.name;
        }
}

TEST(SimtMatrices, TheInstructionWantsWholeWarpsAndItsTypes) {
    Matrices m(kF16);
    auto loads = fragment_loads("a", "A", kF16.a) + fragment_loads("b", "B", kF16.b);
    auto text = matrix_program(kF16, loads);
    auto half = run(replaced(text, "t in 0..32", "t in 0..16"), m.inputs);
    ASSERT_FALSE(half.findings.empty());
    EXPECT_EQ(half.findings[0].kind, Kind::Divergence);
    EXPECT_NE(half.findings[0].message.find("which has only threads 0 to 15"), std::string::npos);
    auto wrong = run_simt_program(parsed(replaced(text, kF16.name, "mma_m16n8k16_bf16")), m.inputs);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.errors().front().message,
              "the intrinsic mma_m16n8k16_bf16 does not take its operand 2: a is f16");
    auto few = replaced(text, "d[0], a[0], b[0], d[0]", "d[0], a[4], b[0], d[0]");
    expect_only(run(few, m.inputs), Kind::OutOfBounds, "D/@compute",
                "a[4] of thread 0 of block 0 has too few elements from there on");
}

// A and B through shared memory, whose rows are `pitch` elements apart.
std::string by_ldmatrix(int pitch) {
    auto n = std::to_string(pitch);
    return "allocate As: f16[16, " + n + "] in shared\nallocate Bs: f16[16, " + n +
           "] in shared\nfor i in 0..8 {\nAs[t/2, 8*(t % 2) + i] = A[t/2, 8*(t % 2) + i]\n}\n" +
           "for j in 0..4 {\nBs[t/2, 4*(t % 2) + j] = B[t/2, 4*(t % 2) + j]\n}\nbarrier block\n" +
           "intrinsic ldmatrix_x4_b16 a[0], As[t % 16, 8*(t/16)]  @ As/@compute\n" +
           "intrinsic ldmatrix_x2_trans_b16 b[0], Bs[t % 16, 0]  @ Bs/@compute\n";
}

TEST(SimtMatrices, LoadedFromSharedMemory) {
    Matrices m(kF16);
    for (int pitch : {16, 24, 64}) {
        auto result = run(matrix_program(kF16, by_ldmatrix(pitch)), m.inputs);
        EXPECT_TRUE(result.findings.empty()) << format(result.findings);
        EXPECT_LT(m.error_of(result), kRounding);
        const auto &a = counts_of(result, "As/@compute"), &b = counts_of(result, "Bs/@compute");
        EXPECT_EQ(a.shared_accesses, 1u);
        EXPECT_EQ(a.shared_bytes, 512u);
        EXPECT_EQ(a.shared_passes_least, 4u);
        EXPECT_EQ(b.shared_bytes, 256u);
        EXPECT_EQ(b.shared_passes_least, 2u);
        // Rows 32 bytes apart: two share each bank. 48 apart: none. 128 apart: all.
        const std::uint64_t conflicts = pitch == 16 ? 2 : pitch == 24 ? 1 : 8;
        EXPECT_EQ(a.shared_passes, 4 * conflicts) << pitch;
        EXPECT_EQ(b.shared_passes, 2 * conflicts) << pitch;
    }
    auto swapped =
        replaced(by_ldmatrix(24), "As[t % 16, 8*(t/16)]", "As[t/16*8 + t % 8, 8*(t/8 % 2)]");
    EXPECT_GT(m.error_of(run(matrix_program(kF16, swapped), m.inputs)), 1e-3);
}

TEST(SimtMatrices, BytesLoadedAsPairs) {
    auto text = replaced(matrix_program(kS8, R"(
allocate As: i8[16, 48] in shared
for i in 0..16 {
As[t/2, 16*(t % 2) + i] = A[t/2, 16*(t % 2) + i]
}
barrier block
intrinsic ldmatrix_x4_b16 a[0], As[t % 16, 16*(t/16)]  @ As/@compute
)" + fragment_loads("b", "B", kS8.b)),
                         "", "");
    Matrices m(kS8);
    auto result = run(text, m.inputs);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(m.error_of(result), 0);
}

TEST(SimtMatrices, RowsThatCannotBeLoaded) {
    Matrices m(kF16);
    auto loads = by_ldmatrix(24);
    auto program = [&](const std::string& from, const std::string& to) {
        return run(matrix_program(kF16, replaced(loads, from, to)), m.inputs);
    };
    auto unaligned = program("As[t % 16, 8*(t/16)]", "As[t % 16, 8*(t/16) + 1]");
    ASSERT_FALSE(unaligned.findings.empty());
    EXPECT_EQ(unaligned.findings[0].message,
              "As[0, 1] of thread 0 of block 0 does not begin at a multiple of 16 bytes");
    auto missing = program("barrier block\n", "");
    EXPECT_TRUE(has(missing, Kind::Race, "As/@compute ")) << format(missing.findings);
    auto unwritten = program("As[t % 16, 8*(t/16)]", "As[t % 16, 16*(t/16)]");
    expect_only(unwritten, Kind::UninitializedRead, "As/@compute", "reads As[0, 16]");
}

} // namespace
} // namespace loopscope
