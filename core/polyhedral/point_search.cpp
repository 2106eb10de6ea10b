#include "core/polyhedral/point_search.h"

#include "core/base/index.h"
#include "core/base/integer_division.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace loopscope::polyhedral {

namespace {

using Condition = PointSet::Condition;
using Kind = PointSet::Condition::Kind;
using Derived = PointSet::Derived;
using Wide = __int128;

constexpr std::int64_t kNoBound = std::int64_t{1} << 61;
constexpr Wide kMaxSum = Wide{1} << 61;

struct Range {
    std::int64_t least = -kNoBound, greatest = kNoBound;
    bool bounded() const { return least > -kNoBound && greatest < kNoBound; }
    bool fixed() const { return least == greatest; }
};

enum class Truth : std::uint8_t { No, Yes, Open };

// The conditions of the set, and what derived variables are, as conditions of all variables.
std::vector<Condition> all_conditions(const PointSet& set, bool& overflows) {
    auto out = set.conditions();
    PointSet sums;
    for (const auto& d : set.derived()) {
        const auto own = PointSet::of(d.variable);
        if (d.kind == Derived::Kind::Quotient) {
            const auto rest = PointSet::of(d.remainder);
            out.push_back(PointSet::zero(sums.plus(sums.plus(d.a, own, -d.divisor), rest, -1)));
            out.push_back(PointSet::at_least_zero(rest));
            out.push_back(
                PointSet::at_least_zero(sums.plus(PointSet::constant(d.divisor - 1), rest, -1)));
            continue;
        }
        const std::int64_t sign = d.kind == Derived::Kind::Minimum ? 1 : -1;
        std::vector<Condition> either;
        for (const auto* side : {&d.a, &d.b}) {
            const auto beyond = sums.times(sums.plus(*side, own, -1), sign);
            out.push_back(PointSet::at_least_zero(beyond));
            either.push_back(PointSet::at_least_zero(sums.times(beyond, -1)));
        }
        out.push_back(PointSet::any(std::move(either)));
    }
    overflows = sums.overflows();
    return out;
}

void collect(const Condition& condition, std::vector<int>& variables) {
    for (const auto& term : condition.form.terms)
        variables.push_back(term.first);
    for (const auto& part : condition.parts)
        collect(part, variables);
}

class Search {
public:
    Search(const PointSet& set, std::size_t steps)
        : set_(set), steps_(steps), conditions_(all_conditions(set, overflows_)) {
        ranges_.resize(index(set.variables()));
        uses_.resize(ranges_.size());
        weight_.resize(ranges_.size(), 0);
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
            auto& variables = variables_.emplace_back();
            collect(conditions_[c], variables);
            std::sort(variables.begin(), variables.end());
            variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
            for (int v : variables)
                uses_[index(v)].push_back(c);
            weigh(conditions_[c]);
        }
        queued_.resize(conditions_.size(), false);
    }

    Emptiness run() {
        if (overflows_)
            return Emptiness::Unknown;
        if (!bound())
            return Emptiness::Empty;
        for (std::size_t v = 0; v < ranges_.size(); ++v)
            if (!uses_[v].empty() && !ranges_[v].bounded())
                return Emptiness::Unknown;
        for (const auto& condition : conditions_)
            if (!adds_up(condition))
                return Emptiness::Unknown;
        for (std::size_t c = 0; c < conditions_.size(); ++c)
            enqueue(c);
        if (!propagate())
            return Emptiness::Empty;
        bool known = true;
        for (const auto& part : components()) {
            const auto found = solve(part);
            if (found == Emptiness::Empty)
                return found;
            known = known && found == Emptiness::NotEmpty;
        }
        return known ? Emptiness::NotEmpty : Emptiness::Unknown;
    }

private:
    // --- bounds where there are none yet ---

