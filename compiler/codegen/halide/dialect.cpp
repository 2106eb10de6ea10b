#include "compiler/codegen/halide/dialect.h"

#include "compiler/codegen/c/constant_text.h"
#include "core/ir/half.h"

#include <cmath>
#include <limits>
#include <sstream>

namespace loopscope::codegen {

namespace {

// Names of C++ and of Halide that the program uses, or that would hide what it uses.
constexpr const char* kTaken = R"(
and and_eq bitand bitor catch class compl concept const_cast decltype delete dynamic_cast explicit export friend
mutable namespace new noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires
static_cast template this throw try typeid typename using virtual xor xor_eq Halide Internal Expr Func Var RVar RDom
Tuple Buffer ImageParam Pipeline Target Type TailStrategy LoopLevel BoundaryConditions Realization Region Range UInt
Int Float BFloat Bool float16_t bfloat16_t cast min max clamp likely reinterpret is_nan const_true const_false ops
npy Program define schedule argument sum product maximum minimum print EXACT Stage ArrayFile Error undef
memory_order _0 _1
)";

} // namespace

std::string halide_type(ScalarType type) {
    if (is_bool(type))
        return "Bool()";
    if (type == ScalarType::BF16)
        return "BFloat(16)";
    auto code = is_float(type) ? "Float" : is_signed(type) ? "Int" : "UInt";
    return code + ("(" + std::to_string(bits(type)) + ")");
}

std::string halide_element(ScalarType type) {
    switch (type) {
    case ScalarType::Bool: return "bool";
    case ScalarType::F16: return "float16_t";
    case ScalarType::BF16: return "bfloat16_t";
    case ScalarType::F32: return "float";
    case ScalarType::F64: return "double";
    default: return (is_signed(type) ? "int" : "uint") + std::to_string(bits(type)) + "_t";
    }
}

std::string reversed_list(const std::vector<std::string>& items) {
    return comma_joined({items.rbegin(), items.rend()});
}

HalideDialect::HalideDialect() {
    std::istringstream taken(kTaken);
    for (std::string name; taken >> name;)
        names.reserve(name);
}

std::string HalideDialect::literal(const Expr& e, bool beside) {
    auto shared = std::make_shared<const Expr>(e);
    std::int64_t value = 0;
    if (is_bool(e.type))
        return e.bits ? "Internal::const_true()" : "Internal::const_false()";
    if (is_float(e.type)) {
        auto number = constant_float_value(shared);
        if (is_half(e.type) && std::isnan(number))
            return "reinterpret(" + halide_type(e.type) + ", Expr(uint16_t(" +
                   std::to_string(e.bits) + ")))";
        if (is_half(e.type))
            return "cast<" + halide_element(e.type) + ">(" +
                   literal(*constant_float(ScalarType::F32, number), false) + ")";
        auto limits = "std::numeric_limits<" + halide_element(e.type) + ">::";
        if (std::isnan(number))
            return "Expr(" + limits + "quiet_NaN())";
        if (std::isinf(number))
            return (number < 0 ? "Expr(-" : "Expr(") + limits + "infinity())";
        // A plain double is no operand of an Expr.
        return e.type == ScalarType::F64 ? "Expr(" + constant_text(e) + ")" : constant_text(e);
    }
    bool small = constant_value(shared, value) &&
                 value > std::numeric_limits<std::int32_t>::min() &&
                 value <= std::numeric_limits<std::int32_t>::max();
    if (small && (beside || e.type == ScalarType::I32))
        return std::to_string(value);
    if (small)
        return "cast<" + halide_element(e.type) + ">(" + std::to_string(value) + ")";
    return "Expr(" + halide_element(e.type) + "(" + constant_text(e) + "))";
}

