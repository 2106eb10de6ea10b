// Tuples, argmin and argmax, and boundaries of every type in the reference.
#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "tests/run/build.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace loopscope::test {
namespace test_reference_tuples {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Stage tuple(const std::string& name, const std::vector<std::string>& variables,
            std::vector<ExprPtr> values) {
    auto s = pure(name, variables, values[0]);
    s.types.clear();
    for (const auto& value : values)
        s.types.push_back(value->type);
    s.definitions[0].values = std::move(values);
    return s;
}

Stage updated_tuple(Stage s, std::vector<ExprPtr> left, UpdateOp op, std::vector<ExprPtr> values,
                    std::vector<ReductionAxis> axes = {}, ExprPtr condition = nullptr) {
    s = updated(std::move(s), std::move(left), op, values[0], std::move(axes),
                std::move(condition));
    s.definitions.back().values = std::move(values);
    return s;
}

template <typename V> std::vector<V> list(const Buffer& b) {
    return {b.template as<V>(), b.template as<V>() + b.count()};
}

std::map<std::string, Buffer> evaluated(const Pipeline& p,
                                        const std::map<std::string, Buffer>& inputs = {}) {
    auto outputs = evaluate(p, inputs);
    EXPECT_TRUE(outputs) << (outputs ? "" : format(outputs.errors()));
    return outputs ? *outputs : std::map<std::string, Buffer>();
}

TEST(ReferenceTuples, PartsHaveTypesOfTheirOwn) {
    auto s = tuple("s", {"x"}, {v("x"), cast(T::F32, v("x")), binary(Op::Less, v("x"), i32(1))});
    auto read = [](int c, T type) { return load("s", type, {v("x")}, c); };
    auto t = pure(
        "t", {"x"},
        select(read(2, T::Bool), f32(-1), add(read(1, T::F32), cast(T::F32, read(0, T::I32)))));
    auto p = pipeline({s, t}, "t", {3});
    p.outputs.push_back({"s", {Extent(2)}, {}});
    auto out = evaluated(p);
    EXPECT_EQ(list<float>(out.at("t")), (Floats{-1, 2, 4}));
    EXPECT_EQ(list<std::int32_t>(out.at("s.0")), (Ints{0, 1}));
    EXPECT_EQ(list<float>(out.at("s.1")), (Floats{0, 1}));
    EXPECT_EQ(list<std::uint8_t>(out.at("s.2")), (std::vector<std::uint8_t>{1, 0}));
}

TEST(ReferenceTuples, EveryUpdateGoesPartByPart) {
    auto with = [](UpdateOp op) {
        auto s =
            updated_tuple(tuple("s", {"x"}, {i32(6), f32(1.5)}), {v("x")}, op, {i32(4), f32(3)});
        auto out = evaluated(pipeline({s}, "s", {1}));
        return std::pair(out.at("s.0").as<std::int32_t>()[0], out.at("s.1").as<float>()[0]);
    };
    EXPECT_EQ(with(UpdateOp::Assign), (std::pair(4, 3.0f)));
    EXPECT_EQ(with(UpdateOp::Add), (std::pair(10, 4.5f)));
    EXPECT_EQ(with(UpdateOp::Multiply), (std::pair(24, 4.5f)));
    EXPECT_EQ(with(UpdateOp::Max), (std::pair(6, 3.0f)));
    EXPECT_EQ(with(UpdateOp::Min), (std::pair(4, 1.5f)));
}

TEST(ReferenceTuples, TheRightSideReadsOldValues) {
    // Swapped r + 1 times where r is even: (1, 2) -> (2, 1) -> (1, 2).
    auto part = [](int c) { return load("s", T::I32, {v("x")}, c); };
    auto even = binary(Op::Equal, binary(Op::Modulo, v("r"), i32(2)), i32(0));
    auto s = updated_tuple(tuple("s", {"x"}, {i32(1), i32(2)}), {v("x")}, UpdateOp::Assign,
                           {part(1), part(0)}, {axis("r", 0, 5)}, even);
    auto out = evaluated(pipeline({s}, "s", {300}));
    EXPECT_EQ(out.at("s.0").as<std::int32_t>()[299], 2);
    EXPECT_EQ(out.at("s.1").as<std::int32_t>()[299], 1);
    // += too: (a, b) += (b, a) from (1, 2): (3, 3), (6, 6).
    s = updated_tuple(tuple("s", {"x"}, {i32(1), i32(2)}), {v("x")}, UpdateOp::Add,
                      {part(1), part(0)}, {axis("r", 0, 2)});
    out = evaluated(pipeline({s}, "s", {1}));
    EXPECT_EQ(out.at("s.0").as<std::int32_t>()[0], 6);
    EXPECT_EQ(out.at("s.1").as<std::int32_t>()[0], 6);
}

// argmax[k in 0..n where condition](in[k]): value and rank.
template <typename V>
std::pair<V, std::int32_t> chosen(ReductionOp op, T type, const std::vector<V>& values,
                                  ExprPtr condition = nullptr) {
    auto n = static_cast<std::int64_t>(values.size());
    auto s = reduction("s", {"x"}, op, {axis("k", 0, n)}, load("in", type, {v("k")}),
                       std::move(condition));
    s.types = {type, T::I32};
    s.definitions[0].values.push_back(v("k"));
    auto out = evaluated(pipeline({input("in", type, {n}), s}, "s", {2}),
                         {{"in", buffer<V>(type, {n}, values)}});
    auto ranks = list<std::int32_t>(out.at("s.1"));
    EXPECT_EQ(ranks[0], ranks[1]);
    return {list<V>(out.at("s.0"))[1], ranks[1]};
}

TEST(ReferenceArg, TheFirstOfEqualsWins) {
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::I32, Ints{3, 7, 5, 7, 1}), (std::pair(7, 1)));
    EXPECT_EQ(chosen(ReductionOp::ArgMin, T::I32, Ints{3, 1, 5, 1, 7}), (std::pair(1, 1)));
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::U8, std::vector<std::uint8_t>{0, 0}).second, 0);
    auto zeros = chosen(ReductionOp::ArgMax, T::F32, Floats{-0.0f, 0.0f});
    EXPECT_EQ(zeros.second, 0) << "zeros of both signs are equal";
    EXPECT_TRUE(std::signbit(zeros.first));
}

