#include "compiler/lower/expression_text.h"
#include "core/base/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace loopscope::lower {

namespace {

constexpr int kLetPrecedence = 1, kLowest = 0, kPostfix = 1000;

template <typename Float> std::string shortest(Float value) {
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    // a whole number would be read as an integer
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

std::string bits_text(const Expr& e) {
    char buffer[48];
    std::snprintf(buffer, sizeof buffer, "bits(%s, 0x%llx)", name(e.type),
                  static_cast<unsigned long long>(e.bits));
    return buffer;
}

// Digits without a suffix; empty when only the bit pattern says it all.
std::string float_digits(const Expr& e) {
    double value = constant_float_value(std::make_shared<const Expr>(e));
    if (std::isnan(value))
        return e.bits == constant_float(e.type, std::nan(""))->bits ? "nan" : "";
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    if (e.type == ScalarType::F64)
        return shortest(value);
    if (bits(e.type) == 16) // read through f64: far too near the value to round to another
        return shortest(static_cast<float>(value));
    // The reader rounds twice, to f64 and to f32: where that would show, the bit pattern is
    // written.
    auto text = shortest(static_cast<float>(value));
    return static_cast<float>(number_from(text)) == value ? text : "";
}

std::string constant_text(const Expr& e, bool typed) {
    if (is_bool(e.type))
        return e.bits ? "true" : "false";
    if (is_float(e.type)) {
        auto digits = float_digits(e);
        if (digits.empty())
            return bits_text(e);
        return typed || e.type == ScalarType::F32 ? digits : digits + name(e.type);
    }
    auto digits = is_unsigned(e.type) ? std::to_string(e.bits)
                                      : std::to_string(static_cast<std::int64_t>(e.bits));
    return typed || e.type == ScalarType::I32 ? digits : digits + name(e.type);
}

class Printer {
public:
    // Writes `e`, in parentheses where it binds less tightly than `least` asks. `typed`: see
    // expression_text.
    void print(const Expr& e, int least, bool typed) {
        int own = e.kind == ExprKind::Let ? kLetPrecedence : loopscope::precedence(e);
        bool parentheses = own < least;
        typed = typed && is_literal(e); // what contains more than literals has a type of its own
        out += parentheses ? "(" : "";
        bare(e, typed);
        out += parentheses ? ")" : "";
    }

    std::string out;

private:
    void bare(const Expr& e, bool typed) {
        switch (e.kind) {
        case ExprKind::Constant: out += constant_text(e, typed); break;
        case ExprKind::Variable: out += e.name; break;
        case ExprKind::Unary: unary(e); break;
        case ExprKind::Binary: binary(e); break;
        case ExprKind::Select:
            out += "select(";
            print(*e.args[0], kLowest, false);
            out += ", ";
            siblings(e, 1, typed);
            out += ")";
            break;
        case ExprKind::Fma:
            out += "fma(";
            siblings(e, 0, typed);
            out += ")";
            break;
        case ExprKind::Call:
            out += e.name + "(";
            siblings(e, 0, typed);
            out += ")";
            break;
        case ExprKind::Reinterpret:
            out += is_float(e.type) ? "from_bits(" + std::string(name(e.type)) + ", " : "bits(";
            print(*e.args[0], kLowest, false);
            out += ")";
            break;
        case ExprKind::Cast:
            out += std::string(name(e.type)) + "(";
            print(*e.args[0], kLowest, false);
            out += ")";
            break;
        case ExprKind::Let:
            out += "let " + e.name + " = ";
            print(*e.args[0], kLetPrecedence + 1, false);
            out += " in ";
            print(*e.args[1], kLetPrecedence, false);
            break;
        case ExprKind::Load:
        case ExprKind::MaskedLoad: load(e); break;
        case ExprKind::Ramp:
            out += "ramp(";
            siblings(e, 0, typed);
            out += ", " + std::to_string(e.lanes) + ")";
            break;
        case ExprKind::Broadcast:
            out += "broadcast(";
            print(*e.args[0], kLowest, typed);
            out += ", " + std::to_string(e.lanes) + ")";
            break;
        }
    }

    // Arguments of one type from `first` on: literals among them take it from one that is none.
    void siblings(const Expr& e, std::size_t first, bool typed) {
        for (std::size_t i = first; i < e.args.size(); ++i)
            typed = typed || !is_literal(*e.args[i]);
        for (std::size_t i = first; i < e.args.size(); ++i) {
            out += i > first ? ", " : "";
            print(*e.args[i], kLowest, typed);
        }
    }

    void load(const Expr& e) {
        out += e.name;
        if (e.component != 0)
            out += "#" + std::to_string(e.component);
        out += "[";
        bool masked = e.kind == ExprKind::MaskedLoad;
        std::size_t indices = e.args.size() - (masked ? 1 : 0);
        for (std::size_t i = 0; i < indices; ++i) {
            out += i ? ", " : "";
            print(*e.args[i], kLowest, false);
        }
        if (masked) {
            out += indices ? " where " : "where ";
            print(*e.args.back(), kLowest, false);
        }
        out += "]";
    }

    void unary(const Expr& e) {
        const auto& a = *e.args[0];
        bool sign = e.op == Op::Negate || e.op == Op::BitNot;
        out += symbol(e.op);
        if (!sign && e.op != Op::LogicalNot) {
            out += "(";
            print(a, kLowest, false);
            out += ")";
            return;
        }
        out += e.op == Op::LogicalNot ? " " : "";
        // A number right after a minus is read as one negative constant.
        bool apart = sign && (a.kind == ExprKind::Constant || a.kind == ExprKind::Unary);
        print(a, apart ? kPostfix : loopscope::precedence(e), false);
    }

    void binary(const Expr& e) {
        bool typed = !is_literal(*e.args[0]) || !is_literal(*e.args[1]);
        bool comparison = e.op >= Op::Less && e.op <= Op::NotEqual;
        if (e.op == Op::Min || e.op == Op::Max) {
            out += std::string(symbol(e.op)) + "(";
            print(*e.args[0], kLowest, typed);
            out += ", ";
            print(*e.args[1], kLowest, typed);
            out += ")";
            return;
        }
        int own = loopscope::precedence(e);
        bool tight = e.op == Op::Multiply || e.op == Op::Divide || e.op == Op::Modulo;
        print(*e.args[0], comparison ? own + 1 : own, typed);
        out += tight ? "" : " ";
        out += symbol(e.op);
        out += tight ? "" : " ";
        print(*e.args[1], own + 1, typed);
    }
};

} // namespace

bool is_literal(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Constant: return !is_bool(e.type);
    case ExprKind::Broadcast: return is_literal(*e.args[0]);
    case ExprKind::Ramp: return is_literal(*e.args[0]) && is_literal(*e.args[1]);
    default: return false;
    }
}

std::string expression_text(const ExprPtr& e, bool typed_by_context) {
    Printer printer;
    printer.print(*e, kLowest, typed_by_context);
    return printer.out;
}

} // namespace loopscope::lower
