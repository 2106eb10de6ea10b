#include "compiler/codegen/tvm/dialect.h"

#include "compiler/codegen/c/constant_text.h"
#include "core/language/prelude.h"

#include <cmath>
#include <limits>

namespace loopscope::codegen {

namespace {

// Words of Python, and what the program calls.
constexpr const char* kTaken[] = {
    "False",        "None",          "True",        "and",        "as",
    "assert",       "async",         "await",       "break",      "class",
    "continue",     "def",           "del",         "elif",       "else",
    "except",       "finally",       "for",         "from",       "global",
    "if",           "import",        "in",          "is",         "lambda",
    "nonlocal",     "not",           "or",          "pass",       "raise",
    "return",       "try",           "while",       "with",       "yield",
    "match",        "case",          "type",        "self",       "T",
    "tvm",          "tirx",          "s_tir",       "np",         "os",
    "sys",          "time",          "sch",         "loops",      "blocks",
    "step",         "split",         "tile",        "fuse",       "reorder",
    "parallel",     "unroll",        "vectorize",   "serial",     "compute_at",
    "inline",       "storage_order", "main",        "program",    "add",
    "subtract",     "multiply",      "negate",      "absolute",   "floor_divide",
    "floor_modulo", "shift_left",    "shift_right", "minimum",    "maximum",
    "to_integer",   "bits_of",       "from_bits",   "fused",      "is_nan",
    "sqrt",         "floor",         "ceil",        "round_even", "schedule",
    "range",        "len",           "print",       "max",        "min",
    "abs",          "int",           "float",       "str",        "dict",
    "list",         "set",           "zip",         "open",       "sorted",
    "any",          "all",           "sum"};

std::string joined(const std::vector<std::string>& items) {
    std::string out;
    for (const auto& item : items)
        out += (out.empty() ? "" : ", ") + item;
    return out;
}

constexpr const char* kHelpers = R"(
# --- Operations as the pipeline language defines them -------------------------------------------------------------
# `t` is the operands' type. TVM leaves sums that do not fit, divisions by 0, shifts by the width, and casts of what does not
# fit undefined; its max and min give either operand where one is a NaN.


def bits(t):
    return int("".join(c for c in t if c.isdigit()))


def unsigned(t):
    return "uint%d" % bits(t)


def raw(a, t):
    return T.reinterpret(unsigned(t), a)


def number(value, t):
    return getattr(T, t)(value)


def add(a, b, t):
    return T.reinterpret(t, raw(a, t) + raw(b, t))


def subtract(a, b, t):
    return T.reinterpret(t, raw(a, t) - raw(b, t))


def multiply(a, b, t):
    return T.reinterpret(t, raw(a, t) * raw(b, t))


def negate(a, t):
    if t.startswith("int"):
        return T.reinterpret(t, number(0, unsigned(t)) - raw(a, t))
    return T.reinterpret(t, raw(a, t) ^ (number(1, unsigned(t)) << number(bits(t) - 1, unsigned(t))))


def absolute(a, t):
    if t.startswith("uint"):
        return a
    if t.startswith("int"):
        return T.Select(a < 0, negate(a, t), a)
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
    u, width = unsigned(t), number(bits(t), unsigned(t))
    inside = T.Select(amount < width, amount, number(0, u))
    if left:
        return T.Select(amount < width, T.reinterpret(t, raw(a, t) << inside), number(0, t))
    beyond = T.Select(a < 0, number(-1, t), number(0, t)) if t.startswith("int") else number(0, t)
    return T.Select(amount < width, a >> T.reinterpret(t, inside), beyond)


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


def minimum(a, b, t):
    if "int" in t:
        return T.min(a, b)
    zeros = T.reinterpret(t, raw(a, t) | raw(b, t))
    number_ = T.Select(a < b, a, T.Select(b < a, b, zeros))
    return T.Select(T.isnan(a), a, T.Select(T.isnan(b), b, number_))


def maximum(a, b, t):
    if "int" in t:
        return T.max(a, b)
    zeros = T.reinterpret(t, raw(a, t) & raw(b, t))
    number_ = T.Select(a < b, b, T.Select(b < a, a, zeros))
    return T.Select(T.isnan(a), a, T.Select(T.isnan(b), b, number_))


def to_integer(a, t, to):
    digits = bits(to) - (0 if to.startswith("u") else 1)
    least, above = (0.0 if to.startswith("u") else -(2.0**digits)), 2.0**digits
    greatest = number(2**digits - 1, to) if digits < 64 else T.reinterpret(to, T.int64(-1))
    inside = T.And(a > number(least, t) - number(1, t), a < number(above, t))
    cut = T.Cast(to, T.Select(inside, a, number(0, t)))
    lowest = T.reinterpret(to, T.int64(-(2**63))) if digits == 63 else number(0 if to.startswith("u") else -(2**digits), to)
    return T.Select(T.isnan(a), number(0, to), T.Select(a >= number(above, t), greatest, T.Select(a < number(least, t), lowest, cut)))


def bits_of(a, t):
    nan = {"float16": 0x7E00, "bfloat16": 0x7FC0, "float32": 0x7FC00000, "float64": 0x7FF8000000000000}[t]
    wide = T.Cast("float32", a) if bits(t) == 16 else a
    return T.Select(T.isnan(wide), number(nan, unsigned(t)), raw(a, t))


def from_bits(a, t):
    return T.reinterpret(t, a)


def fused(a, b, c, t):
    return T.call_pure_extern(t, "fma" if t == "float64" else "fmaf", a, b, c)


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

std::string tvm_type(ScalarType type) {
    switch (type) {
    case ScalarType::Bool: return "bool";
    case ScalarType::F16: return "float16";
    case ScalarType::BF16: return "bfloat16";
    case ScalarType::F32: return "float32";
    case ScalarType::F64: return "float64";
    default: return (is_signed(type) ? "int" : "uint") + std::to_string(bits(type));
    }
}

TvmDialect::TvmDialect(const ForeignProgram& whole)
    : program(whole), names_(std::begin(kTaken), std::end(kTaken)) {}

std::string TvmDialect::unique_name(const std::string& wanted) {
    std::string name;
    for (char c : wanted)
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    auto distinct = name;
    for (int n = 2; names_.count(distinct); ++n)
        distinct = name + "_" + std::to_string(n);
    names_.insert(distinct);
    return distinct;
}

std::string TvmDialect::literal(const Expr& e, bool beside) {
    auto shared = std::make_shared<const Expr>(e);
    if (is_bool(e.type))
        return e.bits ? "T.bool(True)" : "T.bool(False)";
    if (is_float(e.type)) {
        auto value = constant_float_value(shared);
        auto number = std::isnan(value)   ? "\"nan\""
                      : std::isinf(value) ? value < 0 ? "\"-inf\"" : "\"inf\""
                                          : constant_text(*constant_float(ScalarType::F64, value));
        if (e.type == ScalarType::F32 && std::isfinite(value)) {
            number = constant_text(e);
            number.pop_back(); // the suffix
        }
        if (e.type == ScalarType::BF16)
            return "T.Cast(\"bfloat16\", T.float32(" + number + "))";
        return beside && std::isfinite(value) ? number
                                              : "T." + tvm_type(e.type) + "(" + number + ")";
    }
    if (is_unsigned(e.type) &&
        e.bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return "T.reinterpret(\"uint64\", T.int64(" +
               std::to_string(static_cast<std::int64_t>(e.bits)) + "))";
    auto text = is_unsigned(e.type) ? std::to_string(e.bits)
                                    : std::to_string(static_cast<std::int64_t>(e.bits));
    return beside ? text : "T." + tvm_type(e.type) + "(" + text + ")";
}

std::string TvmDialect::convert(ScalarType to, ScalarType from, const std::string& text) {
    return to == from ? text : "T.Cast(\"" + tvm_type(to) + "\", " + text + ")";
}

std::string TvmDialect::select(const std::string& condition, const std::string& a,
                               const std::string& b) {
    return "T.Select(" + condition + ", " + a + ", " + b + ")";
}

std::string TvmDialect::at(const std::string& buffer, const Box& box,
                           const std::vector<std::string>& indices) const {
    std::vector<std::string> shifted;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        auto least = box[d].least;
        shifted.push_back(least == 0  ? indices[d]
                          : least < 0 ? indices[d] + " + " + std::to_string(-least)
                                      : indices[d] + " - " + std::to_string(least));
    }
    return buffer + "[" + (shifted.empty() ? "()" : joined(shifted)) + "]";
}

// A read of an input beyond its elements.
std::string TvmDialect::bounded(const Stage& input, const std::vector<std::string>& indices) const {
    const auto& buffer = buffers.at(input.name)[0];
    std::vector<std::string> inside;
    std::string condition;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        auto n = input.extents[d].constant();
        auto last = std::to_string(n - 1), extent = std::to_string(n);
        auto i = "(" + indices[d] + ")";
        auto clamped = "T.max(T.min(" + indices[d] + ", " + last + "), 0)";
        switch (input.boundary.kind) {
        case BoundaryKind::Wrap:
            inside.push_back("T.floormod"
                             "(" +
                             indices[d] + ", " + extent + ")");
            break;
        case BoundaryKind::Mirror: {
            auto turn = "T.floormod(" + indices[d] + ", " + std::to_string(2 * n) + ")";
            inside.push_back("T.min(" + turn + ", " + std::to_string(2 * n - 1) + " - " + turn +
                             ")");
            break;
        }
        case BoundaryKind::Reflect: {
            auto period = std::to_string(std::max<std::int64_t>(1, 2 * n - 2));
            auto turn = "T.floormod(" + indices[d] + ", " + period + ")";
            inside.push_back(n == 1 ? "0" : "T.min(" + turn + ", " + period + " - " + turn + ")");
            break;
        }
        default: inside.push_back(clamped); break;
        }
        auto within = "T.And(" + i + " >= 0, " + i + " < " + extent + ")";
        condition = condition.empty() ? within : "T.And(" + condition + ", " + within + ")";
    }
    auto element = buffer + "[" + joined(inside) + "]";
    bool constant =
        input.boundary.kind == BoundaryKind::Zero || input.boundary.kind == BoundaryKind::Constant;
    if (!constant || indices.empty())
        return element;
    auto zero = is_float(input.types[0])  ? constant_float(input.types[0], 0)
                : is_bool(input.types[0]) ? constant_bool(false)
                                          : constant_int(input.types[0], 0);
    auto value = input.boundary.value ? input.boundary.value : zero;
    return "T.Select(" + condition + ", " + element + ", " +
           const_cast<TvmDialect*>(this)->literal(*value, false) + ")";
}

std::string TvmDialect::element(const Expr& load, const std::vector<std::string>& indices) {
    const auto* stage = program.pipeline->find(load.name);
    const auto& buffer = buffers.at(load.name)[static_cast<std::size_t>(load.component)];
    read.insert(buffer);
    if (!stage->is_input)
        return at(buffer, program.boxes.at(load.name), indices);
    if (stage->boundary.kind != BoundaryKind::None)
        return bounded(*stage, indices);
    return buffer + "[" + (indices.empty() ? "()" : joined(indices)) + "]";
}

std::string TvmDialect::helper(const std::string& function, ScalarType type,
                               const std::vector<std::string>& arguments) {
    auto list = joined(arguments) + ", \"" + tvm_type(type) + "\"";
    if (function.rfind("to_", 0) == 0) {
        ScalarType to = ScalarType::I32;
        parse_scalar_type(function.substr(3), to);
        return "to_integer(" + list + ", \"" + tvm_type(to) + "\")";
    }
    // Of indices TVM must see what they are.
    if ((function == "minimum" || function == "maximum") && is_integer(type))
        return (function == "minimum" ? "T.min(" : "T.max(") + joined(arguments) + ")";
    return (function == "round" ? "round_even" : function) + "(" + list + ")";
}

std::string TvmDialect::prelude(const std::string& function, ScalarType type,
                                const std::vector<std::string>& arguments) {
    called.insert({function, type});
    return function + "_" + loopscope::name(type) + "(" + joined(arguments) + ")";
}

std::string TvmDialect::logical(bool all, const std::vector<std::string>& conditions) {
    auto out = conditions[0];
    for (std::size_t c = 1; c < conditions.size(); ++c)
        out = (all ? "T.And(" : "T.Or(") + out + ", " + conditions[c] + ")";
    return out;
}

std::string TvmDialect::clamped(const std::string& index, std::int64_t least,
                                std::int64_t greatest) {
    return "T.max(T.min(" + index + ", " + std::to_string(greatest) + "), " +
           std::to_string(least) + ")";
}

std::string TvmDialect::declaration(const std::string& name, const std::string& text) {
    return name + " = " + text;
}

std::string tvm_helpers(TvmDialect& dialect) {
    std::string out = kHelpers;
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
        for (const auto& line : expressions.take_declarations())
            out += "    " + line + "\n";
        out += "    return " + result + "\n";
    }
    return out;
}

} // namespace loopscope::codegen
