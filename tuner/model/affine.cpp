#include "tuner/model/affine.h"

#include "core/base/integer_division.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopscope::model {

namespace {

std::uint64_t bit(int depth) { return std::uint64_t{1} << std::min(depth, 63); }

// The bits of all depths from `level` on.
std::uint64_t from(int level) { return ~std::uint64_t{0} << std::min(level, 63); }

constexpr double kLimit = 4e18; // beyond this a form is no form: its values may leave 64 bits

} // namespace

Form add(const Form& a, const Form& b, std::int64_t factor) {
    Form sum;
    sum.constant = a.constant + b.constant * factor;
    sum.terms.reserve(a.terms.size() + b.terms.size());
    auto x = a.terms.begin();
    auto y = b.terms.begin();
    while (x != a.terms.end() || y != b.terms.end()) {
        if (y == b.terms.end() || (x != a.terms.end() && x->first < y->first)) {
            sum.terms.push_back(*x++);
        } else if (x == a.terms.end() || y->first < x->first) {
            if (factor != 0)
                sum.terms.emplace_back(y->first, y->second * factor);
            ++y;
        } else {
            if (auto c = x->second + y->second * factor)
                sum.terms.emplace_back(x->first, c);
            ++x, ++y;
        }
    }
    return sum;
}

Form scale(const Form& a, std::int64_t factor) { return add(Form{}, a, factor); }

Form FormTable::intern(FormAtom atom) {
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
        const auto& known = atoms_[i];
        bool same = known.kind == atom.kind && known.depth == atom.depth && known.a == atom.a &&
                    known.b == atom.b && known.range == atom.range && known.inner == atom.inner &&
                    known.kind != FormAtom::Kind::Opaque;
        if (same)
            return Form{{{static_cast<int>(i), 1}}, 0};
    }
    atoms_.push_back(std::move(atom));
    return Form{{{static_cast<int>(atoms_.size()) - 1, 1}}, 0};
}

Form FormTable::loop(int depth, std::int64_t extent) {
    if (extent <= 1)
        return Form{};
    FormAtom atom;
    atom.depth = depth;
    atom.range = {0, extent - 1};
    atom.depths = bit(depth);
    atom.spread.assign(static_cast<std::size_t>(levels_) + 1, 0);
    atom.step.assign(static_cast<std::size_t>(levels_), 0);
    for (int level = 0; level <= std::min(depth, levels_); ++level)
        atom.spread[static_cast<std::size_t>(level)] = static_cast<double>(extent - 1);
    atom.step[static_cast<std::size_t>(depth)] = 1;
    return intern(std::move(atom));
}

// The greatest step that all held values are multiples of: the coefficients of what stands still at
// a level.
std::int64_t FormTable::held_gcd(const Form& form, int level) const {
    std::int64_t g = 0;
    for (const auto& [index, c] : form.terms)
        if (atom(index).depths & ~from(level))
            g = std::gcd(g, c < 0 ? -c : c);
    return g;
}

// Takes off what never carries into the quotient: (32*io + 8*j + i)/16 is (32*io + 8*j)/16 for i in
// 0..8, as 8 divides all else. `form.constant` is in [0, divisor).
void FormTable::drop_remainder(Form& form, std::int64_t divisor) const {
    auto small = form.terms;
    std::sort(small.begin(), small.end(),
              [](const auto& a, const auto& b) { return std::abs(a.second) < std::abs(b.second); });
    // gcd of the divisor and of all coefficients from i on
    std::vector<std::int64_t> rest(small.size() + 1, divisor);
    for (std::size_t i = small.size(); i-- > 0;)
        rest[i] = std::gcd(rest[i + 1], std::abs(small[i].second));
    Form remainder;
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < small.size(); ++i) {
        remainder.terms.push_back(small[i]);
        auto step = rest[i + 1];
        remainder.constant = form.constant % step;
        auto r = range(remainder);
        if (r.least >= 0 && r.greatest < step)
            dropped = i + 1;
    }
    if (dropped == 0)
        return;
    form.constant -= form.constant % rest[dropped];
    for (std::size_t i = 0; i < dropped; ++i)
        form.terms.erase(std::find(form.terms.begin(), form.terms.end(), small[i]));
}

