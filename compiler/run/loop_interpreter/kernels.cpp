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

template <typename T> struct Of {
    static Kernel binary(Op op) {
        if constexpr (std::is_same_v<T, bool>) {
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
        if constexpr (std::is_same_v<T, bool>) {
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

// Calls f with a value of the C++ type that stands for `type`; gives null for types that are not there yet.
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
    case ScalarType::F32: return f(float{});
    case ScalarType::F64: return f(double{});
    default: return nullptr;
    }
}

template <typename T> Kernel Of<T>::cast(ScalarType from) {
    return with_type(from, [](auto x) -> Kernel { return cast_lanes<decltype(x)>; });
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
    return type == ScalarType::F32   ? fma_lanes<float>
           : type == ScalarType::F64 ? fma_lanes<double>
                                     : nullptr;
}
Kernel ramp_kernel(ScalarType type) {
    return with_type(type, [](auto x) -> Kernel {
        if constexpr (std::is_same_v<decltype(x), bool>)
            return nullptr;
        else
            return Of<decltype(x)>::ramp();
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
