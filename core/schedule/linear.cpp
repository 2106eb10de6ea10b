#include "core/schedule/linear.h"

#include <algorithm>
#include <functional>

namespace loopscope {

namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    std::int64_t q = a / b;
    return a % b < 0 ? q - 1 : q;
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) { return a - b * floor_div(a, b); }

LinearForm atom_form(Atom::Kind kind, const LinearForm& inner, std::int64_t a, std::int64_t b,
                     Interval range) {
    auto atom = std::make_shared<Atom>();
    atom->kind = kind;
    atom->inner = inner;
    atom->a = a;
    atom->b = b;
    atom->range = range;
    const char* word = kind == Atom::Kind::FloorDivide ? "div"
                       : kind == Atom::Kind::Modulo    ? "mod"
                                                       : "clamp";
    atom->key = std::string(word) + "(" + inner.key() + "," + std::to_string(a) + "," +
                std::to_string(b) + ")";
    return LinearForm(AtomPtr(atom));
}

// form = clamped inner: replaces clamp atoms by their inner form and returns by how much that may be off.
LinearForm without_clamps(const LinearForm& form, Interval& slack) {
    LinearForm out(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        if (atom->kind != Atom::Kind::Clamp) {
            out = out + LinearForm(atom) * c;
            continue;
        }
        // clamp(A) = A + d with d in [min(0, b - max A), max(0, a - min A)].
        auto inner = atom->inner.range();
        std::int64_t low = std::min<std::int64_t>(0, atom->b - inner.greatest);
        std::int64_t high = std::max<std::int64_t>(0, atom->a - inner.least);
        slack.least += c > 0 ? c * low : c * high;
        slack.greatest += c > 0 ? c * high : c * low;
        out = out + without_clamps(atom->inner * c, slack);
    }
    return out;
}

} // namespace

LinearForm::LinearForm(AtomPtr atom) { terms_.emplace_back(std::move(atom), 1); }

Interval LinearForm::range() const {
    Interval r{constant_, constant_};
    for (const auto& [atom, c] : terms_) {
        r.least += c > 0 ? c * atom->range.least : c * atom->range.greatest;
        r.greatest += c > 0 ? c * atom->range.greatest : c * atom->range.least;
    }
    return r;
}

