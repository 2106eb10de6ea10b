#include "compiler/codegen/foreign/expression.h"

#include "core/ir/half.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

bool is_leaf(const Expr& e) { return e.kind == ExprKind::Constant || e.kind == ExprKind::Variable; }

// Worth a name where it stands twice: more than a load of plain indices, or one operation on those.
bool is_large(const Expr& e) {
    std::size_t nodes = 0;
    for (const auto& arg : e.args)
        nodes += is_leaf(*arg) ? 0 : 1 + arg->args.size();
    return nodes > 1 && e.kind != ExprKind::Load && e.kind != ExprKind::Let;
}

bool is_zero(const ExprPtr& e) {
    return e->kind == ExprKind::Constant && is_float(e->type) && constant_float_value(e) == 0;
}

// Is its text one that the host language evaluates itself: of plain numbers alone?
bool is_number(const Expr& e) {
    return e.kind == ExprKind::Constant ||
           ((e.kind == ExprKind::Unary || e.kind == ExprKind::Binary || e.kind == ExprKind::Cast) &&
            std::all_of(e.args.begin(), e.args.end(),
                        [](const ExprPtr& arg) { return is_number(*arg); }));
}

} // namespace

std::string comma_joined(const std::vector<std::string>& texts) {
    std::string out;
    for (const auto& text : texts)
        out += (out.empty() ? "" : ", ") + text;
    return out;
}

void ForeignExpressions::begin(const std::vector<ExprPtr>& together) {
    uses_.clear();
    named_.clear();
    for (const auto& e : together)
        if (e)
            count(e);
}

void ForeignExpressions::count(const ExprPtr& e) {
    if (is_leaf(*e) || ++uses_[e->hash] > 1)
        return;
    for (const auto& arg : e->args)
        count(arg);
}

std::string ForeignExpressions::text(const ExprPtr& e) { return argument(e); }

void ForeignExpressions::introduce(const std::string& variable, const ExprPtr& value) {
    auto range = is_integer(value->type) ? exact_range(value) : std::nullopt;
    if (range)
        ranges[variable] = *range;
    variables[variable] = variable;
}

std::string ForeignExpressions::argument(const ExprPtr& e, bool in_index) {
    return e->kind == ExprKind::Constant ? dialect_.literal(*e, in_index) : value(e, in_index).text;
}

std::string ForeignExpressions::index(const ExprPtr& e, const Interval* box) {
    auto text = e->type == ScalarType::I32
                    ? argument(e, true)
                    : dialect_.convert(ScalarType::I32, e->type, argument(e, true));
    return box && !box->empty() && from_data(e) ? dialect_.clamped(text, box->least, box->greatest)
                                                : text;
}

bool ForeignExpressions::from_data(const ExprPtr& e) const {
    bool found = false;
    visit(e, [&](const Expr& node) {
        if (node.kind == ExprKind::Load)
            found = true;
        if (node.kind == ExprKind::Variable)
            if (auto known = let_from_data_.find(node.name); known != let_from_data_.end())
                found = found || known->second;
        return !found;
    });
    return found;
}

// Can a simplifier that takes floats for real numbers find a 0 in the float's place? It decides
// conditions, those of boundaries too, and computes casts of whole numbers.
bool ForeignExpressions::may_turn_out_zero(const ExprPtr& e) const {
    switch (e->kind) {
    case ExprKind::Constant: return is_zero(e);
    case ExprKind::Cast: return !is_float(e->args[0]->type) || may_turn_out_zero(e->args[0]);
    case ExprKind::Load: return !box_of || !box_of(e->name);
    case ExprKind::Select:
    case ExprKind::Let:
    case ExprKind::Variable: return true;
    default: return false;
    }
}

// Indices wrap as all integers do, below a `%` or a clamp; what stays inside is plain, which the
// other language understands.
bool ForeignExpressions::may_wrap(const ExprPtr& e) const {
    return dialect_.may_not_wrap(e->type) && !stays_inside(e);
}

bool ForeignExpressions::stays_inside(const ExprPtr& e) const { return exact_range(e).has_value(); }

bool ForeignExpressions::converts_exactly(ScalarType to, const ExprPtr& e) const {
    int digits = bits(to) - (is_signed(to) ? 1 : 0),
        own = bits(e->type) - (is_signed(e->type) ? 1 : 0);
    if (own <= digits && (is_signed(to) || is_unsigned(e->type)))
        return true;
    auto range = exact_range(e);
    return range && (is_signed(to) || range->least >= 0) &&
           (digits >= 62 || (range->greatest < std::int64_t{1} << digits &&
                             range->least >= -(std::int64_t{1} << digits)));
}

