#include "compiler/codegen/halide/dialect.h"
#include "core/language/prelude.h"

namespace loopscope::codegen {

namespace {

struct Helper {
    const char* name;
    const char* text;
};

// In the order in which they are written: later ones call earlier ones.
constexpr Helper kHelpers[] = {
    {"wide", R"(
using Halide::Internal::make_const;
using Halide::Internal::make_one;
using Halide::Internal::make_zero;
inline Type unsigned_of(Type t) { return t.with_code(halide_type_uint); }
inline Expr as_unsigned(const Expr &a) { return reinterpret(unsigned_of(a.type()), a); }
inline Expr as_signed(const Expr &a, Type t) { return reinterpret(t, a); }
)"},
    {"add", R"(
// Sums, differences and products of int32 and int64 that do not fit wrap; Halide leaves them undefined.
inline Expr add(const Expr &a, const Expr &b) {
    return EXACT ? as_signed(as_unsigned(a) + as_unsigned(b), a.type()) : a + b;
}
)"},
    {"subtract", R"(
inline Expr subtract(const Expr &a, const Expr &b) {
    return EXACT ? as_signed(as_unsigned(a) - as_unsigned(b), a.type()) : a - b;
}
)"},
    {"multiply", R"(
inline Expr multiply(const Expr &a, const Expr &b) {
    return EXACT ? as_signed(as_unsigned(a) * as_unsigned(b), a.type()) : a * b;
}
)"},
    {"negate", R"(
inline Expr negate(const Expr &a) {
    return EXACT && a.type().is_int() ? as_signed(make_zero(unsigned_of(a.type())) - as_unsigned(a), a.type()) : -a;
}
)"},
    {"absolute", R"(
// Halide's abs() of an integer is unsigned. That of the least one wraps.
inline Expr absolute(const Expr &a) { return cast(a.type(), abs(a)); }
)"},
    {"flip_sign", R"(
// Halide's -a is 0 - a, which is +0 and not -0 where a is 0.
inline Expr flip_sign(const Expr &a) {
    Expr sign = make_const(unsigned_of(a.type()), 1) << (a.type().bits() - 1);
    return EXACT ? as_signed(as_unsigned(a) ^ sign, a.type()) : -a;
}
)"},
    {"floor_divide", R"(
// Rounds down, also where b is below 0: there Halide rounds up. By 0 both give 0. The least value by -1 wraps.
inline Expr floor_divide(const Expr &a, const Expr &b) {
    if (a.type().is_uint())
        return a / b;
    Expr one = make_one(a.type()), divisor = select(b == -one, one, b);
    Expr down = a / divisor - select(divisor < 0 && a % divisor != 0, one, make_zero(a.type()));
    return select(b == -one, as_signed(make_zero(unsigned_of(a.type())) - as_unsigned(a), a.type()), down);
}
)"},
    {"floor_modulo", R"(
// What floor_divide leaves: of the sign of b. Halide's is never below 0. By 0 both give 0.
inline Expr floor_modulo(const Expr &a, const Expr &b) {
    if (a.type().is_uint())
        return a % b;
    Expr one = make_one(a.type()), divisor = select(b == -one, one, b), rest = a % divisor;
    return select(divisor < 0 && rest != 0, rest + divisor, rest);
}
)"},
    {"shift_left", R"(
// Shifts by the width and more give 0, negative amounts shift the other way. Halide leaves the former undefined.
inline Expr shift_left(const Expr &a, const Expr &b);
inline Expr shift_right(const Expr &a, const Expr &b);
inline Expr shift_by(const Expr &a, const Expr &amount, bool left) { // amount at least 0, of an unsigned type
    Type t = unsigned_of(a.type());
    Expr width = make_const(amount.type(), a.type().bits());
    Expr inside = min(amount, width - 1);
    Expr shifted = left ? as_signed(as_unsigned(a) << cast(t, inside), a.type()) : a >> cast(t, inside);
    Expr beyond = !left && a.type().is_int() ? select(a < 0, -make_one(a.type()), make_zero(a.type())) : make_zero(a.type());
    return select(amount < width, shifted, beyond);
}
inline Expr shift(const Expr &a, const Expr &b, bool left) {
    if (b.type().is_uint())
        return shift_by(a, b, left);
    Expr back = make_zero(unsigned_of(b.type())) - as_unsigned(b);
    return select(b < 0, shift_by(a, back, !left), shift_by(a, as_unsigned(b), left));
}
inline Expr shift_left(const Expr &a, const Expr &b) { return shift(a, b, true); }
inline Expr shift_right(const Expr &a, const Expr &b) { return shift(a, b, false); }
)"},
    {"at_least", R"(
// False for NaNs. Halide takes a >= b for !(a < b).
inline Expr at_least(const Expr &a, const Expr &b) { return EXACT ? a > b || a == b : a >= b; }
)"},
    {"at_most", R"(
inline Expr at_most(const Expr &a, const Expr &b) { return EXACT ? a < b || a == b : a <= b; }
)"},
    {"minimum", R"(
// A NaN gives a NaN, and -0 is below +0; Halide's min and max give either operand.
inline Expr minimum(const Expr &a, const Expr &b) {
    if (!EXACT)
        return min(a, b);
    Expr zeros = as_signed(as_unsigned(a) | as_unsigned(b), a.type());
    return select(is_nan(a), a, is_nan(b), b, a < b, a, b < a, b, zeros);
}
)"},
    {"maximum", R"(
inline Expr maximum(const Expr &a, const Expr &b) {
    if (!EXACT)
        return max(a, b);
    Expr zeros = as_signed(as_unsigned(a) & as_unsigned(b), a.type());
    return select(is_nan(a), a, is_nan(b), b, a < b, b, b < a, a, zeros);
}
)"},
    {"to_integer", R"(
// Cuts to whole numbers; what does not fit becomes the least or greatest value, a NaN 0. Halide leaves those undefined.
template<typename T>
Expr to_integer(const Expr &a) {
    if (!EXACT)
        return cast<T>(a);
    const double least = std::numeric_limits<T>::min(), above = std::ldexp(1.0, std::numeric_limits<T>::digits);
    Type t = a.type();
    double below = t.bits() == 32 ? std::nextafter(float(above), 0.0f) : std::nextafter(above, 0.0);
    Expr number = select(is_nan(a), make_zero(t), a);
    Expr inside = clamp(number, make_const(t, least), make_const(t, below));
    return select(number < make_const(t, above), cast<T>(inside), Expr(std::numeric_limits<T>::max()));
}
)"},
    {"bits_of", R"(
// All NaNs are one.
inline Expr bits_of(const Expr &a) {
    Type u = unsigned_of(a.type());
    Expr nan = a.type().bits() == 64 ? Expr(uint64_t(0x7ff8000000000000)) :
               a.type().bits() == 32 ? Expr(uint32_t(0x7fc00000)) :
               a.type().is_bfloat()  ? Expr(uint16_t(0x7fc0)) : Expr(uint16_t(0x7e00));
    Expr wide = a.type().bits() == 16 ? cast<float>(a) : a;
    return select(is_nan(wide), nan, reinterpret(u, a));
}
)"},
    {"rounded", R"(
// To a 16-bit float. Halide 14 makes an infinity of a NaN, and rounds a double twice; what is inexact gets an odd last place
// the first time, so that the second is right.
inline Expr odd_float(const Expr &a) {
    Expr near = cast<float>(a), back = cast<double>(near);
    Expr toward_zero = reinterpret(UInt(32), near) - select(abs(back) > abs(a), Expr(uint32_t(1)), Expr(uint32_t(0)));
    return select(back == a || is_nan(a), near, reinterpret(Float(32), toward_zero | Expr(uint32_t(1))));
}
template<typename T>
Expr rounded(const Expr &a) {
    if (!EXACT)
        return cast<T>(a);
    Expr number = a.type().bits() == 64 ? odd_float(a) : a;
    Expr nan = Expr(uint16_t(type_of<T>().is_bfloat() ? 0x7fc0 : 0x7e00));
    return select(is_nan(number), reinterpret(type_of<T>(), nan), cast<T>(select(is_nan(number), 0.0f, number)));
}
)"},
    {"unseen", R"(
// A condition on data that Halide draws no conclusions from.
inline Expr unseen(const Expr &condition) { return reinterpret(Int(8), cast<uint8_t>(condition)) != cast<int8_t>(0); }
)"},
    {"at_every_point", R"(
// The value, which has no variable of the domain that it is combined over: without one Halide takes a single step.
inline Expr at_every_point(const RVar &r, const Expr &value) { return select(Expr(r) == Expr(r), value, value); }
)"},
    {"together", R"(
// The components of a tuple are updated together. Halide 14 stores one after another where it sees no component in the values
// of others, and it does not see all of them (nothing inside of strict floats): here it sees `other`. Both arms are the value.
inline Expr together(const Expr &other, const Expr &value) {
    Type wide = UInt(value.type().bits() < 32 ? 32 : value.type().bits());
    Expr same = cast(value.type(), reinterpret(wide, reinterpret(Float(wide.bits()), cast(wide, value))));
    return select(other == make_one(other.type()), value, same);
}
)"},
    {"fused", R"(
// a*b + c, rounded once. Halide 14 has no such function: without strict floats it may fuse, with them it never does. One
// call a lane is slow; -DEXACT=0 writes a*b + c, and leaves it to LLVM to fuse that.
HalideExtern_3(float, fmaf, float, float, float)
HalideExtern_3(double, fma, double, double, double)
inline Expr fused(const Expr &a, const Expr &b, const Expr &c) {
    return !EXACT ? a * b + c : a.type().bits() == 64 ? fma(a, b, c) : fmaf(a, b, c);
}
)"},
};

// Halide's own function with the same name and purpose, where it has one.
std::string own_function(const std::string& name, ScalarType type) {
    bool fast = name.rfind("fast_", 0) == 0;
    auto base = fast ? name.substr(5) : name;
    if (base == "rsqrt")
        return fast && type == ScalarType::F32 ? "fast_inverse_sqrt(x)" : "1.0f / sqrt(x)";
    if (base == "erf")
        return type == ScalarType::F32 ? "erf(x)" : "";
    if (base == "pow")
        return fast && type == ScalarType::F32 ? "fast_pow(x, y)" : "pow(x, y)";
    if (fast && type == ScalarType::F32 && (base == "exp" || base == "log"))
        return "fast_" + base + "(x)";
    return base + "(x)";
}

std::string prelude_text(HalideDialect& dialect, const std::string& name, ScalarType type) {
    const auto& definition = prelude_function(name, type);
    ForeignExpressions expressions(dialect);
    std::string parameters, whole;
    const char* letters[] = {"x", "y"};
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
        expressions.variables[definition.parameters[i]] = letters[i];
        parameters += std::string(i ? ", " : "") + "const Expr &" + letters[i];
    }
    expressions.begin({definition.body});
    auto result = expressions.text(definition.body);
    auto own = own_function(name, type);
    whole = "inline Expr " + name + "_" + loopscope::name(type) + "(" + parameters + ") {\n";
    if (!own.empty())
        whole += "    if (!EXACT)\n        return " + own + ";\n";
    for (const auto& line : expressions.take_declarations())
        whole += "    " + line + "\n";
    return whole + "    return " + result + ";\n}\n";
}

} // namespace

std::string halide_helpers(HalideDialect& dialect) {
    std::string functions;
    for (const auto& [name, type] : std::set(dialect.called))
        functions += "\n" + prelude_text(dialect, name, type);
    if (dialect.helpers.count("shift_right"))
        dialect.helpers.insert("shift_left");
    std::string out;
    bool wide = false;
    for (const auto& helper : kHelpers)
        if (dialect.helpers.count(helper.name)) {
            std::string text = helper.text;
            wide = wide || text.find("unsigned") != std::string::npos ||
                   text.find("make_") != std::string::npos;
            out += text;
        }
    if (wide)
        out = kHelpers[0].text + out;
    if (!functions.empty())
        out += "\n// Elementary functions by the definitions of the pipeline language, within 4 "
               "ulp; Halide's own, "
               "which -DEXACT=0\n// takes, differ in the last places.\n" +
               functions.substr(1);
    return out;
}

} // namespace loopscope::codegen
