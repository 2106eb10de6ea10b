// Loads and stores: strides, masks, gathers, types, and that nothing outside the wanted elements is
// touched.
#include "tests/codegen/fenced_array.h"
#include "tests/codegen/host_support.h"

namespace loopscope::test {
namespace test_memory {

template <typename T> class Strides : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::uint8_t, std::int16_t, std::int64_t>;
TYPED_TEST_SUITE(Strides, Types);

// out[lane] = a[base + stride*lane], all of the array and nothing else; fences on both sides in
// turn.
TYPED_TEST(Strides, LoadsTouchOnlyTheirElements) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    for (int lanes : {2, 3, 4, 8, 16, 17})
        for (int stride : {1, -1, 2, -2, 3, 4, -4, 5, 7, 0})
            for (bool behind : {true, false}) {
                int span = (lanes - 1) * std::abs(stride) + 1;
                // A whole number of cache lines, so that both fences are aligned as buffers are.
                int size = (span + 63) / 64 * 64;
                int base = (behind ? size - span : 0) + (stride < 0 ? span - 1 : 0);
                FencedArray<T> a(static_cast<std::size_t>(size), behind);
                Array<T> result(static_cast<std::size_t>(lanes));
                auto body = put("out", ramp(number(0), number(1), lanes),
                                load("a", type, {ramp(number(base), number(stride), lanes)}));
                run(program({in("a", type, size), out("out", type, lanes)}, body),
                    {a.data(), result.data()});
                for (int lane = 0; lane < lanes; ++lane)
                    ASSERT_EQ(result[static_cast<std::size_t>(lane)],
                              a[static_cast<std::size_t>(base + stride * lane)])
                        << "lanes " << lanes << " stride " << stride << " lane " << lane;
                ASSERT_TRUE(result.intact());
            }
}

TYPED_TEST(Strides, MaskedLoadsGiveZeroWhereOffAndTouchNothingThere) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    const int lanes = 8;
    for (int stride : {1, -1, 2, 3, 0, 6})
        for (int on : {0, 1, 5, 8}) {
            int size = 64;
            // The lanes that are off lie beyond the fence.
            int first = stride >= 0 ? size - 1 - stride * std::max(on - 1, 0)
                                    : -stride * std::max(on - 1, 0);
            FencedArray<T> a(static_cast<std::size_t>(size), stride >= 0);
            Array<T> result(lanes, T(99));
            auto mask = ramp(number(0), number(1), lanes) <
                        broadcast(get("n", ScalarType::I32, number(0)), lanes);
            auto at = ramp(number(first), number(stride), lanes);
            auto body =
                put("out", ramp(number(0), number(1), lanes), masked_load("a", type, {at}, mask));
            Array<std::int32_t> n(1, on);
            run(program({in("a", type, size), in("n", ScalarType::I32, 1), out("out", type, lanes)},
                        body),
                {a.data(), n.data(), result.data()});
            for (int lane = 0; lane < lanes; ++lane)
                ASSERT_EQ(result[static_cast<std::size_t>(lane)],
                          lane < on ? a[static_cast<std::size_t>(first + stride * lane)] : T(0))
                    << "stride " << stride << " on " << on << " lane " << lane;
        }
}

TYPED_TEST(Strides, StoresWriteOnlyTheirElements) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    for (int lanes : {3, 8, 16})
        for (int stride : {1, -1, 2, -3})
            for (bool masked : {false, true}) {
                int span = (lanes - 1) * std::abs(stride) + 1, base = stride < 0 ? span - 1 : 0;
                Array<T> a(static_cast<std::size_t>(lanes)),
                    result(static_cast<std::size_t>(span + 3), T(7));
                for (std::size_t i = 0; i < a.size(); ++i)
                    a[i] = T(20 + i);
                auto mask =
                    masked ? ramp(number(0), number(1), lanes) < broadcast(number(lanes - 1), lanes)
                           : nullptr;
                auto body = put("out", ramp(number(base), number(stride), lanes),
                                load("a", type, {ramp(number(0), number(1), lanes)}), mask);
                run(program({in("a", type, lanes), out("out", type, span + 3)}, body),
                    {a.data(), result.data()});
                std::vector<T> wanted(result.size(), T(7));
                for (int lane = 0; lane < lanes - masked; ++lane)
                    wanted[static_cast<std::size_t>(base + stride * lane)] =
                        a[static_cast<std::size_t>(lane)];
                for (std::size_t i = 0; i < wanted.size(); ++i)
                    ASSERT_EQ(result[i], wanted[i]) << "stride " << stride << " element " << i;
                ASSERT_TRUE(result.intact());
            }
}

