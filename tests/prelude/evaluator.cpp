#include "tests/prelude/evaluator.h"

#include "core/ir/half.h"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace loopscope::prelude_test {

namespace {

// How the language sees a bit pattern as a value, and back. F16 and BF16 occur only in casts and
// reinterpretations.
template <typename T> struct Bits {
    static T get(std::uint64_t b) {
        if constexpr (std::is_same_v<T, float>)
            return std::bit_cast<float>(static_cast<std::uint32_t>(b));
        else if constexpr (std::is_same_v<T, double>)
            return std::bit_cast<double>(b);
        else
            return static_cast<T>(b);
    }
    static std::uint64_t put(T v) {
        if constexpr (std::is_same_v<T, float>)
            return std::isnan(v) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(v);
        else if constexpr (std::is_same_v<T, double>)
            return std::isnan(v) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(v);
        else
            return static_cast<std::uint64_t>(v);
    }
};

template <typename T> T shifted_left(T a, std::int64_t by) {
    using U = std::make_unsigned_t<T>;
    constexpr int width = 8 * sizeof(T);
    if (by >= width)
        return 0;
    if (by >= 0)
        return static_cast<T>(static_cast<U>(a) << by);
    if (by <= -width)
        return a < 0 ? T(-1) : T(0);
    return static_cast<T>(a >> -by);
}
// An unsigned amount beyond the signed ones is beyond any width.
template <typename T> std::int64_t amount(T by) {
    if constexpr (std::is_unsigned_v<T>)
        return by > 64 ? 64 : static_cast<std::int64_t>(by);
    else
        return by > 64 ? 64 : by < -64 ? -64 : static_cast<std::int64_t>(by);
}

template <typename T> T binary_value(Op op, T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        switch (op) {
        case Op::Add: return a + b;
        case Op::Subtract: return a - b;
        case Op::Multiply: return a * b;
        case Op::Divide: return a / b;
        default: break;
        }
    } else {
        using U = std::make_unsigned_t<T>;
        switch (op) {
        case Op::Add: return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
        case Op::Subtract: return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
        case Op::Multiply: return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
        case Op::ShiftLeft: return shifted_left(a, amount(b));
        case Op::ShiftRight: return shifted_left(a, -amount(b));
        case Op::BitAnd: return a & b;
        case Op::BitXor: return a ^ b;
        case Op::BitOr: return a | b;
        default: break;
        }
    }
    throw std::logic_error(std::string("the prelude's evaluator: ") + symbol(op));
}

template <typename T> bool compared(Op op, T a, T b) {
    switch (op) {
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    case Op::GreaterEqual: return a >= b;
    case Op::Equal: return a == b;
    default: return a != b;
    }
}

template <typename T> T unary_value(Op op, T a) {
    if constexpr (std::is_floating_point_v<T>) {
        switch (op) {
        case Op::Negate: return -a;
        case Op::Abs: return std::fabs(a);
        case Op::Sqrt: return std::sqrt(a);
        case Op::Floor: return std::floor(a);
        default: break;
        }
    }
    throw std::logic_error(std::string("the prelude's evaluator: ") + symbol(op));
}

template <typename To, typename From> To converted(From v) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if (std::isnan(v))
            return 0;
        if (v >= std::ldexp(From(1), std::numeric_limits<To>::digits))
            return std::numeric_limits<To>::max();
        if (v < static_cast<From>(std::numeric_limits<To>::min()))
            return std::numeric_limits<To>::min();
    }
    return static_cast<To>(v);
}

// Calls f with a value of the C++ type.
template <typename F> void with_type(ScalarType type, F f) {
    switch (type) {
    case ScalarType::I32: return f(std::int32_t{});
    case ScalarType::I64: return f(std::int64_t{});
    case ScalarType::U32: return f(std::uint32_t{});
    case ScalarType::U64: return f(std::uint64_t{});
    case ScalarType::F32: return f(float{});
    case ScalarType::F64: return f(double{});
    default: throw std::logic_error(std::string("the prelude's evaluator: type ") + name(type));
    }
}

