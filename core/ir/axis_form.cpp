#include "core/ir/axis_form.h"

#include "core/base/integer_division.h"

#include <algorithm>

namespace loopscope {

namespace {

// Bounds a form's values, coefficients and constant, so that sums and differences of two forms stay
// within 64 bits.
constexpr std::int64_t kLimit = std::int64_t{1} << 61;

bool within_limit(std::int64_t value) { return -kLimit <= value && value <= kLimit; }

// sum += a * b; false beyond the limit, where the type may wrap.
bool add_product(std::int64_t a, std::int64_t b, std::int64_t& sum) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum) &&
           within_limit(sum);
}

bool add_axis(const std::string& name, std::int64_t divisor, const std::vector<Axis>& axes,
              std::int64_t factor, AxisForm& out) {
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i].name == name && axes[i].divisor == divisor)
            return add_product(factor, 1, out.a[i]);
    return false;
}

bool accumulate(const ExprPtr& e, const std::vector<Axis>& axes, std::int64_t factor,
                AxisForm& out) {
    if (!is_integer(e->type))
        return false;
    std::int64_t value = 0;
    switch (e->kind) {
    case ExprKind::Constant:
        return constant_value(e, value) && add_product(factor, value, out.constant);
    case ExprKind::Variable: return add_axis(e->name, 1, axes, factor, out);
    case ExprKind::Cast: // widening only: the value stays
        return is_integer(e->args[0]->type) && bits(e->type) >= bits(e->args[0]->type) &&
               is_signed(e->type) && accumulate(e->args[0], axes, factor, out);
    case ExprKind::Unary: return e->op == Op::Negate && accumulate(e->args[0], axes, -factor, out);
    case ExprKind::Binary:
        if (e->op == Op::Add || e->op == Op::Subtract)
            return accumulate(e->args[0], axes, factor, out) &&
                   accumulate(e->args[1], axes, e->op == Op::Add ? factor : -factor, out);
        if (e->op == Op::Divide)
            return e->args[0]->kind == ExprKind::Variable && constant_value(e->args[1], value) &&
                   value > 1 && add_axis(e->args[0]->name, value, axes, factor, out);
        if (e->op != Op::Multiply)
            return false;
        for (std::size_t i : {1u, 0u})
            if (constant_value(e->args[i], value)) {
                std::int64_t product = 0;
                return add_product(factor, value, product) &&
                       accumulate(e->args[1 - i], axes, product, out);
            }
        return false;
    default: return false;
    }
}

bool values_within_limit(const AxisForm& form, const std::vector<Axis>& axes) {
    std::int64_t most = form.constant < 0 ? -form.constant : form.constant;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto& r = axes[i].range;
        if (form.a[i] == 0)
            continue;
        if (!within_limit(r.least) || !within_limit(r.greatest) ||
            !add_product(form.a[i] < 0 ? -form.a[i] : form.a[i],
                         std::max({r.least, -r.least, r.greatest, -r.greatest}), most))
            return false;
    }
    return true;
}

Coverage covered(const AxisForm& form, const std::vector<Axis>& axes) {
    Coverage out;
    out.range = {form.constant, form.constant};
    std::vector<std::pair<std::int64_t, std::int64_t>> parts; // |coefficient|, extent
    for (std::size_t i = 0; i < axes.size(); ++i) {
        auto c = form.a[i];
        if (c == 0)
            continue;
        const auto& r = axes[i].range;
        out.range.least += c * (c > 0 ? r.least : r.greatest);
        out.range.greatest += c * (c > 0 ? r.greatest : r.least);
        out.axes |= std::uint64_t{1} << std::min<std::size_t>(i, 63);
        if (r.extent() > 1)
            parts.emplace_back(c < 0 ? -c : c, r.extent());
    }
    // As the digits of a number: each step at most as long as what smaller steps cover without a
    // gap.
    std::sort(parts.begin(), parts.end());
    std::int64_t reach = 1;
    out.contiguous = true;
    for (const auto& [step, extent] : parts) {
        out.contiguous = out.contiguous && step <= reach;
        reach += step * (extent - 1);
    }
    return out;
}

} // namespace

std::optional<AxisForm> axis_form(const ExprPtr& e, const std::vector<Axis>& axes) {
    AxisForm out;
    out.a.assign(axes.size(), 0);
    if (!accumulate(e, axes, 1, out) || !values_within_limit(out, axes))
        return std::nullopt;
    return out;
}

std::optional<Coverage> coverage(const ExprPtr& e, const std::vector<Axis>& axes) {
    if (auto form = axis_form(e, axes))
        return covered(*form, axes);
    if (e->kind == ExprKind::Cast && is_integer(e->type) && is_integer(e->args[0]->type)) {
        auto inner = coverage(e->args[0], axes);
        if (inner && Interval{least(e->type), greatest(e->type)}.contains(inner->range))
            return inner;
        return std::nullopt;
    }
    std::int64_t c = 0;
    if (e->kind != ExprKind::Binary || !is_integer(e->type))
        return std::nullopt;
    bool swapped = (e->op == Op::Min || e->op == Op::Max) && constant_value(e->args[0], c);
    if ((!swapped && !constant_value(e->args[1], c)) || !within_limit(c))
        return std::nullopt;
    auto out = coverage(e->args[swapped ? 1 : 0], axes);
    if (!out)
        return std::nullopt;
    switch (e->op) {
    case Op::Min:
        out->range = {std::min(out->range.least, c), std::min(out->range.greatest, c)};
        return out;
    case Op::Max:
        out->range = {std::max(out->range.least, c), std::max(out->range.greatest, c)};
        return out;
    case Op::Divide:
        if (c <= 0)
            return std::nullopt;
        out->range = {floor_div(out->range.least, c), floor_div(out->range.greatest, c)};
        return out;
    case Op::Modulo:
        if (c <= 0)
            return std::nullopt;
        if (floor_div(out->range.least, c) == floor_div(out->range.greatest, c)) {
            auto base = floor_div(out->range.least, c) * c;
            out->range = {out->range.least - base, out->range.greatest - base};
        } else {
            out->contiguous = out->contiguous && out->range.extent() >= c;
            out->range = {0, c - 1};
        }
        return out;
    default: return std::nullopt;
    }
}

} // namespace loopscope
