#include "compiler/codegen/c/expression.h"

#include "compiler/codegen/c/constant_text.h"
#include "core/ir/half.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace loopscope::codegen {

namespace {

constexpr std::size_t kRepeatedLength = 28; // texts that are longer get a name if they are needed twice
constexpr std::size_t kRepeatedLoadLength = 60;

bool is_narrow(ScalarType t) { return is_integer(t) && bits(t) <= 16; }
bool is_half(ScalarType t) { return t == ScalarType::F16 || t == ScalarType::BF16; }

bool mentions(const Expr& e, const std::string& name) {
    bool found = false;
    auto look = [&](const Expr& x) {
        found = found || (x.kind == ExprKind::Variable && x.name == name);
        return !found;
    };
    if (look(e))
        for (const auto& a : e.args)
            visit(a, look);
    return found;
}

bool fits_int(const Interval& i) {
    using L = std::numeric_limits<std::int32_t>;
    return i.least >= L::min() && i.greatest <= L::max();
}
bool within(const Interval& i, ScalarType t) {
    return i.least >= least(t) && i.greatest <= greatest(t);
}

} // namespace

// What is said together ------------------------------------------------------------------------------------------

void CExpressions::begin(const std::vector<ExprPtr>& together) {
    frames_.assign(1, {});
    uses_.clear();
    for (const auto& e : together)
        if (e)
            count(*e);
}

void CExpressions::count(const Expr& e) {
    if (uses_[e.hash]++ == 0)
        for (const auto& a : e.args)
            count(*a);
}

// An outer text serves inside a let's body too, if it does not speak of what the let binds.
const CText* CExpressions::known(const Expr& e) const {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
        if (auto found = frame->texts.find(e.hash); found != frame->texts.end())
            return &found->second;
        if (!frame->let.empty() && mentions(e, frame->let))
            return nullptr;
    }
    return nullptr;
}

CText CExpressions::value(const ExprPtr& e) { return cut(computed(e), e->type); }

CText CExpressions::computed(const ExprPtr& e) {
    if (const auto* text = known(*e))
        return *text;
    auto text = e->kind == ExprKind::Ramp ? ramp(e) : fresh(*e);
    auto used = uses_.find(e->hash);
    bool shared = used != uses_.end() && used->second > 1;
    bool loads = e->kind == ExprKind::Load || e->kind == ExprKind::MaskedLoad;
    if (!shared || e->kind == ExprKind::Broadcast || e->kind == ExprKind::Ramp ||
        text.text.size() <= (loads ? kRepeatedLoadLength : kRepeatedLength))
        return text;
    auto name = names_.unique("t");
    declared_.push_back(name);
    declarations_.push_back(std::string("const ") + c_type(e->type) + " " + name + " = " +
                            cut(text, e->type).text + ";");
    frames_.back().texts.insert_or_assign(e->hash, CText(name));
    return name;
}

CText CExpressions::cut(CText text, ScalarType type) {
    if (!text.uncut || within(*text.uncut, type)) {
        text.uncut.reset();
        return text;
    }
    return {std::string("(") + c_type(type) + ")" + put(text, Binding::Unary), Binding::Unary};
}

std::string CExpressions::put(const CText& text, Binding least) {
    return text.binding < least ? "(" + text.text + ")" : text.text;
}

// An operand of an operator that binds as `own`. Where people err, compilers want parentheses that C does not.
std::string CExpressions::put(const CText& text, Binding own, bool right) {
    bool delicate = own == Binding::Shift || own == Binding::BitAnd || own == Binding::BitXor ||
                    own == Binding::BitOr;
    bool comparison = own == Binding::Relation || own == Binding::Equality;
    bool parentheses = text.binding < own || (right && text.binding == own) ||
                       (delicate && text.binding != own && text.binding < Binding::Unary) ||
                       (comparison && text.binding <= Binding::Relation) ||
                       (own == Binding::Or && text.binding == Binding::And);
    return parentheses ? "(" + text.text + ")" : text.text;
}

std::string CExpressions::operand(const ExprPtr& e, Binding least) { return put(value(e), least); }

CText CExpressions::infix(const ExprPtr& a, const char* symbol, const ExprPtr& b, Binding own) {
    auto left = put(value(a), own, false);
    auto right = put(value(b), own, true);
    bool loads = left.find('[') != std::string::npos || right.find('[') != std::string::npos;
    std::string space = own == Binding::Product && !loads ? "" : " "; // index arithmetic is set close
    return {left + space + symbol + space + right, own};
}

