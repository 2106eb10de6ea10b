#include "core/ir/interval_arithmetic.h"

#include "core/base/integer_division.h"

#include <algorithm>

namespace loopscope::interval {

namespace {

class Hull {
public:
    void add(Wide value) {
        least_ = any_ ? std::min(least_, value) : value;
        greatest_ = any_ ? std::max(greatest_, value) : value;
        any_ = true;
    }
    WideInterval result() const { return any_ ? WideInterval{least_, greatest_} : WideInterval{}; }

private:
    bool any_ = false;
    Wide least_ = 0, greatest_ = 0;
};

} // namespace

WideInterval multiply(const Interval& a, const Interval& b) {
    Hull hull;
    for (Wide x : {a.least, a.greatest})
        for (Wide y : {b.least, b.greatest})
            hull.add(x * y);
    return hull.result();
}

// Calls f on the parts of a divisor's range that are below and above zero; true when zero itself is
// in it.
template <typename F> static bool for_each_sign(const Interval& b, F f) {
    if (b.least < 0)
        f(Interval{b.least, std::min<std::int64_t>(b.greatest, -1)});
    if (b.greatest > 0)
        f(Interval{std::max<std::int64_t>(b.least, 1), b.greatest});
    return b.least <= 0 && 0 <= b.greatest;
}

WideInterval divide(const Interval& a, const Interval& b) {
    Hull hull;
    // For divisors of one sign the quotient is monotone in either operand: its extremes are at
    // corners.
    bool zero = for_each_sign(b, [&](const Interval& part) {
        for (Wide x : {a.least, a.greatest})
            for (Wide y : {part.least, part.greatest})
                hull.add(floor_div(x, y));
    });
    if (zero)
        hull.add(0);
    return hull.result();
}

WideInterval modulo(const Interval& a, const Interval& b) {
    Hull hull;
    bool zero = for_each_sign(b, [&](const Interval& part) {
        Wide first = part.least;
        if (part.least == part.greatest &&
            floor_div(a.least, first) == floor_div(a.greatest, first)) {
            Wide base = floor_div(a.least, first) * first; // one period: nothing wraps around
            hull.add(a.least - base);
            hull.add(a.greatest - base);
        } else if (part.least > 0) {
            bool small = 0 <= a.least && a.greatest < part.least;
            hull.add(small ? a.least : 0);
            hull.add(a.least >= 0 ? std::min(a.greatest, part.greatest - 1) : part.greatest - 1);
        } else {
            bool small = a.greatest <= 0 && part.greatest < a.least;
            hull.add(small ? a.greatest : 0);
            hull.add(a.greatest <= 0 ? std::max(a.least, part.least + 1) : part.least + 1);
        }
    });
    if (zero)
        hull.add(0);
    return hull.result();
}

// a * 2^amount, floored for negative amounts; what is shifted out on either side is gone.
static Wide shifted(Wide a, Wide amount, int width) {
    if (amount >= width)
        return 0;
    if (amount >= 0)
        return a * (Wide{1} << static_cast<int>(amount));
    return a >> static_cast<int>(std::min<Wide>(-amount, 127));
}

WideInterval shift(const Interval& a, const Interval& amounts, bool left, int width) {
    Wide first = left ? Wide{amounts.least} : -Wide{amounts.greatest};
    Wide last = left ? Wide{amounts.greatest} : -Wide{amounts.least};
    Hull hull;
    for (Wide x : {a.least, a.greatest}) {
        hull.add(shifted(x, first, width));
        hull.add(shifted(x, last, width));
        // the greatest shift before everything is out
        if (first < width && last >= width)
            hull.add(shifted(x, width - 1, width));
    }
    return hull.result();
}

// The least value of the form 2^k - 1 that is not below `value`.
static Wide all_ones_above(std::int64_t value) {
    Wide ones = 0;
    while (ones < value)
        ones = ones * 2 + 1;
    return ones;
}

WideInterval bitwise(Op op, const Interval& a, const Interval& b) {
    if (a.least == a.greatest && b.least == b.greatest) {
        Wide value = op == Op::BitAnd   ? (a.least & b.least)
                     : op == Op::BitXor ? (a.least ^ b.least)
                                        : (a.least | b.least);
        return {value, value};
    }
    bool positive_a = a.least >= 0, positive_b = b.least >= 0;
    if (op == Op::BitAnd && (positive_a || positive_b))
        return {0, positive_a && positive_b ? std::min(a.greatest, b.greatest)
                                            : (positive_a ? a.greatest : b.greatest)};
    if (positive_a && positive_b) {
        auto ones = all_ones_above(std::max(a.greatest, b.greatest));
        return {op == Op::BitOr ? std::max(a.least, b.least) : 0, ones};
    }
    auto magnitude = [](const Interval& i) { return std::max(i.greatest, ~i.least); };
    Wide ones = all_ones_above(std::max(magnitude(a), magnitude(b)));
    return {-ones - 1, ones};
}

Interval compare(Op op, const Interval& a, const Interval& b) {
    auto verdict = [](bool always, bool never) { return Interval{always ? 1 : 0, never ? 0 : 1}; };
    switch (op) {
    case Op::Less: return verdict(a.greatest < b.least, a.least >= b.greatest);
    case Op::LessEqual: return verdict(a.greatest <= b.least, a.least > b.greatest);
    case Op::Greater: return compare(Op::Less, b, a);
    case Op::GreaterEqual: return compare(Op::LessEqual, b, a);
    default: break;
    }
    bool same = a.least == a.greatest && a == b;
    bool apart = a.greatest < b.least || b.greatest < a.least;
    return op == Op::Equal ? verdict(same, apart) : verdict(apart, same);
}

} // namespace loopscope::interval
