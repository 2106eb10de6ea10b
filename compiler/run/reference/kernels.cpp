// The instructions that compute: one loop over the lanes per operation and type.
#include "compiler/run/reference/arithmetic.h"
#include "compiler/run/reference/code.h"
#include "compiler/run/reference/types.h"

#include <algorithm>
#include <functional>

namespace loopscope::reference {

namespace {

template <typename T, typename To, auto operation> void unary_lanes_to(const Instruction& i,
                                                                       Frame& f) {
    const T* a = f.lanes<T>(i.sources[0]);
    To* target = f.lanes<To>(i.target);
    for (int lane = 0; lane < f.count; ++lane)
        target[lane] = operation(a[lane]);
}

template <typename T, auto operation> void unary_lanes(const Instruction& i, Frame& f) {
    unary_lanes_to<T, T, operation>(i, f);
}

template <typename T, typename To, auto operation> void binary_lanes(const Instruction& i,
                                                                     Frame& f) {
    const T *a = f.lanes<T>(i.sources[0]), *b = f.lanes<T>(i.sources[1]);
    To* target = f.lanes<To>(i.target);
    for (int lane = 0; lane < f.count; ++lane)
        target[lane] = operation(a[lane], b[lane]);
}

template <typename T> void select_lanes(const Instruction& i, Frame& f) {
    const auto* condition = f.lanes<Truth>(i.sources[0]);
    const T *a = f.lanes<T>(i.sources[1]), *b = f.lanes<T>(i.sources[2]);
    T* target = f.lanes<T>(i.target);
    for (int lane = 0; lane < f.count; ++lane)
        target[lane] = condition[lane] == Truth::True ? a[lane] : b[lane];
}

template <typename T> void fma_lanes(const Instruction& i, Frame& f) {
    const T *a = f.lanes<T>(i.sources[0]), *b = f.lanes<T>(i.sources[1]),
            *c = f.lanes<T>(i.sources[2]);
    T* target = f.lanes<T>(i.target);
    for (int lane = 0; lane < f.count; ++lane)
        target[lane] = fused_multiply_add(a[lane], b[lane], c[lane]);
}

template <typename From, typename To> To reinterpreted(From a) {
    if constexpr (kIsFloat<From>)
        return std::bit_cast<To>(with_one_nan(a));
    else
        return std::bit_cast<To>(a);
}

template <typename From, typename To> void cast_lanes(const Instruction& i, Frame& f) {
    const From* a = f.lanes<From>(i.sources[0]);
    To* target = f.lanes<To>(i.target);
    for (int lane = 0; lane < f.count; ++lane)
        target[lane] = convert<To>(a[lane]);
}

template <typename T, typename F> constexpr Truth truth_of(T a, T b, F f) {
    return f(a, b) ? Truth::True : Truth::False;
}

template <typename T> Kernel comparison_kernel(Op op) {
    switch (op) {
    case Op::Less:
        return binary_lanes<T, Truth, [](T a, T b) { return truth_of(a, b, std::less<>()); }>;
    case Op::LessEqual:
        return binary_lanes<T, Truth, [](T a, T b) { return truth_of(a, b, std::less_equal<>()); }>;
    case Op::Greater:
        return binary_lanes<T, Truth, [](T a, T b) { return truth_of(a, b, std::greater<>()); }>;
    case Op::GreaterEqual:
        return binary_lanes<T, Truth,
                            [](T a, T b) { return truth_of(a, b, std::greater_equal<>()); }>;
    case Op::Equal:
        return binary_lanes<T, Truth, [](T a, T b) { return truth_of(a, b, std::equal_to<>()); }>;
    case Op::NotEqual:
        return binary_lanes<T, Truth,
                            [](T a, T b) { return truth_of(a, b, std::not_equal_to<>()); }>;
    default: return nullptr;
    }
}

Kernel logical_kernel(Op op) {
    using T = Truth;
    switch (op) {
    case Op::LogicalAnd:
    case Op::Min: return binary_lanes<T, T, [](T a, T b) { return std::min(a, b); }>;
    case Op::LogicalOr:
    case Op::Max: return binary_lanes<T, T, [](T a, T b) { return std::max(a, b); }>;
    default: return nullptr;
    }
}

template <typename T> Kernel integer_kernel(Op op) {
    switch (op) {
    case Op::Modulo: return binary_lanes<T, T, modulo<T>>;
    case Op::ShiftLeft: return binary_lanes<T, T, shift_left<T>>;
    case Op::ShiftRight: return binary_lanes<T, T, shift_right<T>>;
    case Op::BitAnd: return binary_lanes<T, T, [](T a, T b) { return static_cast<T>(a & b); }>;
    case Op::BitXor: return binary_lanes<T, T, [](T a, T b) { return static_cast<T>(a ^ b); }>;
    case Op::BitOr: return binary_lanes<T, T, [](T a, T b) { return static_cast<T>(a | b); }>;
    default: return nullptr;
    }
}

template <typename T> Kernel arithmetic_kernel(Op op) {
    switch (op) {
    case Op::Add: return binary_lanes<T, T, add<T>>;
    case Op::Subtract: return binary_lanes<T, T, subtract<T>>;
    case Op::Multiply: return binary_lanes<T, T, multiply<T>>;
    case Op::Divide: return binary_lanes<T, T, divide<T>>;
    case Op::Min: return binary_lanes<T, T, minimum<T>>;
    case Op::Max: return binary_lanes<T, T, maximum<T>>;
    default: break;
    }
    if constexpr (!kIsFloat<T>)
        return integer_kernel<T>(op);
    else
        return nullptr;
}

template <typename T> Kernel float_unary_kernel(Op op) {
    switch (op) {
    case Op::Sqrt: return unary_lanes<T, [](T a) { return T(std::sqrt(real(a))); }>;
    case Op::Floor: return unary_lanes<T, [](T a) { return T(std::floor(real(a))); }>;
    case Op::Ceil: return unary_lanes<T, [](T a) { return T(std::ceil(real(a))); }>;
    case Op::Round: return unary_lanes<T, round_half_to_even<T>>;
    default: return nullptr;
    }
}

} // namespace

Kernel unary_kernel(Op op, ScalarType type) {
    return with_type(type, [op]<typename T>(Tag<T>) -> Kernel {
        if constexpr (std::is_same_v<T, Truth>) {
            if (op != Op::LogicalNot)
                return nullptr;
            return unary_lanes<Truth, [](Truth a) {
                return a == Truth::True ? Truth::False : Truth::True;
            }>;
        } else {
            if (op == Op::Negate)
                return unary_lanes<T, negate<T>>;
            if (op == Op::Abs)
                return unary_lanes<T, absolute<T>>;
            if constexpr (kIsFloat<T>)
                return float_unary_kernel<T>(op);
            else
                return op == Op::BitNot
                           ? static_cast<Kernel>(
                                 unary_lanes<T, [](T a) { return static_cast<T>(~a); }>)
                           : nullptr;
        }
    });
}

Kernel binary_kernel(Op op, ScalarType type) {
    return with_type(type, [op]<typename T>(Tag<T>) -> Kernel {
        if (op >= Op::Less && op <= Op::NotEqual)
            return comparison_kernel<T>(op);
        if constexpr (std::is_same_v<T, Truth>)
            return logical_kernel(op);
        else
            return arithmetic_kernel<T>(op);
    });
}

Kernel select_kernel(ScalarType type) {
    return with_type(type, []<typename T>(Tag<T>) -> Kernel { return select_lanes<T>; });
}

Kernel fma_kernel(ScalarType type) {
    return with_type(type, []<typename T>(Tag<T>) -> Kernel {
        if constexpr (kIsFloat<T>)
            return fma_lanes<T>;
        else
            return nullptr;
    });
}

Kernel reinterpret_kernel(ScalarType from, ScalarType to) {
    if (bits(from) != bits(to) || is_float(from) == is_float(to))
        return nullptr;
    return with_type(from, [to]<typename From>(Tag<From>) -> Kernel {
        return with_type(to, []<typename To>(Tag<To>) -> Kernel {
            if constexpr (sizeof(From) == sizeof(To) &&
                          ((kIsFloat<From> && std::is_unsigned_v<To>) ||
                           (kIsFloat<To> && std::is_unsigned_v<From>)))
                return unary_lanes_to<From, To, reinterpreted<From, To>>;
            else
                return nullptr;
        });
    });
}

Kernel cast_kernel(ScalarType from, ScalarType to) {
    return with_type(from, [to]<typename From>(Tag<From>) -> Kernel {
        return with_type(to, []<typename To>(Tag<To>) -> Kernel { return cast_lanes<From, To>; });
    });
}

void fill_lanes(ScalarType type, std::uint64_t bits, std::byte* lanes) {
    with_type(type, [&]<typename T>(Tag<T>) -> Kernel {
        std::fill_n(reinterpret_cast<T*>(lanes), kLanes, from_bits<T>(bits));
        return nullptr;
    });
}

} // namespace loopscope::reference