TYPED_TEST(Strides, GatherAndScatterByData) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    Array<std::int32_t> places(std::vector<std::int32_t>{5, 0, 3, 3, 7, 1, 2, 6});
    Array<T> a(8), gathered(8), scattered(8, T(0));
    for (std::size_t i = 0; i < 8; ++i)
        a[i] = T(10 * i);
    auto lanes = ramp(number(0), number(1), 8);
    auto place = load("places", ScalarType::I32, {lanes});
    auto body = lower::block({put("gathered", lanes, load("a", type, {place})),
                              put("scattered", place, load("a", type, {lanes}))});
    run(program({in("places", ScalarType::I32, 8), in("a", type, 8), out("gathered", type, 8),
                 out("scattered", type, 8)},
                body),
        {places.data(), a.data(), gathered.data(), scattered.data()});
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(gathered[i], a[static_cast<std::size_t>(places[i])]);
    EXPECT_EQ(scattered[3], a[3]) << "the later of two lanes that share a place wins";
    EXPECT_EQ(scattered[5], a[0]);
    EXPECT_EQ(scattered[4], T(0));
}

TEST(Memory, ScalarMasks) {
    Array<float> a(4, 3.0f), result(4, 9.0f);
    auto on = var("i") < number(2);
    auto body = serial(
        "i", 4,
        put("out", var("i"),
            masked_load("a", ScalarType::F32, {var("i")}, on) + constant_float(ScalarType::F32, 1),
            var("i") < number(3)));
    run(program({in("a", ScalarType::F32, 4), out("out", ScalarType::F32, 4)}, body),
        {a.data(), result.data()});
    EXPECT_EQ(result[0], 4);
    EXPECT_EQ(result[1], 4);
    EXPECT_EQ(result[2], 1);
    EXPECT_EQ(result[3], 9);
}

TEST(Memory, BoolIsAByteAndAnyButZeroIsTrue) {
    for (int lanes : {1, 4}) {
        Array<std::uint8_t> a(std::vector<std::uint8_t>{0, 1, 2, 255});
        Array<std::uint8_t> copy(4, 77), flipped(4, 77);
        auto at = lanes == 1 ? var("i") : ramp(var("i") * number(4), number(1), 4);
        auto bit = load("a", ScalarType::Bool, {at});
        auto body = serial(
            "i", 4 / lanes,
            lower::block({put("copy", at, bit), put("flipped", at, unary(Op::LogicalNot, bit))}));
        run(program({in("a", ScalarType::Bool, 4), out("copy", ScalarType::Bool, 4),
                     out("flipped", ScalarType::Bool, 4)},
                    body),
            {a.data(), copy.data(), flipped.data()});
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(copy[i], i > 0);
            EXPECT_EQ(flipped[i], i == 0);
        }
        EXPECT_TRUE(copy.intact());
    }
}

TEST(Memory, IndicesOfAllIntegerTypes) {
    for (auto type : {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64,
                      ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64})
        for (int lanes : {1, 4}) {
            Array<float> a(256), result(4);
            for (std::size_t i = 0; i < 256; ++i)
                a[i] = static_cast<float>(i);
            // 200 has the sign bit of 8 bits set
            std::int64_t base = type == ScalarType::I8 ? 100 : 200;
            auto at = lanes == 1 ? var("i") : ramp(var("i") * number(4), number(1), 4);
            auto offset = constant_int(type, base);
            auto place = cast(type, at) + (lanes == 1 ? offset : broadcast(offset, lanes));
            auto body = serial("i", 4 / lanes, put("out", at, load("a", ScalarType::F32, {place})));
            run(program({in("a", ScalarType::F32, 256), out("out", ScalarType::F32, 4)}, body),
                {a.data(), result.data()});
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_EQ(result[i], static_cast<float>(base) + static_cast<float>(i))
                    << name(type) << " lanes " << lanes;
        }
}

