// f16 and bf16 in loop programs: half_arithmetic, which computes in f32 and integers, gives every
// bit that the interpreter's own 16-bit arithmetic gives.
#include "compiler/lower/passes.h"
#include "compiler/lower/program_parser.h"
#include "compiler/run/compare.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"

#include "core/ir/half.h"

#include <gtest/gtest.h>

#include <random>

namespace loopscope {
namespace test_half_programs {

// All 16-bit patterns in order, or pairs and triples of patterns with the awkward ones often among
// them.
Buffer all_patterns(ScalarType type) {
    auto buffer = make_buffer(type, {65536}).value();
    for (std::int64_t i = 0; i < 65536; ++i)
        buffer.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
    return buffer;
}

Buffer some_patterns(ScalarType type, unsigned seed, std::int64_t count) {
    std::mt19937 random(seed);
    auto buffer = make_buffer(type, {count}).value();
    for (std::int64_t i = 0; i < count; ++i) {
        auto any = static_cast<std::uint16_t>(random());
        switch (random() % 4) {
        case 0: any = static_cast<std::uint16_t>((any & 0x8000) | (any % 300)); break; // denormal
        case 1: // few significant bits: exact middles
            any = static_cast<std::uint16_t>(any & (type == ScalarType::F16 ? 0xfe00 : 0xffc0));
            break;
        default: break;
        }
        buffer.as<std::uint16_t>()[i] = any;
    }
    return buffer;
}

template <typename T> Buffer integers(ScalarType type, unsigned seed, std::int64_t count) {
    std::mt19937_64 random(seed);
    auto buffer = make_buffer(type, {count}).value();
    for (std::int64_t i = 0; i < count; ++i) {
        // About a middle between two results: few leading bits and a last one.
        auto value = (random() & 0x3ff) << (random() % 60);
        value += random() % 5 - 2;
        if (random() % 8 == 0)
            value = random();
        buffer.as<T>()[i] = static_cast<T>(random() % 2 ? value : 0 - value);
    }
    if constexpr (std::is_same_v<T, std::int32_t>)
        buffer.as<T>()[0] = 16842753;
    return buffer;
}

Buffer doubles(unsigned seed, std::int64_t count) {
    std::mt19937_64 random(seed);
    auto buffer = make_buffer(ScalarType::F64, {count}).value();
    for (std::int64_t i = 0; i < count; ++i) {
        auto significand = static_cast<double>(random() & 0x1fff) +
                           static_cast<double>(static_cast<int>(random() % 5) - 2) *
                               std::ldexp(1.0, -static_cast<int>(random() % 45));
        auto value = std::ldexp(significand, static_cast<int>(random() % 300) - 160);
        buffer.as<double>()[i] = random() % 2 ? value : -value;
    }
    buffer.as<double>()[0] = HUGE_VAL;
    buffer.as<double>()[1] = std::nan("");
    buffer.as<double>()[2] = -0.0;
    buffer.as<double>()[3] = 1e300;
    return buffer;
}

// Runs a program as it is, after the pass, and simplified.
void expect_same(const std::string& text, const std::map<std::string, Buffer>& inputs) {
    auto program = lower::parse_program(text);
    ASSERT_TRUE(program) << format(program.errors()) << text;
    ASSERT_TRUE(lower::verify(*program).empty()) << format(lower::verify(*program));
    auto lowered = lower::half_arithmetic(*program, {});
    ASSERT_TRUE(lower::verify(lowered).empty())
        << format(lower::verify(lowered)) << to_text(lowered);
    auto simple = lower::simplify(lowered, {});
    auto expected = run_loop_program(*program, inputs);
    ASSERT_TRUE(expected) << format(expected.errors());
    for (const auto* changed : {&lowered, &simple}) {
        auto actual = run_loop_program(*changed, inputs);
        ASSERT_TRUE(actual) << format(actual.errors());
        for (const auto& [name, buffer] : expected->outputs) {
            auto comparison = compare(actual->outputs.at(name), buffer);
            EXPECT_TRUE(comparison.equal)
                << name << " differs at " << comparison.first_difference << "\n"
                << to_text(*changed);
        }
    }
}

// A program that stores one expression of inputs a, b, c.
std::string program_of(const std::string& inputs, std::int64_t count, const std::string& result,
                       const std::string& expression) {
    auto n = std::to_string(count);
    std::string names, declarations;
    for (std::size_t at = 0; at < inputs.size(); at = inputs.find(' ', at) + 1) {
        auto end = std::min(inputs.find(' ', at), inputs.size());
        auto item = inputs.substr(at, end - at); // "a:f16"
        auto colon = item.find(':');
        declarations +=
            "input " + item.substr(0, colon) + ": " + item.substr(colon + 1) + "[" + n + "]\n";
        names += item.substr(0, colon) + ", ";
        if (end == inputs.size())
            break;
    }
    return "program p\n" + declarations + "output out: " + result + "[" + n +
           "]\nlaunch p on host (" + names + "out) {\n    for i in 0.." + n +
           " {\n        out[i] = " + expression + "\n    }\n}\n";
}

class HalfPrograms : public testing::TestWithParam<const char*> {
protected:
    std::string type_ = GetParam();
    ScalarType scalar_ = type_ == "f16" ? ScalarType::F16 : ScalarType::BF16;
    std::string other_ = type_ == "f16" ? "bf16" : "f16";
};

TEST_P(HalfPrograms, OfOneOperandOverAllPatterns) {
    std::map<std::string, Buffer> inputs{{"a", all_patterns(scalar_)}};
    for (const char* e : {"-a[i]", "abs(a[i])", "sqrt(a[i])", "floor(a[i])", "ceil(a[i])",
                          "round(a[i])", "a[i]*1.0", "a[i] + 0.0", "a[i]*a[i]"})
        expect_same(program_of("a:" + type_, 65536, type_, e), inputs);
    for (const char* to : {"f32", "f64", "i8", "i32", "i64", "u8", "u64", "bool"})
        expect_same(program_of("a:" + type_, 65536, to, std::string(to) + "(a[i])"), inputs);
    expect_same(program_of("a:" + type_, 65536, other_, other_ + "(a[i])"), inputs);
    expect_same(program_of("a:" + type_, 65536, "u16", "bits(a[i])"), inputs);
}

TEST_P(HalfPrograms, OfTwoAndThreeOperands) {
    constexpr std::int64_t kCount = 100000;
    std::map<std::string, Buffer> inputs;
    unsigned seed = 1;
    for (const char* name : {"a", "b", "c"})
        inputs[name] = some_patterns(scalar_, seed++, kCount);
    auto three = "a:" + type_ + " b:" + type_ + " c:" + type_;
    for (const char* e : {"a[i] + b[i]", "a[i] - b[i]", "a[i]*b[i]", "a[i]/b[i]", "min(a[i], b[i])",
                          "max(a[i], b[i])", "fma(a[i], b[i], c[i])",
                          "select(a[i] < b[i], a[i]*b[i] + c[i], c[i])"})
        expect_same(program_of(three, kCount, type_, e), inputs);
    for (const char* e : {"a[i] == b[i]", "a[i] <= b[i]", "a[i] > b[i]", "a[i] != a[i]"})
        expect_same(program_of(three, kCount, "bool", e), inputs);
}

TEST_P(HalfPrograms, OfVectors) {
    std::map<std::string, Buffer> inputs{{"a", some_patterns(scalar_, 7, 16)},
                                         {"n", integers<std::int64_t>(ScalarType::I64, 8, 16)}};
    auto load = [](const std::string& name) { return name + "[ramp(0, 1, 16)]"; };
    for (auto e :
         {"fma(" + load("a") + ", " + load("a") + ", broadcast(0.5, 16))",
          type_ + "(" + load("n") + ")", type_ + "(f64(" + load("a") + ")/broadcast(3.0, 16))"})
        expect_same(
            "program p\ninput a: " + type_ + "[16]\ninput n: i64[16]\noutput out: " + type_ +
                "[16]\nlaunch p on host (a, n, out) {\n    out[ramp(0, 1, 16)] = " + e + "\n}\n",
            inputs);
}

TEST_P(HalfPrograms, OfOtherNumbersRoundOnce) {
    constexpr std::int64_t kCount = 200000;
    auto run = [&](const char* from, Buffer values) {
        expect_same(program_of(std::string("a:") + from, kCount, type_, type_ + "(a[i])"),
                    {{"a", std::move(values)}});
    };
    run("i32", integers<std::int32_t>(ScalarType::I32, 1, kCount));
    run("u32", integers<std::uint32_t>(ScalarType::U32, 2, kCount));
    run("i64", integers<std::int64_t>(ScalarType::I64, 3, kCount));
    run("u64", integers<std::uint64_t>(ScalarType::U64, 4, kCount));
    run("i16", integers<std::int16_t>(ScalarType::I16, 5, kCount));
    run("f64", doubles(6, kCount));
}

INSTANTIATE_TEST_SUITE_P(Types, HalfPrograms, testing::Values("f16", "bf16"),
                         [](const auto& info) { return std::string(info.param); });

TEST(HalfPrograms, OfAKnownDoubleRounding) {
    auto program = lower::parse_program(program_of("a:i32", 1, "bf16", "bf16(a[i])"));
    ASSERT_TRUE(program);
    auto a = make_buffer(ScalarType::I32, {1}).value();
    a.as<std::int32_t>()[0] = 16842753;
    auto run = run_loop_program(lower::half_arithmetic(*program, {}), {{"a", a}});
    ASSERT_TRUE(run);
    EXPECT_EQ(run->outputs.at("out").as<std::uint16_t>()[0], 0x4b81);
}

} // namespace test_half_programs
} // namespace loopscope
