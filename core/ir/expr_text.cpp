// The text of expressions, in the pipeline language's syntax.
#include "core/ir/expr_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace loopscope {

namespace {

// A shared graph can stand for a text of exponential length; a message needs no more than this.
constexpr std::size_t kTextLimit = 4'000'000;

// Tightest greatest; the order of languages.md, "Operators".
enum Precedence : int {
    kLet = 1,
    kOr,
    kAnd,
    kNot,
    kComparison,
    kBitOr,
    kBitXor,
    kBitAnd,
    kShift,
    kAdditive,
    kMultiplicative,
    kUnary,
    kPower,
    kPostfix,
};

int precedence(Op op) {
    switch (op) {
    case Op::Negate:
    case Op::BitNot: return kUnary;
    case Op::LogicalNot: return kNot;
    case Op::Add:
    case Op::Subtract: return kAdditive;
    case Op::Multiply:
    case Op::Divide:
    case Op::Modulo: return kMultiplicative;
    case Op::ShiftLeft:
    case Op::ShiftRight: return kShift;
    case Op::BitAnd: return kBitAnd;
    case Op::BitXor: return kBitXor;
    case Op::BitOr: return kBitOr;
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::Equal:
    case Op::NotEqual: return kComparison;
    case Op::LogicalAnd: return kAnd;
    case Op::LogicalOr: return kOr;
    default: return kPostfix; // written as a call
    }
}

bool is_negative_constant(const Expr& e) {
    if (is_float(e.type)) {
        auto sign = 1ull << (bits(e.type) - 1);
        double value = constant_float_value(std::make_shared<const Expr>(e));
        return (e.bits & sign) && !std::isnan(value);
    }
    return is_signed(e.type) && static_cast<std::int64_t>(e.bits) < 0;
}

template <typename Float> std::string shortest(Float value) {
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    std::string text(buffer, end);
    // stays a decimal constant
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return text;
}

// The shortest decimal that rounds to this 16-bit value, as a double. Small whole numbers stay what
// they are: 65504 and not the 65500 that would do.
double shortest_decimal(double value, ScalarType type) {
    if (std::abs(value) < 1e6 && value == std::floor(value))
        return value;
    for (int digits = 0;; ++digits) {
        char buffer[64];
        auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::scientific, digits)
                       .ptr;
        double near = 0;
        std::from_chars(buffer, end, near);
        if (constant_float_value(constant_float(type, near)) == value)
            return near;
    }
}

std::string float_text(const Expr& e, bool suffix) {
    double value = constant_float_value(std::make_shared<const Expr>(e));
    std::string text = std::isnan(value)           ? "nan"
                       : std::isinf(value)         ? (value < 0 ? "-inf" : "inf")
                       : e.type == ScalarType::F32 ? shortest(static_cast<float>(value))
                       : e.type == ScalarType::F64 ? shortest(value)
                                                   : shortest(shortest_decimal(value, e.type));
    if (e.type == ScalarType::F32 && !suffix)
        return text;
    return std::isfinite(value) ? text + name(e.type)
                                : std::string(name(e.type)) + "(" + text + ")";
}

// With `suffix` also an i32 or f32 says its type.
std::string constant_text(const Expr& e, bool suffix) {
    if (is_bool(e.type))
        return e.bits ? "true" : "false";
    if (is_float(e.type))
        return float_text(e, suffix);
    auto digits = is_signed(e.type) ? std::to_string(static_cast<std::int64_t>(e.bits))
                                    : std::to_string(e.bits);
    // a bare whole number is an i32
    return e.type == ScalarType::I32 && !suffix ? digits : digits + name(e.type);
}

class Printer {
public:
    using IsTuple = std::function<bool(const std::string&)>;
    Printer(std::string& out, bool exact, const IsTuple& is_tuple)
        : out_(out), exact_(exact), is_tuple_(is_tuple) {}

    // Writes `e`, in parentheses where it binds less tightly than `least` asks.
    // `alone`: a constant there has no typed neighbour whose type it would take.
    void print(const Expr& e, int least, bool alone = false) {
        if (out_.size() > kTextLimit)
            return;
        suffix_ = exact_ && alone;
        bool parentheses = loopscope::precedence(e) < least;
        if (parentheses)
            out_ += '(';
        bare(e);
        if (parentheses)
            out_ += ')';
    }

private:
    void bare(const Expr& e) {
        switch (e.kind) {
        case ExprKind::Constant: out_ += constant_text(e, suffix_); break;
        case ExprKind::Variable: out_ += e.name; break;
        case ExprKind::Unary: unary(e); break;
        case ExprKind::Binary: binary(e); break;
        case ExprKind::Select: list("select(", e, ")"); break;
        case ExprKind::Cast: list(std::string(name(e.type)) + "(", e, ")", true); break;
        case ExprKind::Let: let(e); break;
        case ExprKind::Load:
            list(e.name + "[", e, "]");
            if (e.component != 0 || (is_tuple_ && is_tuple_(e.name)))
                out_ += "." + std::to_string(e.component);
            break;
        case ExprKind::MaskedLoad: masked_load(e); break;
        case ExprKind::Fma: list("fma(", e, ")", all_constant(e)); break;
        case ExprKind::Call: list(e.name + "(", e, ")", all_constant(e)); break;
        case ExprKind::Reinterpret:
            list(is_float(e.type) ? "from_bits(" + std::string(name(e.type)) + ", " : "bits(", e,
                 ")", true);
            break;
        case ExprKind::Ramp: list("ramp(", e, ", " + std::to_string(e.lanes) + ")"); break;
        case ExprKind::Broadcast:
            list("broadcast(", e, ", " + std::to_string(e.lanes) + ")");
            break;
        }
    }

