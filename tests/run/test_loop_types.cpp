// The interpreter of loop programs: 16-bit floats, calls of the prelude, bits, atomic stores, steps
// of argmin and argmax.
#include "compiler/lower/pass.h"
#include "compiler/lower/program_parser.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "tests/support/program_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loopscope {
namespace test_loop_types {

LoopRun run(const std::string& text, const std::map<std::string, Buffer>& inputs = {}) {
    auto program = lower::parse_program(text);
    EXPECT_TRUE(program) << format(program.errors());
    EXPECT_EQ(format(lower::verify(*program)), "");
    auto result = run_loop_program(*program, inputs);
    EXPECT_TRUE(result) << format(result.errors());
    return std::move(result).value();
}

// The one element that an expression stores.
Buffer stored(const std::string& type, const std::string& expression) {
    return run("program p\noutput out: " + type +
               "[1]\nlaunch p on host (out) {\n    out[0] = " + expression + "\n}\n")
        .outputs.at("out");
}
unsigned half(const std::string& type, const std::string& expression) {
    return stored(type, expression).as<std::uint16_t>()[0];
}

TEST(LoopTypes, SixteenBitFloatsRoundOnce) {
    EXPECT_EQ(half("f16", "2048.0f16 + 1.0f16"), 0x6800u); // half to even
    EXPECT_EQ(half("f16", "2048.0f16 + 3.0f16"), 0x6802u);
    EXPECT_EQ(half("f16", "65504.0f16*2.0f16"), 0x7c00u);
    EXPECT_EQ(half("f16", "1.0f16/3.0f16"), 0x3555u);
    EXPECT_EQ(half("f16", "bits(f16, 0x0001)*0.5f16"), 0x0000u); // a tie between 0 and a denormal
    EXPECT_EQ(half("bf16", "bits(bf16, 0x0001)*1.5bf16"), 0x0002u);
    EXPECT_EQ(half("f16", "-(0.0f16/0.0f16)"), 0x7e00u); // the one NaN
    EXPECT_EQ(half("bf16", "min(0.0bf16, -0.0bf16)"), 0x8000u);
    EXPECT_EQ(half("bf16", "bf16(16842753)"), 0x4b81u);
    EXPECT_EQ(half("f16", "f16(65519)"), 0x7bffu);
    EXPECT_EQ(half("f16", "f16(65520)"), 0x7c00u);
    // (1 + 2^-10)^2 - (1 + 2^-9)
    EXPECT_EQ(half("f16", "fma(bits(f16, 0x3c01), bits(f16, 0x3c01), bits(f16, 0xbc02))"), 0x0010u);
    EXPECT_EQ(stored("i32", "i32(65504.0f16)").as<std::int32_t>()[0], 65504);
    EXPECT_EQ(stored("bool", "bool(bits(f16, 0x0001))").as<std::uint8_t>()[0], 1);
}

TEST(LoopTypes, BitsOfFloats) {
    EXPECT_EQ(stored("u32", "bits(1.0)").as<std::uint32_t>()[0], 0x3f800000u);
    EXPECT_EQ(stored("u32", "bits(bits(f32, 0xffc00001))").as<std::uint32_t>()[0], 0x7fc00000u);
    EXPECT_EQ(half("u16", "bits(bits(bf16, 0xffff))"), 0x7fc0u);
    EXPECT_EQ(stored("f64", "from_bits(f64, 4611686018427387904u64)").as<double>()[0], 2.0);
}

TEST(LoopTypes, CallsGiveTheSameBitsInEveryLane) {
    auto buffer = make_buffer(ScalarType::F32, {8}).value();
    for (int i = 0; i < 8; ++i)
        buffer.as<float>()[i] = 0.25f * static_cast<float>(i) + 0.1f;
    auto out =
        run(test::on_host("input A: f32[8]\noutput scalar: f32[8]\noutput vector: f32[8]\noutput "
                          "half: f16[8]",
                          R"(    for x in 0..8 {
        scalar[x] = pow(A[x], 1.5) + exp(A[x])
        half[x] = exp(f16(A[x]))
    }
    vector[ramp(0, 1, 8)] = pow(A[ramp(0, 1, 8)], broadcast(1.5, 8)) + exp(A[ramp(0, 1, 8)])
)"),
            {{"A", buffer}})
            .outputs;
    EXPECT_EQ(out.at("scalar").data, out.at("vector").data);
    for (int i = 0; i < 8; ++i) {
        double x = buffer.as<float>()[i];
        EXPECT_NEAR(out.at("scalar").as<float>()[i], std::pow(x, 1.5) + std::exp(x), 1e-5);
    }
    EXPECT_EQ(out.at("half").as<std::uint16_t>()[0], 0x3c6cu); // e^0.1 = 1.1052
}

