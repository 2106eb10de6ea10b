#include "compiler/codegen/tvm/dialect.h"
#include "core/language/prelude.h"

namespace loopscope::codegen {

namespace {

constexpr const char* kHelpers = R"(
# --- Operations as the pipeline language defines them -------------------------------------------------------------
# `t` is the operands' type. TVM leaves sums that do not fit, divisions by 0, shifts by the width, and casts of what does not
# fit undefined; its max and min give either operand where one is a NaN.


def bits(t):
    return int("".join(c for c in t if c.isdigit()))


def unsigned(t):
    return "uint%d" % bits(t)


def number(value, t):
    if t == "uint64" and value >= 2**63:
        return T.reinterpret(t, T.int64(value - 2**64))
    return getattr(T, t)(value)


def is_number(a):
    return isinstance(a, (int, float, tirx.IntImm, tirx.FloatImm))


# The bits as another type has them. TVM sees through the types of integers, where it is wrong about signs; not through two
# reversals, which LLVM takes away.
def bits_as(a, t, to):
    if t == to or "float" in t:
        return a if t == to else T.reinterpret(to, a)
    reverse = "llvm.bitreverse"
    whole = unsigned(t) if "float" in to else to
    same = T.call_llvm_pure_intrin(whole, reverse, T.Cast(whole, T.call_llvm_pure_intrin(t, reverse, a)))
    return T.reinterpret(to, same) if "float" in to else same


def raw(a, t):  # as an unsigned integer
    if not is_number(a):
        return bits_as(a, t, unsigned(t))
    value = getattr(a, "value", a)
    value = value if isinstance(value, int) else int.from_bytes(np.array(value, t).tobytes(), "little")
    return number(value % 2 ** bits(t), unsigned(t))


# TVM takes floats for real numbers: x - x is 0 to it, x + y - y is x, x * 0 is 0, 0 / x is 0, and x + 0 is x. It does not see
# through this. Casts and selects may turn out to be numbers, once it has looked at their conditions.
def hidden(a, t):
    if not is_number(a):
        return T.reinterpret(t, T.reinterpret(unsigned(t), a)) if isinstance(a, (tirx.Cast, tirx.Select)) else a
    value = getattr(a, "value", a)
    magnitude = T.call_llvm_pure_intrin(t, "llvm.fabs", number(abs(value), t))
    return negate(magnitude, t) if np.signbit(value) else magnitude


def divide(a, b, t):
    return hidden(a, t) / hidden(b, t)


# Sums of 32 and 64 bits may not leave their type, and what is known of narrower ones is as if they did not. So all are computed
# in 64 bits, of which the lowest are kept, and those of 64 bits by halves.
def wide(a, t):
    return T.Cast("uint64", raw(a, t))


def kept(value, t):
    return bits_as(T.Cast(unsigned(t), value & T.uint64(2 ** bits(t) - 1)), unsigned(t), t)


def low(a):
    return a & T.uint64(0xFFFFFFFF)


def high(a):
    return a >> T.uint64(32)


def of_halves(above, below):
    return (low(above) << T.uint64(32)) | low(below)


def as_integer(a, t, to):
    if bits(to) < bits(t):
        return kept(wide(a, t), to)
    if t.startswith("int") and bits(to) > bits(t):
        t = "int%d" % bits(to)
        a = T.Cast(t, a)
    return bits_as(a, t, to) if bits(to) == bits(t) else T.Cast(to, a)


def ordered(a, t):  # an unsigned integer, as one with a sign of the same order
    if bits(t) < 64:
        return T.Cast("int64", a)
    return bits_as(raw(a, t) ^ number(2**63, t), t, "int64")


def add(a, b, t):
    if "float" in t:
        return hidden(a, t) + hidden(b, t)
    if bits(t) < 64:
        return kept(wide(a, t) + wide(b, t), t)
    a, b = raw(a, t), raw(b, t)
    below = low(a) + low(b)
    return bits_as(of_halves(high(a) + high(b) + high(below), below), "uint64", t)


def subtract(a, b, t):
    if "float" in t:
        return hidden(a, t) + (hidden(-getattr(b, "value", b), t) if is_number(b) else negate(b, t))
    if bits(t) < 64:
        return kept(wide(a, t) + (T.uint64(2 ** bits(t)) - wide(b, t)), t)
    return add(add(a, bits_as(~raw(b, t), "uint64", t), t), number(1, t), t)


def multiply(a, b, t):
    if "float" in t:
        return hidden(a, t) * hidden(b, t)
    if bits(t) < 64:
        return kept(wide(a, t) * wide(b, t), t)
    a, b = raw(a, t), raw(b, t)
    below = low(a) * low(b)
    above = low(high(a) * low(b)) + low(low(a) * high(b)) + high(below)
    return bits_as(of_halves(above, below), "uint64", t)


def negate(a, t):
    if "int" in t:
        return subtract(number(0, t), a, t)
    if is_number(a):
        return number(-getattr(a, "value", a), t)
    return T.reinterpret(t, raw(a, t) ^ (number(1, unsigned(t)) << number(bits(t) - 1, unsigned(t))))


def absolute(a, t):
    if t.startswith("uint"):
        return a
    if t.startswith("int"):
        return T.Select(a < 0, negate(a, t), a)
    if is_number(a):
        return number(abs(getattr(a, "value", a)), t)
    return T.reinterpret(t, raw(a, t) & ~(number(1, unsigned(t)) << number(bits(t) - 1, unsigned(t))))


def floor_divide(a, b, t):
    one = number(1, t)
    if t.startswith("uint"):
        return T.Select(b == 0, number(0, t), T.floordiv(a, T.Select(b == 0, one, b)))
    down = T.floordiv(a, T.Select(T.Or(b == 0, b == -1), one, b))
    return T.Select(b == 0, number(0, t), T.Select(b == -1, negate(a, t), down))


def floor_modulo(a, b, t):
    one = number(1, t)
    if t.startswith("uint"):
        return T.Select(b == 0, number(0, t), T.floormod(a, T.Select(b == 0, one, b)))
    rest = T.floormod(a, T.Select(T.Or(b == 0, b == -1), one, b))
    return T.Select(T.Or(b == 0, b == -1), number(0, t), rest)


def shift_by(a, amount, t, left):
    u = unsigned(t)
    short = (T.Cast("int64", amount) & T.int64(-bits(t))) == T.int64(0)
    inside = T.Select(short, amount, number(0, u))
    if left:
        return T.Select(short, bits_as(raw(a, t) << inside, u, t), number(0, t))
    beyond = T.Select(a < 0, number(-1, t), number(0, t)) if t.startswith("int") else number(0, t)
    return T.Select(short, a >> bits_as(inside, u, t), beyond)


def shift_left(a, b, t):
    if t.startswith("uint"):
        return shift_by(a, b, t, True)
    return T.Select(b < 0, shift_by(a, raw(negate(b, t), t), t, False), shift_by(a, raw(b, t), t, True))


def shift_right(a, b, t):
    if t.startswith("uint"):
        return shift_by(a, b, t, False)
    return T.Select(b < 0, shift_by(a, raw(negate(b, t), t), t, True), shift_by(a, raw(b, t), t, False))


def is_nan(a, t):
    return T.isnan(a)


# By LLVM's functions: they mention their operands once, and TVM writes an expression out as often as it is mentioned.
def minimum(a, b, t):
    return T.min(a, b) if "int" in t else T.call_llvm_pure_intrin(t, "llvm.minimum", a, b)


def maximum(a, b, t):
    return T.max(a, b) if "int" in t else T.call_llvm_pure_intrin(t, "llvm.maximum", a, b)


def to_integer(a, t, to):
    return T.call_llvm_pure_intrin(to, "llvm.fpto%si.sat" % ("u" if to.startswith("u") else "s"), a)


def bits_of(a, t):
    nan = {"float16": 0x7E00, "float32": 0x7FC00000, "float64": 0x7FF8000000000000}[t]
    checked = T.Cast("float32", a) if bits(t) == 16 else a
    return T.Select(T.isnan(checked), number(nan, unsigned(t)), raw(a, t))


# TVM leaves out roundings to bfloat16 between operations; its values are kept as their bits.
def from_bfloat16(a):
    return T.reinterpret("float32", T.Cast("uint32", a) << T.uint32(16))


def to_bfloat16(a):
    b = T.Cast("uint64", raw(a, "float32"))
    rounded = (b + T.uint64(0x7FFF) + ((b >> T.uint64(16)) & T.uint64(1))) >> T.uint64(16)
    return T.Select(T.isnan(a), T.uint16(0x7FC0), T.Cast("uint16", rounded & T.uint64(0xFFFF)))


def bits_of_bfloat16(a):
    return T.Select((a & T.uint16(0x7FFF)) > T.uint16(0x7F80), T.uint16(0x7FC0), a)


def odd_float32(a):  # what is inexact gets an odd last place, so that rounding again is right
    b = T.Cast("float32", a)
    back = T.Cast("float64", b)
    beyond = T.Select(absolute(back, "float64") > absolute(a, "float64"), T.uint64(1), T.uint64(0))
    toward_zero = T.Cast("uint32", (T.Cast("uint64", raw(b, "float32")) - beyond) & T.uint64(0xFFFFFFFF))
    return T.Select(T.Or(back == a, T.isnan(a)), b, T.reinterpret("float32", toward_zero | T.uint32(1)))


def from_bits(a, t):
    if is_number(a) and getattr(a, "value", a) == 0:
        return number(0.0, t)
    return bits_as(a, unsigned(t), t)


def fused(a, b, c, t):
    return T.call_llvm_pure_intrin(t, "llvm.fma", a, b, c)


def sqrt(a, t):
    return T.sqrt(a)


def floor(a, t):
    return T.floor(a)


def ceil(a, t):
    return T.ceil(a)


def round_even(a, t):
    return T.nearbyint(a)
)";

} // namespace

std::string tvm_helpers(TvmDialect& dialect) {
    std::string out = kHelpers;
    if (!dialect.called.empty())
        out += R"(

# The language's own functions. TVM writes an expression out as often as it is mentioned, and may take minutes where one function
# is of another; --inexact takes its own functions, which differ in the last places.
EXACT = "--inexact" not in sys.argv
)";
    for (const auto& [name, type] : std::set(dialect.called)) {
        const auto& definition = prelude_function(name, type);
        ForeignExpressions expressions(dialect);
        std::string parameters;
        const char* letters[] = {"x", "y"};
        for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
            expressions.variables[definition.parameters[i]] = letters[i];
            parameters += std::string(i ? ", " : "") + letters[i];
        }
        expressions.begin({definition.body});
        auto result = expressions.text(definition.body);
        out += "\n\ndef " + name + "_" + loopscope::name(type) + "(" + parameters + "):\n";
        auto own = name.rfind("fast_", 0) == 0 ? name.substr(5) : name;
        out += "    if not EXACT:\n        return T." + own + "(" + parameters + ")\n";
        for (const auto& line : expressions.take_declarations())
            out += "    " + line + "\n";
        out += "    return " + result + "\n";
    }
    return out;
}

} // namespace loopscope::codegen
