// Calls of the prelude's functions: in any number of lanes the bits of the definition written out.
#include "tests/codegen/host_support.h"

#include "core/base/hash.h"
#include "core/language/prelude.h"

#include <bit>
#include <cmath>
#include <limits>

namespace loopscope::test {
namespace {

template <typename T> std::vector<T> arguments_of_all_sizes() {
    using L = std::numeric_limits<T>;
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::vector<T> values{
        T(0),           T(-0.0),         T(1),      T(-1),    T(0.5),        T(2),
        T(-2.5),        T(10),           T(100.25), T(-700),  L::infinity(), -L::infinity(),
        L::quiet_NaN(), L::denorm_min(), L::min(),  L::max(), L::lowest(),   T(3.14159265358979),
        T(1e5),         T(1e15)};
    for (std::uint64_t n = 0; n < 300; ++n) {
        auto word = combine(0x51ab, n);
        values.push_back(std::bit_cast<T>(static_cast<Bits>(word)));
        values.push_back(static_cast<T>(static_cast<double>(word >> 11) * 0x1p-53 * 20 - 10));
    }
    return values;
}

template <typename T> void expect_calls(const std::string& function) {
    auto x = arguments_of_all_sizes<T>();
    std::vector<T> y(x.rbegin(), x.rend());
    bool two = prelude_parameters(function) == 2;
    auto called = [&](ExprPtr a, ExprPtr b) {
        return call(function, two ? std::vector{a, b} : std::vector{a});
    };
    const auto& definition = prelude_function(function, scalar_type<T>());
    auto wanted = apply<T, T>(1, x, y, [&](ExprPtr a, ExprPtr b) {
        return substitute(definition.body, [&](const std::string& name) {
            return name == definition.parameters[0]          ? a
                   : two && name == definition.parameters[1] ? b
                                                             : nullptr;
        });
    });
    for (int lanes : {1, 4, 8, 16, 3})
        for (const std::vector<std::string>& without :
             std::vector<std::vector<std::string>>{{}, {"avx2"}}) {
            auto got = apply<T, T>(lanes, x, y, called, without);
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_TRUE(same_bits(got[i], wanted[i]))
                    << function << " of " << name(scalar_type<T>()) << " " << x[i] << ", " << y[i]
                    << " in " << lanes << " lanes: got " << got[i] << ", wanted " << wanted[i];
        }
}

class Calls : public ::testing::TestWithParam<std::string> {};

TEST_P(Calls, GiveTheDefinitionsBitsInAnyNumberOfLanes) {
    expect_calls<float>(GetParam());
    expect_calls<double>(GetParam());
}

std::vector<std::string> functions() {
    auto names = prelude_names();
    for (const auto& name : prelude_names())
        names.push_back(approximation_of(name));
    return names;
}

INSTANTIATE_TEST_SUITE_P(Prelude, Calls, ::testing::ValuesIn(functions()),
                         [](const auto& info) { return info.param; });

TEST(Calls, InParallelLoopsAndTwiceInOneProgram) {
    auto type = ScalarType::F32;
    auto at = ramp(var("i") * number(8), number(1), 8);
    auto body = lower::block(
        {parallel("i", 8, put("out", at, call("exp", {load("a", type, {at})}))),
         serial("j", 64, put("two", var("j"), call("exp", {get("a", type, var("j"))})))});
    Array<float> a(64), out_array(64), two(64);
    for (std::size_t i = 0; i < 64; ++i)
        a[i] = static_cast<float>(i) / 8 - 4;
    run(program({in("a", type, 64), out("out", type, 64), out("two", type, 64)}, body),
        {a.data(), out_array.data(), two.data()}, 3);
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_TRUE(same_bits(out_array[i], two[i]));
        EXPECT_NEAR(two[i] / std::exp(a[i]), 1, 1e-6);
    }
}

} // namespace
} // namespace loopscope::test