TEST(ReferenceArg, ExtremesOfTheTypeAreFound) {
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::I32, Ints{INT32_MIN, INT32_MIN}),
              (std::pair(INT32_MIN, 0)));
    EXPECT_EQ(chosen(ReductionOp::ArgMin, T::F32, Floats{kInf, kInf}), (std::pair(kInf, 0)));
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::F32, Floats{-kInf}), (std::pair(-kInf, 0)));
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::U64, std::vector<std::uint64_t>{1, ~0ull, 2}).second,
              1);
}

TEST(ReferenceArg, ANaNWinsOverNumbers) {
    for (auto op : {ReductionOp::ArgMin, ReductionOp::ArgMax}) {
        auto found = chosen(op, T::F32, Floats{1, kNan, -kInf, kInf, kNan});
        EXPECT_TRUE(std::isnan(found.first));
        EXPECT_EQ(found.second, 1) << "the first of them";
    }
}

TEST(ReferenceArg, WithoutTermsThereIsNoRank) {
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::I32, Ints{}), (std::pair(INT32_MIN, kNoRank)));
    EXPECT_EQ(chosen(ReductionOp::ArgMin, T::F32, Floats{}), (std::pair(kInf, kNoRank)));
    auto never = binary(Op::Greater, v("k"), i32(9));
    EXPECT_EQ(chosen(ReductionOp::ArgMin, T::I32, Ints{1, 2}, never),
              (std::pair(INT32_MAX, kNoRank)));
}