Form FormTable::divide(const Form& form, std::int64_t divisor) {
    if (divisor == 1)
        return form;
    Form whole, rest;
    for (const auto& [index, c] : form.terms)
        (c % divisor == 0 ? whole : rest)
            .terms.emplace_back(index, c % divisor == 0 ? c / divisor : c);
    rest.constant = floor_mod(form.constant, divisor);
    whole.constant = floor_div(form.constant, divisor);
    drop_remainder(rest, divisor);
    auto inner = range(rest);
    Interval quotient{floor_div(inner.least, divisor), floor_div(inner.greatest, divisor)};
    if (quotient.least == quotient.greatest) {
        whole.constant += quotient.least;
        return whole;
    }
    FormAtom atom;
    atom.kind = FormAtom::Kind::Divide;
    atom.a = divisor;
    atom.range = quotient;
    atom.depths = depths(rest);
    for (int level = 0; level <= levels_; ++level) {
        // The held part is a multiple of g plus the constant: the remainder is at most divisor - g
        // + constant mod g.
        auto g = std::gcd(held_gcd(rest, level), divisor);
        double s = spread(rest, level);
        double most = static_cast<double>(divisor - g + floor_mod(rest.constant, g));
        if (!(atom.depths & ~from(level)))
            most = static_cast<double>(
                floor_mod(inner.least, divisor)); // nothing is held: the least value is known
        atom.spread.push_back(std::min(std::floor((most + s) / static_cast<double>(divisor)),
                                       static_cast<double>(quotient.greatest - quotient.least)));
    }
    for (int depth = 0; depth < levels_; ++depth)
        atom.step.push_back(signed_step(rest, depth) / static_cast<double>(divisor));
    atom.inner = std::move(rest);
    return add(whole, intern(std::move(atom)));
}

Form FormTable::modulo(const Form& form, std::int64_t modulus) {
    Form rest;
    for (const auto& [index, c] : form.terms)
        if (c % modulus != 0)
            rest.terms.emplace_back(index, c);
    rest.constant = floor_mod(form.constant, modulus);
    auto inner = range(rest);
    if (floor_div(inner.least, modulus) == floor_div(inner.greatest, modulus)) {
        rest.constant -= floor_div(inner.least, modulus) * modulus;
        return rest;
    }
    FormAtom atom;
    atom.kind = FormAtom::Kind::Modulo;
    atom.a = modulus;
    atom.range = {0, modulus - 1};
    atom.depths = depths(rest);
    for (int level = 0; level <= levels_; ++level) {
        auto g = std::gcd(held_gcd(rest, level), modulus);
        double s = spread(rest, level);
        double most = static_cast<double>(modulus - g + floor_mod(rest.constant, g));
        atom.spread.push_back(most + s < static_cast<double>(modulus)
                                  ? s
                                  : std::min(static_cast<double>(modulus - 1), s));
    }
    for (int depth = 0; depth < levels_; ++depth) {
        double s = std::fmod(signed_step(rest, depth), static_cast<double>(modulus));
        atom.step.push_back(s);
    }
    atom.inner = std::move(rest);
    return intern(std::move(atom));
}

