#include "compiler/codegen/emit/linear.h"

#include "compiler/codegen/emit/wide_index.h"

#include <algorithm>

namespace loopscope::codegen {

Linear Linear::plus(const Linear& other, std::int64_t factor) const {
    Linear sum = *this;
    sum.constant = wrapping_add(sum.constant, wrapping_multiply(other.constant, factor));
    for (const auto& term : other.terms) {
        const auto scaled = wrapping_multiply(term.factor, factor);
        auto same = std::find_if(sum.terms.begin(), sum.terms.end(),
                                 [&](const LinearTerm& t) { return t.value == term.value; });
        if (same != sum.terms.end())
            same->factor = wrapping_add(same->factor, scaled);
        else
            sum.terms.insert(
                std::upper_bound(sum.terms.begin(), sum.terms.end(), term.scope,
                                 [](int scope, const LinearTerm& t) { return scope < t.scope; }),
                {term.value, scaled, term.scope, term.divisor});
    }
    std::erase_if(sum.terms, [](const LinearTerm& t) { return t.factor == 0; });
    return sum;
}

Linear Linear::times(std::int64_t factor) const { return Linear{}.plus(*this, factor); }

// Products may wrap modulo 2^64, of which each power of two up to that is a divisor.
std::int64_t Linear::divisor() const {
    auto power = [](std::int64_t n) {
        return n == 0 ? kMaxDivisor : std::min(kMaxDivisor, n & wrapping_subtract(0, n));
    };
    auto all = power(constant);
    for (const auto& term : terms)
        all = std::min(all, power(term.factor) * power(term.divisor));
    return all;
}

} // namespace loopscope::codegen