LinearForm LinearForm::operator+(const LinearForm& other) const {
    LinearForm sum;
    sum.constant_ = constant_ + other.constant_;
    auto a = terms_.begin();
    auto b = other.terms_.begin();
    while (a != terms_.end() || b != other.terms_.end()) {
        if (b == other.terms_.end() || (a != terms_.end() && a->first->key < b->first->key)) {
            sum.terms_.push_back(*a++);
        } else if (a == terms_.end() || b->first->key < a->first->key) {
            sum.terms_.push_back(*b++);
        } else {
            if (auto c = a->second + b->second)
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
    product.constant_ *= factor;
    for (auto& term : product.terms_)
        term.second *= factor;
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
    return LinearForm(AtomPtr(atom));
}

LinearForm floor_divide(const LinearForm& form, std::int64_t divisor) {
    if (divisor == 1)
        return form;
    // floor((d*A + B) / d) = A + floor(B / d).
    LinearForm whole, rest(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        if (c % divisor == 0)
            whole = whole + LinearForm(atom) * (c / divisor);
        else
            rest = rest + LinearForm(atom) * c;
    }
    auto range = rest.range();
    Interval quotient{floor_div(range.least, divisor), floor_div(range.greatest, divisor)};
    if (quotient.least == quotient.greatest)
        return whole + LinearForm(quotient.least);
    // The constant's whole part comes out too, so that floor((x + 5) / 2) and floor((x + 3) / 2) share an atom.
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
    // An end that is never reached is none: forms are then alike whichever it was, and stay right for values of a variable
    // before its first one (warming up a window).
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

namespace {

// Takes pairs of atoms of one kind and with the same parameters, but opposite signs, out of a form; what their differences
// are within, by `span` of the difference of what they are of, is added to `bounds`.
LinearForm without_pairs(LinearForm rest, Atom::Kind kind,
                         const std::function<Interval(const Atom&, Interval)>& span,
                         Interval& bounds) {
    for (bool found = true; found;) {
        found = false;
        for (const auto& [p, cp] : rest.terms()) {
            for (const auto& [q, cq] : rest.terms()) {
                if (p->kind != kind || q->kind != kind || p->a != q->a || p->b != q->b || cp <= 0 ||
                    cq >= 0)
                    continue;
                const std::int64_t n = std::min(cp, -cq);
                const auto difference = span(*p, (p->inner - q->inner).range());
                bounds.least += n * difference.least;
                bounds.greatest += n * difference.greatest;
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

} // namespace

Interval difference_range(const LinearForm& a, const LinearForm& b) {
    LinearForm d = a - b;
    Interval best = d.range();
    auto tighten = [&](Interval r) {
        best = {std::max(best.least, r.least), std::min(best.greatest, r.greatest)};
    };
    auto try_without = [&](const LinearForm& form, Interval pairs) {
        Interval slack{0, 0};
        const auto plain = without_clamps(form, slack);
        auto r = plain.range();
        tighten(
            {r.least + pairs.least + slack.least, r.greatest + pairs.greatest + slack.greatest});
        // floor(x/d) - floor(y/d) is in [floor((x-y)/d), ceil((x-y)/d)].
        const auto rest = without_pairs(
            plain, Atom::Kind::FloorDivide,
            [](const Atom& atom, Interval span) {
                return Interval{floor_div(span.least, atom.a), -floor_div(-span.greatest, atom.a)};
            },
            pairs);
        r = rest.range();
        tighten(
            {r.least + pairs.least + slack.least, r.greatest + pairs.greatest + slack.greatest});
    };
    try_without(d, {0, 0});
    // A clamp does not change the order of two values, nor bring them farther apart.
    Interval clamps{0, 0};
    const auto unclamped = without_pairs(
        d, Atom::Kind::Clamp,
        [](const Atom&, Interval span) {
            return Interval{std::min<std::int64_t>(span.least, 0),
                            std::max<std::int64_t>(span.greatest, 0)};
        },
        clamps);
    if (!(unclamped == d))
        try_without(unclamped, clamps);
    return best;
}

namespace {

ExprPtr number(std::int64_t value) { return constant_int(ScalarType::I32, value); }

ExprPtr atom_expr(const Atom& atom) {
    switch (atom.kind) {
    case Atom::Kind::Variable: return variable(atom.name);
    case Atom::Kind::FloorDivide: return binary(Op::Divide, to_expr(atom.inner), number(atom.a));
    case Atom::Kind::Modulo: return binary(Op::Modulo, to_expr(atom.inner), number(atom.a));
    case Atom::Kind::Clamp: break;
    }
    auto range = atom.inner.range();
    auto e = to_expr(atom.inner);
    if (range.least < atom.a)
        e = binary(Op::Max, e, number(atom.a));
    if (range.greatest > atom.b)
        e = binary(Op::Min, e, number(atom.b));
    return e;
}

} // namespace

ExprPtr to_expr(const LinearForm& form) {
    ExprPtr sum;
    for (int sign : {1, -1}) // positive terms first: "x*8 - y" rather than "-y + x*8"
        for (const auto& [atom, c] : form.terms()) {
            if ((c > 0) != (sign > 0))
                continue;
            auto e = atom_expr(*atom);
            auto magnitude = c < 0 ? -c : c;
            if (magnitude != 1)
                e = binary(Op::Multiply, e, number(magnitude));
            if (!sum)
                sum = c < 0 ? unary(Op::Negate, e) : e;
            else
                sum = binary(c < 0 ? Op::Subtract : Op::Add, sum, e);
        }
    if (!sum)
        return number(form.constant());
    if (form.constant() > 0)
        return binary(Op::Add, sum, number(form.constant()));
    if (form.constant() < 0)
        return binary(Op::Subtract, sum, number(-form.constant()));
    return sum;
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

} // namespace loopscope
