// A vectorised reduction axis: all lanes combine their terms into one place.
//
//     vectorised for k in 0..8 {                allocate t: f32[8] in register
//         acc[i] = acc[i] + A[k]         →      t[ramp(0, 1, 8)] = A[ramp(0, 1, 8)]
//     }                                         acc[i] = acc[i] + t[0]
//                                               …
//                                               acc[i] = acc[i] + t[7]
//
// Terms of operations that no order changes (integers, minima, maxima, bit and logical operations) are combined by
// halves instead: 8 lanes into 4, 2, 1, and the last into the place.
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"
#include "compiler/lower/widening.h"

#include <limits>

namespace loopscope::lower {

namespace {

bool is_place(const ExprPtr& e, const Statement& store) {
    if (e->kind != ExprKind::Load || e->name != store.buffer || e->args.size() != store.indices.size())
        return false;
    for (std::size_t i = 0; i < e->args.size(); ++i)
        if (!equal(e->args[i], store.indices[i]))
            return false;
    return true;
}

bool reads(const ExprPtr& e, const std::string& buffer) {
    bool found = false;
    visit(e, [&](const Expr& x) {
        bool loads = x.kind == ExprKind::Load || x.kind == ExprKind::MaskedLoad;
        found = found || (loads && x.name == buffer);
        return !found;
    });
    return found;
}

bool combines(Op op, bool place_first) {
    switch (op) {
    case Op::Add: case Op::Multiply: case Op::Min: case Op::Max: case Op::BitAnd: case Op::BitXor: case Op::BitOr:
    case Op::LogicalAnd: case Op::LogicalOr:
        return true;
    case Op::Subtract: return place_first;
    default: return false;
    }
}

bool any_order(Op op, ScalarType type) {
    switch (op) {
    case Op::Min: case Op::Max: case Op::BitAnd: case Op::BitXor: case Op::BitOr: case Op::LogicalAnd: case Op::LogicalOr:
        return true;
    case Op::Add: case Op::Multiply: return !is_float(type);
    default: return false;
    }
}

ExprPtr infinity(ScalarType type, double value) { return constant_float(type, value); }

ExprPtr neutral(Op op, ScalarType type) {
    bool wide_float = type == ScalarType::F32 || type == ScalarType::F64;
    if (is_float(type) && !wide_float)
        return nullptr;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (op) {
    case Op::Add: return is_float(type) ? constant_float(type, -0.0) : constant_int(type, 0); // x + -0 = x, also for x = -0
    case Op::Subtract: case Op::BitOr: case Op::BitXor: case Op::LogicalOr: return constant_int(type, 0);
    case Op::Multiply: return constant_int(type, 1);
    case Op::BitAnd: return constant_int(type, -1);
    case Op::LogicalAnd: return constant_bool(true);
    case Op::Min: return is_float(type) ? infinity(type, kInfinity) : constant_bits(type, type == ScalarType::U64 ? ~0ull : static_cast<std::uint64_t>(greatest(type)));
    case Op::Max: return is_float(type) ? infinity(type, -kInfinity) : constant_int(type, least(type));
    default: return nullptr;
    }
}

ExprPtr combined(const Reduction& r, const ExprPtr& place, const std::vector<ExprPtr>& terms) {
    if (r.op == Op::None)
        return fma(terms[0], terms[1], place);
    return r.place_first ? binary(r.op, place, terms[0]) : binary(r.op, terms[0], place);
}

ExprPtr index(int i) { return constant_int(ScalarType::I32, i); }

// t[first, first + count) as a vector, or a scalar.
ExprPtr lanes_from(int first, int count) { return count == 1 ? index(first) : ramp(index(first), index(1), count); }

} // namespace

std::optional<Reduction> match_reduction(const Statement& store) {
    const auto& value = store.value;
    Reduction r;
    if (value->kind == ExprKind::Fma && is_place(value->args[2], store)) {
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
        if (reads(term, store.buffer))
            return std::nullopt;
    for (const auto& i : store.indices)
        if (reads(i, store.buffer))
            return std::nullopt;
    return r;
}

std::vector<ExprPtr> neutral_terms(const Reduction& r, ScalarType type) {
    if (r.op == Op::None) { // (-0 * 1) + x = x
        bool known = type == ScalarType::F32 || type == ScalarType::F64;
        return known ? std::vector{constant_float(type, -0.0), constant_float(type, 1)} : std::vector<ExprPtr>{};
    }
    auto one = neutral(r.op, type);
    return one ? std::vector{one} : std::vector<ExprPtr>{};
}

StatementPtr Widening::reduction(const StatementPtr& s, const Reduction& r, const std::vector<ExprPtr>& indices) {
    auto type = s->value->type;
    auto off = mask_ ? neutral_terms(r, type) : std::vector<ExprPtr>{};
    if (mask_ && off.empty())
        throw Impossible();
    std::vector<ExprPtr> terms;
    for (std::size_t i = 0; i < r.terms.size(); ++i) {
        auto term = widen(r.terms[i]);
        if (mask_)
            term = select(mask_, with_lanes(term, lanes_), with_lanes(off[i], lanes_));
        terms.push_back(term);
    }
    // Terms that differ between lanes go through memory that becomes registers: there is no other way to one lane.
    std::vector<std::string> temporaries;
    std::vector<StatementPtr> stores;
    for (const auto& term : terms) {
        temporaries.push_back(term->lanes > 1 ? names_.fresh(s->buffer + ".lanes") : "");
        if (term->lanes > 1)
            stores.push_back(lower::store(s->origin, temporaries.back(), {lane_numbers()}, term));
    }
    bool halves = r.op != Op::None && any_order(r.op, type) && terms[0]->lanes > 1;
    auto combine = halves ? combine_by_halves(s, r, indices, temporaries[0]) : combine_in_order(s, r, indices, terms, temporaries);
    stores.push_back(combine);
    auto result = block(std::move(stores), s->origin);
    for (const auto& name : temporaries)
        if (!name.empty())
            result = allocate(s->origin, name, type, {Extent(lanes_)}, "register", result);
    return result;
}

StatementPtr Widening::combine_in_order(const StatementPtr& s, const Reduction& r, const std::vector<ExprPtr>& indices,
                                        const std::vector<ExprPtr>& lane_terms,
                                        const std::vector<std::string>& temporaries) {
    auto type = s->value->type;
    std::vector<StatementPtr> steps;
    for (int lane = 0; lane < lanes_; ++lane) {
        std::vector<ExprPtr> terms;
        for (std::size_t i = 0; i < lane_terms.size(); ++i)
            terms.push_back(temporaries[i].empty() ? lane_terms[i] : loopscope::load(temporaries[i], type, {index(lane)}));
        steps.push_back(lower::store(s->origin, s->buffer, indices, combined(r, loopscope::load(s->buffer, type, indices), terms)));
    }
    return block(std::move(steps), s->origin);
}

StatementPtr Widening::combine_by_halves(const StatementPtr& s, const Reduction& r, const std::vector<ExprPtr>& indices,
                                         const std::string& temporary) {
    auto type = s->value->type;
    auto part = [&](int first, int count) { return loopscope::load(temporary, type, {lanes_from(first, count)}); };
    std::vector<StatementPtr> steps;
    for (int count = lanes_; count > 1;) {
        int half = count / 2;
        auto joined = binary(r.op, part(0, half), part(count - half, half));
        steps.push_back(lower::store(s->origin, temporary, {lanes_from(0, half)}, joined));
        count -= half;
    }
    steps.push_back(lower::store(s->origin, s->buffer, indices, combined(r, loopscope::load(s->buffer, type, indices), {part(0, 1)})));
    return block(std::move(steps), s->origin);
}

} // namespace loopscope::lower
