#include "compiler/run/loop_interpreter/kernels.h"

namespace loopscope::loop_interpreter {

namespace {

template <typename T, T (*F)(T)> void unary_lanes(Cell* cells, const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = put<T>(F(get<T>(cells[i.a + l])));
}

template <typename T, typename R, R (*F)(T, T)> void binary_lanes(Cell* cells,
                                                                  const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = put<R>(F(get<T>(cells[i.a + l]), get<T>(cells[i.b + l])));
}

template <typename T> bool less(T a, T b) { return a < b; }
template <typename T> bool less_equal(T a, T b) { return a <= b; }
template <typename T> bool greater(T a, T b) { return a > b; }
template <typename T> bool greater_equal(T a, T b) { return a >= b; }
template <typename T> bool equal_to(T a, T b) { return a == b; }
template <typename T> bool not_equal(T a, T b) { return a != b; }
bool both(bool a, bool b) { return a && b; }
bool either(bool a, bool b) { return a || b; }
bool opposite(bool a) { return !a; }
template <typename T> T same(T a) { return a; }

template <typename T> Kernel comparison(Op op) {
    switch (op) {
    case Op::Less: return binary_lanes<T, bool, less<T>>;
    case Op::LessEqual: return binary_lanes<T, bool, less_equal<T>>;
    case Op::Greater: return binary_lanes<T, bool, greater<T>>;
    case Op::GreaterEqual: return binary_lanes<T, bool, greater_equal<T>>;
    case Op::Equal: return binary_lanes<T, bool, equal_to<T>>;
    case Op::NotEqual: return binary_lanes<T, bool, not_equal<T>>;
    default: return nullptr;
    }
}

template <typename T> Kernel arithmetic(Op op) {
    switch (op) {
    case Op::Add: return binary_lanes<T, T, add<T>>;
    case Op::Subtract: return binary_lanes<T, T, subtract<T>>;
    case Op::Multiply: return binary_lanes<T, T, multiply<T>>;
    case Op::Divide: return binary_lanes<T, T, divide<T>>;
    case Op::Min: return binary_lanes<T, T, minimum<T>>;
    case Op::Max: return binary_lanes<T, T, maximum<T>>;
    default: return comparison<T>(op);
    }
}

// The 16-bit floats: by the operations of doubles.
template <typename H, double (*F)(double)> void half_unary_lanes(Cell* cells,
                                                                 const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = H::rounded(F(H::value(cells[i.a + l])));
}
template <typename H, double (*F)(double, double)> void half_binary_lanes(Cell* cells,
                                                                          const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = H::rounded(F(H::value(cells[i.a + l]), H::value(cells[i.b + l])));
}
template <typename H, bool (*F)(double, double)> void half_comparison_lanes(Cell* cells,
                                                                            const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = F(H::value(cells[i.a + l]), H::value(cells[i.b + l]));
}

template <typename H> Kernel half_unary(Op op) {
    switch (op) {
    case Op::Negate: return half_unary_lanes<H, negate<double>>;
    case Op::Abs: return half_unary_lanes<H, absolute<double>>;
    case Op::Sqrt: return half_unary_lanes<H, square_root<double>>;
    case Op::Floor: return half_unary_lanes<H, floor_of<double>>;
    case Op::Ceil: return half_unary_lanes<H, ceiling_of<double>>;
    case Op::Round: return half_unary_lanes<H, round_of<double>>;
    default: return nullptr;
    }
}

template <typename H> Kernel half_binary(Op op) {
    switch (op) {
    case Op::Add: return half_binary_lanes<H, add<double>>;
    case Op::Subtract: return half_binary_lanes<H, subtract<double>>;
    case Op::Multiply: return half_binary_lanes<H, multiply<double>>;
    case Op::Divide: return half_binary_lanes<H, divide<double>>;
    case Op::Min: return half_binary_lanes<H, minimum<double>>;
    case Op::Max: return half_binary_lanes<H, maximum<double>>;
    case Op::Less: return half_comparison_lanes<H, less<double>>;
    case Op::LessEqual: return half_comparison_lanes<H, less_equal<double>>;
    case Op::Greater: return half_comparison_lanes<H, greater<double>>;
    case Op::GreaterEqual: return half_comparison_lanes<H, greater_equal<double>>;
    case Op::Equal: return half_comparison_lanes<H, equal_to<double>>;
    case Op::NotEqual: return half_comparison_lanes<H, not_equal<double>>;
    default: return nullptr;
    }
}

template <typename H> void half_fma_lanes(Cell* cells, const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = H::rounded(fma_to_odd(
            H::value(cells[i.a + l]), H::value(cells[i.b + l]), H::value(cells[i.c + l])));
}

// To a 16-bit float each kind of number has its own way of rounding once.
template <typename H, typename From> void cast_to_half_lanes(Cell* cells, const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l) {
        if constexpr (is_half<From>)
            cells[i.result + l] = H::rounded(From::value(cells[i.a + l]));
        else if constexpr (std::is_floating_point_v<From>)
            cells[i.result + l] = H::rounded(static_cast<double>(get<From>(cells[i.a + l])));
        else if constexpr (std::is_signed_v<From>)
            cells[i.result + l] = H::rounded(static_cast<std::int64_t>(get<From>(cells[i.a + l])));
        else
            cells[i.result + l] = H::rounded(static_cast<std::uint64_t>(get<From>(cells[i.a + l])));
    }
}
template <typename To, typename H> void cast_from_half_lanes(Cell* cells, const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = put<To>(convert<To, double>(H::value(cells[i.a + l])));
}

template <typename T> struct Of {
    static Kernel binary(Op op) {
        if constexpr (is_half<T>) {
            return half_binary<T>(op);
        } else if constexpr (std::is_same_v<T, bool>) {
            if (op == Op::LogicalAnd)
                return binary_lanes<bool, bool, both>;
            return op == Op::LogicalOr ? binary_lanes<bool, bool, either> : comparison<T>(op);
        } else if constexpr (std::is_floating_point_v<T>) {
            return arithmetic<T>(op);
        } else {
            switch (op) {
            case Op::Modulo: return binary_lanes<T, T, modulo<T>>;
            case Op::ShiftLeft: return binary_lanes<T, T, shift_left<T>>;
            case Op::ShiftRight: return binary_lanes<T, T, shift_right<T>>;
            case Op::BitAnd: return binary_lanes<T, T, bit_and<T>>;
            case Op::BitXor: return binary_lanes<T, T, bit_xor<T>>;
            case Op::BitOr: return binary_lanes<T, T, bit_or<T>>;
            default: return arithmetic<T>(op);
            }
        }
    }

    static Kernel unary(Op op) {
        if constexpr (is_half<T>) {
            return half_unary<T>(op);
        } else if constexpr (std::is_same_v<T, bool>) {
            return op == Op::LogicalNot ? unary_lanes<bool, opposite> : nullptr;
        } else if constexpr (std::is_floating_point_v<T>) {
            switch (op) {
            case Op::Negate: return unary_lanes<T, negate<T>>;
            case Op::Abs: return unary_lanes<T, absolute<T>>;
            case Op::Sqrt: return unary_lanes<T, square_root<T>>;
            case Op::Floor: return unary_lanes<T, floor_of<T>>;
            case Op::Ceil: return unary_lanes<T, ceiling_of<T>>;
            case Op::Round: return unary_lanes<T, round_of<T>>;
            default: return nullptr;
            }
        } else {
            switch (op) {
            case Op::Negate: return unary_lanes<T, negate<T>>;
            case Op::Abs: return unary_lanes<T, absolute<T>>;
            case Op::BitNot: return unary_lanes<T, bit_not<T>>;
            default: return nullptr;
            }
        }
    }

    static Kernel ramp() {
        return [](Cell* cells, const Instruction& i) {
            for (std::uint32_t l = 0; l < i.lanes; ++l)
                cells[i.result + l] = put<T>(
                    add<T>(get<T>(cells[i.a]), multiply<T>(get<T>(cells[i.b]), static_cast<T>(l))));
        };
    }

    template <typename From> static void cast_lanes(Cell* cells, const Instruction& i) {
        for (std::uint32_t l = 0; l < i.lanes; ++l)
            cells[i.result + l] = put<T>(convert<T, From>(get<From>(cells[i.a + l])));
    }

    static Kernel cast(ScalarType from);
};

// Calls f with a value of the C++ type that stands for `type`.
template <typename F> Kernel with_type(ScalarType type, F f) {
    switch (type) {
    case ScalarType::Bool: return f(bool{});
    case ScalarType::I8: return f(std::int8_t{});
    case ScalarType::I16: return f(std::int16_t{});
    case ScalarType::I32: return f(std::int32_t{});
    case ScalarType::I64: return f(std::int64_t{});
    case ScalarType::U8: return f(std::uint8_t{});
    case ScalarType::U16: return f(std::uint16_t{});
    case ScalarType::U32: return f(std::uint32_t{});
    case ScalarType::U64: return f(std::uint64_t{});
    case ScalarType::F16: return f(Half{});
    case ScalarType::BF16: return f(BrainHalf{});
    case ScalarType::F32: return f(float{});
    case ScalarType::F64: return f(double{});
    }
    return nullptr;
}

template <typename T> Kernel Of<T>::cast(ScalarType from) {
    return with_type(from, [](auto x) -> Kernel {
        using From = decltype(x);
        if constexpr (is_half<T>)
            return cast_to_half_lanes<T, From>;
        else if constexpr (is_half<From>)
            return cast_from_half_lanes<T, From>;
        else
            return cast_lanes<From>;
    });
}

template <typename T> void fma_lanes(Cell* cells, const Instruction& i) {
    for (std::uint32_t l = 0; l < i.lanes; ++l)
        cells[i.result + l] = put<T>(
            std::fma(get<T>(cells[i.a + l]), get<T>(cells[i.b + l]), get<T>(cells[i.c + l])));
}

} // namespace

