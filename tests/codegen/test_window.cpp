// Loads whose lanes lie at constant places within a small window: the values, that nothing outside
// the window is read, and that no gather is left.
#include "tests/codegen/fenced_array.h"
#include "tests/codegen/host_support.h"
#include "tests/support/turns.h"

#include <algorithm>

namespace loopscope::test {
namespace test_window {

ExprPtr divided(const ExprPtr& a, std::int64_t by) {
    return binary(Op::Divide, a, broadcast(number(by), a->lanes));
}
ExprPtr remainder(const ExprPtr& a, std::int64_t by) {
    return binary(Op::Modulo, a, broadcast(number(by), a->lanes));
}

struct Index {
    const char* what;
    std::function<ExprPtr(ExprPtr lane, ExprPtr uniform)> make; // of vectors
    std::function<int(int lane)> offset;
};

const std::vector<Index>& indices() {
    auto all = [](std::int64_t n, const ExprPtr& like) {
        return broadcast(number(n), like->lanes);
    };
    static const std::vector<Index> list{
        {"x/2", [](ExprPtr x, ExprPtr u) { return divided(x, 2) + u; },
         [](int x) { return x / 2; }},
        {"(x+1)/2", [all](ExprPtr x, ExprPtr u) { return divided(x + all(1, x), 2) + u; },
         [](int x) { return (x + 1) / 2; }},
        {"(x+8u)/4", [all](ExprPtr x, ExprPtr u) { return divided(x + all(8, u) * u, 4) - u; },
         [](int x) { return x / 4; }},
        {"x/2-1+2*(x%2)",
         [all](ExprPtr x, ExprPtr u) {
             return divided(x, 2) - all(1, x) + all(2, x) * remainder(x, 2) + u;
         },
         [](int x) { return x / 2 - 1 + 2 * (x % 2); }},
        {"x%3", [](ExprPtr x, ExprPtr u) { return remainder(x, 3) + u; },
         [](int x) { return x % 3; }},
        {"u-x/2", [](ExprPtr x, ExprPtr u) { return u - divided(x, 2); },
         [](int x) { return -(x / 2); }},
        {"max(x/2-2,0)",
         [all](ExprPtr x, ExprPtr u) {
             return binary(Op::Max, divided(x, 2) - all(2, x), all(0, x)) + u;
         },
         [](int x) { return std::max(x / 2 - 2, 0); }},
        {"min(x+u,u+5)",
         [all](ExprPtr x, ExprPtr u) { return binary(Op::Min, x + u, u + all(5, x)); },
         [](int x) { return std::min(x, 5); }},
    };
    return list;
}

template <typename T> class Windows : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::uint8_t, std::int16_t, std::int64_t>;
TYPED_TEST_SUITE(Windows, Types);

TYPED_TEST(Windows, LoadsTouchOnlyTheirWindow) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    for (int lanes : part_in_turn<int>({2, 3, 4, 8, 16, 17, 64}, 2))
        for (const auto& index : indices()) {
            int least = 0, greatest = 0;
            for (int lane = 0; lane < lanes; ++lane) {
                least = std::min(least, index.offset(lane));
                greatest = std::max(greatest, index.offset(lane));
            }
            int span = greatest - least + 1, size = (span + 1 + 63) / 64 * 64;
            for (bool behind : {true, false}) {
                // Two places in turn, the last or the first of which ends where the array does.
                int first = (behind ? size - span - 1 : 0) - least;
                FencedArray<T> a(static_cast<std::size_t>(size), behind);
                Array<T> result(static_cast<std::size_t>(2 * lanes));
                auto lane = ramp(number(0), number(1), lanes);
                auto uniform = broadcast(var("i") + number(first), lanes);
                auto body = serial("i", 2,
                                   put("out", ramp(var("i") * number(lanes), number(1), lanes),
                                       load("a", type, {index.make(lane, uniform)})));
                auto p = program({in("a", type, size), out("out", type, 2 * lanes)}, body);
                run(p, {a.data(), result.data()});
                for (int i = 0; i < 2; ++i)
                    for (int x = 0; x < lanes; ++x)
                        ASSERT_EQ(result[static_cast<std::size_t>(i * lanes + x)],
                                  a[static_cast<std::size_t>(first + i + index.offset(x))])
                            << index.what << ", " << lanes << " lanes, lane " << x;
                ASSERT_TRUE(result.intact());
                if (behind || lanes != 16)
                    continue;
                auto host = compiled(p, true);
                ASSERT_TRUE(host);
                EXPECT_EQ(host->ir_as_built().text.find("gather"), std::string::npos) << index.what;
            }
        }
}

// Too wide for two vectors, or not constant: gathers, as before.
TEST(Windows, WideOnesAreGathered) {
    const int lanes = 8;
    auto lane = ramp(number(0), number(1), lanes);
    Array<float> a(64), result(lanes);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(i);
    auto p = program({in("a", ScalarType::F32, 64), out("out", ScalarType::F32, lanes)},
                     put("out", lane, load("a", ScalarType::F32, {lane * lane})));
    run(p, {a.data(), result.data()});
    for (std::size_t x = 0; x < 8; ++x)
        EXPECT_EQ(result[x], static_cast<float>(x * x));
    auto wide = program(
        {in("a", ScalarType::F32, 64), out("out", ScalarType::F32, lanes)},
        put("out", lane,
            load("a", ScalarType::F32, {remainder(lane, 2) * broadcast(number(50), lanes)})));
    run(wide, {a.data(), result.data()});
    for (std::size_t x = 0; x < 8; ++x)
        EXPECT_EQ(result[x], static_cast<float>(x % 2 * 50));
    auto host = compiled(wide, true);
    ASSERT_TRUE(host);
    EXPECT_NE(host->ir_as_built().text.find("gather"), std::string::npos);
}

// The lanes that are off may lie outside the buffer: here all behind the first `on`, or before the
// last.
TYPED_TEST(Windows, MaskedLoadsTouchNothingWhereTheyAreOff) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    struct Form {
        const char* what;
        std::function<ExprPtr(ExprPtr)> make;
        std::function<int(int)> offset; // grows with the lane
    };
    auto all = [](std::int64_t n, const ExprPtr& like) {
        return broadcast(number(n), like->lanes);
    };
    const std::vector<Form> forms{
        {"2*x", [all](ExprPtr x) { return x * all(2, x); }, [](int x) { return 2 * x; }},
        {"3*x", [all](ExprPtr x) { return x * all(3, x); }, [](int x) { return 3 * x; }},
        {"x/2", [](ExprPtr x) { return divided(x, 2); }, [](int x) { return x / 2; }},
        {"x/8", [](ExprPtr x) { return divided(x, 8); }, [](int x) { return x / 8; }},
        {"x+x/4", [](ExprPtr x) { return x + divided(x, 4); }, [](int x) { return x + x / 4; }},
    };
    for (int lanes : part_in_turn<int>({4, 7, 16, 32}, 2)) {
        Batch batch;
        for (const auto& form : forms)
            for (bool first : {true, false})
                for (int on : {0, 1, lanes / 2 + 1, lanes}) {
                    const int size = 128;
                    auto is_on = [=](int x) { return first ? x < on : x >= lanes - on; };
                    // The last lane that is on reads the last element, or the first the first.
                    int base = first ? size - 1 - form.offset(std::max(on - 1, 0))
                                     : -form.offset(std::min(lanes - on, lanes - 1));
                    auto a = std::make_shared<FencedArray<T>>(size, first);
                    auto result =
                        std::make_shared<Array<T>>(static_cast<std::size_t>(lanes), T(99));
                    auto n = std::make_shared<Array<std::int32_t>>(1, first ? on : lanes - on - 1);
                    auto lane = ramp(number(0), number(1), lanes);
                    auto limit = broadcast(get(batch.name("n"), ScalarType::I32, number(0)), lanes);
                    auto mask = first ? lane < limit : limit < lane;
                    auto at = form.make(lane) + broadcast(number(base), lanes);
                    batch.add(
                        {in(batch.name("a"), type, size), in(batch.name("n"), ScalarType::I32, 1),
                         out(batch.name("out"), type, lanes)},
                        put(batch.name("out"), lane,
                            masked_load(batch.name("a"), type, {at}, mask)),
                        {a->data(), n->data(), result->data()}, [=, keep = n] {
                            for (int x = 0; x < lanes; ++x)
                                ASSERT_EQ(
                                    (*result)[static_cast<std::size_t>(x)],
                                    is_on(x) ? (*a)[static_cast<std::size_t>(base + form.offset(x))]
                                             : T(0))
                                    << form.what << ", " << lanes << " lanes, " << on
                                    << " on, lane " << x;
                        });
                }
        batch.run();
        batch.run({"avx512f"});
    }
}