    // First bounds of all variables, by conditions of which all other variables have some. False:
    // there is no point.
    bool bound() {
        for (bool more = true; more;) {
            more = false;
            for (const auto& condition : conditions_)
                if (condition.kind == Kind::AtLeastZero)
                    more = bound(condition.form, 1) || more;
                else if (condition.kind == Kind::Zero)
                    more = bound(condition.form, 1) || bound(condition.form, -1) || more;
            for (const auto& derived : set_.derived())
                if (derived.kind != Derived::Kind::Quotient)
                    more = bound(derived) || more;
        }
        return std::all_of(ranges_.begin(), ranges_.end(),
                           [](const Range& r) { return r.least <= r.greatest; });
    }

    // sign*form >= 0. Only what has no bound yet gets one.
    bool bound(const Affine& form, std::int64_t sign) {
        bool more = false;
        for (const auto& [variable, factor] : form.terms) {
            auto& range = ranges_[index(variable)];
            const auto own = sign * factor;
            if (own > 0 ? range.least > -kNoBound : range.greatest < kNoBound)
                continue;
            Wide rest = Wide{sign} * form.constant; // own*variable + rest >= 0
            bool known = true;
            for (const auto& [other, f] : form.terms) {
                if (other == variable)
                    continue;
                const auto at =
                    sign * f > 0 ? ranges_[index(other)].greatest : ranges_[index(other)].least;
                known = known && at > -kNoBound && at < kNoBound;
                rest += Wide{sign * f} * at;
            }
            if (!known || rest >= kMaxSum || rest <= -kMaxSum)
                continue;
            const auto end = static_cast<std::int64_t>(rest);
            if (own > 0)
                range.least = -floor_div(end, own);
            else
                range.greatest = floor_div(end, -own);
            more = true;
        }
        return more;
    }

    // The one bound of a minimum that follows from both sides together.
    bool bound(const Derived& derived) {
        const bool least = derived.kind == Derived::Kind::Minimum;
        auto& range = ranges_[index(derived.variable)];
        auto& end = least ? range.least : range.greatest;
        if (end > -kNoBound && end < kNoBound)
            return false;
        Wide ends[2] = {};
        for (int side = 0; side < 2; ++side) {
            const auto& form = side == 0 ? derived.a : derived.b;
            ends[side] = form.constant;
            for (const auto& [v, factor] : form.terms) {
                const auto& of = ranges_[index(v)];
                if (!of.bounded())
                    return false;
                ends[side] += Wide{factor} * ((factor > 0) == least ? of.least : of.greatest);
            }
            if (ends[side] >= kMaxSum || ends[side] <= -kMaxSum)
                return false;
        }
        end = static_cast<std::int64_t>(least ? std::min(ends[0], ends[1])
                                              : std::max(ends[0], ends[1]));
        return true;
    }

    // No sum of the condition leaves 64 bits, nor will: ranges only narrow.
    bool adds_up(const Condition& condition) const {
        Wide sum = condition.form.constant < 0 ? -Wide{condition.form.constant}
                                               : Wide{condition.form.constant};
        for (const auto& [v, factor] : condition.form.terms) {
            const auto& range = ranges_[index(v)];
            const Wide size = std::max(std::abs(range.least), std::abs(range.greatest));
            sum += size * (factor < 0 ? -Wide{factor} : Wide{factor});
            if (sum > kMaxSum)
                return false;
        }
        return std::all_of(condition.parts.begin(), condition.parts.end(),
                           [&](const auto& part) { return adds_up(part); });
    }

    // --- conditions over ranges ---

    Range range(const Affine& form) {
        steps_ -= std::min(steps_, form.terms.size() + 1);
        Range out{form.constant, form.constant};
        for (const auto& [v, factor] : form.terms) {
            const auto& of = ranges_[index(v)];
            out.least += factor * (factor > 0 ? of.least : of.greatest);
            out.greatest += factor * (factor > 0 ? of.greatest : of.least);
        }
        return out;
    }

