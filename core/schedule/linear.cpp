#include "core/schedule/linear.h"

#include "core/base/integer_division.h"
#include "core/base/magnitude.h"
#include "core/schedule/quotient_range.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace loopscope {

namespace {

std::int64_t saturated(Wide value) {
    return static_cast<std::int64_t>(std::clamp<Wide>(value, -kBeyond, kBeyond));
}

void add_scaled(Interval& sum, std::int64_t factor, Interval part) {
    const auto a = Wide{factor} * part.least, b = Wide{factor} * part.greatest;
    sum = {saturated(sum.least + std::min(a, b)), saturated(sum.greatest + std::max(a, b))};
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        throw std::overflow_error("a sum of linear forms leaves 64 bits");
    return sum;
}

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        throw std::overflow_error("a multiple of a linear form leaves 64 bits");
    return product;
}

Wide greatest_magnitude(Interval range) {
    return std::max(magnitude(range.least), magnitude(range.greatest));
}

LinearForm atom_form(Atom::Kind kind, const LinearForm& inner, std::int64_t a, std::int64_t b,
                     Interval range) {
    auto atom = std::make_shared<Atom>();
    atom->kind = kind;
    atom->inner = inner;
    atom->a = a;
    atom->b = b;
    atom->range = range;
    auto end = [](std::int64_t value) { return value == kNoEnd || value == -kNoEnd ? 0 : value; };
    atom->weight = saturated(Wide{inner.weight()} + magnitude(end(a)) + magnitude(end(b)));
    const char* word = kind == Atom::Kind::FloorDivide ? "div"
                       : kind == Atom::Kind::Modulo    ? "mod"
                                                       : "clamp";
    atom->key = std::string(word) + "(" + inner.key() + "," + std::to_string(a) + "," +
                std::to_string(b) + ")";
    return LinearForm(AtomPtr(atom));
}

// Is a multiple of what is inside of the atom still a form?
bool can_expand(const Atom& atom, std::int64_t factor) {
    return Wide{atom.weight} * magnitude(factor) <= kBeyond;
}

// form = clamped inner: replaces clamp atoms by their inner form and returns by how much that may
// be off.
LinearForm clamps_to_slack(const LinearForm& form, Interval& slack) {
    LinearForm out(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        if (atom->kind != Atom::Kind::Clamp || !can_expand(*atom, c)) {
            out = out + LinearForm(atom) * c;
            continue;
        }
        // clamp(A) = A + d with d in [min(0, b - max A), max(0, a - min A)].
        auto inner = atom->inner.range();
        std::int64_t low = std::min<std::int64_t>(0, atom->b - inner.greatest);
        std::int64_t high = std::max<std::int64_t>(0, atom->a - inner.least);
        add_scaled(slack, c, {low, high});
        out = out + clamps_to_slack(atom->inner * c, slack);
    }
    return out;
}

} // namespace

LinearForm::LinearForm(AtomPtr atom) { terms_.emplace_back(std::move(atom), 1); }

Interval LinearForm::range() const {
    Interval r{constant_, constant_};
    for (const auto& [atom, c] : terms_)
        add_scaled(r, c, atom->range);
    return r;
}

std::int64_t LinearForm::weight() const {
    Wide sum = magnitude(constant_);
    for (const auto& [atom, c] : terms_)
        sum = std::min<Wide>(sum + magnitude(c) * atom->weight, kBeyond);
    return static_cast<std::int64_t>(sum);
}

LinearForm LinearForm::operator+(const LinearForm& other) const {
    LinearForm sum;
    sum.constant_ = checked_add(constant_, other.constant_);
    auto a = terms_.begin();
    auto b = other.terms_.begin();
    while (a != terms_.end() || b != other.terms_.end()) {
        if (b == other.terms_.end() || (a != terms_.end() && a->first->key < b->first->key)) {
            sum.terms_.push_back(*a++);
        } else if (a == terms_.end() || b->first->key < a->first->key) {
            sum.terms_.push_back(*b++);
        } else {
            if (auto c = checked_add(a->second, b->second))
                sum.terms_.emplace_back(a->first, c);
            ++a, ++b;
        }
    }
    return sum;
}

LinearForm LinearForm::operator*(std::int64_t factor) const {
    LinearForm product;
    if (factor == 0)
        return product;
    product = *this;
    product.constant_ = checked_multiply(product.constant_, factor);
    for (auto& term : product.terms_)
        term.second = checked_multiply(term.second, factor);
    return product;
}

