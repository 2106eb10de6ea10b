#include "compiler/codegen/c/helpers.h"

#include "compiler/codegen/c/half_text.h"
#include "compiler/codegen/c/replaced.h"
#include "core/ir/half.h"

#include <stdexcept>

namespace loopscope::codegen {

namespace {

// $T: the type, $U: unsigned of its width, $N: its name, $W: its width, $ONE: a one to compute with
// in its width, …
std::string of_type(const std::string& text, ScalarType t) {
    auto width = std::to_string(bits(t));
    auto prefix = std::string(is_signed(t) ? "INT" : "UINT") + width;
    return replaced(
        text,
        {{"$T", c_type(t)},
         {"$U", c_unsigned(t)},
         // Narrow operands are computed with in 32 bits: never as int, whose overflow is undefined.
         {"$V", bits(t) == 64 ? "uint64_t" : "uint32_t"},
         {"$N", name(t)},
         {"$A", bits(t) == 64 ? "ulong" : "uint"},
         {"$B", bits(t) == 64 ? "double" : "float"},
         {"$W", width},
         {"$LEAST", is_signed(t) ? prefix + "_MIN" : "0"},
         {"$GREATEST", prefix + "_MAX"}});
}

struct Definition {
    const char* op;
    const char* of_signed;
    const char* of_unsigned; // null: as the signed one
};

constexpr Definition kOperations[] = {
    {"add",
     "// Integers wrap; signed overflow is undefined in C, unsigned is not.\n"
     "static inline $T add_$N($T a, $T b) { return ($T)(($V)a + ($V)b); }\n",
     nullptr},
    {"subtract",
     "static inline $T subtract_$N($T a, $T b) { return ($T)(($V)a - ($V)b); } // wraps\n",
     nullptr},
    {"multiply",
     "static inline $T multiply_$N($T a, $T b) { return ($T)(($V)a * ($V)b); } // wraps\n",
     nullptr},
    {"negate", "static inline $T negate_$N($T a) { return ($T)(0 - ($V)a); } // wraps\n", nullptr},
    {"abs", "static inline $T abs_$N($T a) { return a < 0 ? ($T)(0 - ($V)a) : a; } // wraps\n",
     nullptr},
    {"divide",
     "// Floor division; 0 for a divisor of 0; the least value by -1 wraps.\n"
     "static inline $T divide_$N($T a, $T b) {\n"
     "    if (b == 0 || b == -1)\n"
     "        return ($T)(b == 0 ? 0 : 0 - ($V)a);\n"
     "    return ($T)(a / b - (a % b != 0 && (a < 0) != (b < 0)));\n"
     "}\n",
     "static inline $T divide_$N($T a, $T b) { return b == 0 ? 0 : ($T)(a / b); } // by 0: 0\n"},
    {"modulo",
     "// What floor division leaves; 0 for a divisor of 0.\n"
     "static inline $T modulo_$N($T a, $T b) {\n"
     "    if (b == 0 || b == -1)\n"
     "        return 0;\n"
     "    return ($T)(a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0));\n"
     "}\n",
     "static inline $T modulo_$N($T a, $T b) { return b == 0 ? 0 : ($T)(a % b); } // by 0: 0\n"},
    {"shift_left",
     "// By the width or more: 0. By a negative amount: the other way.\n"
     "static inline $T shift_left_$N($T a, $T n) {\n"
     "    if (n < 0)\n"
     "        return ($T)(n > -$W ? a >> -n : a >> ($W - 1));\n"
     "    return n < $W ? ($T)(($V)a << n) : 0;\n"
     "}\n",
     "static inline $T shift_left_$N($T a, $T n) { return n < $W ? ($T)(($V)a << n) : 0; }\n"},
    {"shift_right",
     "// By the width or more: the sign. By a negative amount: the other way.\n"
     "static inline $T shift_right_$N($T a, $T n) {\n"
     "    if (n < 0)\n"
     "        return n > -$W ? ($T)(($V)a << -n) : 0;\n"
     "    return ($T)(n < $W ? a >> n : a >> ($W - 1));\n"
     "}\n",
     "static inline $T shift_right_$N($T a, $T n) { return n < $W ? ($T)(a >> n) : 0; }\n"},
    {"min", "static inline $T min_$N($T a, $T b) { return b < a ? b : a; }\n", nullptr},
    {"max", "static inline $T max_$N($T a, $T b) { return a < b ? b : a; }\n", nullptr},
};

constexpr const char* kMinOfFloats = R"(// A NaN wins; -0 is less than +0.
static inline $T min_$N($T a, $T b) {
    if (a < b || a != a)
        return a;
    return b < a || b != b ? b : signbit(a) ? a : b;
}
)";
constexpr const char* kMaxOfFloats = R"(// A NaN wins; +0 is greater than -0.
static inline $T max_$N($T a, $T b) {
    if (a > b || a != a)
        return a;
    return b > a || b != b ? b : signbit(a) ? b : a;
}
)";

