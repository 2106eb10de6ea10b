// Every operator on every type, with operands that overflow, divide by zero, shift too far, are no
// numbers …, in scalars and in vectors: C against the compiled program, whose arithmetic
// tests/codegen holds against plain C++.
#include "tests/export_c/export_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/turns.h"

#include "core/ir/half.h"
#include "core/language/prelude.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

using namespace loopscope;
using namespace loopscope::test;

namespace {

const std::vector<ScalarType> kIntegers{ScalarType::I8,  ScalarType::I16, ScalarType::I32,
                                        ScalarType::I64, ScalarType::U8,  ScalarType::U16,
                                        ScalarType::U32, ScalarType::U64};
const std::vector<ScalarType> kFloats{ScalarType::F32, ScalarType::F64};
const std::vector<ScalarType> kHalves{ScalarType::F16, ScalarType::BF16};

// Corner values as bits; signed ones extended by their sign.
std::vector<std::uint64_t> corners(ScalarType t) {
    std::vector<std::uint64_t> out;
    if (is_bool(t))
        return {0, 1};
    if (is_integer(t)) {
        auto width = bits(t);
        std::uint64_t all = ~std::uint64_t{0} >> (64 - width),
                      top = std::uint64_t{1} << (width - 1);
        out = {0,   1,   2,       3,       7,   8,       31,      33,     64,
               100, all, all - 1, all - 6, top, top - 1, top + 1, all / 3};
        return out;
    }
    using S = std::numeric_limits<float>;
    std::vector<double> values{0.0,
                               -0.0,
                               1,
                               -1,
                               0.5,
                               -0.5,
                               1.5,
                               2.5,
                               -2.5,
                               3.7,
                               -3.7,
                               127.5,
                               -128.9,
                               255.9,
                               65504,
                               65520,
                               1e10,
                               -1e10,
                               2147483648.0,
                               4294967296.0,
                               9223372036854775808.0,
                               18446744073709551616.0,
                               1e-30,
                               S::infinity(),
                               -S::infinity(),
                               S::quiet_NaN(),
                               S::denorm_min(),
                               -S::denorm_min(),
                               S::min(),
                               S::max(),
                               1e-7,
                               0.1};
    for (double v : values)
        switch (t) {
        case ScalarType::F16: out.push_back(f16_bits(v)); break;
        case ScalarType::BF16: out.push_back(bf16_bits(v)); break;
        default: out.push_back(constant_float(t, v)->bits);
        }
    if (t == ScalarType::F64)
        for (double v :
             {1e300, -1e300, 5e-324, 1e-310, 1.0 + 0x1p-24, 1.0 + 0x3p-24, 65519.999999999})
            out.push_back(constant_float(t, v)->bits);
    if (t == ScalarType::F16 || t == ScalarType::BF16)
        for (std::uint64_t n : {0x0001, 0x03ff, 0x7c01, 0x7fff, 0xffff, 0x7f81, 0x8001})
            out.push_back(n);
    return out;
}

Buffer buffer_of(ScalarType t, const std::vector<std::uint64_t>& values) {
    auto buffer = make_buffer(t, {static_cast<std::int64_t>(values.size())}).value();
    for (std::size_t i = 0; i < values.size(); ++i)
        std::memcpy(buffer.data.data() + i * static_cast<std::size_t>(bytes(t)), &values[i],
                    static_cast<std::size_t>(bytes(t)));
    return buffer;
}

// All pairs (and a third operand) of a type's corners as inputs a, b, c; results are outputs r0,
// r1, …
class Sheet {
public:
    explicit Sheet(ScalarType type, int lanes) : type_(type), lanes_(lanes) {
        std::vector<std::uint64_t> a, b, c;
        auto values = corners(type);
        for (std::size_t i = 0; i < values.size(); ++i)
            for (std::size_t j = 0; j < values.size(); ++j) {
                a.push_back(values[i]);
                b.push_back(values[j]);
                c.push_back(values[(i * 7 + j * 3) % values.size()]);
            }
        while (a.size() % static_cast<std::size_t>(lanes) != 0) {
            a.push_back(a[0]);
            b.push_back(b[0]);
            c.push_back(c[0]);
        }
        size_ = static_cast<std::int64_t>(a.size());
        inputs = {{"a", buffer_of(type, a)}, {"b", buffer_of(type, b)}, {"c", buffer_of(type, c)}};
        at_ = variable("i");
        if (lanes > 1)
            at_ = ramp(binary(Op::Multiply, at_, constant_int(ScalarType::I32, lanes)),
                       constant_int(ScalarType::I32, 1), lanes);
        for (auto name : {"a", "b", "c"})
            arguments_.push_back(argument(name, type, lower::Role::Input));
    }