bool LinearForm::operator==(const LinearForm& other) const {
    return constant_ == other.constant_ &&
           std::equal(terms_.begin(), terms_.end(), other.terms_.begin(), other.terms_.end(),
                      [](const auto& x, const auto& y) {
                          return x.second == y.second && x.first->key == y.first->key;
                      });
}

std::string LinearForm::key() const {
    std::string out;
    for (const auto& [atom, c] : terms_)
        out += std::to_string(c) + "*" + atom->key + "+";
    return out + std::to_string(constant_);
}

LinearForm variable_form(const std::string& name, Interval range) {
    if (range.least == range.greatest)
        return LinearForm(range.least);
    auto atom = std::make_shared<Atom>();
    atom->key = atom->name = name;
    atom->range = range;
    atom->weight = saturated(greatest_magnitude(range) + 1);
    return LinearForm(AtomPtr(atom));
}

namespace {

// clamp(d*A, d*a, d*b) / d = clamp(A, a, b); nothing where a part is no multiple of d.
std::optional<LinearForm> divided(const Atom& clamped, std::int64_t divisor) {
    auto end = [&](std::int64_t value) { return value == kNoEnd || value == -kNoEnd; };
    if ((!end(clamped.a) && clamped.a % divisor != 0) ||
        (!end(clamped.b) && clamped.b % divisor != 0) || clamped.inner.constant() % divisor != 0)
        return std::nullopt;
    LinearForm inner(clamped.inner.constant() / divisor);
    for (const auto& [atom, c] : clamped.inner.terms()) {
        if (c % divisor != 0)
            return std::nullopt;
        inner = inner + LinearForm(atom) * (c / divisor);
    }
    return clamp(inner, end(clamped.a) ? clamped.a : clamped.a / divisor,
                 end(clamped.b) ? clamped.b : clamped.b / divisor);
}

} // namespace

LinearForm floor_divide(const LinearForm& form, std::int64_t divisor) {
    if (divisor == 1)
        return form;
    // floor((d*A + B) / d) = A + floor(B / d).
    LinearForm whole, rest(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        if (c % divisor == 0)
            whole = whole + LinearForm(atom) * (c / divisor);
        else if (auto part = atom->kind == Atom::Kind::Clamp && can_expand(*atom, c)
                                 ? divided(*atom, divisor)
                                 : std::nullopt)
            whole = whole + *part * c;
        else
            rest = rest + LinearForm(atom) * c;
    }
    auto range = rest.range();
    Interval quotient{floor_div(range.least, divisor), floor_div(range.greatest, divisor)};
    if (quotient.least == quotient.greatest)
        return whole + LinearForm(quotient.least);
    // The constant's whole part comes out too, so that floor((x + 5) / 2) and floor((x + 3) / 2)
    // share an atom.
    std::int64_t out = floor_div(rest.constant(), divisor);
    rest = rest - LinearForm(out * divisor);
    return whole + LinearForm(out) +
           atom_form(Atom::Kind::FloorDivide, rest, divisor, 0,
                     {quotient.least - out, quotient.greatest - out});
}

LinearForm modulo(const LinearForm& form, std::int64_t modulus) {
    LinearForm rest(floor_mod(form.constant(), modulus));
    for (const auto& [atom, c] : form.terms())
        rest = rest + LinearForm(atom) * floor_mod(c, modulus);
    if (rest.weight() > kMaxWeight) // -x % 2^40 is not (2^40 - 1)*x % 2^40
        rest = form;
    auto range = rest.range();
    if (floor_div(range.least, modulus) == floor_div(range.greatest, modulus))
        return rest - LinearForm(floor_div(range.least, modulus) * modulus);
    return atom_form(Atom::Kind::Modulo, rest, modulus, 0, {0, modulus - 1});
}

LinearForm clamp(const LinearForm& form, std::int64_t least, std::int64_t greatest) {
    auto range = form.range();
    if (range.least >= least && range.greatest <= greatest)
        return form;
    if (range.greatest <= least)
        return LinearForm(least);
    if (range.least >= greatest)
        return LinearForm(greatest);
    // A clamp of a clamp is one: max(min(x, 10), 0), as clamp(x, 0, 10) is written.
    if (form.terms().size() == 1 && form.terms()[0].second == 1 &&
        form.terms()[0].first->kind == Atom::Kind::Clamp) {
        const auto& inner = *form.terms()[0].first;
        auto moved = [&](std::int64_t end) {
            return end == kNoEnd || end == -kNoEnd ? end : end + form.constant();
        };
        const auto low = std::max(moved(inner.a), least), high = std::min(moved(inner.b), greatest);
        if (moved(inner.a) <= greatest && moved(inner.b) >= least)
            return clamp(inner.inner + LinearForm(form.constant()), low, high);
    }
    // An end that is never reached is none: forms are then alike whichever it was, and stay right
    // for values of a variable before its first one (warming up a window).
    const std::int64_t low = range.least >= least ? -kNoEnd : least;
    const std::int64_t high = range.greatest <= greatest ? kNoEnd : greatest;
    return atom_form(Atom::Kind::Clamp, form, low, high,
                     {std::max(range.least, least), std::min(range.greatest, greatest)});
}