Form FormTable::clamp(const Form& form, std::int64_t least, std::int64_t greatest) {
    auto inner = range(form);
    if (inner.least >= least && inner.greatest <= greatest)
        return form;
    if (inner.greatest <= least || greatest <= least)
        return Form{{}, least};
    if (inner.least >= greatest)
        return Form{{}, greatest};
    FormAtom atom;
    atom.kind = FormAtom::Kind::Clamp;
    atom.inner = form;
    atom.a = least;
    atom.b = greatest;
    atom.range = {std::max(least, inner.least), std::min(greatest, inner.greatest)};
    atom.depths = depths(form);
    double width = static_cast<double>(atom.range.greatest - atom.range.least);
    for (int level = 0; level <= levels_; ++level)
        atom.spread.push_back(std::min(spread(form, level), width));
    for (int depth = 0; depth < levels_; ++depth)
        atom.step.push_back(std::clamp(signed_step(form, depth), -width, width));
    return intern(std::move(atom));
}

Form FormTable::opaque(Interval range, std::uint64_t depths, const std::vector<double>& trips) {
    if (range.extent() <= 1)
        return Form{{}, range.empty() ? 0 : range.least};
    FormAtom atom;
    atom.kind = FormAtom::Kind::Opaque;
    atom.range = range;
    atom.depths = depths;
    double width = static_cast<double>(range.greatest - range.least);
    // n executions touch at most n different values.
    atom.spread.assign(static_cast<std::size_t>(levels_) + 1, 0);
    double executions = 1;
    for (int level = levels_; level >= 0; --level) {
        if (level < static_cast<int>(trips.size()) && (depths & bit(level)))
            executions *= trips[static_cast<std::size_t>(level)];
        atom.spread[static_cast<std::size_t>(level)] = std::min(width, executions - 1);
    }
    for (int depth = 0; depth < levels_; ++depth) // anywhere: on average a third of the range away
        atom.step.push_back(depths & bit(depth) ? width / 3 : 0);
    return intern(std::move(atom));
}

bool FormTable::parse(const ExprPtr& e, const Environment& variables, Form& out) {
    if (is_float(e->type))
        return false;
    switch (e->kind) {
    case ExprKind::Constant: {
        std::int64_t value = 0;
        if (!constant_value(e, value) || std::abs(static_cast<double>(value)) > kLimit)
            return false;
        out = Form{{}, value};
        return true;
    }
    case ExprKind::Variable: {
        auto it = variables.find(e->name);
        if (it == variables.end())
            return false;
        out = it->second;
        return true;
    }
    case ExprKind::Cast:
        // An index that fits its type everywhere keeps its value; a narrowing cast that may wrap is
        // no form.
        if (is_float(e->args[0]->type) || is_bool(e->args[0]->type) ||
            !parse(e->args[0], variables, out))
            return false;
        return !is_bool(e->type) &&
               Interval{least(e->type), greatest(e->type)}.contains(range(out));
    case ExprKind::Unary:
        if (e->op != Op::Negate || !parse(e->args[0], variables, out))
            return false;
        out = scale(out, -1);
        return true;
    case ExprKind::Binary: break;
    default: return false;
    }
    Form a, b;
    if (!parse(e->args[0], variables, a) || !parse(e->args[1], variables, b))
        return false;
    bool constant_b = b.terms.empty();
    switch (e->op) {
    case Op::Add: out = add(a, b); return true;
    case Op::Subtract: out = add(a, b, -1); return true;
    case Op::Multiply: {
        if (!constant_b && !a.terms.empty())
            return false;
        auto product = constant_b ? std::pair{a, b.constant} : std::pair{b, a.constant};
        auto r = range(product.first);
        double most = std::max(std::abs(static_cast<double>(r.least)),
                               std::abs(static_cast<double>(r.greatest)));
        if (most * std::abs(static_cast<double>(product.second)) > kLimit)
            return false;
        out = scale(product.first, product.second);
        return true;
    }
    case Op::Divide:
        if (!constant_b || b.constant <= 0)
            return false;
        out = divide(a, b.constant);
        return true;
    case Op::Modulo:
        if (!constant_b || b.constant <= 0)
            return false;
        out = modulo(a, b.constant);
        return true;
    case Op::Min:
    case Op::Max: {
        bool constant_a = a.terms.empty();
        if (!constant_a && !constant_b)
            return false;
        if (constant_a)
            std::swap(a, b);
        auto r = range(a);
        out = e->op == Op::Min ? clamp(a, std::min(r.least, b.constant), b.constant)
                               : clamp(a, b.constant, std::max(r.greatest, b.constant));
        return true;
    }
    default: return false;
    }
}

