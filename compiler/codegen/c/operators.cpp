// The operators, and what C's own arithmetic needs to be the language's.
#include "compiler/codegen/c/expression.h"
#include "core/ir/half.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <stdexcept>

namespace loopscope::codegen {

namespace {

bool fits_int(const Interval& i) {
    using L = std::numeric_limits<std::int32_t>;
    return i.least >= L::min() && i.greatest <= L::max();
}

// Is a function called, or is it a cast at most?
bool calls(const std::string& text) {
    for (auto at = text.find('('); at != text.npos; at = text.find('(', at + 1))
        if (at > 0 &&
            (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_'))
            return true;
    return false;
}

// Operands of a chain of `and` or `or`, each once and in order.
void operands_of(const ExprPtr& e, Op op, std::vector<ExprPtr>& out) {
    if (e->kind == ExprKind::Binary && e->op == op) {
        operands_of(e->args[0], op, out);
        operands_of(e->args[1], op, out);
    } else if (std::none_of(out.begin(), out.end(),
                            [&](const ExprPtr& known) { return equal(known, e); })) {
        out.push_back(e);
    }
}

} // namespace

CText CExpressions::unary(const Expr& e) {
    const auto& a = e.args[0];
    auto self = std::make_shared<const Expr>(e);
    bool single = e.type == ScalarType::F32;
    switch (e.op) {
    case Op::LogicalNot: return {"!" + put(value(a), Binding::Unary), Binding::Unary};
    case Op::Negate:
        if (is_signed(e.type) && !is_narrow(e.type) && !is_plain(self))
            return call(helpers_.operation("negate", e.type), {a});
        if (is_narrow(e.type)) {
            auto inner = uncut(a);
            auto of = inner.uncut.value_or(*of_value(a));
            auto text = put(inner, Binding::Primary);
            return {"-" + text, Binding::Unary, Interval{-of.greatest, -of.least}};
        } else {
            auto inner = value(a); // "--x" would be another operator
            return {
                "-" + (inner.text[0] == '-' ? "(" + inner.text + ")" : put(inner, Binding::Unary)),
                Binding::Unary};
        }
    case Op::BitNot: {
        CText text{"~" + put(value(a), Binding::Unary), Binding::Unary};
        if (is_narrow(e.type) && is_unsigned(e.type))
            text.uncut = Interval{-1 - greatest(e.type), -1};
        return text;
    }
    case Op::Abs:
        if (is_float(e.type))
            return call(single ? "fabsf" : "fabs", {a});
        return is_signed(e.type) ? call(helpers_.operation("abs", e.type), {a}) : value(a);
    case Op::Sqrt:
        return dialect_.names_rounding ? rounded("sqrt", {a})
                                       : call(single ? "sqrtf" : "sqrt", {a});
    case Op::Floor: return is_float(e.type) ? call(single ? "floorf" : "floor", {a}) : value(a);
    case Op::Ceil: return is_float(e.type) ? call(single ? "ceilf" : "ceil", {a}) : value(a);
    case Op::Round: // half to even, in C's default rounding mode
        return is_float(e.type) ? call(single ? "rintf" : "rint", {a}) : value(a);
    default: throw std::logic_error("not a unary operator");
    }
}

CText CExpressions::binary(const Expr& e) {
    auto type = e.args[0]->type;
    const auto &a = e.args[0], &b = e.args[1];
    switch (e.op) {
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply: return is_narrow(type) ? narrow_binary(e) : arithmetic(e);
    case Op::Divide:
        if (!is_float(type))
            return division(e);
        return dialect_.names_rounding ? rounded("div", {a, b})
                                       : infix(a, "/", b, Binding::Product);
    case Op::Modulo: return division(e);
    case Op::ShiftLeft:
    case Op::ShiftRight: return shift(e);
    case Op::BitAnd: return infix(a, "&", b, Binding::BitAnd);
    case Op::BitXor: return infix(a, "^", b, Binding::BitXor);
    case Op::BitOr: return infix(a, "|", b, Binding::BitOr);
    case Op::LogicalAnd: return logical(e, true);
    case Op::LogicalOr: return logical(e, false);
    case Op::Min:
    case Op::Max:
        if (is_bool(type))
            return logical(e, e.op == Op::Min);
        return call(helpers_.operation(e.op == Op::Min ? "min" : "max", type), {a, b});
    default: return is_bool(type) ? compare_bools(e) : compare(e);
    }
}

CText CExpressions::arithmetic(const Expr& e) {
    const auto &a = e.args[0], &b = e.args[1];
    auto self = std::make_shared<const Expr>(e);
    if (is_signed(e.type) && !is_plain(self)) {
        auto word = e.op == Op::Add ? "add" : e.op == Op::Subtract ? "subtract" : "multiply";
        return call(helpers_.operation(word, e.type), {a, b});
    }
    if (e.op == Op::Multiply && is_float(e.type) && dialect_.names_rounding)
        return rounded("mul", {a, b}); // then no sum can be fused with it either
    if (e.op == Op::Multiply)
        return infix(a, "*", b, Binding::Product);
    return infix(a, e.op == Op::Add ? "+" : "-", b, Binding::Sum);
}

CText CExpressions::rounded(const char* operation, const std::vector<ExprPtr>& args) {
    return call(std::string(args[0]->type == ScalarType::F32 ? "__f" : "__d") + operation + "_rn",
                args);
}

// C computes these as int. Cutting to 8 or 16 bits can wait until the end of a sum, while int holds
// it.
CText CExpressions::narrow_binary(const Expr& e) {
    const auto &a = e.args[0], &b = e.args[1];
    const char* symbol = e.op == Op::Add ? " + " : e.op == Op::Subtract ? " - " : "*";
    auto own = e.op == Op::Multiply ? Binding::Product : Binding::Sum;
    auto combine = [&](const Interval& x, const Interval& y) -> Interval {
        if (e.op == Op::Add)
            return {x.least + y.least, x.greatest + y.greatest};
        if (e.op == Op::Subtract)
            return {x.least - y.greatest, x.greatest - y.least};
        auto products = {x.least * y.least, x.least * y.greatest, x.greatest * y.least,
                         x.greatest * y.greatest};
        return {std::min(products), std::max(products)};
    };
    auto left = uncut(a), right = uncut(b);
    auto in_left = left.uncut.value_or(*of_value(a)), in_right = right.uncut.value_or(*of_value(b));
    auto all = combine(in_left, in_right);
    if (!fits_int(all)) {
        left = cut(left, a->type);
        right = cut(right, b->type);
        all = combine(*of_value(a), *of_value(b));
    }
    if (fits_int(all))
        return {put(left, own, false) + symbol + put(right, own, true), own, all};
    return {std::string("(") + c_type(e.type) + ")((uint32_t)" + put(left, Binding::Unary) +
                symbol + put(right, own, true) + ")",
            Binding::Unary};
}

CText CExpressions::division(const Expr& e) {
    const auto &a = e.args[0], &b = e.args[1];
    bool quotient = e.op == Op::Divide;
    auto dividend = range(a), divisor = range(b);
    std::int64_t by = 0;
    bool positive = divisor && divisor->least > 0;
    if (!positive && constant_value(b, by) && by > 0)
        positive = true;
    bool plain = positive && (is_unsigned(e.type) || (dividend && dividend->least >= 0));
    if (plain)
        return infix(a, quotient ? "/" : "%", b, Binding::Product);
    return call(helpers_.operation(quotient ? "divide" : "modulo", e.type), {a, b});
}

CText CExpressions::shift(const Expr& e) {
    const auto &a = e.args[0], &b = e.args[1];
    bool left = e.op == Op::ShiftLeft;
    std::int64_t by = 0;
    const Expr* amount = b.get();
    while (amount->kind == ExprKind::Broadcast)
        amount = amount->args[0].get();
    bool known = amount->kind == ExprKind::Constant &&
                 constant_value(std::make_shared<const Expr>(*amount), by) && by >= 0 &&
                 by < bits(e.type);
    if (known && (!left || (is_unsigned(e.type) && !is_narrow(e.type))))
        return {put(value(a), Binding::Shift, false) + (left ? " << " : " >> ") +
                    std::to_string(by),
                Binding::Shift};
    return call(helpers_.operation(left ? "shift_left" : "shift_right", e.type), {a, b});
}

// What ranges decide is said outright: compilers warn of comparisons that always hold.
CText CExpressions::compare(const Expr& e) {
    const auto &a = e.args[0], &b = e.args[1];
    if (is_integer(a->type)) {
        auto in_a = range(a), in_b = range(b);
        auto whole = [](ScalarType t) { return Interval{least(t), greatest(t)}; };
        auto x = in_a.value_or(whole(a->type)), y = in_b.value_or(whole(b->type));
        // The greatest u64 is beyond an Interval: nothing is concluded from that end.
        bool open = a->type == ScalarType::U64 && (!in_a || !in_b);
        auto decided = [&](Op op) -> std::optional<bool> {
            switch (op) {
            case Op::Less:
                if (!open && x.greatest < y.least)
                    return true;
                if (x.least >= y.greatest && !(a->type == ScalarType::U64 && !in_b))
                    return false;
                break;
            case Op::LessEqual:
                if (x.greatest <= y.least && !(a->type == ScalarType::U64 && !in_a))
                    return true;
                if (!open && x.least > y.greatest)
                    return false;
                break;
            default: break;
            }
            return std::nullopt;
        };
        std::optional<bool> result;
        if (e.op == Op::Less || e.op == Op::LessEqual) {
            result = decided(e.op);
        } else if (e.op == Op::Greater || e.op == Op::GreaterEqual) {
            result = decided(e.op == Op::Greater ? Op::LessEqual : Op::Less);
            if (result)
                result = !*result;
        } else if (!open && (x.greatest < y.least || y.greatest < x.least)) {
            result = e.op == Op::NotEqual;
        }
        if (result)
            return CText(*result ? "true" : "false");
    }
    bool equality = e.op == Op::Equal || e.op == Op::NotEqual;
    return infix(a, symbol(e.op), b, equality ? Binding::Equality : Binding::Relation);
}

CText CExpressions::compare_bools(const Expr& e) {
    const auto &a = e.args[0], &b = e.args[1];
    auto is_not = [](const ExprPtr& x) { return loopscope::unary(Op::LogicalNot, x); };
    switch (e.op) {
    case Op::Less: return value(loopscope::binary(Op::LogicalAnd, is_not(a), b));
    case Op::LessEqual: return value(loopscope::binary(Op::LogicalOr, is_not(a), b));
    case Op::Greater: return value(loopscope::binary(Op::LogicalAnd, a, is_not(b)));
    case Op::GreaterEqual: return value(loopscope::binary(Op::LogicalOr, a, is_not(b)));
    // Compilers take `!a == b` for a mistake.
    default:
        return {put(value(a), Binding::Primary) + (e.op == Op::Equal ? " == " : " != ") +
                    put(value(b), Binding::Primary),
                Binding::Equality};
    }
}

CText CExpressions::logical(const Expr& e, bool all) {
    std::vector<ExprPtr> operands;
    for (const auto& a : e.args)
        operands_of(a, e.op, operands);
    if (operands.size() == 1)
        return value(operands[0]);
    bool bits = branch_free();
    auto own = bits ? (all ? Binding::BitAnd : Binding::BitOr) : all ? Binding::And : Binding::Or;
    std::string symbol = bits ? (all ? " & " : " | ") : all ? " && " : " || ", text;
    for (const auto& operand : operands) {
        auto one = value(operand);
        // Compilers take an unskipped call for an oversight, and `!a & b` too.
        if (bits && calls(one.text))
            one = named(operand);
        auto said = put(one, own, true);
        if (bits && said[0] == '!')
            said = "(" + said + ")";
        text += (text.empty() ? "" : symbol) + said;
    }
    return {text, own};
}

// What chooses, before `?` or `&&`: there compilers want parentheses around `&` and `|`.
std::string CExpressions::condition(const ExprPtr& e, Binding least) {
    auto text = value(e);
    bool bits = text.binding >= Binding::BitOr && text.binding <= Binding::BitAnd;
    return put(text, bits ? Binding::Primary : least);
}

CText CExpressions::select(const Expr& e) {
    auto condition = this->condition(e.args[0], Binding::Or);
    auto arm = [&](const ExprPtr& a, Binding least) {
        auto text = value(a);
        bool loads = text.text.find('[') != std::string::npos;
        return put(loads && branch_free() ? named(a) : text, least);
    };
    auto yes = arm(e.args[1], Binding::Or), no = arm(e.args[2], Binding::Conditional);
    return {condition + " ? " + yes + " : " + no, Binding::Conditional};
}

CText CExpressions::cast(const Expr& e) {
    const auto& a = e.args[0];
    auto from = a->type, to = e.type;
    if (from == to)
        return value(a);
    if (is_half(to))
        return call(helpers_.half(to, is_half(from) ? ScalarType::F32 : from),
                    {is_half(from) ? loopscope::cast(ScalarType::F32, a) : a});
    if (is_half(from)) {
        CText single = call(helpers_.half(ScalarType::F32, from), {a});
        if (to == ScalarType::F32)
            return single;
        return cast(*loopscope::cast(to, loopscope::cast(ScalarType::F32, a)));
    }
    if (is_bool(to)) {
        auto zero = from == ScalarType::F32 ? "0.0f" : from == ScalarType::F64 ? "0.0" : "0";
        return {put(value(a), Binding::Equality, false) + " != " + zero, Binding::Equality};
    }
    if (is_float(from) && !is_float(to))
        return call(helpers_.from_float(to, from), {a});
    // C has made an int of it already
    if (to == ScalarType::I32 && is_narrow(from))
        return value(a);
    // To no more bits, cutting twice is cutting once.
    bool narrower = is_narrow(to) && is_narrow(from) && bits(to) <= bits(from);
    auto inner = narrower ? uncut(a) : value(a);
    // the same int in C
    if (is_narrow(to) && is_narrow(from) && !inner.uncut && within(*of_value(a), to))
        return inner;
    return {std::string("(") + c_type(to) + ")" + put(inner, Binding::Unary), Binding::Unary};
}

CText CExpressions::let(const Expr& e) {
    auto bound = value(e.args[0]);
    auto name = names_.unique(e.name);
    declared_.push_back(name);
    declarations_.push_back(std::string("const ") + c_type(e.args[0]->type) + " " + name + " = " +
                            bound.text + ";");
    auto hidden =
        variables.find(e.name) == variables.end() ? std::nullopt : std::optional(variables[e.name]);
    variables[e.name] = {name, is_integer(e.args[0]->type) ? range(e.args[0]) : std::nullopt,
                         nullptr, false};
    frames_.push_back({e.name, {}});
    auto body = value(e.args[1]);
    frames_.pop_back();
    if (hidden)
        variables[e.name] = *hidden;
    else
        variables.erase(e.name);
    return body;
}

CText CExpressions::reinterpret(const Expr& e) {
    auto from = e.args[0]->type;
    if (is_float(from))
        return call(helpers_.float_bits(from), e.args);
    return is_half(e.type) ? value(e.args[0]) : call(helpers_.from_bits(e.type), e.args);
}

} // namespace loopscope::codegen