LinearForm with_variables(const LinearForm& form,
                          const std::function<std::optional<LinearForm>(const Atom&)>& value) {
    LinearForm out(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        LinearForm part(atom);
        switch (atom->kind) {
        case Atom::Kind::Variable:
            if (auto replaced = value(*atom))
                part = *replaced;
            break;
        case Atom::Kind::FloorDivide:
            part = floor_divide(with_variables(atom->inner, value), atom->a);
            break;
        case Atom::Kind::Modulo: part = modulo(with_variables(atom->inner, value), atom->a); break;
        case Atom::Kind::Clamp:
            part = clamp(with_variables(atom->inner, value), atom->a, atom->b);
            break;
        }
        out = out + part * c;
    }
    return out;
}

bool depends_on(const LinearForm& form, const std::string& variable) {
    return std::any_of(form.terms().begin(), form.terms().end(), [&](const auto& term) {
        return term.first->kind == Atom::Kind::Variable ? term.first->name == variable
                                                        : depends_on(term.first->inner, variable);
    });
}

namespace {

// The form with those clamps taken off that have others inside; `slack` takes what that changes at
// most.
LinearForm without_outer_clamps(const LinearForm& form, Interval& slack) {
    LinearForm out(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        const auto& terms = atom->inner.terms();
        const bool nested = atom->kind == Atom::Kind::Clamp && can_expand(*atom, c) &&
                            std::any_of(terms.begin(), terms.end(), [](const auto& term) {
                                return term.first->kind == Atom::Kind::Clamp;
                            });
        if (!nested) {
            out = out + LinearForm(atom) * c;
            continue;
        }
        const auto inner = atom->inner.range();
        const auto low = std::min<std::int64_t>(0, atom->b - inner.greatest);
        const auto high = std::max<std::int64_t>(0, atom->a - inner.least);
        add_scaled(slack, c, {low, high});
        out = out + atom->inner * c;
    }
    return out;
}

// What clamp(x, a, b) - clamp(y, c, d) is within, `span` being that of x - y: where neither is at
// an end it is x - y, where both are at one it is a - c or b - d, and between these it lies between
// them. A clamp without an end has one as far out as it likes beyond what it reaches.
Interval clamp_difference(const Atom& p, const Atom& q, Interval span) {
    Interval out = span;
    auto add = [&](std::int64_t difference) {
        out = {std::min(out.least, difference), std::max(out.greatest, difference)};
    };
    const auto x = p.inner.range(), y = q.inner.range();
    const bool below_p = p.a != -kNoEnd, below_q = q.a != -kNoEnd;
    const bool above_p = p.b != kNoEnd, above_q = q.b != kNoEnd;
    if (below_p && below_q)
        add(p.a - q.a);
    else if (below_q)
        add(std::min(x.least - q.a, span.greatest));
    else if (below_p)
        add(std::max(p.a - y.least, span.least));
    if (above_p && above_q)
        add(p.b - q.b);
    else if (above_q)
        add(std::max(x.greatest - q.b, span.least));
    else if (above_p)
        add(std::min(p.b - y.greatest, span.greatest));
    return out;
}

// floor(x/d) - floor(y/d) is in [floor((x-y)/d), ceil((x-y)/d)].
Interval quotient_difference(const Atom& p, const Atom&, Interval span) {
    return {floor_div(span.least, p.a), -floor_div(-span.greatest, p.a)};
}

// Takes pairs of atoms of one kind, but of opposite signs, out of a form; what `difference` says of
// them is added to `bounds`.
LinearForm without_pairs(LinearForm rest, Atom::Kind kind,
                         Interval (*difference)(const Atom&, const Atom&, Interval),
                         Interval& bounds) {
    for (bool found = true; found;) {
        found = false;
        for (const auto& [p, cp] : rest.terms()) {
            for (const auto& [q, cq] : rest.terms()) {
                if (p->kind != kind || q->kind != kind || cp <= 0 || cq >= 0 ||
                    (kind == Atom::Kind::FloorDivide && p->a != q->a))
                    continue;
                const std::int64_t n = std::min(cp, -cq);
                const auto within = difference(*p, *q, difference_range(p->inner, q->inner));
                add_scaled(bounds, n, within);
                rest = rest - LinearForm(p) * n + LinearForm(q) * n;
                found = true;
                break;
            }
            if (found)
                break;
        }
    }
    return rest;
}

// floor((clamp(A, a, b) + n) / d) = clamp(floor((A + n) / d), floor((a + n) / d), floor((b + n) /
// d)), applied to all such quotients. The first and the last point of a tile that is clamped are
// then both clamps, and of their difference more is known.
LinearForm with_clamps_outside(const LinearForm& form) {
    LinearForm out(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        const auto& inner = atom->inner;
        const bool quotient = atom->kind == Atom::Kind::FloorDivide && inner.terms().size() == 1 &&
                              inner.terms().begin()->second == 1 &&
                              inner.terms().begin()->first->kind == Atom::Kind::Clamp &&
                              can_expand(*inner.terms().begin()->first, 1);
        if (!quotient) {
            out = out + LinearForm(atom) * c;
            continue;
        }
        const auto& clamped = *inner.terms().begin()->first;
        auto end = [&](std::int64_t value) {
            return value == kNoEnd || value == -kNoEnd
                       ? value
                       : floor_div(value + inner.constant(), atom->a);
        };
        const auto inside = floor_divide(clamped.inner + LinearForm(inner.constant()), atom->a);
        out = out + clamp(inside, end(clamped.a), end(clamped.b)) * c;
    }
    return out;
}

} // namespace