Interval FormTable::range(const Form& form) const {
    Interval r{form.constant, form.constant};
    for (const auto& [index, c] : form.terms) {
        const auto& a = atom(index).range;
        r.least += c * (c > 0 ? a.least : a.greatest);
        r.greatest += c * (c > 0 ? a.greatest : a.least);
    }
    return r;
}

std::optional<std::int64_t> FormTable::value(const Form& form,
                                             const std::vector<std::int64_t>& loops) const {
    std::int64_t sum = form.constant;
    for (const auto& [index, c] : form.terms) {
        const auto& a = atom(index);
        if (a.kind == FormAtom::Kind::Opaque)
            return std::nullopt;
        if (a.kind == FormAtom::Kind::Loop) {
            sum += c * loops[static_cast<std::size_t>(a.depth)];
            continue;
        }
        auto inner = value(a.inner, loops);
        if (!inner)
            return std::nullopt;
        sum += c * (a.kind == FormAtom::Kind::Divide   ? floor_div(*inner, a.a)
                    : a.kind == FormAtom::Kind::Modulo ? floor_mod(*inner, a.a)
                                                       : std::clamp(*inner, a.a, a.b));
    }
    return sum;
}

double FormTable::spread(const Form& form, int level) const {
    double sum = 0;
    for (const auto& [index, c] : form.terms)
        sum += std::abs(static_cast<double>(c)) *
               atom(index).spread[static_cast<std::size_t>(std::min(level, levels_))];
    return sum;
}

double FormTable::signed_step(const Form& form, int depth) const {
    double sum = 0;
    for (const auto& [index, c] : form.terms)
        sum += static_cast<double>(c) * atom(index).step[static_cast<std::size_t>(depth)];
    return sum;
}

double FormTable::step(const Form& form, int depth) const {
    return std::abs(signed_step(form, depth));
}

std::uint64_t FormTable::depths(const Form& form) const {
    std::uint64_t mask = 0;
    for (const auto& [index, c] : form.terms)
        mask |= atom(index).depths;
    return mask;
}

// Names the value that an atom begins at while deeper loops run: the same for atoms that differ in
// those loops only.
std::uint64_t FormTable::held_key(int index, int level) const {
    const auto& a = atom(index);
    if (a.kind != FormAtom::Kind::Divide && a.kind != FormAtom::Kind::Clamp)
        return static_cast<std::uint64_t>(index);
    auto inner = span(a.inner, level);
    auto key = combine(inner.key, static_cast<std::uint64_t>(a.kind));
    key = combine(combine(key, static_cast<std::uint64_t>(a.a)), static_cast<std::uint64_t>(a.b));
    return combine(key, static_cast<std::uint64_t>(static_cast<std::int64_t>(inner.low)));
}

Span FormTable::span(const Form& form, int level) const {
    Span out;
    out.low = out.high = static_cast<double>(form.constant);
    out.key = kHashSeed;
    for (const auto& [index, c] : form.terms) {
        const auto& a = atom(index);
        auto factor = static_cast<double>(c);
        if (!(a.depths & ~from(level))) { // all of it runs
            out.low += factor * static_cast<double>(c > 0 ? a.range.least : a.range.greatest);
            out.high += factor * static_cast<double>(c > 0 ? a.range.greatest : a.range.least);
            continue;
        }
        double moves = factor * a.spread[static_cast<std::size_t>(std::min(level, levels_))];
        (c > 0 ? out.high : out.low) += moves;
        out.key = combine(combine(out.key, held_key(index, level)), static_cast<std::uint64_t>(c));
    }
    return out;
}

} // namespace loopscope::model