// 2^n as a constant of a float type.
std::string power_of_two(int n, ScalarType type) {
    return "0x1p" + std::to_string(n) + (type == ScalarType::F32 ? "f" : "");
}

} // namespace

const char* c_type(ScalarType t) { return is_bool(t) ? "bool" : c_memory_type(t); }

const char* c_memory_type(ScalarType t) {
    switch (t) {
    case ScalarType::Bool:
    case ScalarType::U8: return "uint8_t";
    case ScalarType::I8: return "int8_t";
    case ScalarType::I16: return "int16_t";
    case ScalarType::I32: return "int32_t";
    case ScalarType::I64: return "int64_t";
    case ScalarType::U16:
    case ScalarType::F16:
    case ScalarType::BF16: return "uint16_t";
    case ScalarType::U32: return "uint32_t";
    case ScalarType::U64: return "uint64_t";
    case ScalarType::F32: return "float";
    case ScalarType::F64: return "double";
    }
    return "";
}

const char* c_unsigned(ScalarType t) {
    switch (bits(t)) {
    case 8: return "uint8_t";
    case 16: return "uint16_t";
    case 32: return "uint32_t";
    default: return "uint64_t";
    }
}

CHelpers::CHelpers(CNames& names, const CDialect& dialect, const CHelpers* beside)
    : dialect_(dialect), beside_(beside) {
    // Which of them a file needs is known at its end: names of the program keep clear of all.
    const char* kTypes[] = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                            "u32", "u64", "f16", "bf16", "f32", "f64"};
    for (auto type : kTypes) {
        for (const auto& operation : kOperations)
            names.reserve(std::string(operation.op) + "_" + type);
        for (auto other : kTypes)
            names.reserve(std::string(type) + "_from_" + other);
        names.reserve(std::string("bits_") + type);
        names.reserve(std::string(type) + "_from_bits");
        names.reserve(std::string(type) + "_rounded_to_odd");
    }
}

std::string CHelpers::use(const std::string& name, const std::string& definition, Side side) {
    if (!is_used(name) && used_.insert(name).second)
        definitions_.push_back({in_dialect(definition), side});
    return name;
}

// "COPY_BITS(float, x, n)" gives the float x the bits of n.
std::string CHelpers::in_dialect(std::string text) const {
    text = replaced(text, {{"static inline", dialect_.function}});
    const std::string copy = "COPY_BITS(";
    for (auto at = text.find(copy); at != text.npos; at = text.find(copy, at)) {
        auto end = text.find(')', at), first = text.find(", ", at),
             second = text.find(", ", first + 1);
        auto type = text.substr(at + copy.size(), first - at - copy.size());
        auto to = text.substr(first + 2, second - first - 2);
        auto from = text.substr(second + 2, end - second - 2);
        text.replace(at, end + 1 - at,
                     dialect_.names_bits ? to + " = as_" + type + "(" + from + ")"
                                         : "memcpy(&" + to + ", &" + from + ", sizeof " + to + ")");
    }
    return text;
}

