#include "core/schedule/quotient_range.h"

#include "core/base/integer_division.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace loopscope {

namespace {

// Beyond these nothing is tried: factors multiply, and all must stay far from overflow.
constexpr std::int64_t kMaxFactor = 1 << 12;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 44;
constexpr int kMaxDepth = 3; // floor divisions taken out one after another

bool small(std::int64_t factor) { return factor >= -kMaxFactor && factor <= kMaxFactor; }

bool small(const LinearForm& form) {
    std::int64_t size = form.constant() < 0 ? -form.constant() : form.constant();
    for (const auto& [atom, c] : form.terms()) {
        const auto most = std::max(atom->range.greatest, -atom->range.least);
        if (!small(c) || most > kMaxSize)
            return false;
        size += (c < 0 ? -c : c) * most;
        if (size > kMaxSize)
            return false;
    }
    return size <= kMaxSize;
}

bool share_a_variable(const LinearForm& one, const LinearForm& other) {
    return std::any_of(one.terms().begin(), one.terms().end(), [&](const auto& term) {
        return term.first->kind == Atom::Kind::Variable
                   ? depends_on(other, term.first->name)
                   : share_a_variable(term.first->inner, other);
    });
}

// What whole*floor(z/d) + part*z takes over all z in the range that are a multiple of `step` from
// its ends. Within a tile of d values it rises or falls alike, and so do its values at the tiles'
// first elements, and at their last ones: the ends are at an end of the range, or of the first or
// the last tile.
Interval over_tiles(std::int64_t whole, std::int64_t d, std::int64_t part, Interval range,
                    std::int64_t step) {
    if (d % step != 0) // elements lie at other places in each tile
        step = 1;
    const auto first_end = (floor_div(range.least, d) + 1) * d - 1;
    const auto end = first_end - (first_end - range.least) % step;
    const auto last_start = floor_div(range.greatest, d) * d;
    const auto start = last_start + (range.greatest - last_start) % step;
    auto at = [&](std::int64_t z) { return whole * floor_div(z, d) + part * z; };
    Interval out{at(range.least), at(range.least)};
    for (auto z : {range.greatest, end, end + step, start, start - step})
        if (range.contains({z, z}))
            out = {std::min(out.least, at(z)), std::max(out.greatest, at(z))};
    return out;
}

using Ratio = std::pair<std::int64_t, std::int64_t>; // numerator, denominator above 0

Ratio ratio(std::int64_t a, std::int64_t b) {
    const auto g = std::gcd(a, b) * (b < 0 ? -1 : 1);
    return {a / g, b / g};
}

Interval range_at(const LinearForm& form, int depth);

// Without one of its floor divisions, c*floor(inner/d): n*form is (n*c*floor(inner/d) + m*inner) +
// (n*rest - m*inner) for any m and n, and the first part is a matter of inner alone.
Interval without(const LinearForm& form, const AtomPtr& quotient, std::int64_t c, int depth) {
    const auto rest = form - LinearForm(quotient) * c;
    const auto& inner = quotient->inner;
    const auto range = inner.range();
    std::int64_t step = 0;
    std::set<Ratio> ratios{ratio(-c, quotient->a)}; // so that all of inner / d comes out
    for (const auto& [atom, factor] : inner.terms()) {
        step = std::gcd(step, factor);
        for (const auto& [other, beside] : rest.terms())
            if (other->key == atom->key)
                ratios.insert(ratio(beside, factor));
    }
    Interval best = form.range();
    for (const auto& [m, n] : ratios) {
        if (!small(m) || !small(n) || !small(n * c))
            continue;
        const auto others = rest * n - inner * m;
        if (!small(others))
            continue;
        const auto tiles = over_tiles(n * c, quotient->a, m, range, step);
        const auto beside = range_at(others, depth + 1);
        best = {std::max(best.least, ceil_div(tiles.least + beside.least, n)),
                std::min(best.greatest, floor_div(tiles.greatest + beside.greatest, n))};
    }
    return best;
}

Interval range_at(const LinearForm& form, int depth) {
    Interval best = form.range();
    if (depth >= kMaxDepth || form.terms().size() < 2 || !small(form))
        return best;
    for (std::size_t t = 0; t < form.terms().size(); ++t) {
        const auto& [atom, c] = form.terms()[t];
        if (atom->kind != Atom::Kind::FloorDivide || !small(atom->a) || !small(atom->inner))
            continue;
        const bool beside = std::any_of(
            form.terms().begin(), form.terms().end(), [&, own = atom.get()](const auto& term) {
                return term.first.get() != own &&
                       share_a_variable(LinearForm(term.first), own->inner);
            });
        if (!beside)
            continue;
        const auto r = without(form, atom, c, depth);
        best = {std::max(best.least, r.least), std::min(best.greatest, r.greatest)};
    }
    return best;
}

} // namespace

Interval range_with_quotients(const LinearForm& form) { return range_at(form, 0); }

} // namespace loopscope