// `f` over the lanes.
template <typename F> auto each(std::size_t out, F f) {
    return [=](std::vector<Register>& r) {
        for (std::size_t i = 0; i < kBatch; ++i)
            r[out][i] = f(r, i);
    };
}

using Step = std::function<void(std::vector<Register>&)>;
using Inputs = std::vector<std::size_t>;

Step select_step(std::size_t out, const Inputs& in) {
    auto c = in[0], a = in[1], b = in[2];
    return each(out, [=](auto& r, auto i) { return r[c][i] & 1 ? r[a][i] : r[b][i]; });
}

Step not_step(std::size_t out, std::size_t a) {
    return each(out, [=](auto& r, auto i) { return ~r[a][i] & 1; });
}

Step logical_step(Op op, std::size_t out, const Inputs& in) {
    auto a = in[0], b = in[1];
    return each(out, [=](auto& r, auto i) -> std::uint64_t {
        auto x = r[a][i] & 1, y = r[b][i] & 1;
        return op == Op::LogicalAnd  ? x & y
               : op == Op::LogicalOr ? x | y
               : op == Op::Equal     ? x == y
                                     : x != y;
    });
}

// A step made for the C++ type that stands for `type`.
template <typename F> Step typed(ScalarType type, F make) {
    Step step;
    with_type(type, [&](auto t) { step = make(t); });
    return step;
}

Step reinterpret_step(ScalarType from, std::size_t out, std::size_t a) {
    return typed(from, [&](auto t) -> Step { // put makes one NaN of all
        using T = decltype(t);
        return each(out, [=](auto& r, auto i) { return Bits<T>::put(Bits<T>::get(r[a][i])); });
    });
}

Step cast_step(ScalarType from, ScalarType to, std::size_t out, std::size_t a) {
    if (is_half(from))
        return each(out, [=](auto& r, auto i) {
            auto bits = static_cast<std::uint16_t>(r[a][i]);
            double v = from == ScalarType::F16 ? f16_value(bits) : bf16_value(bits);
            return Bits<float>::put(static_cast<float>(v));
        });
    if (is_half(to))
        return each(out, [=](auto& r, auto i) -> std::uint64_t {
            double v = Bits<float>::get(r[a][i]);
            return to == ScalarType::F16 ? f16_bits(v) : bf16_bits(v);
        });
    return typed(from, [&](auto f) {
        return typed(to, [&](auto t) -> Step {
            using From = decltype(f);
            using To = decltype(t);
            return each(out, [=](auto& r, auto i) {
                return Bits<To>::put(converted<To>(Bits<From>::get(r[a][i])));
            });
        });
    });
}

Step fma_step(ScalarType type, std::size_t out, const Inputs& in) {
    auto a = in[0], b = in[1], c = in[2];
    return typed(type, [&](auto t) -> Step {
        using T = decltype(t);
        if constexpr (std::is_floating_point_v<T>)
            return each(out, [=](auto& r, auto i) {
                return Bits<T>::put(
                    std::fma(Bits<T>::get(r[a][i]), Bits<T>::get(r[b][i]), Bits<T>::get(r[c][i])));
            });
        throw std::logic_error("the prelude's evaluator: fma of integers");
    });
}

Step unary_step(Op op, ScalarType type, std::size_t out, std::size_t a) {
    return typed(type, [&](auto t) -> Step {
        using T = decltype(t);
        return each(out, [=](auto& r, auto i) {
            return Bits<T>::put(unary_value<T>(op, Bits<T>::get(r[a][i])));
        });
    });
}

Step binary_step(Op op, ScalarType type, std::size_t out, const Inputs& in) {
    auto a = in[0], b = in[1];
    return typed(type, [&](auto t) -> Step {
        using T = decltype(t);
        return each(out, [=](auto& r, auto i) {
            return Bits<T>::put(binary_value<T>(op, Bits<T>::get(r[a][i]), Bits<T>::get(r[b][i])));
        });
    });
}

