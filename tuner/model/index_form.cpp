#include "tuner/model/index_form.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace loopscope::model {

namespace {

constexpr std::int64_t kFar = std::int64_t{1}
                              << 40;    // beyond it an index says nothing about a place
constexpr std::int64_t kFactor = 65536; // of that, without leaving 64 bits

} // namespace

std::uint64_t condition_depths(FormTable& forms, const Expr& e,
                               const FormTable::Environment& variables) {
    std::uint64_t depths = 0;
    for (const auto& argument : e.args) {
        Form form;
        if (forms.parse(argument, variables, form))
            depths |= forms.depths(form);
        else
            depths |= condition_depths(forms, *argument, variables);
    }
    bool followed = e.kind == ExprKind::Constant || e.kind == ExprKind::Unary ||
                    e.kind == ExprKind::Binary || e.kind == ExprKind::Select ||
                    e.kind == ExprKind::Cast;
    return followed ? depths : ~std::uint64_t{0};
}

std::optional<IndexForm> IndexForms::parse(const ExprPtr& e,
                                           const FormTable::Environment& variables,
                                           const std::vector<double>& trips) {
    IndexForm out;
    if (forms_.parse(e, variables, out.form))
        return out;
    if (auto at = known_.find(e->hash); at != known_.end())
        return at->second;
    // What may leave its type, or lies far beyond any memory, is no place.
    auto near = [&](const std::optional<IndexForm>& index) {
        if (!index)
            return false;
        auto range = forms_.range(index->form);
        return Interval{std::max(least(e->type), -kFar), std::min(greatest(e->type), kFar)}
            .contains(range);
    };
    auto found = followed(*e, variables, trips);
    if (!near(found))
        found = decided(e, variables, trips);
    return known_[e->hash] = near(found) ? found : std::nullopt;
}

std::optional<IndexForm> IndexForms::followed(const Expr& e,
                                              const FormTable::Environment& variables,
                                              const std::vector<double>& trips) {
    if (e.kind == ExprKind::Variable) {
        auto at = lets_.find(e.name);
        return at == lets_.end() ? std::nullopt : at->second.form;
    }
    if (is_float(e.type) || is_bool(e.type))
        return std::nullopt;
    if (e.kind == ExprKind::Cast) {
        if (!is_integer(e.args[0]->type))
            return std::nullopt;
        return parse(e.args[0], variables, trips);
    }
    if (e.kind != ExprKind::Binary)
        return std::nullopt;
    auto a = parse(e.args[0], variables, trips), b = parse(e.args[1], variables, trips);
    if (!a || !b)
        return std::nullopt;
    const auto data = a->data | b->data;
    if (e.op == Op::Add || e.op == Op::Subtract)
        return IndexForm{add(a->form, b->form, e.op == Op::Add ? 1 : -1), data};
    bool swapped = a->form.terms.empty() && e.op != Op::Divide && e.op != Op::Modulo;
    if (swapped)
        std::swap(a, b);
    if (!b->form.terms.empty())
        return std::nullopt;
    const auto c = b->form.constant;
    const auto range = forms_.range(a->form);
    switch (e.op) {
    case Op::Multiply:
        return std::abs(c) > kFactor ? std::nullopt
                                     : std::optional(IndexForm{scale(a->form, c), data});
    case Op::Divide:
        return c > 0 ? std::optional(IndexForm{forms_.divide(a->form, c), data}) : std::nullopt;
    case Op::Modulo:
        return c > 0 ? std::optional(IndexForm{forms_.modulo(a->form, c), data}) : std::nullopt;
    case Op::Min: return IndexForm{forms_.clamp(a->form, std::min(range.least, c), c), data};
    case Op::Max: return IndexForm{forms_.clamp(a->form, c, std::max(range.greatest, c)), data};
    default: return std::nullopt;
    }
}

std::optional<IndexForm> IndexForms::decided(const ExprPtr& e,
                                             const FormTable::Environment& variables,
                                             const std::vector<double>& trips) {
    auto range = range_of(
        e,
        [&](const std::string& name) -> std::optional<Interval> {
            if (auto it = variables.find(name); it != variables.end())
                return forms_.range(it->second);
            auto it = lets_.find(name);
            return it == lets_.end() || !it->second.form
                       ? std::nullopt
                       : std::optional(forms_.range(it->second.form->form));
        },
        [&](const std::string& stage, int component) { return values_.of(stage, component); });
    if (!range || range->empty())
        return std::nullopt;
    auto moves = depths(e, variables);
    return IndexForm{forms_.opaque(*range, moves, trips), moves};
}

IndexForm IndexForms::within(const ExprPtr& index, const Form& min, std::int64_t extent,
                             const FormTable::Environment& variables,
                             const std::vector<double>& trips) {
    auto last = std::max<std::int64_t>(extent - 1, 0);
    auto known = parse(index, variables, trips);
    if (!known) {
        auto moves = depths(index, variables);
        return {forms_.opaque({0, last}, moves, trips), moves};
    }
    known->form = add(known->form, min, -1);
    // The constant stays apart: loads that differ by it alone are neighbours.
    auto constant = std::exchange(known->form.constant, 0);
    if (!Interval{-constant, last - constant}.contains(forms_.range(known->form)))
        known->form = forms_.clamp(known->form, -constant, last - constant);
    known->form.constant += constant;
    return *known;
}

void IndexForms::let(const Expr& let, const FormTable::Environment& variables,
                     const std::vector<double>& trips) {
    const auto& value = let.args[0];
    auto form = is_integer(value->type) ? parse(value, variables, trips) : std::nullopt;
    lets_.insert_or_assign(let.name, Let{std::move(form), depths(value, variables)});
}

std::uint64_t IndexForms::depths(const ExprPtr& e, const FormTable::Environment& variables) const {
    std::uint64_t depths = 0;
    visit(e, [&](const Expr& node) {
        if (node.kind != ExprKind::Variable)
            return true;
        if (auto it = variables.find(node.name); it != variables.end())
            depths |= forms_.depths(it->second);
        else if (auto let = lets_.find(node.name); let != lets_.end())
            depths |= let->second.depths;
        else
            depths = ~std::uint64_t{0};
        return true;
    });
    return depths;
}

} // namespace loopscope::model