    ExprPtr a() const { return load("a", type_, {at_}); }
    ExprPtr b() const { return load("b", type_, {at_}); }
    ExprPtr c() const { return load("c", type_, {at_}); }
    ExprPtr constant(std::int64_t n) const {
        auto e = is_float(type_) ? constant_float(type_, static_cast<double>(n))
                                 : constant_int(type_, n);
        return lanes_ > 1 ? broadcast(e, lanes_) : e;
    }

    void add(const ExprPtr& value) {
        auto name = "r" + std::to_string(stores_.size());
        stores_.push_back(lower::store({}, name, {at_}, value));
        arguments_.push_back(argument(name, value->type, lower::Role::Output));
    }

    lower::Program program() const {
        lower::Program p;
        p.name = std::string("sheet_") + name(type_) + "_" + std::to_string(lanes_);
        p.arguments = arguments_;
        p.flat = true;
        lower::Launch launch;
        launch.name = p.name;
        launch.body = lower::for_loop({}, "i", constant_int(ScalarType::I32, 0),
                                      constant_int(ScalarType::I32, size_ / lanes_),
                                      lower::ForKind::Serial, lower::block(stores_));
        for (const auto& x : p.arguments)
            launch.arguments.push_back(x.buffer);
        p.launches = {launch};
        return p;
    }

    Buffers inputs;

private:
    lower::Argument argument(const std::string& name, ScalarType type, lower::Role role) const {
        return {name, role, type, {Extent(size_)}, {0}, {Extent(size_)}};
    }