std::optional<Interval> ForeignExpressions::exact_range(const ExprPtr& e) const {
    auto of_variable = [&](const std::string& name) -> std::optional<Interval> {
        auto known = ranges.find(name);
        return known == ranges.end() ? std::nullopt : std::optional(known->second);
    };
    auto of_load = [&](const std::string& stage, int component) -> std::optional<Interval> {
        return values ? values->of(stage, component) : std::nullopt;
    };
    return range_of(e, of_variable, of_load);
}

ForeignExpressions::Text ForeignExpressions::value(const ExprPtr& e, bool in_index) {
    if (auto known = named_.find(e->hash); known != named_.end())
        return {known->second};
    auto text = fresh(e, in_index);
    if (auto uses = uses_.find(e->hash); uses != uses_.end() && uses->second > 1 && is_large(*e)) {
        auto name = dialect_.unique_name("t");
        declarations_.push_back(dialect_.declaration(name, text.text));
        named_[e->hash] = name;
        return {name};
    }
    return text;
}

std::string ForeignExpressions::operand(const ExprPtr& e, Binding least, bool beside,
                                        bool in_index) {
    if (e->kind == ExprKind::Constant) {
        auto text = dialect_.literal(*e, beside);
        return text[0] == '-' && least > Binding::Sum ? "(" + text + ")" : text;
    }
    auto part = value(e, in_index);
    return part.binding < least ? "(" + part.text + ")" : part.text;
}

ForeignExpressions::Text ForeignExpressions::infix(const ExprPtr& a, const std::string& symbol,
                                                   const ExprPtr& b, Binding own, bool in_index) {
    bool constants = is_number(*a) && is_number(*b);
    // Compilers warn of sums beside operators on bits, which bind looser.
    bool on_bits =
        symbol.find_first_of("&|^") != std::string::npos || symbol == "<<" || symbol == ">>";
    auto least = on_bits ? Binding::Product : own == Binding::Loose ? Binding::Sum : own;
    auto right = own == Binding::Loose ? least : static_cast<Binding>(static_cast<int>(own) + 1);
    // Two plain numbers are converted: the host language would compute with them at once, and by
    // its own rules.
    auto left = constants ? dialect_.convert(a->type, a->type, argument(a))
                          : operand(a, least, true, in_index);
    return {left + " " + symbol + " " + operand(b, right, true, in_index), own};
}

std::string ForeignExpressions::widened(const ExprPtr& e) {
    return dialect_.convert(ScalarType::F32, e->type, argument(e));
}

// Operations on 16-bit floats are done in f32 and rounded once, which gives the correctly rounded
// result.
ForeignExpressions::Text ForeignExpressions::half(const ExprPtr& e) {
    std::vector<ExprPtr> wide;
    for (const auto& arg : e->args)
        wide.push_back(is_half(arg->type) ? loopscope::cast(ScalarType::F32, arg) : arg);
    auto whole = e->kind == ExprKind::Unary ? loopscope::unary(e->op, wide[0])
                 : e->kind == ExprKind::Fma ? fma(wide[0], wide[1], wide[2])
                                            : loopscope::binary(e->op, wide[0], wide[1]);
    if (!is_half(e->type))
        return fresh(whole, false);
    return {dialect_.convert(e->type, ScalarType::F32, fresh(whole, false).text)};
}

