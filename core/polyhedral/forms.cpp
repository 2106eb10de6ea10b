#include "core/polyhedral/forms.h"

#include "core/base/integer_division.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace loopscope::polyhedral {

namespace {

constexpr int kMaxExponent = 40;

bool beyond_bound(std::int64_t value) {
    return value > kMaxCoefficient || value < -kMaxCoefficient;
}

// The number nearest to 0 that is `value` modulo `modulus`.
std::int64_t nearest_to_zero(std::int64_t value, std::int64_t modulus) {
    const auto rest = value - modulus * floor_div(value, modulus);
    return rest > modulus / 2 ? rest - modulus : rest;
}

} // namespace

bool too_large(const Affine& form) {
    return beyond_bound(form.constant) ||
           std::any_of(form.terms.begin(), form.terms.end(),
                       [](const auto& t) { return beyond_bound(t.second); });
}

Affine sum(const Affine& a, const Affine& b, std::int64_t factor, std::int64_t constant) {
    Affine out;
    out.constant = a.constant + factor * b.constant + constant;
    auto i = a.terms.begin();
    auto j = b.terms.begin();
    while (i != a.terms.end() || j != b.terms.end()) {
        if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
            out.terms.push_back(*i++);
        } else if (i == a.terms.end() || j->first < i->first) {
            out.terms.emplace_back(j->first, factor * j->second);
            ++j;
        } else {
            if (auto c = i->second + factor * j->second)
                out.terms.emplace_back(i->first, c);
            ++i, ++j;
        }
    }
    return out;
}

std::optional<Affine> scaled(const Affine& a, std::int64_t factor) {
    const auto bound = kMaxCoefficient / std::max<std::int64_t>(1, std::abs(factor));
    auto fits = [&](std::int64_t c) { return std::abs(c) <= bound; }; // no product leaves 64 bits
    if (beyond_bound(factor) || !fits(a.constant) ||
        !std::all_of(a.terms.begin(), a.terms.end(), [&](const auto& t) { return fits(t.second); }))
        return std::nullopt;
    return factor == 0 ? Affine{} : sum(Affine{}, a, factor);
}

Affine Forms::division(const Affine& numerator, std::int64_t divisor) {
    if (divisor == 1)
        return numerator;
    Division wanted{numerator, divisor};
    auto found = std::find(divisions_.begin(), divisions_.end(), wanted);
    auto index = static_cast<int>(axes_.size()) + static_cast<int>(found - divisions_.begin());
    if (found == divisions_.end())
        divisions_.push_back(std::move(wanted));
    return Affine{0, {{index, 1}}};
}

std::optional<Affine> Forms::remainder(const Affine& a, std::int64_t divisor) {
    const auto whole = scaled(division(a, divisor), divisor);
    return whole ? std::optional<Affine>(sum(a, *whole, -1)) : std::nullopt;
}

Interval Forms::range_of(const Axis& axis) {
    return axis.free ? Interval{least(ScalarType::I32), greatest(ScalarType::I32)}
                     : Interval{axis.begin, axis.end - 1};
}

std::optional<Interval> Forms::range(const Affine& a) const {
    constexpr __int128 kBound = __int128{1} << 62;
    __int128 least = a.constant, greatest = a.constant;
    for (const auto& [variable, c] : a.terms) {
        const auto v = static_cast<std::size_t>(variable);
        auto of = v < axes_.size() ? std::optional(range_of(axes_[v]))
                                   : range(divisions_[v - axes_.size()].numerator);
        if (of && v >= axes_.size()) {
            const auto divisor = divisions_[v - axes_.size()].divisor;
            of = Interval{floor_div(of->least, divisor), floor_div(of->greatest, divisor)};
        }
        if (!of || of->empty())
            return std::nullopt;
        least += static_cast<__int128>(c) * (c > 0 ? of->least : of->greatest);
        greatest += static_cast<__int128>(c) * (c > 0 ? of->greatest : of->least);
    }
    if (least < -kBound || greatest > kBound)
        return std::nullopt;
    return Interval{static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)};
}