    ScalarType type_;
    int lanes_;
    std::int64_t size_ = 0;
    ExprPtr at_;
    std::vector<lower::Argument> arguments_;
    std::vector<lower::StatementPtr> stores_;
};

const std::vector<ScalarType>& all_types() {
    static const std::vector<ScalarType> all = [] {
        auto list = kIntegers;
        list.push_back(ScalarType::Bool);
        list.insert(list.end(), kFloats.begin(), kFloats.end());
        list.insert(list.end(), kHalves.begin(), kHalves.end());
        return list;
    }();
    return all;
}

void add_casts(Sheet& sheet) {
    for (auto to : all_types())
        if (to != sheet.a()->type)
            sheet.add(cast(to, sheet.a()));
}

void add_comparisons(Sheet& sheet) {
    for (auto op :
         {Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::Equal, Op::NotEqual}) {
        sheet.add(binary(op, sheet.a(), sheet.b()));
        sheet.add(select(binary(op, sheet.a(), sheet.b()), sheet.b(), sheet.c()));
    }
}

void add_integers(Sheet& sheet) {
    auto a = sheet.a(), b = sheet.b(), c = sheet.c();
    for (auto op : {Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Modulo, Op::ShiftLeft,
                    Op::ShiftRight, Op::BitAnd, Op::BitXor, Op::BitOr, Op::Min, Op::Max})
        sheet.add(binary(op, a, b));
    for (auto op : {Op::Negate, Op::BitNot, Op::Abs})
        sheet.add(unary(op, a));
    for (std::int64_t by : {1, 2, 3, 7, 8}) {
        sheet.add(binary(Op::Divide, a, sheet.constant(by)));
        sheet.add(binary(Op::Modulo, a, sheet.constant(by)));
        sheet.add(binary(Op::ShiftLeft, a, sheet.constant(by)));
        sheet.add(binary(Op::ShiftRight, a, sheet.constant(by)));
        sheet.add(binary(Op::Less, a, sheet.constant(by)));
    }
    for (std::int64_t by : {0, 64, -1}) {
        sheet.add(binary(Op::Divide, a, sheet.constant(by)));
        sheet.add(binary(Op::Modulo, a, sheet.constant(by)));
        sheet.add(binary(Op::ShiftLeft, a, sheet.constant(by)));
        sheet.add(binary(Op::ShiftRight, a, sheet.constant(by)));
        sheet.add(binary(Op::GreaterEqual, a, sheet.constant(by)));
        sheet.add(binary(Op::LessEqual, sheet.constant(by), a));
    }
    // Sums that C computes in a wider type, cut once at the end or in between.
    auto sum = binary(Op::Add, binary(Op::Add, a, b), c);
    sheet.add(sum);
    sheet.add(binary(Op::Divide, sum, sheet.constant(3)));
    sheet.add(binary(Op::Multiply, sum, binary(Op::Multiply, sum, sum)));
    sheet.add(binary(Op::Subtract, binary(Op::Multiply, a, b), binary(Op::Multiply, b, c)));
    sheet.add(binary(Op::Less, sum, a));
    for (auto to : all_types())
        sheet.add(cast(to, sum));
    for (auto to : kIntegers)
        sheet.add(binary(Op::Add, cast(to, binary(Op::Multiply, sum, a)),
                         cast(to, unary(Op::Negate, b))));
    sheet.add(cast(ScalarType::F32, binary(Op::Multiply, a, b)));
    sheet.add(unary(Op::Negate, unary(Op::Negate, unary(Op::BitNot, sum))));
    // GCC 12 takes 0 - float(n) for -float(n).
    for (auto type : kFloats) {
        auto zero = constant_float(type, 0), negative = constant_float(type, -0.0);
        for (auto z : {zero, negative}) {
            if (a->lanes > 1)
                z = broadcast(z, a->lanes);
            sheet.add(binary(Op::Subtract, z, cast(type, a)));
            sheet.add(binary(Op::Add, cast(type, a), z));
            sheet.add(binary(Op::Subtract, cast(type, a), z));
            sheet.add(binary(Op::Multiply, z, cast(type, a)));
            sheet.add(binary(Op::Subtract, z, unary(Op::Abs, cast(type, a))));
        }
    }
    // How operators bind.
    sheet.add(binary(Op::BitAnd, binary(Op::BitOr, a, b), binary(Op::BitXor, b, c)));
    sheet.add(binary(Op::BitOr, binary(Op::BitAnd, a, b), binary(Op::Add, b, c)));
    sheet.add(binary(Op::ShiftRight, binary(Op::Add, a, b), sheet.constant(1)));
    sheet.add(binary(Op::Subtract, a, binary(Op::Subtract, b, c)));
    sheet.add(binary(Op::Equal, binary(Op::BitAnd, a, b), c));
    sheet.add(binary(Op::LogicalOr,
                     binary(Op::LogicalAnd, binary(Op::Less, a, b), binary(Op::Less, b, c)),
                     unary(Op::LogicalNot, binary(Op::Equal, a, c))));
    sheet.add(let("t", sum, binary(Op::Multiply, vector_variable("t", a->type, a->lanes), a)));
}

void add_floats(Sheet& sheet) {
    auto a = sheet.a(), b = sheet.b(), c = sheet.c();
    for (auto op : {Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Min, Op::Max})
        sheet.add(binary(op, a, b));
    for (auto op : {Op::Negate, Op::Abs, Op::Sqrt, Op::Floor, Op::Ceil, Op::Round})
        sheet.add(unary(op, a));
    sheet.add(fma(a, b, c));
    sheet.add(binary(Op::Add, binary(Op::Multiply, a, b), c)); // not fused
    sheet.add(binary(Op::Subtract, c, binary(Op::Multiply, a, b)));
    sheet.add(unary(Op::Negate, unary(Op::Negate, a)));
    sheet.add(binary(Op::Subtract, a, sheet.constant(-3)));
    sheet.add(binary(Op::Add, binary(Op::Multiply, a, sheet.constant(7)), sheet.constant(-1)));
    auto whole = a->type == ScalarType::F32 ? ScalarType::U32 : ScalarType::U64;
    sheet.add(reinterpret(whole, a));
    sheet.add(reinterpret(a->type, binary(Op::Add, reinterpret(whole, b), reinterpret(whole, c))));
    sheet.add(reinterpret(whole, binary(Op::Add, a, b)));
    for (const auto& function : prelude_names())
        sheet.add(
            call(function, prelude_parameters(function) == 2 ? std::vector{a, b} : std::vector{a}));
    sheet.add(call("fast_exp", {a}));
}

void add_halves(Sheet& sheet) {
    auto a = sheet.a(), b = sheet.b();
    auto wide = [](const ExprPtr& e) { return cast(ScalarType::F32, e); };
    sheet.add(a);
    sheet.add(select(binary(Op::Less, wide(a), wide(b)), a, sheet.constant(2)));
    sheet.add(cast(a->type, binary(Op::Add, wide(a), wide(b))));
    sheet.add(cast(a->type, binary(Op::Multiply, wide(a), wide(b))));
    sheet.add(reinterpret(ScalarType::U16, a));
    sheet.add(reinterpret(a->type, binary(Op::Add, reinterpret(ScalarType::U16, a),
                                          reinterpret(ScalarType::U16, b))));
}

void add_bools(Sheet& sheet) {
    auto a = sheet.a(), b = sheet.b(), c = sheet.c();
    for (auto op : {Op::LogicalAnd, Op::LogicalOr, Op::Min, Op::Max})
        sheet.add(binary(op, a, b));
    sheet.add(unary(Op::LogicalNot, a));
    sheet.add(binary(Op::Equal, unary(Op::LogicalNot, a), b));
    sheet.add(binary(Op::LogicalAnd, binary(Op::LogicalOr, a, b), unary(Op::LogicalNot, c)));
}

Sheet sheet_of(ScalarType type, int lanes) {
    Sheet sheet(type, lanes);
    add_casts(sheet);
    if (type != ScalarType::F16 && type != ScalarType::BF16)
        add_comparisons(sheet);
    if (is_integer(type))
        add_integers(sheet);
    else if (is_bool(type))
        add_bools(sheet);
    else if (bits(type) == 16)
        add_halves(sheet);
    else
        add_floats(sheet);
    return sheet;
}

TEST(Operators, GiveTheSameBitsOnEveryTypeUnderEveryCompiler) {
    LOOPSCOPE_LONG_TEST();
    std::vector<Sheet> sheets;
    std::vector<lower::Program> programs;
    // Lanes are printed alike for all types: some of them stand for the rest.
    const std::set<ScalarType> in_lanes{ScalarType::Bool, ScalarType::U8,  ScalarType::I32,
                                        ScalarType::U64,  ScalarType::F16, ScalarType::F32};
    std::size_t number = 0; // every compiler takes long for all of them
    for (auto type : all_types())
        for (int lanes : {1, 8}) {
            if ((lanes > 1 && !in_lanes.count(type)) || !has_turn(number++, 2))
                continue;
            sheets.push_back(sheet_of(type, lanes));
            programs.push_back(sheets.back().program());
        }
    std::vector<std::string> functions;
    auto source = codegen::c_source_of_all(programs, functions);
    ASSERT_TRUE(source.ok()) << format(source.errors());
    for (std::size_t i = 0; i < programs.size(); ++i)
        *source += call_wrapper(programs[i], functions[i]);
    std::vector<Buffers> expected;
    for (std::size_t i = 0; i < programs.size(); ++i)
        expected.push_back(run_jit(programs[i], sheets[i].inputs));
    auto objects = shared_objects(*source);
    for (std::size_t c = 0; c < objects.size(); ++c)
        for (std::size_t i = 0; i < programs.size(); ++i)
            expect_equal(run_object(objects[c], functions[i], programs[i], sheets[i].inputs),
                         expected[i], programs[i].name + " by " + compilers()[c].label);
}

} // namespace