ForeignExpressions::Text ForeignExpressions::fresh(const ExprPtr& e, bool in_index) {
    bool halves =
        (e->kind == ExprKind::Unary || e->kind == ExprKind::Binary || e->kind == ExprKind::Fma) &&
        is_half(e->args.back()->type);
    if (halves)
        return half(e);
    switch (e->kind) {
    case ExprKind::Constant: return {dialect_.literal(*e, false)};
    case ExprKind::Variable: {
        auto known = variables.find(e->name);
        return {known == variables.end() ? e->name : known->second};
    }
    case ExprKind::Unary: return unary(e, in_index);
    case ExprKind::Binary: return binary(e, in_index);
    case ExprKind::Select:
        return {dialect_.select(argument(e->args[0]), argument(e->args[1], in_index),
                                argument(e->args[2], in_index))};
    case ExprKind::Cast: return cast(e, in_index);
    case ExprKind::Let: {
        auto bound = argument(e->args[0], in_index);
        auto name = dialect_.unique_name(e->name);
        declarations_.push_back(dialect_.declaration(name, bound));
        let_from_data_[e->name] = from_data(e->args[0]);
        if (const auto range =
                is_integer(e->args[0]->type) ? exact_range(e->args[0]) : std::nullopt)
            ranges[e->name] = *range;
        else
            ranges.erase(e->name);
        variables[e->name] = name;
        return value(e->args[1], in_index);
    }
    case ExprKind::Load: {
        std::vector<std::string> indices;
        const auto* box = box_of ? box_of(e->name) : nullptr;
        for (std::size_t d = 0; d < e->args.size(); ++d)
            indices.push_back(index(e->args[d], box ? &(*box)[d] : nullptr));
        return {dialect_.element(*e, indices)};
    }
    case ExprKind::Fma:
        return {dialect_.helper(
            "fused", e->type, {argument(e->args[0]), argument(e->args[1]), argument(e->args[2])})};
    case ExprKind::Call: {
        std::vector<std::string> arguments;
        for (const auto& arg : e->args)
            arguments.push_back(argument(arg));
        return {dialect_.prelude(e->name, e->type, arguments)};
    }
    case ExprKind::Reinterpret:
        return {dialect_.helper(is_float(e->type) ? "from_bits" : "bits_of",
                                is_float(e->type) ? e->type : e->args[0]->type,
                                {argument(e->args[0])})};
    default: break;
    }
    throw std::logic_error("an expression of loop programs in a pipeline: " + to_text(e));
}

ForeignExpressions::Text ForeignExpressions::unary(const ExprPtr& e, bool in_index) {
    const auto& a = e->args[0];
    switch (e->op) {
    case Op::LogicalNot: return {dialect_.negated(operand(a, Binding::Primary, false, in_index))};
    case Op::Negate:
        if (is_float(e->type) || is_unsigned(e->type) || may_wrap(e))
            return {dialect_.helper("negate", e->type, {argument(a)})};
        return {"-" + operand(a, Binding::Primary, false, in_index), Binding::Unary};
    case Op::BitNot: return {"~" + operand(a, Binding::Primary, false, in_index), Binding::Unary};
    case Op::Abs: return {dialect_.helper("absolute", e->type, {argument(a, in_index)})};
    case Op::Sqrt: return {dialect_.helper("sqrt", e->type, {argument(a)})};
    case Op::Floor: return {dialect_.helper("floor", e->type, {argument(a)})};
    case Op::Ceil: return {dialect_.helper("ceil", e->type, {argument(a)})};
    default: return {dialect_.helper("round", e->type, {argument(a)})};
    }
}

ForeignExpressions::Text ForeignExpressions::binary(const ExprPtr& e, bool in_index) {
    const auto& a = e->args[0];
    const auto& b = e->args[1];
    if (e->op == Op::LogicalAnd || e->op == Op::LogicalOr) {
        std::vector<std::string> parts;
        flatten(a, e->op, parts);
        parts.push_back(operand(b, Binding::Primary, false, false));
        return {dialect_.logical(e->op == Op::LogicalAnd, parts), Binding::Loose};
    }
    if (e->op == Op::NotEqual && is_float(a->type) && equal(a, b))
        return {dialect_.helper("is_nan", a->type, {argument(a)})};
    bool whole_order = e->op == Op::LessEqual || e->op == Op::GreaterEqual;
    if (whole_order && is_float(a->type) && dialect_.confuses_orders())
        return {dialect_.helper(e->op == Op::LessEqual ? "at_most" : "at_least", a->type,
                                {argument(a), argument(b)})};
    // Halide overflows where it solves i + 1 == INT_MIN, which an argmin asks of its elements. Of
    // loads no range is known here: what a stage holds on the way is no value of it.
    if ((e->op == Op::Equal || e->op == Op::NotEqual) && is_integer(a->type) && !contains_load(e)) {
        auto left = exact_range(a), right = exact_range(b);
        if (left && right && (left->greatest < right->least || right->greatest < left->least))
            return {dialect_.literal(*constant_bool(e->op == Op::NotEqual), false)};
    }
    // TVM takes i32's least value for one that nothing equals, which an argmax asks of its first
    // elements.
    std::int64_t value = 0;
    if ((e->op == Op::Equal || e->op == Op::NotEqual) && is_signed(a->type) &&
        dialect_.simplifies_as_mathematics() && constant_value(b, value) && value == least(a->type))
        return infix(a, symbol(e->op == Op::Equal ? Op::Less : Op::GreaterEqual),
                     constant_int(a->type, value + 1), Binding::Loose, in_index);
    bool order = is_comparison(e->op) && e->op != Op::Equal && e->op != Op::NotEqual;
    if (order && is_unsigned(a->type) && dialect_.simplifies_as_mathematics())
        return {dialect_.helper("ordered", a->type, {argument(a)}) + " " + symbol(e->op) + " " +
                    dialect_.helper("ordered", b->type, {argument(b)}),
                Binding::Loose};
    if (is_comparison(e->op))
        return infix(a, symbol(e->op), b, Binding::Loose, in_index);
    if (e->op == Op::Min || e->op == Op::Max)
        return {dialect_.helper(e->op == Op::Min ? "minimum" : "maximum", e->type,
                                {argument(a, in_index), argument(b, in_index)})};
    if (is_integer(e->type))
        return integer_arithmetic(e, in_index);
    bool product = e->op == Op::Multiply || e->op == Op::Divide;
    bool simplified = e->op == Op::Subtract || may_turn_out_zero(a) || may_turn_out_zero(b);
    if (simplified && dialect_.simplifies_as_mathematics()) {
        const char* function = e->op == Op::Add        ? "add"
                               : e->op == Op::Subtract ? "subtract"
                               : e->op == Op::Multiply ? "multiply"
                                                       : "divide";
        return {dialect_.helper(function, e->type, {argument(a), argument(b)})};
    }
    return infix(a, symbol(e->op), b, product ? Binding::Product : Binding::Sum, in_index);
}