// floor((d*A + B) / d) = A + floor(B / d)
std::optional<Affine> Forms::quotient(const Affine& a, int exponent) {
    if (exponent == 0)
        return a;
    if (const auto within = range(a); within && exponent < 63)
        if (const auto low = within->least >> exponent; low == within->greatest >> exponent)
            return Affine{low, {}};
    if (exponent > kMaxExponent)
        return std::nullopt;
    const auto divisor = std::int64_t{1} << exponent;
    Affine whole, rest{a.constant, {}};
    for (const auto& [variable, c] : a.terms)
        (c % divisor == 0 ? whole : rest)
            .terms.emplace_back(variable, c % divisor == 0 ? c / divisor : c);
    return sum(whole,
               rest.terms.empty() ? Affine{floor_div(rest.constant, divisor), {}}
                                  : division(rest, divisor),
               1);
}

std::optional<Affine> Forms::wrapped(const Affine& a, ScalarType type,
                                     std::optional<Interval> known) {
    const Interval values{least(type), greatest(type)};
    auto fits = [&](const Affine& form) {
        const auto within = range(form);
        return within && values.contains(*within);
    };
    if ((known && values.contains(*known)) || fits(a))
        return a;
    if (bits(type) > kMaxExponent)
        return std::nullopt;
    const auto modulus = std::int64_t{1} << bits(type);
    Affine near{nearest_to_zero(a.constant, modulus), {}};
    for (const auto& [variable, c] : a.terms)
        if (const auto small = nearest_to_zero(c, modulus))
            near.terms.emplace_back(variable, small);
    if (fits(near))
        return near;
    // From the least value of the type on.
    const auto periods = quotient(sum(near, {}, 1, -values.least), bits(type));
    const auto passed = periods ? scaled(*periods, modulus) : std::nullopt;
    return passed ? std::optional<Affine>(sum(near, *passed, -1)) : std::nullopt;
}

std::optional<Affine> Forms::shifted(const Affine& a, std::int64_t amount, ScalarType type) {
    if (amount >= bits(type))
        return Affine{};
    if (amount < 0)
        return quotient(a, static_cast<int>(std::min<std::int64_t>(-amount, bits(type))));
    return amount > kMaxExponent ? std::nullopt : scaled(a, std::int64_t{1} << amount);
}

// Each run of ones, from bit `low` on and below bit `high`, keeps 2^low*floor(a / 2^low) -
// 2^high*floor(a / 2^high) of a number in two's complement, of however many bits.
std::optional<Affine> Forms::masked(const Affine& a, std::int64_t mask) {
    std::optional<Affine> out = Affine{};
    auto add = [&](int exponent, std::int64_t sign) {
        const auto part = out ? quotient(a, exponent) : std::nullopt;
        const bool none = part && *part == Affine{};
        const auto whole = part && !none && exponent <= kMaxExponent
                               ? scaled(*part, std::int64_t{1} << exponent)
                               : std::nullopt;
        if (!none)
            out = whole ? std::optional<Affine>(sum(*out, *whole, sign)) : std::nullopt;
    };
    const auto ones = static_cast<std::uint64_t>(mask);
    for (int low = 0; low < 64;) {
        if ((ones >> low & 1) == 0) {
            ++low;
            continue;
        }
        const int high = low + std::countr_one(ones >> low);
        add(low, 1);
        if (high < 64) // a run to the top goes on without end
            add(high, -1);
        low = high;
    }
    return out;
}

std::optional<Affine> Forms::with_mask(Op op, const Affine& a, std::int64_t mask) {
    if (beyond_bound(mask))
        return std::nullopt;
    const auto part = masked(a, op == Op::BitOr ? ~mask : mask);
    if (!part || op == Op::BitAnd)
        return part;
    return op == Op::BitOr ? sum(*part, {}, 1, mask) : sum(a, *part, -2, mask);
}

std::optional<Affine> Forms::bitwise(Op op, const Value& a, const Value& b) {
    if (b.form.terms.empty())
        return with_mask(op, a.form, b.form.constant);
    if (a.form.terms.empty())
        return with_mask(op, b.form, a.form.constant);
    // Is the one not negative, and below the power of two of which the other is a multiple?
    auto is_below = [this](const Value& low, const Affine& high) {
        const auto within = low.range ? low.range : range(low.form);
        if (!within || within->least < 0)
            return false;
        auto all = static_cast<std::uint64_t>(high.constant);
        for (const auto& term : high.terms)
            all |= static_cast<std::uint64_t>(term.second);
        return within->greatest < std::int64_t{1} << std::min(std::countr_zero(all), 62);
    };
    if (!is_below(a, b.form) && !is_below(b, a.form))
        return std::nullopt;
    return op == Op::BitAnd ? Affine{} : sum(a.form, b.form, 1);
}

} // namespace loopscope::polyhedral
