#include "core/polyhedral/point_set.h"

#include "core/base/integer_division.h"
#include "core/polyhedral/point_search.h"

#include <algorithm>
#include <set>

namespace loopscope::polyhedral {

namespace {

using Condition = PointSet::Condition;
using Kind = PointSet::Condition::Kind;
using Derived = PointSet::Derived;

Condition of_form(Kind kind, Affine form) { return {kind, std::move(form), {}}; }

const Derived* derived_of(const PointSet& set, int variable) {
    for (const auto& derived : set.derived())
        if (derived.variable == variable ||
            (derived.kind == Derived::Kind::Quotient && derived.remainder == variable))
            return &derived;
    return nullptr;
}

class Printer {
public:
    explicit Printer(const PointSet& set) : set_(set) {}

    std::string run() {
        std::string conditions;
        for (const auto& condition : set_.conditions())
            conditions += (conditions.empty() ? "" : " and ") + text(condition);
        std::string tuple;
        for (int v : used_)
            tuple += (tuple.empty() ? "v" : ", v") + std::to_string(v);
        return "{ [" + tuple + "] : " + (conditions.empty() ? "0 = 0" : conditions) + " }";
    }

private:
    std::string text(const Condition& condition) {
        switch (condition.kind) {
        case Kind::AtLeastZero: return text(condition.form) + " >= 0";
        case Kind::Zero: return text(condition.form) + " = 0";
        case Kind::NotZero: return text(condition.form) + " != 0";
        default: break;
        }
        const bool all = condition.kind == Kind::All;
        std::string out;
        for (const auto& part : condition.parts)
            out += (out.empty() ? "(" : all ? " and " : " or ") + text(part);
        return out.empty() ? (all ? "0 = 0" : "0 = 1") : out + ")";
    }

    std::string text(const Affine& form) {
        std::string out = "(" + std::to_string(form.constant);
        for (const auto& [variable, factor] : form.terms)
            out += " + " + std::to_string(factor) + "*" + name(variable);
        return out + ")";
    }

    std::string name(int variable) {
        const auto* derived = derived_of(set_, variable);
        if (!derived) {
            used_.insert(variable);
            return "v" + std::to_string(variable);
        }
        if (derived->kind != Derived::Kind::Quotient)
            return (derived->kind == Derived::Kind::Minimum ? "min(" : "max(") + text(derived->a) +
                   ", " + text(derived->b) + ")";
        const auto divisor = std::to_string(derived->divisor);
        return derived->variable == variable ? "floor(" + text(derived->a) + "/" + divisor + ")"
                                             : "(" + text(derived->a) + " mod " + divisor + ")";
    }

    const PointSet& set_;
    std::set<int> used_;
};

// Variables of a condition, with those that derived ones stand for.
class Variables {
public:
    explicit Variables(const PointSet& set) : set_(set) {}

    std::set<int> of(const Condition& condition) {
        found_.clear();
        add(condition);
        return std::move(found_);
    }

private:
    void add(const Condition& condition) {
        add(condition.form);
        for (const auto& part : condition.parts)
            add(part);
    }
    void add(const Affine& form) {
        for (const auto& term : form.terms)
            if (found_.insert(term.first).second)
                if (const auto* derived = derived_of(set_, term.first)) {
                    add(derived->a);
                    add(derived->b);
                }
    }