// The operands of a chain of one operator, which all languages read from the left.
void ForeignExpressions::flatten(const ExprPtr& e, Op op, std::vector<std::string>& parts) {
    if (e->kind != ExprKind::Binary || e->op != op || uses_[e->hash] > 1) {
        parts.push_back(operand(e, Binding::Primary, false, false));
        return;
    }
    flatten(e->args[0], op, parts);
    parts.push_back(operand(e->args[1], Binding::Primary, false, false));
}

ForeignExpressions::Text ForeignExpressions::integer_arithmetic(const ExprPtr& e, bool in_index) {
    const auto& a = e->args[0];
    const auto& b = e->args[1];
    auto call = [&](const char* function) -> Text {
        return {dialect_.helper(function, e->type, {argument(a, in_index), argument(b, in_index)})};
    };
    std::int64_t constant = 0;
    bool known = constant_value(b, constant);
    switch (e->op) {
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply: {
        bool product = e->op == Op::Multiply;
        if (may_wrap(e))
            return call(product ? "multiply" : e->op == Op::Add ? "add" : "subtract");
        return infix(a, symbol(e->op), b, product ? Binding::Product : Binding::Sum, in_index);
    }
    case Op::Divide:
        if (known && constant > 0)
            return infix(a, dialect_.floor_division(), b, Binding::Product, in_index);
        return call("floor_divide");
    case Op::Modulo:
        if (known && constant > 0)
            return infix(a, "%", b, Binding::Product, in_index);
        return call("floor_modulo");
    case Op::ShiftLeft:
    case Op::ShiftRight:
        if (known && constant >= 0 && constant < bits(e->type))
            return infix(a, symbol(e->op), b, Binding::Loose, in_index);
        return call(e->op == Op::ShiftLeft ? "shift_left" : "shift_right");
    default: return infix(a, symbol(e->op), b, Binding::Loose, in_index);
    }
}

ForeignExpressions::Text ForeignExpressions::cast(const ExprPtr& e, bool in_index) {
    const auto& a = e->args[0];
    if (a->type == e->type)
        return value(a, in_index);
    if (is_bool(e->type)) {
        auto zero = is_float(a->type) ? constant_float(a->type, 0) : constant_int(a->type, 0);
        return value(loopscope::binary(Op::NotEqual, a, zero), in_index);
    }
    if (is_float(a->type) && is_integer(e->type)) {
        auto wide = is_half(a->type) ? ScalarType::F32 : a->type;
        auto text = is_half(a->type) ? widened(a) : argument(a);
        return {dialect_.helper(std::string("to_") + name(e->type), wide, {text})};
    }
    if (is_integer(a->type) && is_integer(e->type) && !converts_exactly(e->type, a) &&
        dialect_.simplifies_as_mathematics())
        return {
            dialect_.helper(std::string("as_") + name(e->type), a->type, {argument(a, in_index)})};
    // A type is as exact as any other to an index; its own arithmetic stays what it is.
    return {dialect_.convert(e->type, a->type, argument(a, in_index))};
}

} // namespace loopscope::codegen
