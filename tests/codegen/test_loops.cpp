// Statements: loops, conditions, lets, allocations, parallel loops, several launches.
#include "tests/codegen/host_support.h"

#include <numeric>

namespace loopscope::test {
namespace {

constexpr auto kI32 = ScalarType::I32;

TEST(Loops, BeginAndExtentMayBeExpressionsAndEmpty) {
    // for i in 0..6: for j from i, extent n[i] (below 1: none): out[i] += j
    Array<std::int32_t> n(std::vector<std::int32_t>{3, 0, -5, 1, 2, 4}), result(6, 0);
    auto inner =
        lower::for_loop({}, "j", var("i"), get("n", kI32, var("i")), lower::ForKind::Serial,
                        put("out", var("i"), get("out", kI32, var("i")) + var("j")));
    run(program({in("n", kI32, 6), out("out", kI32, 6)}, serial("i", 6, inner)),
        {n.data(), result.data()});
    for (int i = 0; i < 6; ++i) {
        int sum = 0;
        for (int j = i; j < i + n[static_cast<std::size_t>(i)]; ++j)
            sum += j;
        EXPECT_EQ(result[static_cast<std::size_t>(i)], sum) << i;
    }
}

TEST(Loops, CountersOf64BitsAndNegativeBegins) {
    Array<std::int64_t> result(5, 0);
    auto big = constant_int(ScalarType::I64, 5'000'000'000);
    auto i = variable("i", ScalarType::I64);
    auto body = lower::for_loop({}, "i", constant_int(ScalarType::I64, -2),
                                constant_int(ScalarType::I64, 5), lower::ForKind::Serial,
                                put("out", i + constant_int(ScalarType::I64, 2), i * big));
    run(program({out("out", ScalarType::I64, 5)}, body), {result.data()});
    for (std::size_t k = 0; k < 5; ++k)
        EXPECT_EQ(result[k], (static_cast<std::int64_t>(k) - 2) * 5'000'000'000);
}

TEST(Loops, ConstantEmptyLoopIsNothing) {
    Array<std::int32_t> result(1, 5);
    run(program({out("out", kI32, 1)},
                lower::block({serial("i", 0, put("out", number(0), number(1))),
                              parallel("p", -3, put("out", number(0), number(2)))})),
        {result.data()});
    EXPECT_EQ(result[0], 5);
}

TEST(Conditions, WithAndWithoutElse) {
    Array<std::int32_t> result(10, -1);
    auto body =
        serial("i", 10,
               lower::block({
                   lower::if_then({}, var("i") < number(4), put("out", var("i"), number(1)),
                                  put("out", var("i"), number(2))),
                   lower::if_then(
                       {}, binary(Op::Equal, binary(Op::Modulo, var("i"), number(3)), number(0)),
                       put("out", var("i"), get("out", kI32, var("i")) + number(10))),
               }));
    run(program({out("out", kI32, 10)}, body), {result.data()});
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(result[static_cast<std::size_t>(i)], (i < 4 ? 1 : 2) + (i % 3 == 0 ? 10 : 0));
}

TEST(Lets, StatementsAndExpressionsScalarAndVector) {
    Array<std::int32_t> a(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8}), result(8);
    auto t = let("t", variable("s") + var("s"), variable("t") * variable("t"));
    auto body = lower::let_statement(
        {}, "s", number(3) + number(4),
        lower::block({
            serial("i", 4, put("out", var("i"), t + var("i"))),
            lower::let_statement({}, "lanes", ramp(number(4), number(1), 4),
                                 put(
                                     "out",
                                     [] {
                                         auto v = std::make_shared<Expr>(*variable("lanes"));
                                         v->lanes = 4;
                                         return ExprPtr(v);
                                     }(),
                                     load("a", kI32, {ramp(number(4), number(1), 4)}))),
        }));
    run(program({in("a", kI32, 8), out("out", kI32, 8)}, body), {a.data(), result.data()});
    for (int i = 0; i < 8; ++i)
        EXPECT_EQ(result[static_cast<std::size_t>(i)], i < 4 ? 196 + i : i + 1);
}

TEST(Lets, ANameBoundTwiceInOneExpressionMeansItsOwnValue) {
    // (let t = x in t*t) + (let t = y in t*t), with the body shared by both.
    Array<std::int32_t> a(std::vector<std::int32_t>{3, 5}), result(1);
    auto square = variable("t") * variable("t");
    auto sum =
        let("t", get("a", kI32, number(0)), square) + let("t", get("a", kI32, number(1)), square);
    run(program({in("a", kI32, 2), out("out", kI32, 1)}, put("out", number(0), sum)),
        {a.data(), result.data()});
    EXPECT_EQ(result[0], 34);
}

// Wrapping i32 arithmetic under an index that is clamped: the wrapped value is what counts.
TEST(Indices, UserArithmeticWrapsBelowAClamp) {
    Array<std::int32_t> a(16), result(4);
    for (std::size_t i = 0; i < 16; ++i)
        a[i] = static_cast<std::int32_t>(i);
    auto huge = get("n", kI32, var("i")) * number(1 << 20);
    auto at = binary(Op::Modulo, huge + number(5), number(16));
    Array<std::int32_t> n(std::vector<std::int32_t>{1, 4096, 2047, 3000});
    run(program({in("a", kI32, 16), in("n", kI32, 4), out("out", kI32, 4)},
                serial("i", 4, put("out", var("i"), get("a", kI32, at)))),
        {a.data(), n.data(), result.data()});
    for (std::size_t i = 0; i < 4; ++i) {
        auto wrapped =
            static_cast<std::int32_t>(static_cast<std::uint32_t>(n[i]) * (1u << 20) + 5u);
        EXPECT_EQ(result[i], ((wrapped % 16) + 16) % 16);
    }
}

// Sizes on both sides of the stack's limit, inside serial and parallel loops.
TEST(Allocations, KeepValuesAndDoNotMix) {
    for (std::int64_t size : {1, 16, 1000, 5000, 100000})
        for (bool in_parallel : {false, true}) {
            auto count = constant_int(kI32, size);
            auto fill = serial("j", size, put("t", var("j"), var("i") * number(7) + var("j")));
            auto sum =
                serial("k", size,
                       put("out", var("i"), get("out", kI32, var("i")) + get("t", kI32, var("k"))));
            auto body = lower::allocate({}, "t", kI32, {Extent(size)}, {"host"},
                                        lower::block({fill, put("out", var("i"), number(0)), sum}));
            Array<std::int32_t> result(50);
            run(program({out("out", kI32, 50)},
                        in_parallel ? parallel("i", 50, body) : serial("i", 50, body)),
                {result.data()}, 2);
            for (std::int64_t i = 0; i < 50; ++i)
                ASSERT_EQ(result[static_cast<std::size_t>(i)],
                          static_cast<std::int32_t>(
                              static_cast<std::uint32_t>(i * 7 * size + size * (size - 1) / 2)))
                    << size;
        }
}

TEST(Allocations, ZeroExtentAndNested) {
    auto inner = lower::allocate({}, "u", kI32, {Extent(3), Extent(4)}, device::registers(),
                                 lower::block({put("u", number(11), number(5)),
                                               put("out", number(0), get("u", kI32, number(11)))}));
    auto body = lower::allocate({}, "t", ScalarType::F64, {Extent(0)}, {"host"}, inner);
    Array<std::int32_t> result(1);
    run(program({out("out", kI32, 1)}, body), {result.data()});
    EXPECT_EQ(result[0], 5);
}

TEST(Parallel, CapturesVariablesBuffersAndAllocations) {
    // let s = a[0]*3: allocate t[64]: parallel i: t[i] = s + i; parallel p: for q: out[p*8+q] =
    // t[p*8+q] * a[1]
    Array<std::int32_t> a(std::vector<std::int32_t>{14, 2}), result(64);
    auto index = var("p") * number(8) + var("q");
    auto body = lower::let_statement(
        {}, "s", get("a", kI32, number(0)) * number(3),
        lower::allocate(
            {}, "t", kI32, {Extent(64)}, {"host"},
            lower::block({
                parallel("i", 64, put("t", var("i"), var("s") + var("i"))),
                parallel(
                    "p", 8,
                    serial("q", 8,
                           put("out", index, get("t", kI32, index) * get("a", kI32, number(1))))),
            })));
    for (int threads : {1, 2, 4}) {
        run(program({in("a", kI32, 2), out("out", kI32, 64)}, body), {a.data(), result.data()},
            threads);
        for (int i = 0; i < 64; ++i)
            ASSERT_EQ(result[static_cast<std::size_t>(i)], (42 + i) * 2);
    }
}

TEST(Parallel, NestedWithSerialBetween) {
    Array<std::int32_t> result(4 * 5 * 6, -1);
    auto at = (var("i") * number(5) + var("j")) * number(6) + var("k");
    auto body = parallel("i", 4, serial("j", 5, parallel("k", 6, put("out", at, at))));
    run(program({out("out", kI32, 120)}, body), {result.data()}, 2);
    for (int i = 0; i < 120; ++i)
        EXPECT_EQ(result[static_cast<std::size_t>(i)], i);
}

// Stacks of the threads must not pile up: each iteration has arrays on its stack, and waits for
// loops inside.
TEST(Parallel, DeepNestsWithArraysOnTheStack) {
    auto fill = [](const std::string& name, lower::StatementPtr body) {
        return lower::allocate(
            {}, name, kI32, {Extent(4000)}, {"host"},
            lower::block({put(name, var("i") + var("j"), var("i") * number(8) + var("j")),
                          std::move(body)}));
    };
    auto at = (var("i") * number(16) + var("j")) * number(16) + var("k");
    auto inner = parallel("k", 16, put("out", at, get("b", kI32, var("i") + var("j")) + var("k")));
    auto middle = parallel("j", 16, fill("a", fill("b", fill("c", fill("d", inner)))));
    Array<std::int32_t> result(64 * 256, -1);
    run(program({out("out", kI32, 64 * 256)}, parallel("i", 64, middle)), {result.data()}, 8);
    for (int i = 0; i < 64 * 256; ++i)
        ASSERT_EQ(result[static_cast<std::size_t>(i)], i / 256 * 8 + i / 16 % 16 + i % 16);
}

TEST(Parallel, BeginIsHonouredAndVectorsAreCaptured) {
    Array<std::int32_t> result(80, 0);
    auto lanes = ramp(number(0), number(1), 8);
    auto v = [] {
        auto e = std::make_shared<Expr>(*variable("v"));
        e->lanes = 8;
        return ExprPtr(e);
    }();
    auto body = lower::let_statement(
        {}, "v", lanes,
        lower::for_loop(
            {}, "i", number(2), number(6), lower::ForKind::Parallel,
            put("out", broadcast(var("i") * number(8), 8) + v, v + broadcast(number(1), 8))));
    run(program({out("out", kI32, 80)}, body), {result.data()}, 2);
    for (int i = 0; i < 80; ++i)
        EXPECT_EQ(result[static_cast<std::size_t>(i)], i >= 16 && i < 64 ? i % 8 + 1 : 0);
}

TEST(Launches, RunInOrder) {
    Array<std::int32_t> result(1, 1);
    auto p = program({out("out", kI32, 1)},
                     put("out", number(0), get("out", kI32, number(0)) + number(4)));
    p.launches.push_back(p.launches[0]);
    p.launches[1].body = put("out", number(0), get("out", kI32, number(0)) * number(10));
    run(p, {result.data()});
    EXPECT_EQ(result[0], 50);
}

TEST(Symbols, SizeAllocationsAndLoops) {
    auto L = variable("L", ScalarType::I64);
    auto i = variable("i", ScalarType::I64), j = variable("j", ScalarType::I64);
    auto zero = constant_int(ScalarType::I64, 0);
    auto body = lower::allocate(
        {}, "t", ScalarType::I64, {Extent::symbol("L", 8)}, {"host"},
        lower::block({
            lower::for_loop({}, "i", zero, L, lower::ForKind::Parallel, put("t", i, i * i)),
            lower::for_loop(
                {}, "j", zero, L, lower::ForKind::Serial,
                put("out", zero, get("out", ScalarType::I64, zero) + get("t", ScalarType::I64, j))),
        }));
    auto p = program({out("out", ScalarType::I64, 1)}, body);
    p.symbols = {"L"};
    auto host = compiled(p);
    ASSERT_TRUE(host);
    Array<std::int64_t> result(1, 0);
    ASSERT_TRUE(host->run({result.data()}, 2, {100}).ok());
    EXPECT_EQ(result[0], 99 * 100 * 199 / 6);
    EXPECT_FALSE(host->run({result.data()}, 2).ok()) << "a missing symbol is an error";
}

TEST(FinalForm, WhatHostCodeDoesNotHaveIsRefusedByName) {
    auto refused = [](const lower::Program& p, const std::string& word) {
        auto result = codegen::HostProgram::compile(p);
        ASSERT_FALSE(result.ok());
        EXPECT_NE(format(result.errors()).find(word), std::string::npos) << format(result.errors());
    };
    auto body = put("out", var("i"), number(1));
    refused(program({out("out", kI32, 8)}, lower::for_loop({"C", 0, "i"}, "i", number(0), number(8),
                                                           lower::ForKind::Vectorized, body)),
            "C/i");
    refused(program({out("out", kI32, 8)}, body), "unknown variable i");
    refused(program({out("o", kI32, 8)}, put("out", number(0), number(1))), "unknown buffer out");
    auto unflat = program({out("out", kI32, 8)}, put("out", number(0), number(1)));
    unflat.flat = false;
    refused(unflat, "flat");
    auto device = program({out("out", kI32, 8)}, put("out", number(0), number(1)));
    device.launches[0].place = "device";
    refused(device, "device");
}

} // namespace
} // namespace loopscope::test