Kernel unary_kernel(Op op, ScalarType type) {
    return with_type(type, [&](auto x) { return Of<decltype(x)>::unary(op); });
}
Kernel binary_kernel(Op op, ScalarType operands) {
    return with_type(operands, [&](auto x) { return Of<decltype(x)>::binary(op); });
}
Kernel cast_kernel(ScalarType to, ScalarType from) {
    return with_type(to, [&](auto x) { return Of<decltype(x)>::cast(from); });
}
Kernel fma_kernel(ScalarType type) {
    switch (type) {
    case ScalarType::F16: return half_fma_lanes<Half>;
    case ScalarType::BF16: return half_fma_lanes<BrainHalf>;
    case ScalarType::F32: return fma_lanes<float>;
    case ScalarType::F64: return fma_lanes<double>;
    default: return nullptr;
    }
}
Kernel ramp_kernel(ScalarType type) {
    return with_type(type, [](auto x) -> Kernel {
        if constexpr (std::is_same_v<decltype(x), bool> || is_half<decltype(x)>)
            return nullptr;
        else
            return Of<decltype(x)>::ramp();
    });
}
// A float's NaN becomes the one NaN; the bits of an integer stay.
Kernel reinterpret_kernel(ScalarType from) {
    return with_type(from, [](auto x) -> Kernel {
        using From = decltype(x);
        if constexpr (is_half<From>)
            return half_unary_lanes<From, same<double>>;
        else
            return unary_lanes<From, same<From>>;
    });
}
Kernel select_kernel() {
    return [](Cell* cells, const Instruction& i) {
        for (std::uint32_t l = 0; l < i.lanes; ++l)
            cells[i.result + l] = cells[(cells[i.a + l] ? i.b : i.c) + l];
    };
}
Kernel broadcast_kernel() {
    return [](Cell* cells, const Instruction& i) {
        for (std::uint32_t l = 0; l < i.lanes; ++l)
            cells[i.result + l] = cells[i.a];
    };
}

} // namespace loopscope::loop_interpreter
