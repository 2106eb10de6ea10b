#pragma once
// Affine forms of machine integers: quotients, bits, and the rest of a value that does not fit its
// type. All of these are floor divisions by powers of two, so that a form is the very value,
// however its type wraps.

#include "core/polyhedral/accesses.h"

namespace loopscope::polyhedral {

constexpr std::int64_t kMaxCoefficient = std::int64_t{1} << 40; // beyond, not worth a proof

bool too_large(const Affine& form);

// a + factor * b + constant. The factor is 1 or -1, or small beside the coefficients' bound.
Affine sum(const Affine& a, const Affine& b, std::int64_t factor, std::int64_t constant = 0);
// nullopt: beyond the bound.
std::optional<Affine> scaled(const Affine& a, std::int64_t factor);

class Forms {
public:
    // Divisions that forms need are appended.
    Forms(const std::vector<Axis>& axes, std::vector<Division>& divisions)
        : axes_(axes), divisions_(divisions) {}

    Affine division(const Affine& numerator, std::int64_t divisor); // divisor > 0
    std::optional<Affine> remainder(const Affine& a, std::int64_t divisor);
    // nullopt: beyond 62 bits.
    std::optional<Interval> range(const Affine& a) const;
    // The range of a free axis is all of i32: a tail that pads may yet change what it runs over,
    // and forms must hold then.
    static Interval range_of(const Axis& axis);

    // The value of the type that is `a` modulo its 2^bits. `known`: a range of `a`, beside what its
    // form tells.
    std::optional<Affine> wrapped(const Affine& a, ScalarType type,
                                  std::optional<Interval> known = {});
    // a * 2^amount, rounded down where the amount is negative. `a` is a value of the type.
    std::optional<Affine> shifted(const Affine& a, std::int64_t amount, ScalarType type);
    // A value with its range, where that is known.
    struct Value {
        Affine form;
        std::optional<Interval> range;
    };
    // a & b, a | b, a ^ b of values of one type: by a constant, or of values whose bits do not
    // meet.
    std::optional<Affine> bitwise(Op op, const Value& a, const Value& b);

private:
    std::optional<Affine> quotient(const Affine& a, int exponent); // floor(a / 2^exponent)
    std::optional<Affine> masked(const Affine& a, std::int64_t mask);
    std::optional<Affine> with_mask(Op op, const Affine& a, std::int64_t mask);

    const std::vector<Axis>& axes_;
    std::vector<Division>& divisions_;
};

} // namespace loopscope::polyhedral