std::vector<std::string> CHelpers::definitions() const {
    std::vector<std::string> texts;
    for (const auto& definition : definitions_)
        texts.push_back(definition.text);
    return texts;
}

std::vector<std::string> CHelpers::definitions(Side side) const {
    std::vector<std::string> texts;
    for (const auto& definition : definitions_)
        if (definition.side == side)
            texts.push_back(definition.text);
    return texts;
}

std::string CHelpers::operation(const char* op, ScalarType type) {
    std::string word = op, name = word + "_" + loopscope::name(type);
    if (is_float(type))
        return use(name, of_type(word == "min" ? kMinOfFloats : kMaxOfFloats, type));
    for (const auto& definition : kOperations)
        if (word == definition.op)
            return use(name,
                       of_type(is_signed(type) || !definition.of_unsigned ? definition.of_signed
                                                                          : definition.of_unsigned,
                               type));
    throw std::logic_error("no such operation: " + word);
}

std::string CHelpers::from_float(ScalarType to, ScalarType from) {
    std::string text =
        R"(// Towards zero; what is too large becomes the nearest value of the type, a NaN 0.
static inline $T $N_from_$F($FT x) {
    return !($ABS(x) >= $ONE) ? 0 : x <= $LOW ? $LEAST : x >= $HIGH ? $GREATEST : ($T)x;
}
)";
    // Not `x != x ? 0`: GCC 12 takes ($FT)($T)x for trunc(x), wrongly where that is -0, unless such
    // x go another way.
    const bool single = from == ScalarType::F32;
    auto low = is_signed(to) ? "-" + power_of_two(bits(to) - 1, from)
                             : std::string(single ? "0.0f" : "0.0");
    text = replaced(text, {{"$FT", c_type(from)},
                           {"$ABS", single ? "fabsf" : "fabs"},
                           {"$ONE", single ? "1.0f" : "1.0"},
                           {"$F(", std::string(name(from)) + "("},
                           {"$LOW", low},
                           {"$HIGH", power_of_two(bits(to) - (is_signed(to) ? 1 : 0), from)}});
    return use(std::string(name(to)) + "_from_" + name(from), of_type(text, to));
}

std::string CHelpers::half(ScalarType to, ScalarType from) {
    auto name = std::string(loopscope::name(to)) + "_from_" + loopscope::name(from);
    if (is_used(name))
        return name;
    if (name == "f32_from_f16" || name == "f32_from_bf16")
        return use(name, half_text(name));
    if (name == "f16_from_f32" || name == "bf16_from_f32")
        return use(name, half_text(name));
    // Through f32, rounded to odd where f32 is too narrow: then the second rounding is the only
    // one.
    auto narrow = half(to, ScalarType::F32);
    std::string through = "(float)x";
    if (from == ScalarType::F64) {
        use("f32_rounded_to_odd", half_text("f32_rounded_to_odd"));
        through = "f32_rounded_to_odd(x)";
    } else if (is_integer(from) && bits(from) == 32) {
        use("f32_rounded_to_odd", half_text("f32_rounded_to_odd"));
        through = "f32_rounded_to_odd((double)x)";
    } else if (is_integer(from) && bits(from) == 64) {
        use("f32_rounded_to_odd", half_text("f32_rounded_to_odd"));
        use("f64_rounded_to_odd", half_text("f64_rounded_to_odd"));
        through = is_signed(from)
                      ? "f32_rounded_to_odd(x < 0 ? -f64_rounded_to_odd(0 - (uint64_t)x) : "
                        "f64_rounded_to_odd((uint64_t)x))"
                      : "f32_rounded_to_odd(f64_rounded_to_odd(x))";
    }
    return use(name, "static inline uint16_t " + name + "(" + c_type(from) + " x) {\n    return " +
                         narrow + "(" + through + ");\n}\n");
}