    Truth truth(const Condition& condition) {
        const bool all = condition.kind == Kind::All;
        if (all || condition.kind == Kind::Any) {
            auto out = all ? Truth::Yes : Truth::No;
            for (const auto& part : condition.parts) {
                const auto own = truth(part);
                if (own == (all ? Truth::No : Truth::Yes))
                    return own;
                if (own == Truth::Open)
                    out = own;
            }
            return out;
        }
        const auto values = range(condition.form);
        if (condition.kind == Kind::AtLeastZero)
            return values.greatest < 0 ? Truth::No : values.least >= 0 ? Truth::Yes : Truth::Open;
        const bool zero = condition.kind == Kind::Zero;
        if (values.least > 0 || values.greatest < 0)
            return zero ? Truth::No : Truth::Yes;
        if (values.fixed())
            return zero ? Truth::Yes : Truth::No;
        return Truth::Open;
    }

    void enqueue(std::size_t condition) {
        if (!queued_[condition]) {
            queued_[condition] = true;
            queue_.push_back(condition);
        }
    }

    void changed(int variable) {
        for (auto c : uses_[index(variable)])
            enqueue(c);
    }

    // Narrows ranges until no condition has more to say. False: some condition cannot hold.
    bool propagate() {
        bool holds = true;
        while (!queue_.empty() && holds && steps_ > 0) {
            const auto next = queue_.back();
            queue_.pop_back();
            queued_[next] = false;
            holds = narrow(conditions_[next]);
        }
        for (auto c : queue_)
            queued_[c] = false;
        queue_.clear();
        return holds;
    }

    bool narrow(const Condition& condition) {
        switch (condition.kind) {
        case Kind::AtLeastZero: return at_least_zero(condition.form, 1);
        case Kind::Zero:
            return at_least_zero(condition.form, 1) && at_least_zero(condition.form, -1) &&
                   divides(condition.form);
        case Kind::NotZero: return not_zero(condition.form);
        case Kind::All:
            return std::all_of(condition.parts.begin(), condition.parts.end(),
                               [&](const auto& part) { return narrow(part); });
        case Kind::Any: break;
        }
        const Condition* only = nullptr;
        for (const auto& part : condition.parts) {
            const auto own = truth(part);
            if (own == Truth::Yes || (own == Truth::Open && only))
                return true;
            if (own == Truth::Open)
                only = &part;
        }
        return only && narrow(*only);
    }

    // sign*form >= 0: each variable as far as the others let it.
    bool at_least_zero(const Affine& form, std::int64_t sign) {
        const auto values = range(form);
        const auto greatest = sign > 0 ? values.greatest : -values.least;
        if (greatest < 0)
            return false;
        if ((sign > 0 ? values.least : -values.greatest) >= 0)
            return true;
        for (const auto& [variable, factor] : form.terms) {
            auto& own = ranges_[index(variable)];
            const auto f = sign * factor;
            // f*variable may be at most `greatest` below its better end.
            const auto room = greatest / (f > 0 ? f : -f);
            if (own.greatest - own.least <= room)
                continue;
            if (f > 0)
                own.least = own.greatest - room;
            else
                own.greatest = own.least + room;
            changed(variable);
        }
        return true;
    }

    bool not_zero(const Affine& form) {
        int open = -1;
        std::int64_t factor = 0, rest = form.constant;
        for (const auto& [variable, f] : form.terms) {
            const auto& own = ranges_[index(variable)];
            if (own.fixed()) {
                rest += f * own.least;
            } else if (open >= 0) {
                return true;
            } else {
                open = variable;
                factor = f;
            }
        }
        if (open < 0)
            return rest != 0;
        if (rest % factor != 0)
            return true;
        auto& own = ranges_[index(open)];
        const auto not_this = -(rest / factor);
        if (not_this == own.least)
            ++own.least;
        else if (not_this == own.greatest)
            --own.greatest;
        else
            return true;
        changed(open);
        return own.least <= own.greatest;
    }