std::string HalideDialect::convert(ScalarType to, ScalarType from, const std::string& text) {
    auto cast = [](ScalarType type, const std::string& value) {
        return "cast<" + halide_element(type) + ">(" + value + ")";
    };
    bool exactly = is_bool(from) || (is_integer(from) && bits(from) <= 16);
    if (!is_half(to) || to == from || exactly)
        return cast(to, text);
    helpers.insert("rounded");
    auto number = is_half(from)      ? cast(ScalarType::F32, text)
                  : is_integer(from) ? cast(ScalarType::F64, text)
                                     : text;
    return "ops::rounded<" + halide_element(to) + ">(" + number + ")";
}

std::string HalideDialect::select(const std::string& condition, const std::string& a,
                                  const std::string& b) {
    return "select(" + condition + ", " + a + ", " + b + ")";
}

std::string halide_bits(ScalarType type, const std::string& value) {
    return is_bool(type) ? "cast<uint8_t>(" + value + ")"
                         : "reinterpret(UInt(" + std::to_string(bits(type)) + "), " + value + ")";
}

std::string halide_from_bits(ScalarType type, const std::string& bits) {
    return is_bool(type) ? "(" + bits + " != 0)"
                         : "reinterpret(" + halide_type(type) + ", " + bits + ")";
}

std::string HalideDialect::element(const Expr& load, const std::vector<std::string>& indices) {
    if (auto kept = as_bits.find(load.name); kept != as_bits.end() && load.name == stage)
        return halide_from_bits(load.type, kept->second.first + "(" + reversed_list(indices) +
                                               ")[" + std::to_string(load.component) + "]");
    auto known = targets.find(load.name);
    auto text =
        (known == targets.end() ? load.name : known->second) + "(" + reversed_list(indices) + ")";
    return load.component > 0 || tuples.count(load.name)
               ? text + "[" + std::to_string(load.component) + "]"
               : text;
}

std::string HalideDialect::helper(const std::string& function, ScalarType type,
                                  const std::vector<std::string>& arguments) {
    auto list = "(" + comma_joined(arguments) + ")";
    if (function == "sqrt" || function == "floor" || function == "ceil" || function == "round" ||
        function == "is_nan")                   // Halide takes x != x for false
        return function + "(Expr" + list + ")"; // of a plain number C++ has its own
    if (function == "absolute" && is_float(type))
        return "abs(Expr" + list + ")";
    if ((function == "minimum" || function == "maximum") && !is_float(type))
        return function.substr(0, 3) + list;
    if (function == "from_bits")
        return "reinterpret(" + halide_type(type) + ", " + comma_joined(arguments) + ")";
    if (function.rfind("to_", 0) == 0) {
        helpers.insert("to_integer");
        ScalarType to = ScalarType::I32;
        parse_scalar_type(function.substr(3), to);
        return "ops::to_integer<" + halide_element(to) + ">" + list;
    }
    auto name = function == "negate" && is_float(type) ? "flip_sign" : function;
    helpers.insert(name);
    return "ops::" + name + list;
}

std::string HalideDialect::prelude(const std::string& function, ScalarType type,
                                   const std::vector<std::string>& arguments) {
    called.insert({function, type});
    return "ops::" + function + "_" + loopscope::name(type) + "(" + comma_joined(arguments) + ")";
}

std::string HalideDialect::logical(bool all, const std::vector<std::string>& conditions) {
    std::string out;
    for (const auto& condition : conditions)
        out += (out.empty() ? "" : all ? " && " : " || ") + condition;
    return out;
}

std::string HalideDialect::clamped(const std::string& index, std::int64_t least,
                                   std::int64_t greatest) {
    return "clamp(" + index + ", " + std::to_string(least) + ", " + std::to_string(greatest) + ")";
}

std::string HalideDialect::declaration(const std::string& name, const std::string& text) {
    return "Expr " + name + " = " + text + ";";
}

bool HalideDialect::may_not_wrap(ScalarType type) const {
    return sums_wrap && is_signed(type) && bits(type) >= 32;
}

} // namespace loopscope::codegen