    const PointSet& set_;
    std::set<int> found_;
};

void add_key(std::string& key, std::int64_t value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void add_key(std::string& key, const Affine& form) {
    add_key(key, form.constant);
    add_key(key, static_cast<std::int64_t>(form.terms.size()));
    for (const auto& [variable, factor] : form.terms) {
        add_key(key, variable);
        add_key(key, factor);
    }
}

void add_key(std::string& key, const Condition& condition) {
    add_key(key, static_cast<std::int64_t>(condition.kind));
    add_key(key, condition.form);
    add_key(key, static_cast<std::int64_t>(condition.parts.size()));
    for (const auto& part : condition.parts)
        add_key(key, part);
}

} // namespace

Condition PointSet::at_least_zero(Affine form) {
    return of_form(Kind::AtLeastZero, std::move(form));
}
Condition PointSet::zero(Affine form) { return of_form(Kind::Zero, std::move(form)); }
Condition PointSet::not_zero(Affine form) { return of_form(Kind::NotZero, std::move(form)); }
Condition PointSet::all(std::vector<Condition> parts) { return {Kind::All, {}, std::move(parts)}; }
Condition PointSet::any(std::vector<Condition> parts) { return {Kind::Any, {}, std::move(parts)}; }

Condition PointSet::negated(const Condition& condition) {
    auto out = condition;
    switch (condition.kind) {
    case Kind::AtLeastZero: // -f - 1 >= 0
        for (auto& term : out.form.terms)
            term.second = -term.second;
        out.form.constant = -1 - out.form.constant;
        break;
    case Kind::Zero: out.kind = Kind::NotZero; break;
    case Kind::NotZero: out.kind = Kind::Zero; break;
    case Kind::All:
    case Kind::Any:
        out.kind = condition.kind == Kind::All ? Kind::Any : Kind::All;
        for (auto& part : out.parts)
            part = negated(part);
        break;
    }
    return out;
}

int PointSet::variable() { return variables_++; }

Affine PointSet::of(int variable) { return {0, {{variable, 1}}}; }
Affine PointSet::constant(std::int64_t value) { return {value, {}}; }

Affine PointSet::plus(const Affine& a, std::int64_t constant) {
    auto out = a;
    overflows_ = __builtin_add_overflow(a.constant, constant, &out.constant) || overflows_;
    return out;
}

Affine PointSet::times(const Affine& a, std::int64_t factor) { return plus(Affine(), a, factor); }

Affine PointSet::plus(const Affine& a, const Affine& b, std::int64_t factor) {
    Affine out;
    auto combined = [&](std::int64_t x, std::int64_t y) {
        std::int64_t product = 0, sum = 0;
        // Negatives are needed as well, of what is one more.
        overflows_ = __builtin_mul_overflow(y, factor, &product) ||
                     __builtin_add_overflow(x, product, &sum) || sum <= -INT64_MAX || overflows_;
        return sum;
    };
    out.constant = combined(a.constant, b.constant);
    auto x = a.terms.begin(), y = b.terms.begin();
    while (x != a.terms.end() || y != b.terms.end()) {
        const bool left = y == b.terms.end() || (x != a.terms.end() && x->first <= y->first);
        const bool right = x == a.terms.end() || (y != b.terms.end() && y->first <= x->first);
        const int variable = left ? x->first : y->first;
        const auto sum = combined(left ? x->second : 0, right ? y->second : 0);
        if (sum != 0)
            out.terms.emplace_back(variable, sum);
        x += left;
        y += right;
    }
    return out;
}

Affine PointSet::quotient(const Affine& a, std::int64_t divisor) {
    return derive(Derived::Kind::Quotient, a, {}, divisor, false);
}
Affine PointSet::remainder(const Affine& a, std::int64_t divisor) {
    return derive(Derived::Kind::Quotient, a, {}, divisor, true);
}
Affine PointSet::minimum(const Affine& a, const Affine& b) {
    return derive(Derived::Kind::Minimum, a, b, 1, false);
}
Affine PointSet::maximum(const Affine& a, const Affine& b) {
    return derive(Derived::Kind::Maximum, a, b, 1, false);
}

// One variable for equal ones: parts of two conditions then cancel, or meet.
Affine PointSet::derive(Derived::Kind kind, Affine a, Affine b, std::int64_t divisor,
                        bool remainder) {
    Affine whole; // floor((d*A + B) / d) = A + floor(B / d), and B mod d is left
    if (kind == Derived::Kind::Quotient) {
        Affine rest;
        for (const auto& [variable, factor] : a.terms)
            if (factor % divisor == 0)
                whole.terms.emplace_back(variable, factor / divisor);
            else
                rest.terms.emplace_back(variable, factor);
        whole.constant = floor_div(a.constant, divisor);
        rest.constant = a.constant - divisor * whole.constant;
        a = std::move(rest);
        if (a.terms.empty()) // then it is between 0 and the divisor
            return remainder ? a : whole;
    } else if (a.terms == b.terms) {
        return (a.constant < b.constant) == (kind == Derived::Kind::Minimum) ? a : b;
    }
    auto found = std::find_if(derived_.begin(), derived_.end(), [&](const Derived& d) {
        return d.kind == kind && d.divisor == divisor && d.a == a && d.b == b;
    });
    if (found == derived_.end()) {
        const int own = variable();
        const int rest = kind == Derived::Kind::Quotient ? variable() : 0;
        derived_.push_back({kind, std::move(a), std::move(b), divisor, own, rest});
        found = derived_.end() - 1;
    }
    return remainder ? of(found->remainder) : plus(whole, of(found->variable));
}

void PointSet::require(Condition condition) {
    if (condition.kind == Kind::All)
        for (auto& part : condition.parts)
            require(std::move(part));
    else
        conditions_.push_back(std::move(condition));
}

void PointSet::move(std::size_t condition, std::int64_t constant) {
    auto& form = conditions_[condition].form;
    form = plus(form, constant);
}

PointSet PointSet::connected(std::size_t condition, const std::vector<std::size_t>& without) const {
    std::vector<std::set<int>> variables;
    for (const auto& each : conditions_)
        variables.push_back(Variables(*this).of(each));
    auto reached = variables[condition];
    std::vector<bool> open(conditions_.size(), true), taken(conditions_.size(), false);
    for (auto c : without)
        open[c] = false;
    taken[condition] = true;
    for (bool more = true; more;) {
        more = false;
        for (std::size_t c = 0; c < conditions_.size(); ++c)
            if (open[c] && !taken[c] &&
                std::any_of(variables[c].begin(), variables[c].end(),
                            [&](int v) { return reached.count(v) > 0; })) {
                taken[c] = more = true;
                reached.insert(variables[c].begin(), variables[c].end());
            }
    }
    // What is derived of others alone would ask for their bounds.
    auto out = *this;
    out.conditions_.clear();
    for (std::size_t c = 0; c < conditions_.size(); ++c)
        if (taken[c])
            out.conditions_.push_back(conditions_[c]);
    std::erase_if(out.derived_, [&](const Derived& derived) {
        return !reached.count(derived.variable) &&
               !(derived.kind == Derived::Kind::Quotient && reached.count(derived.remainder));
    });
    return out;
}

std::string PointSet::text() const { return Printer(*this).run(); }

std::string PointSet::key() const {
    std::string key;
    for (const auto& derived : derived_) {
        add_key(key, static_cast<std::int64_t>(derived.kind));
        add_key(key, derived.a);
        add_key(key, derived.b);
        add_key(key, derived.divisor);
        add_key(key, derived.variable);
    }
    add_key(key, static_cast<std::int64_t>(derived_.size()));
    for (const auto& condition : conditions_)
        add_key(key, condition);
    return key;
}

Emptiness is_empty(const PointSet& set, unsigned long quota) {
    if (set.overflows())
        return Emptiness::Unknown;
    const auto found = search(set);
    return found == Emptiness::Unknown ? is_empty(set.text(), quota) : found;
}

} // namespace loopscope::polyhedral
