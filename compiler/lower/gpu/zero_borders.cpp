#include "compiler/lower/gpu/zero_borders.h"

#include "compiler/lower/affine.h"

#include <algorithm>
#include <cstdint>

namespace loopscope::lower {

namespace {

// Modulo 2^32, as i32 computes: two sums that are equal as such have one value. False: a
// coefficient is too great.
bool collect(const ExprPtr& e, std::int64_t factor, Affine& out) {
    std::int64_t value = 0;
    if (constant_value(e, value))
        return out.add_constant(value * factor);
    if (e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract))
        return collect(e->args[0], factor, out) &&
               collect(e->args[1], e->op == Op::Add ? factor : -factor, out);
    if (e->kind == ExprKind::Binary && e->op == Op::Multiply && constant_value(e->args[1], value)) {
        Affine product;
        return collect(e->args[0], 1, product) && out.add(product, value * factor);
    }
    return out.add_term(e, factor);
}

bool same(const ExprPtr& a, const ExprPtr& b) {
    if (a->type != b->type)
        return false;
    Affine difference;
    return collect(a, 1, difference) && collect(b, -1, difference) && difference.is_constant() &&
           difference.constant == 0;
}

struct Index {
    ExprPtr value;          // without its clamps
    bool from_zero = false; // what is below 0 is clamped
    bool to_last = false;   // what is above the last is
    bool asks_zero = false; // the mask asks whether it is 0 at least
    bool asks_last = false; // and whether it is the last at most
    bool zero_outside() const { return (asks_zero || !from_zero) && (asks_last || !to_last); }
};

// min(max(e, 0), last), in either order, or one of the two.
Index unclamped(const ExprPtr& index, std::int64_t last) {
    Index out{index};
    for (;;) {
        std::int64_t bound = 0;
        const auto& e = *out.value;
        if (e.kind != ExprKind::Binary || !constant_value(e.args[1], bound))
            return out;
        bool& clamps = e.op == Op::Max ? out.from_zero : out.to_last;
        if ((e.op != Op::Max || bound != 0) && (e.op != Op::Min || bound != last))
            return out;
        clamps = true;
        out.value = ExprPtr(e.args[0]);
    }
}

// A comparison with a constant, as least or greatest value of what is compared.
struct Bound {
    ExprPtr of;
    bool is_least = false;
    std::int64_t value = 0;
};

std::optional<Bound> bound(const Expr& condition) {
    if (condition.kind != ExprKind::Binary)
        return std::nullopt;
    Bound out{condition.args[0], false, 0};
    auto op = condition.op;
    if (!constant_value(condition.args[1], out.value)) {
        if (!constant_value(condition.args[0], out.value))
            return std::nullopt;
        out.of = condition.args[1];
        op = op == Op::Less           ? Op::Greater
             : op == Op::LessEqual    ? Op::GreaterEqual
             : op == Op::Greater      ? Op::Less
             : op == Op::GreaterEqual ? Op::LessEqual
                                      : op;
    }
    switch (op) {
    case Op::Less: --out.value; break;
    case Op::LessEqual: break;
    case Op::Greater: ++out.value; [[fallthrough]];
    case Op::GreaterEqual: out.is_least = true; break;
    default: return std::nullopt;
    }
    return out;
}

bool find_bounds(const ExprPtr& condition, std::vector<Bound>& out) {
    if (condition->kind == ExprKind::Binary && condition->op == Op::LogicalAnd)
        return find_bounds(condition->args[0], out) && find_bounds(condition->args[1], out);
    const auto asked = bound(*condition);
    if (asked)
        out.push_back(*asked);
    return asked.has_value();
}

bool is_same(const Bound& a, bool is_least, std::int64_t value, const ExprPtr& of) {
    return a.is_least == is_least && a.value == value && same(a.of, of);
}

// Along a dimension of one element the index is 0, whatever was clamped: the clamped value is the
// one that the mask holds between 0 and 0, if there is just one that is no other index.
void find_only(std::vector<Index>& indices, const std::vector<Extent>& extents,
               const std::vector<Bound>& bounds) {
    const auto known = [&](const ExprPtr& value) {
        return std::any_of(indices.begin(), indices.end(),
                           [&](const Index& index) { return same(index.value, value); });
    };
    for (std::size_t d = 0; d < indices.size(); ++d) {
        std::int64_t value = 0;
        if (extents[d].constant() != 1 || !constant_value(indices[d].value, value) || value != 0)
            continue;
        const auto found = std::find_if(bounds.begin(), bounds.end(), [&](const Bound& least) {
            return is_same(least, true, 0, least.of) && !known(least.of) &&
                   std::any_of(bounds.begin(), bounds.end(), [&](const Bound& most) {
                       return is_same(most, false, 0, least.of);
                   });
        });
        if (found != bounds.end())
            indices[d].value = found->of;
    }
}

bool ask(const Bound& asked, std::vector<Index>& indices, const std::vector<Extent>& extents) {
    bool of_some = false;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        const bool of_border = asked.value == (asked.is_least ? 0 : extents[d].constant() - 1);
        if (!of_border || !same(asked.of, indices[d].value))
            continue;
        (asked.is_least ? indices[d].asks_zero : indices[d].asks_last) = true;
        of_some = true;
    }
    return of_some;
}

} // namespace

// The mask is a conjunction of borders of indices, so that it is false nowhere inside. Outside it
// is false, or the program reads what is not there: an index that is clamped is asked for.
std::optional<std::vector<ExprPtr>> indices_with_zero_border(const Expr& masked_load,
                                                             const std::vector<Extent>& extents) {
    if (masked_load.args.size() != extents.size() + 1)
        return std::nullopt;
    std::vector<Index> indices;
    for (std::size_t d = 0; d < extents.size(); ++d)
        indices.push_back(unclamped(masked_load.args[d], extents[d].constant() - 1));
    std::vector<Bound> bounds;
    if (!find_bounds(masked_load.args.back(), bounds))
        return std::nullopt;
    find_only(indices, extents, bounds);
    for (const auto& asked : bounds)
        if (!ask(asked, indices, extents))
            return std::nullopt;
    std::vector<ExprPtr> out;
    for (const auto& index : indices) {
        // The index must have 32 bits, as the TMA's coordinates: a wider one outside of the array
        // could lie inside once it is cut off.
        if (!index.zero_outside() || index.value->type != ScalarType::I32)
            return std::nullopt;
        out.push_back(index.value);
    }
    return out;
}

} // namespace loopscope::lower