// Clamped indices at both borders of an array and beside them, alone and under a mask.
TYPED_TEST(Windows, ClampedIndicesStayInside) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    const int size = 128, rows = 2, width = 64;
    auto all = [](std::int64_t n, int lanes) { return broadcast(number(n), lanes); };
    for (int lanes : in_turn<int>({4, 7, 16})) {
        Batch batch;
        for (int stride : {1, 2, -1, 5})
            for (int base : {-20, -3, 0, 20, 61, 80})
                for (bool masked : {false, true})
                    for (bool behind : {false, true}) {
                        auto a = std::make_shared<FencedArray<T>>(size, behind);
                        auto result = std::make_shared<Array<T>>(
                            static_cast<std::size_t>(rows * lanes), T(99));
                        auto n = std::make_shared<Array<std::int32_t>>(1, lanes - 1);
                        auto lane = ramp(number(0), number(1), lanes);
                        auto x = ramp(number(base), number(stride), lanes);
                        auto clamped = binary(Op::Min, binary(Op::Max, x, all(0, lanes)),
                                              all(width - 1, lanes));
                        auto at = clamped + broadcast(var("y") * number(width), lanes);
                        auto mask =
                            lane <
                            broadcast(get(batch.name("n"), ScalarType::I32, number(0)), lanes);
                        auto read = masked ? masked_load(batch.name("a"), type, {at}, mask)
                                           : load(batch.name("a"), type, {at});
                        batch.add(
                            {in(batch.name("a"), type, size),
                             in(batch.name("n"), ScalarType::I32, 1),
                             out(batch.name("out"), type, rows * lanes)},
                            serial("y", rows,
                                   put(batch.name("out"),
                                       ramp(var("y") * number(lanes), number(1), lanes), read)),
                            {a->data(), n->data(), result->data()}, [=, keep = n] {
                                for (int y = 0; y < rows; ++y)
                                    for (int l = 0; l < lanes; ++l) {
                                        int place = std::clamp(base + stride * l, 0, width - 1);
                                        bool off = masked && l == lanes - 1;
                                        ASSERT_EQ(
                                            (*result)[static_cast<std::size_t>(y * lanes + l)],
                                            off ? T(0)
                                                : (*a)[static_cast<std::size_t>(y * width + place)])
                                            << "base " << base << " stride " << stride << " lane "
                                            << l;
                                    }
                            });
                    }
        batch.run();
        batch.run({"avx512f"});
    }
}

// What both arms of a clamp are, but together are too wide, is read arm by arm.
TEST(Windows, ClampOfConstantsTooFarApart) {
    const int lanes = 8;
    auto lane = ramp(number(0), number(1), lanes);
    Array<float> a(128), result(lanes);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(i);
    auto at =
        binary(Op::Max, lane * broadcast(number(40), lanes) - broadcast(number(200), lanes), lane) +
        broadcast(number(3), lanes);
    run(program({in("a", ScalarType::F32, 128), out("out", ScalarType::F32, lanes)},
                put("out", lane, load("a", ScalarType::F32, {at}))),
        {a.data(), result.data()});
    for (int x = 0; x < lanes; ++x)
        EXPECT_EQ(result[static_cast<std::size_t>(x)],
                  static_cast<float>(std::max(40 * x - 200, x) + 3));
}

} // namespace test_window
} // namespace loopscope::test