TEST(LoopTypes, AtomicStoresMeetOnlyAtomicOnes) {
    auto with = [](const std::string& kind, const std::string& second) {
        return run("program p\noutput H: i32[2]\nlaunch p on host (H) {\n    H[0] = 0\n    H[1] = "
                   "0\n    " +
                   kind + " for x in 0..8 {\n        atomic H[x/7] += x\n        " + second +
                   "\n    }\n}\n");
    };
    auto fine = with("parallel", "atomic H[0] += 1");
    EXPECT_EQ(format(fine.findings), "");
    EXPECT_EQ(fine.outputs.at("H").as<std::int32_t>()[0], 21 + 8);
    EXPECT_EQ(fine.outputs.at("H").as<std::int32_t>()[1], 7);
    EXPECT_EQ(fine.total.stores, 2u + 16u);
    EXPECT_EQ(format(with("vectorised", "atomic H[1] += 1").findings), "");
    for (const char* plain : {"H[0] = 1", "evaluate H[0]", "atomic H[0] *= 2", "H[0] = H[0] + 1"})
        EXPECT_NE(format(with("parallel", plain).findings).find("conflict"), std::string::npos)
            << plain;
    EXPECT_NE(format(with("vectorised", "H[0] = H[0] + 1").findings).find("conflict"),
              std::string::npos);
}

TEST(LoopTypes, AtomicStoresReadWhatWasWritten) {
    auto result = run(test::on_host("output H: f32[2]\noutput m: bool[1]", R"(    m[0] = false
    H[0] = 1.0
    atomic H[ramp(0, 0, 4) where ramp(0, 1, 4) < broadcast(3, 4)] *= broadcast(2.0, 4)
    atomic H[1] max= 3.0
    atomic m[0] or= H[0] == 8.0
)"));
    EXPECT_EQ(result.outputs.at("H").as<float>()[0], 8);
    EXPECT_EQ(result.outputs.at("m").as<std::uint8_t>()[0], 1);
    EXPECT_NE(format(result.findings).find("reads H[1], which nothing has written"),
              std::string::npos);
    EXPECT_EQ(result.by_buffer.at("H").distinct.read, 8);
}

// Lanes that select the best into one place do not conflict; lanes that do so by another rule do.
TEST(LoopTypes, StepsOfArgmaxMeetInLanes) {
    auto with = [](const std::string& kind, const std::string& better) {
        auto u = make_buffer(ScalarType::I32, {8}).value();
        for (int i = 0; i < 8; ++i)
            u.as<std::int32_t>()[i] = i * 5 % 7;
        return run(
            "program p\ninput u: i32[8]\noutput v: i32[1]\noutput r: i32[1]\nlaunch p on host "
            "(u, v, r) {\n    v[0] = -2147483648\n    r[0] = -2147483648\n    " +
                kind + " for k in 0..8 {\n        let take = r[0] == -2147483648 or " + better +
                "\n        v[0] = select(take, u[k], v[0])\n        r[0] = select(take, k, r[0])\n"
                "    }\n}\n",
            {{"u", u}});
    };
    std::string argmax = "u[k] > v[0] or u[k] == v[0] and k < r[0]";
    auto fine = with("vectorised", argmax);
    EXPECT_EQ(format(fine.findings), "");
    EXPECT_EQ(fine.outputs.at("v").as<std::int32_t>()[0], 6);
    EXPECT_EQ(fine.outputs.at("r").as<std::int32_t>()[0], 4);
    EXPECT_NE(format(with("parallel", argmax).findings).find("conflict"), std::string::npos);
    EXPECT_NE(format(with("vectorised", "u[k] > v[0]").findings).find("conflict"),
              std::string::npos);
}

} // namespace test_loop_types
} // namespace loopscope