Interval difference_range(const LinearForm& a, const LinearForm& b) {
    LinearForm d = a - b;
    Interval best = d.range();
    auto tighten = [&](Interval r) {
        best = {std::max(best.least, r.least), std::min(best.greatest, r.greatest)};
    };
    auto try_without = [&](const LinearForm& form, Interval pairs) {
        Interval slack{0, 0};
        const auto plain = clamps_to_slack(form, slack);
        auto within = [&](Interval r) {
            tighten({r.least + pairs.least + slack.least,
                     r.greatest + pairs.greatest + slack.greatest});
        };
        within(range_with_quotients(plain));
        const auto rest = without_pairs(plain, Atom::Kind::FloorDivide, quotient_difference, pairs);
        within(rest.range());
    };
    try_without(d, {0, 0});
    Interval clamps{0, 0};
    const auto unclamped = without_pairs(d, Atom::Kind::Clamp, clamp_difference, clamps);
    if (!(unclamped == d))
        try_without(unclamped, clamps);
    if (const auto outside = with_clamps_outside(d); !(outside == d))
        tighten(difference_range(outside, LinearForm(0)));
    // Clamps of clamps: where the inner ones cancel, taking them off too would lose how far apart
    // they are.
    Interval outer{0, 0};
    const auto inside = without_outer_clamps(d, outer);
    if (!(inside == d)) {
        const auto r = difference_range(inside, LinearForm(0));
        tighten({r.least + outer.least, r.greatest + outer.greatest});
    }
    return best;
}

FormInterval hull(const FormInterval& a, const FormInterval& b) {
    FormInterval out;
    out.exact = a.exact && b.exact;
    auto low = difference_range(b.least, a.least); // b - a
    auto high = difference_range(b.greatest, a.greatest);
    if (low.least >= 0)
        out.least = a.least;
    else if (low.greatest <= 0)
        out.least = b.least;
    else {
        out.least = a.least + LinearForm(low.least);
        out.exact = false;
    }
    if (high.greatest <= 0)
        out.greatest = a.greatest;
    else if (high.least >= 0)
        out.greatest = b.greatest;
    else {
        out.greatest = a.greatest + LinearForm(high.greatest);
        out.exact = false;
    }
    return out;
}

std::int64_t known_divisor(const LinearForm& form) {
    auto out = std::abs(form.constant());
    for (const auto& [atom, coefficient] : form.terms()) {
        std::int64_t of = 1;
        if (atom->kind == Atom::Kind::Clamp) {
            of = known_divisor(atom->inner);
            for (auto end : {atom->a, atom->b})
                if (std::abs(end) < kNoEnd)
                    of = std::gcd(of, end);
        } else if (atom->kind == Atom::Kind::Modulo) {
            of = std::gcd(known_divisor(atom->inner), atom->a);
        }
        out = std::gcd(out, of * std::abs(coefficient));
    }
    return out;
}

} // namespace loopscope