Step comparison_step(Op op, ScalarType type, std::size_t out, const Inputs& in) {
    auto a = in[0], b = in[1];
    return typed(type, [&](auto t) -> Step {
        using T = decltype(t);
        return each(out, [=](auto& r, auto i) -> std::uint64_t {
            return compared(op, Bits<T>::get(r[a][i]), Bits<T>::get(r[b][i]));
        });
    });
}

} // namespace

Evaluator::Evaluator(const ExprPtr& body, const std::vector<std::string>& parameters) {
    for (const auto& p : parameters) {
        parameters_.push_back(fresh());
        names_[p] = parameters_.back();
    }
    kept_.push_back(body);
    result_ = compile(body);
}

std::size_t Evaluator::fresh() {
    registers_.emplace_back();
    return registers_.size() - 1;
}

std::size_t Evaluator::compile(const ExprPtr& e) {
    if (e->kind == ExprKind::Variable)
        return names_.at(e->name);
    if (e->kind == ExprKind::Let) {
        names_[e->name] = compile(e->args[0]);
        return compile(e->args[1]);
    }
    if (auto found = known_.find(e.get()); found != known_.end())
        return found->second;
    std::vector<std::size_t> in;
    for (const auto& a : e->args)
        in.push_back(compile(a));
    auto out = fresh();
    if (e->kind == ExprKind::Constant)
        registers_[out].fill(e->bits);
    else
        step_of(*e, out, in);
    known_[e.get()] = out;
    return out;
}

void Evaluator::step_of(const Expr& e, std::size_t out, const std::vector<std::size_t>& in) {
    auto from = e.args[0]->type;
    switch (e.kind) {
    case ExprKind::Select: steps_.push_back(select_step(out, in)); return;
    case ExprKind::Reinterpret: steps_.push_back(reinterpret_step(from, out, in[0])); return;
    case ExprKind::Cast: steps_.push_back(cast_step(from, e.type, out, in[0])); return;
    case ExprKind::Fma: steps_.push_back(fma_step(from, out, in)); return;
    case ExprKind::Unary:
        steps_.push_back(is_bool(from) ? not_step(out, in[0]) : unary_step(e.op, from, out, in[0]));
        return;
    case ExprKind::Binary:
        steps_.push_back(is_bool(from)         ? logical_step(e.op, out, in)
                         : is_comparison(e.op) ? comparison_step(e.op, from, out, in)
                                               : binary_step(e.op, from, out, in));
        return;
    default: throw std::logic_error("the prelude's evaluator: this kind of node");
    }
}

void Evaluator::run(const std::vector<std::vector<std::uint64_t>>& arguments,
                    std::vector<std::uint64_t>& out) {
    auto count = arguments[0].size();
    out.resize(count);
    for (std::size_t begin = 0; begin < count; begin += kBatch) {
        auto lanes = std::min(kBatch, count - begin);
        for (std::size_t p = 0; p < parameters_.size(); ++p)
            std::copy_n(arguments[p].begin() + static_cast<std::ptrdiff_t>(begin), lanes,
                        registers_[parameters_[p]].begin());
        for (const auto& step : steps_)
            step(registers_);
        std::copy_n(registers_[result_].begin(), lanes,
                    out.begin() + static_cast<std::ptrdiff_t>(begin));
    }
}

std::uint64_t Evaluator::operator()(std::uint64_t x) {
    std::vector<std::uint64_t> out;
    run({{x}}, out);
    return out[0];
}

std::uint64_t Evaluator::operator()(std::uint64_t x, std::uint64_t y) {
    std::vector<std::uint64_t> out;
    run({{x}, {y}}, out);
    return out[0];
}

} // namespace loopscope::prelude_test