// The clamp of an index of 64 bits compares in its own type, though the range of the result is
// known.
TEST(Memory, ClampedIndicesAtTheEndsOf64Bits) {
    for (auto type : {ScalarType::I64, ScalarType::U64}) {
        Array<std::uint64_t> a(std::vector<std::uint64_t>{
            0, 3, 19, 20, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, ~std::uint64_t{0},
            ~std::uint64_t{0} - 19});
        Array<float> b(20), result(a.size());
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = static_cast<float>(i);
        auto clamped =
            binary(Op::Min, binary(Op::Max, get("a", type, var("i")), constant_int(type, 0)),
                   constant_int(type, 19));
        run(program(
                {in("a", type, 8), in("b", ScalarType::F32, 20), out("out", ScalarType::F32, 8)},
                serial("i", 8, put("out", var("i"), get("b", ScalarType::F32, clamped)))),
            {a.data(), b.data(), result.data()});
        for (std::size_t i = 0; i < a.size(); ++i) {
            bool negative = type == ScalarType::I64 && a[i] >> 63 != 0;
            auto nearest = static_cast<float>(std::min<std::uint64_t>(a[i], 19));
            EXPECT_EQ(result[i], negative ? 0.0f : nearest) << name(type) << ' ' << a[i];
        }
    }
}

// Sums, differences and products of ramps stay dense where they are, and are right where they are
// not.
TEST(Memory, CombinedRamps) {
    const int lanes = 8;
    auto lane = ramp(number(0), number(1), lanes);
    auto all = [&](ExprPtr e) { return broadcast(e, lanes); };
    std::vector<std::pair<ExprPtr, std::function<int(int, int)>>> cases{
        {all(var("i") * number(8)) + lane, [](int i, int l) { return i * 8 + l; }},
        {lane * all(number(2)) + all(var("i")), [](int i, int l) { return 2 * l + i; }},
        {all(number(40)) - lane, [](int, int l) { return 40 - l; }},
        {lane * all(var("i")), [](int i, int l) { return i * l; }},
        {lane * lane, [](int, int l) { return l * l; }},
        {binary(Op::Min, lane, all(number(3))), [](int, int l) { return std::min(l, 3); }},
        {all(var("i")) * all(number(3)), [](int i, int) { return i * 3; }},
        {lane + lane, [](int, int l) { return 2 * l; }},
        {binary(Op::Modulo, lane * all(number(3)), all(number(5))),
         [](int, int l) { return l * 3 % 5; }},
    };
    Array<float> a(128);
    for (std::size_t i = 0; i < 128; ++i)
        a[i] = static_cast<float>(i);
    for (auto& [at, wanted] : cases) {
        Array<float> result(32);
        auto body = serial("i", 4,
                           put("out", ramp(var("i") * number(8), number(1), lanes),
                               load("a", ScalarType::F32, {at})));
        run(program({in("a", ScalarType::F32, 128), out("out", ScalarType::F32, 32)}, body),
            {a.data(), result.data()});
        for (int i = 0; i < 4; ++i)
            for (int l = 0; l < lanes; ++l)
                EXPECT_EQ(result[static_cast<std::size_t>(i * 8 + l)],
                          static_cast<float>(wanted(i, l)))
                    << to_text(at);
    }
}

TEST(Memory, MisalignedBuffersAreRefused) {
    Array<float> a(32), result(32);
    auto host = compiled(program({in("a", ScalarType::F32, 16), out("out", ScalarType::F32, 16)},
                                 put("out", number(0), get("a", ScalarType::F32, number(0)))));
    ASSERT_TRUE(host);
    auto status = host->run({static_cast<char*>(a.data()) + 4, result.data()});
    ASSERT_FALSE(status.ok());
    EXPECT_NE(format(status.errors()).find("aligned"), std::string::npos);
    EXPECT_FALSE(host->run({a.data()}).ok());
}

} // namespace test_memory
} // namespace loopscope::test
