#include "compiler/codegen/c/expression.h"

#include "compiler/codegen/c/constant_text.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace loopscope::codegen {

namespace {

// texts that are longer get a name if they are needed twice
constexpr std::size_t kRepeatedLength = 28;
constexpr std::size_t kRepeatedLoadLength = 60;

bool mentions(const Expr& e, const std::string& name) {
    const auto is_it = [&](const Expr& x) {
        return x.kind == ExprKind::Variable && x.name == name;
    };
    return is_it(e) || std::any_of(e.args.begin(), e.args.end(),
                                   [&](const auto& a) { return any_node(a, is_it); });
}

bool is_identifier(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    });
}

} // namespace

// ---- What is said together ----------------------------------------------------------------------

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
    if (!shared || e->kind == ExprKind::Broadcast || e->kind == ExprKind::Ramp ||
        text.text.size() <= (is_load(*e) ? kRepeatedLoadLength : kRepeatedLength))
        return text;
    return declared(e, text);
}

CText CExpressions::declared(const ExprPtr& e, const CText& text) {
    auto name = names_.unique("t");
    declared_.push_back(name);
    declarations_.push_back(std::string("const ") + c_type(e->type) + " " + name + " = " +
                            cut(text, e->type).text + ";");
    frames_.back().texts.insert_or_assign(e->hash, CText(name));
    return name;
}

CText CExpressions::named(const ExprPtr& e) {
    auto text = value(e);
    return text.binding == Binding::Primary && is_identifier(text.text) ? text : declared(e, text);
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

// An operand of an operator that binds as `own`. Where people err, compilers want parentheses that
// C does not.
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
    // index arithmetic is set close
    std::string space = own == Binding::Product && !loads ? "" : " ";
    return {left + space + symbol + space + right, own};
}

CText CExpressions::call(const std::string& function, const std::vector<ExprPtr>& args) {
    std::string text = function + "(";
    for (std::size_t i = 0; i < args.size(); ++i)
        text += (i ? ", " : "") + value(args[i]).text;
    return text + ")";
}

CText CExpressions::uncut(const ExprPtr& e) { return computed(e); }

// ---- Ranges -------------------------------------------------------------------------------------

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

// ---- Kinds --------------------------------------------------------------------------------------

CText CExpressions::fresh(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Constant:
        return {constant_text(e), constant_text(e)[0] == '-' ? Binding::Unary : Binding::Primary};
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
    bool constant = constant_value(e->args[1], stride),
         from_zero = constant_value(e->args[0], base) && base == 0;
    auto step =
        constant && stride == 1
            ? CText(lane)
            : CText(lane + "*" + put(value(e->args[1]), Binding::Product, true), Binding::Product);
    bool plain = is_signed(e->type) && !is_narrow(e->type) && is_plain(e);
    if (plain && from_zero)
        return step;
    auto first = value(e->args[0]);
    CText sum{put(first, Binding::Sum, false) + " + " + put(step, Binding::Sum, true),
              Binding::Sum};
    if (plain)
        return sum;
    // Computed without a sign, where it wraps as the language says.
    auto wide = std::string("(") + (bits(e->type) == 64 ? "uint64_t" : "uint32_t") + ")";
    auto factor = wide + put(value(e->args[1]), Binding::Unary);
    return {std::string("(") + c_type(e->type) + ")(" + wide + put(first, Binding::Unary) + " + " +
                wide + lane + "*" + factor + ")",
            Binding::Unary};
}

// ---- Memory -------------------------------------------------------------------------------------

CText CExpressions::load(const Expr& e) {
    bool masked = e.kind == ExprKind::MaskedLoad;
    std::vector<ExprPtr> indices(e.args.begin(), e.args.end() - (masked ? 1 : 0));
    CText element{this->element(e.name, indices)};
    if (is_bool(e.type))
        element = {element.text + " != 0", Binding::Equality};
    if (!masked || (mask && (e.args.back() == mask || equal(e.args.back(), mask))))
        return element;
    if (is_bool(e.type))
        return {condition(e.args.back(), Binding::And) + " && " + put(element, Binding::And, true),
                Binding::And};
    auto zero = e.type == ScalarType::F32 ? "0.0f" : e.type == ScalarType::F64 ? "0.0" : "0";
    return {condition(e.args.back(), Binding::Or) + " ? " + element.text + " : " + zero,
            Binding::Conditional};
}

std::string CExpressions::element(const std::string& name, const std::vector<ExprPtr>& indices) {
    const auto& buffer = buffers.at(name);
    return buffer.name + "[" + index(buffer, indices) + "]";
}

// May the terms of an int32_t be added one by one to an index of a buffer that int32_t can count?
// Each sum on the way is far from the ends of the type.
bool CExpressions::is_small_sum(const ExprPtr& e) const {
    constexpr std::int64_t kSmall = std::int64_t{1} << 29;
    auto in = range(e);
    if (e->type != ScalarType::I32 || !in || in->least < -kSmall || in->greatest > kSmall)
        return false;
    bool sum = e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract);
    if (e->kind == ExprKind::Variable)
        if (auto found = variables.find(e->name); found != variables.end() && found->second.instead)
            return is_small_sum(found->second.instead);
    return sum || e->kind == ExprKind::Ramp || e->kind == ExprKind::Broadcast
               ? is_small_sum(e->args[0])
               : true;
}

// Row-major, by Horner's rule: every step stays inside the buffer, so int32_t holds it where it can
// count the elements.
std::string CExpressions::index(const CBuffer& buffer, const std::vector<ExprPtr>& indices) {
    CText sum{"0"};
    bool zero = true;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const auto& i = indices[d];
        auto one = value(i);
        bool convert = (buffer.wide && indices.size() > 1) || i->type == ScalarType::U32 ||
                       i->type == ScalarType::U64;
        std::int64_t constant = 0;
        bool skip = !convert && constant_value(i, constant) && constant == 0;
        if (convert)
            one = {"(int64_t)" + put(one, Binding::Unary), Binding::Unary};
        if (!zero && !buffer.flat) {
            const auto& extent = buffer.extents[d];
            if (!(extent.is_constant() && extent.constant() == 1)) {
                auto factor = this->extent(extent);
                bool sum_of_symbols = !extent.is_constant();
                sum = {put(sum, Binding::Product, false) + "*" +
                           (sum_of_symbols ? "(" + factor + ")" : factor),
                       Binding::Product};
            }
        }
        if (skip)
            continue;
        bool apart = !convert && one.binding == Binding::Sum && is_small_sum(i) && !buffer.wide;
        sum = zero ? one
                   : CText(put(sum, Binding::Sum, false) + " + " + put(one, Binding::Sum, !apart),
                           Binding::Sum);
        zero = false;
    }
    return sum.text;
}

std::string CExpressions::extent(const Extent& extent) {
    std::string text;
    for (const auto& [symbol, coefficient] : extent.terms()) {
        const auto& name = variables.at(symbol).text;
        text += (text.empty() ? "" : " + ") +
                (coefficient == 1 ? name : std::to_string(coefficient) + "*" + name);
    }
    if (text.empty())
        return std::to_string(extent.constant());
    return extent.constant() ? text + " + " + std::to_string(extent.constant()) : text;
}

} // namespace loopscope::codegen