TEST(ReferenceArg, ConditionsLeaveTermsOut) {
    auto odd = binary(Op::Equal, binary(Op::Modulo, v("k"), i32(2)), i32(1));
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::I32, Ints{9, 1, 8, 4, 9, 4}, odd), (std::pair(4, 3)));
    EXPECT_EQ(chosen(ReductionOp::ArgMax, T::F32, Floats{kNan, 1, kNan}, odd),
              (std::pair(1.0f, 1)));
}

TEST(ReferenceArg, TermsOfAnyOrderOfRanks) {
    // Ranks that fall: the last of equals has the lowest. One without a rank is no term.
    auto s =
        reduction("s", {"x"}, ReductionOp::ArgMax, {axis("k", 0, 5)}, load("in", T::I32, {v("k")}));
    s.types = {T::I32, T::I32};
    s.definitions[0].values.push_back(
        select(binary(Op::Equal, v("k"), i32(2)), i32(kNoRank), subtract(i32(10), v("k"))));
    auto out = evaluated(pipeline({input("in", T::I32, {5}), s}, "s", {1}),
                         {{"in", buffer<std::int32_t>(T::I32, {5}, {4, 7, 9, 7, 1})}});
    EXPECT_EQ(out.at("s.0").as<std::int32_t>()[0], 7);
    EXPECT_EQ(out.at("s.1").as<std::int32_t>()[0], 7) << "10 - 3";
}

// Every boundary for every type, by index arithmetic of the test's own on the raw bytes.
TEST(ReferenceBoundaries, OfEveryType) {
    constexpr std::int64_t n = 5, out = 23, shift = 9;
    auto from = [](BoundaryKind kind, std::int64_t i) -> std::int64_t {
        auto cyclic = [](std::int64_t value, std::int64_t period) {
            while (value < 0)
                value += period;
            return value % period;
        };
        switch (kind) {
        case BoundaryKind::Edge: return i < 0 ? 0 : i >= n ? n - 1 : i;
        case BoundaryKind::Wrap: return cyclic(i, n);
        case BoundaryKind::Mirror: return std::min(cyclic(i, 2 * n), 2 * n - 1 - cyclic(i, 2 * n));
        case BoundaryKind::Reflect:
            return std::min(cyclic(i, 2 * n - 2), 2 * n - 2 - cyclic(i, 2 * n - 2));
        default: return i < 0 || i >= n ? -1 : i;
        }
    };
    for (auto type : {T::Bool, T::I8, T::I16, T::I32, T::I64, T::U8, T::U16, T::U32, T::U64, T::F16,
                      T::BF16, T::F32, T::F64})
        for (auto kind : {BoundaryKind::Edge, BoundaryKind::Zero, BoundaryKind::Constant,
                          BoundaryKind::Mirror, BoundaryKind::Reflect, BoundaryKind::Wrap}) {
            auto in = random_buffer(type, {n}, 11, RandomMode::FullRange).value();
            auto constant = is_float(type)  ? constant_float(type, 0.5)
                            : is_bool(type) ? constant_bool(true)
                                            : constant_int(type, 77);
            auto p = pipeline(
                {input("in", type, {n}, kind, kind == BoundaryKind::Constant ? constant : nullptr),
                 pure("s", {"x"}, load("in", type, {plus("x", -shift)}))},
                "s", {out});
            auto s = evaluated(p, {{"in", in}}).at("s");
            const auto width = static_cast<std::size_t>(bytes(type));
            for (std::int64_t x = 0; x < out; ++x) {
                std::uint64_t expected = 0, actual = 0;
                auto at = from(kind, x - shift);
                if (at >= 0)
                    std::memcpy(&expected, in.data.data() + static_cast<std::size_t>(at) * width,
                                width);
                else if (kind == BoundaryKind::Constant)
                    std::memcpy(&expected, &constant->bits, width);
                std::memcpy(&actual, s.data.data() + static_cast<std::size_t>(x) * width, width);
                ASSERT_EQ(actual, expected)
                    << name(type) << " " << name(kind) << " at " << x - shift;
            }
        }
}

} // namespace test_reference_tuples
} // namespace loopscope::test
