// Functions of the prelude and reinterpreted bits in the reference.
#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "core/ir/half.h"
#include "core/language/prelude.h"
#include "tests/run/build.h"

#include <bit>
#include <cmath>
#include <limits>

namespace loopscope::test {
namespace {

// The outputs of `value`, an expression of a[x] (and b[x]), over hostile values.
Buffer over_hostile(T type, const ExprPtr& value) {
    auto p = pipeline({input("a", type, {2000}), input("b", type, {2000}), pure("s", {"x"}, value)},
                      "s", {2000});
    std::map<std::string, Buffer> inputs;
    inputs.emplace("a", random_buffer(type, {2000}, 1, RandomMode::Hostile).value());
    inputs.emplace("b", random_buffer(type, {2000}, 2, RandomMode::Hostile).value());
    auto outputs = evaluate(p, inputs);
    EXPECT_TRUE(outputs) << (outputs ? "" : format(outputs.errors()));
    return outputs->at("s");
}

std::vector<ExprPtr> arguments(const std::string& function, T type) {
    std::vector<ExprPtr> all{load("a", type, {v("x")})};
    if (prelude_parameters(function) == 2)
        all.push_back(load("b", type, {v("x")}));
    return all;
}

TEST(ReferenceCalls, AreTheirDefinitions) {
    for (auto type : {T::F16, T::BF16, T::F32, T::F64})
        for (const auto& function : prelude_names()) {
            auto values = arguments(function, type);
            const auto& definition = prelude_function(function, type);
            auto written_out = substitute(definition.body, [&](const std::string& name) -> ExprPtr {
                for (std::size_t i = 0; i < values.size(); ++i)
                    if (name == definition.parameters[i])
                        return values[i];
                return nullptr;
            });
            EXPECT_TRUE(
                compare(over_hostile(type, call(function, values)), over_hostile(type, written_out))
                    .equal)
                << function << " " << name(type);
        }
}

TEST(ReferenceCalls, AreNearTheTrueValue) {
    struct Case {
        const char* function;
        double (*of)(double);
        double at;
    };
    for (auto c :
         {Case{"exp", std::exp, 1.5}, Case{"log", std::log, 7.25}, Case{"tanh", std::tanh, 0.75},
          Case{"erf", std::erf, -0.5}, Case{"sin", std::sin, 2.0}, Case{"cos", std::cos, 2.0}}) {
        auto p = pipeline({pure("s", {"x"}, call(c.function, {constant_float(T::F64, c.at)}))}, "s",
                          {1});
        EXPECT_NEAR(run<double>(p)[0], c.of(c.at), 1e-15 * 4) << c.function;
    }
    auto p = pipeline({pure("s", {"x"}, call("pow", {f32(2), f32(10)}))}, "s", {1});
    EXPECT_NEAR(run<float>(p)[0], 1024.0f, 1024 * 4e-7);
}

// Calls inside of calls, shared arguments, in values, conditions and indices: each has names of its
// own.
TEST(ReferenceCalls, NestAndKeepTheirNamesApart) {
    auto a = load("a", T::F32, {v("x")});
    auto twice = call("exp", {call("tanh", {a})});
    auto stepwise =
        over_hostile(T::F32, let("t", call("tanh", {a}), call("exp", {variable("t", T::F32)})));
    EXPECT_TRUE(compare(over_hostile(T::F32, twice), stepwise).equal);

    auto at = cast(T::I32, call("exp", {constant_float(T::F32, 0)})); // 1
    auto table = pure("table", {"i"}, cast(T::F32, v("i")));
    auto index = binary(Op::Min, binary(Op::Max, at, i32(0)), i32(3));
    auto s = reduction("s", {"x"}, ReductionOp::Sum, {axis("k", 0, 4)},
                       multiply(load("table", T::F32, {index}), cast(T::F32, v("k"))),
                       binary(Op::Greater, call("exp", {cast(T::F32, v("k"))}), f32(5)));
    EXPECT_EQ(run<float>(pipeline({table, s}, "s", {1}))[0], 5.0f) << "k = 2 and 3";
}

TEST(ReferenceCalls, SixteenBitsRoundTheF32Value) {
    for (auto type : {T::F16, T::BF16}) {
        auto a = load("a", type, {v("x")});
        auto wide = cast(type, call("exp", {cast(T::F32, a)}));
        EXPECT_TRUE(compare(over_hostile(type, call("exp", {a})), over_hostile(type, wide)).equal);
    }
}

TEST(ReferenceCalls, AnUnknownFunctionIsABug) {
    auto p = pipeline({pure("s", {"x"}, call("gamma", {f32(1)}))}, "s", {1});
    EXPECT_THROW((void)evaluate(p, {}), std::logic_error);
}

template <typename From, typename To> To reinterpreted(T from, T to, From value) {
    auto p = pipeline(
        {input("a", from, {1}), pure("s", {"x"}, reinterpret(to, load("a", from, {v("x")})))}, "s",
        {1});
    return run<To>(p, {{"a", buffer<From>(from, {1}, {value})}})[0];
}

TEST(ReferenceCalls, BitsAndBack) {
    EXPECT_EQ((reinterpreted<float, std::uint32_t>(T::F32, T::U32, -1.5f)), 0xbfc00000u);
    EXPECT_EQ((reinterpreted<double, std::uint64_t>(T::F64, T::U64, 1.0)), 0x3ff0000000000000u);
    EXPECT_EQ((reinterpreted<std::uint16_t, std::uint16_t>(T::F16, T::U16, 0x3c01)), 0x3c01);
    EXPECT_EQ((reinterpreted<std::uint32_t, float>(T::U32, T::F32, 0x40490fdbu)), 0x1.921fb6p+1f);
    EXPECT_EQ((reinterpreted<std::uint16_t, std::uint16_t>(T::U16, T::BF16, 0x8001)), 0x8001);
}

TEST(ReferenceCalls, BitsOfEveryNaNAreThoseOfOne) {
    for (std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu})
        EXPECT_EQ((reinterpreted<float, std::uint32_t>(T::F32, T::U32, std::bit_cast<float>(nan))),
                  0x7fc00000u);
    for (std::uint64_t nan : {0xfff8000000000000u, 0x7ff0000000000001u})
        EXPECT_EQ(
            (reinterpreted<double, std::uint64_t>(T::F64, T::U64, std::bit_cast<double>(nan))),
            0x7ff8000000000000u);
    EXPECT_EQ((reinterpreted<std::uint16_t, std::uint16_t>(T::F16, T::U16, 0xfe01)), 0x7e00);
    EXPECT_EQ((reinterpreted<std::uint16_t, std::uint16_t>(T::BF16, T::U16, 0xff81)), 0x7fc0);
}

} // namespace
} // namespace loopscope::test
