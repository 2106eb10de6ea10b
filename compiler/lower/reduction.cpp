#include "compiler/lower/reduction.h"

#include "core/ir/pipeline.h"

namespace loopscope::lower {

namespace {

bool is_place(const ExprPtr& e, const Statement& store) {
    if (e->type != store.value->type) // a 16-bit float, widened
        return e->kind == ExprKind::Cast && e->args[0]->type == store.value->type &&
               is_place(e->args[0], store);
    if (e->kind != ExprKind::Load || e->name != store.access->buffer ||
        e->args.size() != store.access->indices.size())
        return false;
    for (std::size_t i = 0; i < e->args.size(); ++i)
        if (!equal(e->args[i], store.access->indices[i]))
            return false;
    return true;
}

bool combines(Op op, bool place_first) {
    switch (op) {
    case Op::Add:
    case Op::Multiply:
    case Op::Min:
    case Op::Max:
    case Op::BitAnd:
    case Op::BitXor:
    case Op::BitOr:
    case Op::LogicalAnd:
    case Op::LogicalOr: return true;
    case Op::Subtract: return place_first;
    default: return false;
    }
}

} // namespace

bool any_order(Op op, ScalarType type) {
    switch (op) {
    case Op::Min:
    case Op::Max:
    case Op::BitAnd:
    case Op::BitXor:
    case Op::BitOr:
    case Op::LogicalAnd:
    case Op::LogicalOr: return true;
    case Op::Add:
    case Op::Multiply: return !is_float(type);
    default: return false;
    }
}

Op combining_operation(const Reduction& r) { return r.op == Op::None ? Op::Add : r.op; }

std::optional<Reduction> match_reduction(const Statement& store) {
    if (store.kind != StatementKind::Store)
        return std::nullopt;
    Reduction r;
    r.rounded = store.value->kind == ExprKind::Cast && is_float(store.value->type) &&
                bits(store.value->type) == 16 && store.value->args[0]->type == ScalarType::F32;
    const auto& value = r.rounded ? store.value->args[0] : store.value;
    if (!r.rounded && value->kind == ExprKind::Fma && is_place(value->args[2], store)) {
        r.terms = {value->args[0], value->args[1]};
    } else if (value->kind == ExprKind::Binary) {
        r.op = value->op;
        r.place_first = is_place(value->args[0], store);
        if (!r.place_first && !is_place(value->args[1], store))
            return std::nullopt;
        r.terms = {value->args[r.place_first ? 1 : 0]};
        if (!combines(r.op, r.place_first))
            return std::nullopt;
    } else {
        return std::nullopt;
    }
    for (const auto& term : r.terms)
        if (loads_from(term, store.access->buffer))
            return std::nullopt;
    for (const auto& i : store.access->indices)
        if (loads_from(i, store.access->buffer))
            return std::nullopt;
    return r;
}

ExprPtr combined(const Reduction& r, const ExprPtr& place, const std::vector<ExprPtr>& terms) {
    if (r.op == Op::None)
        return fma(terms[0], terms[1], place);
    auto before = r.rounded ? cast(ScalarType::F32, place) : place;
    auto whole = r.place_first ? binary(r.op, before, terms[0]) : binary(r.op, terms[0], before);
    return r.rounded ? cast(place->type, whole) : whole;
}

std::vector<ExprPtr> neutral_terms(const Reduction& r) {
    auto type = r.terms[0]->type;
    if (r.op == Op::None) // (-0 * 1) + x = x
        return {constant_float(type, -0.0), constant_float(type, 1)};
    auto one = neutral_element(r.op, type);
    return one ? std::vector{one} : std::vector<ExprPtr>{};
}

ExprPtr neutral_value(const Reduction& r, ScalarType type) {
    bool sum = r.op == Op::None || r.op == Op::Subtract; // what they make is added in the end
    return neutral_element(sum ? Op::Add : r.op, type);
}

} // namespace loopscope::lower