    static bool all_constant(const Expr& e) {
        return std::all_of(e.args.begin(), e.args.end(), is_constant);
    }

    void list(const std::string& before, const Expr& e, const std::string& after,
              bool alone = false) {
        out_ += before;
        for (std::size_t i = 0; i < e.args.size(); ++i) {
            if (i)
                out_ += ", ";
            print(*e.args[i], 0, alone);
        }
        out_ += after;
    }

    void masked_load(const Expr& e) {
        Expr load = e;
        load.args.pop_back();
        list(e.name + "[", load, "]");
        out_ += " if (";
        print(*e.args.back(), 0);
        out_ += ")";
    }

    void unary(const Expr& e) {
        switch (e.op) {
        case Op::Negate:
        case Op::BitNot:
            out_ += symbol(e.op);
            // A number after a minus would be read as one negative constant, and "--" is hard to
            // read.
            if (e.args[0]->kind == ExprKind::Constant ||
                (e.args[0]->kind == ExprKind::Unary && e.args[0]->op == e.op))
                print(*e.args[0], kPostfix + 1, true);
            else
                print(*e.args[0], kUnary);
            break;
        case Op::LogicalNot:
            out_ += "not ";
            print(*e.args[0], kNot);
            break;
        default: list(std::string(symbol(e.op)) + "(", e, ")", true);
        }
    }

    void binary(const Expr& e) {
        bool alone = is_constant(e.args[0]) && is_constant(e.args[1]);
        if (e.op == Op::Min || e.op == Op::Max)
            return list(std::string(symbol(e.op)) + "(", e, ")", alone);
        int own = precedence(e.op);
        // Left-associative; comparisons do not chain on either side.
        print(*e.args[0], own == kComparison ? own + 1 : own, alone);
        bool tight = own == kMultiplicative;
        out_ += tight ? "" : " ";
        out_ += symbol(e.op);
        out_ += tight ? "" : " ";
        print(*e.args[1], own + 1, alone);
    }

    void let(const Expr& e) {
        out_ += "let " + e.name + " = ";
        print(*e.args[0], kOr, true);
        out_ += " in ";
        print(*e.args[1], kLet);
    }

    std::string& out_;
    bool exact_;
    const IsTuple& is_tuple_;
    bool suffix_ = false; // of the constant that is printed next
};

} // namespace

const char* symbol(Op op) {
    switch (op) {
    case Op::None: return "";
    case Op::Negate: return "-";
    case Op::BitNot: return "~";
    case Op::LogicalNot: return "not";
    case Op::Abs: return "abs";
    case Op::Sqrt: return "sqrt";
    case Op::Floor: return "floor";
    case Op::Ceil: return "ceil";
    case Op::Round: return "round";
    case Op::Add: return "+";
    case Op::Subtract: return "-";
    case Op::Multiply: return "*";
    case Op::Divide: return "/";
    case Op::Modulo: return "%";
    case Op::ShiftLeft: return "<<";
    case Op::ShiftRight: return ">>";
    case Op::BitAnd: return "&";
    case Op::BitXor: return "^";
    case Op::BitOr: return "|";
    case Op::Min: return "min";
    case Op::Max: return "max";
    case Op::Less: return "<";
    case Op::LessEqual: return "<=";
    case Op::Greater: return ">";
    case Op::GreaterEqual: return ">=";
    case Op::Equal: return "==";
    case Op::NotEqual: return "!=";
    case Op::LogicalAnd: return "and";
    case Op::LogicalOr: return "or";
    }
    return "";
}

int precedence(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Unary:
    case ExprKind::Binary: return precedence(e.op);
    case ExprKind::Constant: return is_negative_constant(e) ? kUnary : kPostfix;
    case ExprKind::Let: return kLet;
    default: return kPostfix;
    }
}

namespace {

std::string text_of(const ExprPtr& e, bool exact, const Printer::IsTuple& is_tuple = {}) {
    std::string out;
    Printer(out, exact, is_tuple).print(*e, 0);
    if (out.size() > kTextLimit)
        out += "…";
    return out;
}

} // namespace

std::string to_text(const ExprPtr& e) { return text_of(e, false); }

std::string to_exact_text(const ExprPtr& e) { return text_of(e, true); }

std::string to_exact_text(const ExprPtr& e,
                          const std::function<bool(const std::string&)>& is_tuple) {
    return text_of(e, true, is_tuple);
}

} // namespace loopscope
