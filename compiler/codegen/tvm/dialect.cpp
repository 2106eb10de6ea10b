#include "compiler/codegen/tvm/dialect.h"

#include "compiler/codegen/c/constant_text.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>

namespace loopscope::codegen {

namespace {

// Words of Python, and what the program calls.
constexpr const char* kTaken = R"(
False None True and as assert async await break class continue def del elif else except finally for from global if
import in is lambda nonlocal not or pass raise return try while with yield match case type self T tvm tirx s_tir np os
sys time sch loops blocks step split tile fuse reorder parallel unroll vectorize serial compute_at compute_inline
transform_layout main program add subtract multiply negate absolute floor_divide floor_modulo shift_left shift_right
minimum maximum to_integer bits_of from_bits fused is_nan sqrt floor ceil round_even schedule range len print max min
abs int float str dict list set zip open sorted any all sum bits unsigned raw number wide kept low high of_halves
shift_by EXACT bits_as is_number hidden divide as_integer ordered from_bfloat16 to_bfloat16 bits_of_bfloat16
odd_float32 names refused find_loops ARRAYS set_scope storage_align parts blocks_in nest in_order merge ahead
pipeline getattr hasattr isinstance tuple slice Exception ValueError
)";

} // namespace

std::string tvm_type(ScalarType type) {
    switch (type) {
    case ScalarType::Bool: return "bool";
    case ScalarType::F16: return "float16";
    case ScalarType::BF16: return "uint16"; // its bits
    case ScalarType::F32: return "float32";
    case ScalarType::F64: return "float64";
    default: return (is_signed(type) ? "int" : "uint") + std::to_string(bits(type));
    }
}

TvmDialect::TvmDialect(const ForeignProgram& whole) : program(whole) {
    std::istringstream taken(kTaken);
    names_.insert(std::istream_iterator<std::string>(taken), {});
}

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

// TVM takes plain numbers for int32 and float32, and converts what stands beside them to that.
std::string TvmDialect::literal(const Expr& e, bool beside) {
    auto shared = std::make_shared<const Expr>(e);
    if (is_bool(e.type))
        return e.bits ? "T.bool(True)" : "T.bool(False)";
    if (e.type == ScalarType::BF16)
        return "T.uint16(" + std::to_string(e.bits) + ")";
    if (is_float(e.type)) {
        auto value = constant_float_value(shared);
        auto number = std::isnan(value)   ? "\"nan\""
                      : std::isinf(value) ? value < 0 ? "\"-inf\"" : "\"inf\""
                                          : constant_text(*constant_float(ScalarType::F64, value));
        if (e.type == ScalarType::F32 && std::isfinite(value)) {
            number = constant_text(e);
            number.pop_back(); // the suffix
        }
        return beside && e.type == ScalarType::F32 && std::isfinite(value)
                   ? number
                   : "T." + tvm_type(e.type) + "(" + number + ")";
    }
    if (is_unsigned(e.type) &&
        e.bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return "T.reinterpret(\"uint64\", T.int64(" +
               std::to_string(static_cast<std::int64_t>(e.bits)) + "))";
    auto text = is_unsigned(e.type) ? std::to_string(e.bits)
                                    : std::to_string(static_cast<std::int64_t>(e.bits));
    return beside && e.type == ScalarType::I32 ? text : "T." + tvm_type(e.type) + "(" + text + ")";
}

std::string TvmDialect::convert(ScalarType to, ScalarType from, const std::string& text) {
    auto cast = [](ScalarType type, const std::string& value) {
        return "T.Cast(\"" + tvm_type(type) + "\", " + value + ")";
    };
    if (to == from)
        return text;
    if (from == ScalarType::BF16)
        return convert(to, ScalarType::F32, "from_bfloat16(" + text + ")");
    if (to != ScalarType::BF16)
        return cast(to, text);
    bool narrow = from == ScalarType::F32 || from == ScalarType::F16 ||
                  (is_integer(from) && bits(from) <= 16);
    return "to_bfloat16(" +
           (narrow ? convert(ScalarType::F32, from, text)
                   : "odd_float32(" + convert(ScalarType::F64, from, text) + ")") +
           ")";
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
    return buffer + "[" + (shifted.empty() ? "()" : comma_joined(shifted)) + "]";
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
    auto element = buffer + "[" + comma_joined(inside) + "]";
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
    return buffer + "[" + (indices.empty() ? "()" : comma_joined(indices)) + "]";
}

std::string TvmDialect::helper(const std::string& function, ScalarType type,
                               const std::vector<std::string>& arguments) {
    auto list = comma_joined(arguments) + ", \"" + tvm_type(type) + "\"";
    bool from_float = function.rfind("to_", 0) == 0;
    if (from_float || function.rfind("as_", 0) == 0) {
        ScalarType to = ScalarType::I32;
        parse_scalar_type(function.substr(3), to);
        return (from_float ? "to_integer(" : "as_integer(") + list + ", \"" + tvm_type(to) + "\")";
    }
    if (type == ScalarType::BF16) // is its bits
        return function == "bits_of" ? "bits_of_bfloat16(" + arguments[0] + ")" : arguments[0];
    // Indices are written in operations that TVM understands.
    if ((function == "minimum" || function == "maximum") && is_integer(type))
        return (function == "minimum" ? "T.min(" : "T.max(") + comma_joined(arguments) + ")";
    return (function == "round" ? "round_even" : function) + "(" + list + ")";
}

std::string TvmDialect::prelude(const std::string& function, ScalarType type,
                                const std::vector<std::string>& arguments) {
    called.insert({function, type});
    return function + "_" + loopscope::name(type) + "(" + comma_joined(arguments) + ")";
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

} // namespace loopscope::codegen