    // Can the form be zero modulo what divides all factors of variables that are open?
    bool divides(const Affine& form) {
        std::int64_t divisor = 0, rest = form.constant;
        for (const auto& [variable, factor] : form.terms)
            if (const auto& own = ranges_[index(variable)]; own.fixed())
                rest += factor * own.least;
            else
                divisor = std::gcd(divisor, factor);
        return divisor == 0 ? rest == 0 : rest % divisor == 0;
    }

    // --- parts of ranges ---

    // Conditions that are open, by the open variables that connect them.
    std::vector<std::vector<std::size_t>> components() {
        std::vector<std::size_t> group(conditions_.size());
        std::iota(group.begin(), group.end(), std::size_t{0});
        auto root = [&](std::size_t c) {
            while (group[c] != c)
                c = group[c] = group[group[c]];
            return c;
        };
        std::vector<std::size_t> first(ranges_.size(), conditions_.size()), open;
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
            if (truth(conditions_[c]) == Truth::Yes)
                continue;
            open.push_back(c);
            for (int v : variables_[c])
                if (!ranges_[index(v)].fixed()) {
                    auto& known = first[index(v)];
                    if (known == conditions_.size())
                        known = c;
                    group[root(c)] = root(known);
                }
        }
        std::vector<std::vector<std::size_t>> out;
        std::vector<std::size_t> place(conditions_.size(), conditions_.size());
        for (auto c : open) {
            auto& at = place[root(c)];
            if (at == conditions_.size()) {
                at = out.size();
                out.emplace_back();
            }
            out[at].push_back(c);
        }
        return out;
    }

    Emptiness solve(const std::vector<std::size_t>& part) {
        if (steps_ == 0)
            return Emptiness::Unknown;
        const int variable = next(part);
        if (variable < 0)
            return Emptiness::NotEmpty;
        const auto before = ranges_;
        const auto own = before[index(variable)];
        const auto middle = own.least + (own.greatest - own.least) / 2;
        for (const auto& half : {Range{own.least, middle}, Range{middle + 1, own.greatest}}) {
            ranges_[index(variable)] = half;
            changed(variable);
            if (propagate())
                if (const auto found = solve(part); found != Emptiness::Empty)
                    return found;
            ranges_ = before;
        }
        return steps_ == 0 ? Emptiness::Unknown : Emptiness::Empty;
    }

    // The open variable that decides most in what is open; none where all conditions hold.
    int next(const std::vector<std::size_t>& part) {
        int best = -1;
        auto better = [&](int v) {
            if (best < 0 || weight_[index(v)] != weight_[index(best)])
                return best < 0 || weight_[index(v)] > weight_[index(best)];
            const auto &a = ranges_[index(v)], &b = ranges_[index(best)];
            return a.greatest - a.least < b.greatest - b.least;
        };
        for (auto c : part)
            if (truth(conditions_[c]) != Truth::Yes)
                for (int v : variables_[c])
                    if (!ranges_[index(v)].fixed() && better(v))
                        best = v;
        return best;
    }

    void weigh(const Condition& condition) {
        for (const auto& [v, factor] : condition.form.terms)
            weight_[index(v)] = std::max(weight_[index(v)], factor < 0 ? -factor : factor);
        for (const auto& part : condition.parts)
            weigh(part);
    }

    const PointSet& set_;
    std::size_t steps_;
    bool overflows_ = false;
    std::vector<Condition> conditions_;
    std::vector<std::vector<int>> variables_;    // by condition
    std::vector<std::vector<std::size_t>> uses_; // conditions, by variable
    std::vector<std::int64_t> weight_;           // by variable: its greatest factor
    std::vector<Range> ranges_;                  // by variable
    std::vector<std::size_t> queue_;             // conditions to look at again
    std::vector<bool> queued_;
};

} // namespace

Emptiness search(const PointSet& set, std::size_t steps) { return Search(set, steps).run(); }

} // namespace loopscope::polyhedral