CText CExpressions::call(const std::string& function, const std::vector<ExprPtr>& args) {
    std::string text = function + "(";
    for (std::size_t i = 0; i < args.size(); ++i)
        text += (i ? ", " : "") + value(args[i]).text;
    return text + ")";
}

// Ranges ----------------------------------------------------------------------------------------------------------

std::optional<Interval> CExpressions::range(const ExprPtr& e) const {
    if (is_float(e->type))
        return std::nullopt;
    auto result = range_of(e, [&](const std::string& name) -> std::optional<Interval> {
        auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : found->second.range;
    });
    if (result && result->empty()) // of code that never runs: nothing is concluded
        result.reset();
    return result;
}

bool CExpressions::is_plain(const ExprPtr& e) const { return range(e).has_value(); }

std::optional<Interval> CExpressions::of_value(const ExprPtr& e) const {
    auto known = range(e);
    return known ? known : Interval{least(e->type), greatest(e->type)};
}

// Kinds -----------------------------------------------------------------------------------------------------------

CText CExpressions::fresh(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Constant: return {constant_text(e), constant_text(e)[0] == '-' ? Binding::Unary : Binding::Primary};
    case ExprKind::Variable: {
        const auto& variable = variables.at(e.name);
        if (variable.instead)
            return value(variable.instead);
        return variable.in_lanes ? variable.text + "[" + lane + "]" : variable.text;
    }
    case ExprKind::Unary: return unary(e);
    case ExprKind::Binary: return binary(e);
    case ExprKind::Select: return select(e);
    case ExprKind::Cast: return cast(e);
    case ExprKind::Let: return let(e);
    case ExprKind::Load:
    case ExprKind::MaskedLoad: return load(e);
    case ExprKind::Fma: return call(e.type == ScalarType::F32 ? "fmaf" : "fma", e.args);
    case ExprKind::Call:
        if (std::find(called.begin(), called.end(), std::pair(e.name, e.type)) == called.end())
            called.emplace_back(e.name, e.type);
        return call(e.name + "_" + name(e.type), e.args);
    case ExprKind::Reinterpret: return reinterpret(e);
    case ExprKind::Broadcast: return computed(e.args[0]);
    case ExprKind::Ramp: break;
    }
    throw std::logic_error("unknown kind of expression");
}

CText CExpressions::ramp(const ExprPtr& e) {
    std::int64_t stride = 0, base = 0;
    bool constant = constant_value(e->args[1], stride), from_zero = constant_value(e->args[0], base) && base == 0;
    auto step = constant && stride == 1
                    ? CText(lane)
                    : CText(lane + "*" + put(value(e->args[1]), Binding::Product, true), Binding::Product);
    bool plain = is_signed(e->type) && !is_narrow(e->type) && is_plain(e);
    if (plain && from_zero)
        return step;
    auto first = value(e->args[0]);
    CText sum{put(first, Binding::Sum, false) + " + " + put(step, Binding::Sum, true), Binding::Sum};
    if (plain)
        return sum;
    // Computed without a sign, where it wraps as the language says.
    auto wide = std::string("(") + (bits(e->type) == 64 ? "uint64_t" : "uint32_t") + ")";
    auto factor = wide + put(value(e->args[1]), Binding::Unary);
    return {std::string("(") + c_type(e->type) + ")(" + wide + put(first, Binding::Unary) + " + " + wide + lane +
                "*" + factor + ")",
            Binding::Unary};
}

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
            return {"-" + (inner.text[0] == '-' ? "(" + inner.text + ")" : put(inner, Binding::Unary)),
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
    case Op::Sqrt: return call(single ? "sqrtf" : "sqrt", {a});
    case Op::Floor: return is_float(e.type) ? call(single ? "floorf" : "floor", {a}) : value(a);
    case Op::Ceil: return is_float(e.type) ? call(single ? "ceilf" : "ceil", {a}) : value(a);
    case Op::Round: // half to even, in C's default rounding mode
        return is_float(e.type) ? call(single ? "rintf" : "rint", {a}) : value(a);
    default: throw std::logic_error("not a unary operator");
    }
}

CText CExpressions::uncut(const ExprPtr& e) { return computed(e); }

