// The interval of an index expression over intervals of axes: monotone parts stay symbolic; any
// other part falls back to its range, which languages.md promises for a data-dependent index: y +
// clamp(f[x], 0, 26) reaches from y to y + 26.

#include "core/schedule/region.h"

#include "core/ir/box.h"
#include "core/ir/lets.h"

#include <algorithm>

namespace loopscope {

namespace {

class IndexInterval {
public:
    IndexInterval(const Definition& definition, const std::map<std::string, FormInterval>& axes,
                  const Layout& layout)
        : definition_(definition), axes_(axes), layout_(layout) {}

    FormInterval of(const ExprPtr& e) {
        if (auto known = interval(names_lets(e) ? with_float_lets(e, lets_around()) : e))
            return *known;
        // The front end has refused an index that cannot be bounded; inputs with a boundary are the
        // exception.
        return {LinearForm(least(ScalarType::I32)), LinearForm(greatest(ScalarType::I32)), false};
    }

private:
    bool names_lets(const ExprPtr& index) const {
        return any_node(index, [&](const Expr& e) {
            return e.kind == ExprKind::Variable && !axes_.count(e.name);
        });
    }

    // The values of the definition's lets, by name.
    const std::map<std::string, ExprPtr>& lets_around() {
        if (around_)
            return *around_;
        around_.emplace();
        for (const auto& index : definition_.left)
            collect_lets(index, *around_);
        for (const auto& value : definition_.values)
            collect_lets(value, *around_);
        collect_lets(definition_.condition, *around_);
        return *around_;
    }

    // What a variable is that is no axis: one of the lets inside of the index or around it.
    std::optional<FormInterval> named(const std::string& name) {
        if (auto known = lets_.find(name); known != lets_.end())
            return known->second;
        const auto let = lets_around().find(name);
        if (let == lets_around().end() || !is_integer(let->second->type))
            return std::nullopt;
        auto value = interval(with_float_lets(let->second, lets_around()));
        lets_.emplace(name, value);
        return value;
    }

    std::optional<FormInterval> interval(const ExprPtr& e) {
        if (auto known = symbolic(e); known && is_light(*known))
            return known;
        auto known = by_range(e);
        return known && is_light(*known) ? known : std::nullopt;
    }

    // What is heavier could leave 64 bits in the arithmetic of forms.
    static bool is_light(const FormInterval& i) {
        return i.least.weight() <= kMaxWeight && i.greatest.weight() <= kMaxWeight;
    }

    std::optional<FormInterval> symbolic(const ExprPtr& e) {
        switch (e->kind) {
        case ExprKind::Constant: {
            std::int64_t value = 0;
            if (!constant_value(e, value))
                return std::nullopt;
            return FormInterval{LinearForm(value), LinearForm(value), true};
        }
        case ExprKind::Variable: {
            auto axis = axes_.find(e->name);
            return axis != axes_.end() ? std::optional(axis->second) : named(e->name);
        }
        case ExprKind::Unary: {
            if (e->op != Op::Negate)
                return std::nullopt;
            auto a = interval(e->args[0]);
            if (!a)
                return std::nullopt;
            return within(FormInterval{a->greatest * -1, a->least * -1, a->exact}, e->type);
        }
        case ExprKind::Binary: return binary_interval(e);
        case ExprKind::Cast: {
            if (!is_integer(e->type) || !is_integer(e->args[0]->type))
                return std::nullopt;
            auto a = interval(e->args[0]);
            return a ? within(*a, e->type) : std::nullopt;
        }
        case ExprKind::Select: {
            auto a = interval(e->args[1]), b = interval(e->args[2]);
            if (!a || !b)
                return std::nullopt;
            auto both = hull(*a, *b);
            both.exact = false;
            return both;
        }
        case ExprKind::Let: {
            auto value = interval(e->args[0]);
            lets_[e->name] = value;
            return interval(e->args[1]);
        }
        default: return std::nullopt;
        }
    }

    static bool multiplies(const FormInterval& i, std::int64_t factor) {
        auto weight = static_cast<__int128>(std::max(i.least.weight(), i.greatest.weight()));
        return weight * (factor < 0 ? -factor : factor) <= kMaxWeight;
    }

    // Arithmetic that may wrap in its type is not monotone.
    static std::optional<FormInterval> within(FormInterval i, ScalarType type) {
        if (i.least.range().least < least(type) || i.greatest.range().greatest > greatest(type))
            return std::nullopt;
        return i;
    }

    std::optional<FormInterval> binary_interval(const ExprPtr& e) {
        if (!is_integer(e->type))
            return std::nullopt;
        auto a = interval(e->args[0]), b = interval(e->args[1]);
        if (!a || !b)
            return std::nullopt;
        bool exact = a->exact && b->exact;
        auto number = [](const FormInterval& i) {
            return i.least.is_constant() && i.least == i.greatest;
        };
        switch (e->op) {
        case Op::Add:
            return within({a->least + b->least, a->greatest + b->greatest, exact}, e->type);
        case Op::Subtract:
            return within({a->least - b->greatest, a->greatest - b->least, exact}, e->type);
        case Op::Multiply: {
            if (number(*a))
                std::swap(a, b);
            if (!number(*b))
                return std::nullopt;
            auto c = b->least.constant();
            if (!multiplies(*a, c))
                return std::nullopt;
            return c >= 0 ? within({a->least * c, a->greatest * c, exact}, e->type)
                          : within({a->greatest * c, a->least * c, exact}, e->type);
        }
        case Op::Divide:
            if (!number(*b) || b->least.constant() <= 0)
                return std::nullopt;
            return FormInterval{floor_divide(a->least, b->least.constant()),
                                floor_divide(a->greatest, b->least.constant()), exact};
        case Op::Modulo: {
            if (!number(*b) || b->least.constant() <= 0)
                return std::nullopt;
            auto n = b->least.constant();
            if (a->least == a->greatest)
                return FormInterval{modulo(a->least, n), modulo(a->least, n), exact};
            return FormInterval{LinearForm(0), LinearForm(n - 1), false};
        }
        case Op::Min:
        case Op::Max: {
            if (number(*a))
                std::swap(a, b);
            if (!number(*b))
                return std::nullopt;
            auto c = b->least.constant();
            auto low = e->op == Op::Max ? c : -kNoEnd, high = e->op == Op::Min ? c : kNoEnd;
            return FormInterval{clamp(a->least, low, high), clamp(a->greatest, low, high), exact};
        }
        default: return std::nullopt;
        }
    }

    std::optional<FormInterval> by_range(const ExprPtr& e) {
        auto range = range_of(
            e,
            [&](const std::string& name) -> std::optional<Interval> {
                const auto axis = axes_.find(name);
                const auto known = axis != axes_.end() ? std::optional(axis->second) : named(name);
                if (!known)
                    return std::nullopt;
                return Interval{known->least.range().least, known->greatest.range().greatest};
            },
            [&](const std::string& stage, int component) {
                return value_range(*layout_.derived, stage, component);
            });
        if (!range)
            return std::nullopt;
        return FormInterval{LinearForm(range->least), LinearForm(range->greatest), false};
    }

    const Definition& definition_;
    const std::map<std::string, FormInterval>& axes_;
    const Layout& layout_;
    std::optional<std::map<std::string, ExprPtr>> around_;
    std::map<std::string, std::optional<FormInterval>> lets_;
};

} // namespace

FormInterval index_interval(const ExprPtr& index, const Definition& definition,
                            const std::map<std::string, FormInterval>& axes, const Layout& layout) {
    return IndexInterval(definition, axes, layout).of(index);
}

} // namespace loopscope