std::string CHelpers::float_bits(ScalarType type) {
    auto name = std::string("bits_") + loopscope::name(type);
    if (is_half(type)) {
        bool f16 = type == ScalarType::F16;
        return use(name, "// All NaNs are one NaN.\nstatic inline uint16_t " + name +
                             "(uint16_t x) {\n    return (x & 0x7fff) > " +
                             (f16 ? "0x7c00 ? 0x7e00" : "0x7f80 ? 0x7fc0") + " : x;\n}\n");
    }
    bool single = type == ScalarType::F32;
    return use(name,
               of_type(std::string("// The bits of a float. All NaNs are one NaN.\n"
                                   "static inline $U bits_$N($T x) {\n"
                                   "    $U n;\n"
                                   "    COPY_BITS($A, n, x);\n"
                                   "    return x != x ? ") +
                           (single ? "0x7fc00000u" : "UINT64_C(0x7ff8000000000000)") + " : n;\n}\n",
                       type));
}

std::string CHelpers::from_bits(ScalarType type) {
    return use(std::string(name(type)) + "_from_bits",
               of_type("static inline $T $N_from_bits($U n) {\n"
                       "    $T x;\n"
                       "    COPY_BITS($B, x, n);\n"
                       "    return x;\n"
                       "}\n",
                       type));
}

std::string CHelpers::allocate() {
    return use("allocate", R"(// Storage for a stage, at a cache line's begin.
static void *allocate(int64_t elements, size_t size) {
    void *memory = NULL;
    if (elements < 1)
        elements = 1;
    if ((uint64_t)elements <= (SIZE_MAX - 63) / size)
        memory = aligned_alloc(64, ((size_t)elements * size + 63) / 64 * 64);
    if (!memory) {
        fprintf(stderr, "out of memory: %lld elements of %zu bytes\n", (long long)elements, size);
        exit(EXIT_FAILURE);
    }
    return memory;
}
)");
}

std::string CHelpers::atomic_step(Op op, ScalarType type) {
    bool half_type = is_half(type);
    auto in = half_type ? ScalarType::F32 : type;
    std::string a = "old", b = "value";
    if (half_type) {
        auto widen = half(ScalarType::F32, type);
        a = widen + "(old)";
        b = widen + "(value)";
    }
    std::string result;
    if (op == Op::Min || op == Op::Max)
        result = operation(op == Op::Min ? "min" : "max", in) + "(" + a + ", " + b + ")";
    else if (op == Op::LogicalAnd || op == Op::LogicalOr)
        result = std::string("(uint8_t)(old != 0 ") + (op == Op::LogicalAnd ? "&&" : "||") +
                 " value != 0)";
    else if (is_float(in))
        result = a + (op == Op::Add ? " + " : " * ") + b;
    else
        result = operation(op == Op::Add ? "add" : "multiply", in) + "(old, value)";
    return half_type ? half(type, ScalarType::F32) + "(" + result + ")" : result;
}

std::string CHelpers::atomic_name(Op op, ScalarType type) {
    const char* word = op == Op::Add          ? "add"
                       : op == Op::Multiply   ? "multiply"
                       : op == Op::Min        ? "min"
                       : op == Op::Max        ? "max"
                       : op == Op::LogicalAnd ? "and"
                                              : "or";
    return std::string("atomic_") + word + "_" + loopscope::name(type);
}

std::string CHelpers::atomic(Op op, ScalarType type) {
    auto name = atomic_name(op, type);
    if (is_used(name))
        return name;
    auto step = atomic_step(op, type);
    // The exchange compares bits: a NaN differs from itself as a number.
    return use(name, replaced(R"(#ifndef __GNUC__
#error "atomic updates need GCC's built-in functions: compile with GCC or Clang"
#endif
// One step that no other thread sees half done.
static inline void $NAME($M *place, $M value) {
    $M old, combined;
    __atomic_load(place, &old, __ATOMIC_RELAXED);
    do
        combined = $STEP;
    while (!__atomic_compare_exchange(place, &old, &combined, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
)",
                              {{"$NAME", name}, {"$M", c_memory_type(type)}, {"$STEP", step}}));
}

} // namespace loopscope::codegen