CText CExpressions::binary(const Expr& e) {
    auto type = e.args[0]->type;
    const auto &a = e.args[0], &b = e.args[1];
    switch (e.op) {
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply: return is_narrow(type) ? narrow_binary(e) : arithmetic(e);
    case Op::Divide: return is_float(type) ? infix(a, "/", b, Binding::Product) : division(e);
    case Op::Modulo: return division(e);
    case Op::ShiftLeft:
    case Op::ShiftRight: return shift(e);
    case Op::BitAnd: return infix(a, "&", b, Binding::BitAnd);
    case Op::BitXor: return infix(a, "^", b, Binding::BitXor);
    case Op::BitOr: return infix(a, "|", b, Binding::BitOr);
    case Op::LogicalAnd: return infix(a, "&&", b, Binding::And);
    case Op::LogicalOr: return infix(a, "||", b, Binding::Or);
    case Op::Min:
    case Op::Max:
        if (is_bool(type))
            return e.op == Op::Min ? infix(a, "&&", b, Binding::And) : infix(a, "||", b, Binding::Or);
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
    if (e.op == Op::Multiply)
        return infix(a, "*", b, Binding::Product);
    return infix(a, e.op == Op::Add ? "+" : "-", b, Binding::Sum);
}

// C computes these as int. Cutting to 8 or 16 bits can wait until the end of a sum, while int holds it.
CText CExpressions::narrow_binary(const Expr& e) {
    const auto &a = e.args[0], &b = e.args[1];
    const char* symbol = e.op == Op::Add ? " + " : e.op == Op::Subtract ? " - " : "*";
    auto own = e.op == Op::Multiply ? Binding::Product : Binding::Sum;
    auto combine = [&](const Interval& x, const Interval& y) -> Interval {
        if (e.op == Op::Add)
            return {x.least + y.least, x.greatest + y.greatest};
        if (e.op == Op::Subtract)
            return {x.least - y.greatest, x.greatest - y.least};
        auto products = {x.least * y.least, x.least * y.greatest, x.greatest * y.least, x.greatest * y.greatest};
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
    return {std::string("(") + c_type(e.type) + ")((uint32_t)" + put(left, Binding::Unary) + symbol +
                put(right, own, true) + ")",
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
    bool known = amount->kind == ExprKind::Constant && constant_value(std::make_shared<const Expr>(*amount), by) &&
                 by >= 0 && by < bits(e.type);
    if (known && (!left || (is_unsigned(e.type) && !is_narrow(e.type))))
        return {put(value(a), Binding::Shift, false) + (left ? " << " : " >> ") + std::to_string(by), Binding::Shift};
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
                if (!open && x.greatest < y.least) return true;
                if (x.least >= y.greatest && !(a->type == ScalarType::U64 && !in_b)) return false;
                break;
            case Op::LessEqual:
                if (x.greatest <= y.least && !(a->type == ScalarType::U64 && !in_a)) return true;
                if (!open && x.least > y.greatest) return false;
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
    case Op::Less: return infix(is_not(a), "&&", b, Binding::And);
    case Op::LessEqual: return infix(is_not(a), "||", b, Binding::Or);
    case Op::Greater: return infix(a, "&&", is_not(b), Binding::And);
    case Op::GreaterEqual: return infix(a, "||", is_not(b), Binding::Or);
    // Compilers take `!a == b` for a mistake.
    default:
        return {put(value(a), Binding::Primary) + (e.op == Op::Equal ? " == " : " != ") +
                    put(value(b), Binding::Primary),
                Binding::Equality};
    }
}

CText CExpressions::select(const Expr& e) {
    auto condition = put(value(e.args[0]), Binding::Or);
    auto yes = put(value(e.args[1]), Binding::Or);
    auto no = put(value(e.args[2]), Binding::Conditional);
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
    if (to == ScalarType::I32 && is_narrow(from))
        return value(a); // C has made an int of it already
    // To no more bits, cutting twice is cutting once.
    bool narrower = is_narrow(to) && is_narrow(from) && bits(to) <= bits(from);
    auto inner = narrower ? uncut(a) : value(a);
    if (is_narrow(to) && is_narrow(from) && !inner.uncut && within(*of_value(a), to))
        return inner; // the same int in C
    return {std::string("(") + c_type(to) + ")" + put(inner, Binding::Unary), Binding::Unary};
}

CText CExpressions::let(const Expr& e) {
    auto bound = value(e.args[0]);
    auto name = names_.unique(e.name);
    declared_.push_back(name);
    declarations_.push_back(std::string("const ") + c_type(e.args[0]->type) + " " + name + " = " +
                            bound.text + ";");
    auto hidden = variables.find(e.name) == variables.end() ? std::nullopt : std::optional(variables[e.name]);
    variables[e.name] = {name, is_integer(e.args[0]->type) ? range(e.args[0]) : std::nullopt, nullptr, false};
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

// Memory ----------------------------------------------------------------------------------------------------------

CText CExpressions::load(const Expr& e) {
    bool masked = e.kind == ExprKind::MaskedLoad;
    std::vector<ExprPtr> indices(e.args.begin(), e.args.end() - (masked ? 1 : 0));
    CText element{this->element(e.name, indices)};
    if (is_bool(e.type))
        element = {element.text + " != 0", Binding::Equality};
    if (!masked || (mask && (e.args.back() == mask || equal(e.args.back(), mask))))
        return element;
    auto condition = value(e.args.back());
    if (is_bool(e.type))
        return {put(condition, Binding::And, false) + " && " + put(element, Binding::And, true), Binding::And};
    auto zero = e.type == ScalarType::F32 ? "0.0f" : e.type == ScalarType::F64 ? "0.0" : "0";
    return {put(condition, Binding::Or) + " ? " + element.text + " : " + zero, Binding::Conditional};
}

std::string CExpressions::element(const std::string& name, const std::vector<ExprPtr>& indices) {
    const auto& buffer = buffers.at(name);
    return buffer.name + "[" + index(buffer, indices) + "]";
}

// May the terms of an int32_t be added one by one to an index of a buffer that int32_t can count? Each sum on the way is
// far from the ends of the type.
bool CExpressions::is_small_sum(const ExprPtr& e) const {
    constexpr std::int64_t kSmall = std::int64_t{1} << 29;
    auto in = range(e);
    if (e->type != ScalarType::I32 || !in || in->least < -kSmall || in->greatest > kSmall)
        return false;
    bool sum = e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract);
    if (e->kind == ExprKind::Variable)
        if (auto found = variables.find(e->name); found != variables.end() && found->second.instead)
            return is_small_sum(found->second.instead);
    return sum || e->kind == ExprKind::Ramp || e->kind == ExprKind::Broadcast ? is_small_sum(e->args[0]) : true;
}

// Row-major, by Horner's rule: every step stays inside the buffer, so int32_t holds it where it can count the elements.
std::string CExpressions::index(const CBuffer& buffer, const std::vector<ExprPtr>& indices) {
    CText sum{"0"};
    bool zero = true;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const auto& i = indices[d];
        auto one = value(i);
        bool convert = (buffer.wide && indices.size() > 1) || i->type == ScalarType::U32 || i->type == ScalarType::U64;
        std::int64_t constant = 0;
        bool skip = !convert && constant_value(i, constant) && constant == 0;
        if (convert)
            one = {"(int64_t)" + put(one, Binding::Unary), Binding::Unary};
        if (!zero && !buffer.flat) {
            const auto& extent = buffer.extents[d];
            if (!(extent.is_constant() && extent.constant() == 1)) {
                auto factor = this->extent(extent);
                bool sum_of_symbols = !extent.is_constant();
                sum = {put(sum, Binding::Product, false) + "*" + (sum_of_symbols ? "(" + factor + ")" : factor),
                       Binding::Product};
            }
        }
        if (skip)
            continue;
        bool apart = !convert && one.binding == Binding::Sum && is_small_sum(i) && !buffer.wide;
        sum = zero ? one
                   : CText(put(sum, Binding::Sum, false) + " + " + put(one, Binding::Sum, !apart), Binding::Sum);
        zero = false;
    }
    return sum.text;
}

std::string CExpressions::extent(const Extent& extent) {
    std::string text;
    for (const auto& [symbol, coefficient] : extent.terms()) {
        const auto& name = variables.at(symbol).text;
        text += (text.empty() ? "" : " + ") + (coefficient == 1 ? name : std::to_string(coefficient) + "*" + name);
    }
    if (text.empty())
        return std::to_string(extent.constant());
    return extent.constant() ? text + " + " + std::to_string(extent.constant()) : text;
}

} // namespace loopscope::codegen
