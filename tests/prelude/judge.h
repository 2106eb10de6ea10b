#pragma once
// What the functions of the prelude should give, by MPFR; libm only decides which results are worth
// asking MPFR about.

#include "core/ir/type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::prelude_test {

double value_of(ScalarType type, std::uint64_t bits); // f16, bf16, f32, f64: exact
std::uint64_t bits_of(ScalarType type, double value); // rounds once

// The greatest error found, and where.
struct Worst {
    double error = 0; // infinite where a NaN, an infinity, an exact zero or a zero's sign is wrong
    std::uint64_t x = 0, y = 0, result = 0;
    std::string text(const std::string& function, ScalarType type) const;
};

class Judge {
public:
    enum class Measure {
        // |result - true| in units of the last place of the true value (of a denormal, the least
        // denormal)
        Ulp,
        Relative, // |result - true| / |true| / 2^-p for p significand bits
        Absolute  // |result - true| / 2^-p
    };
    Judge(std::string function, ScalarType type, Measure measure = Measure::Ulp);

    // By MPFR. Missing arguments are 0.
    double error(std::uint64_t x, std::uint64_t y, std::uint64_t result) const;
    // Judges all results: those that libm finds worse than the worst so far, those that are not
    // ordinary numbers, and every `sample`th by MPFR.
    void all(const std::vector<std::vector<std::uint64_t>>& arguments,
             const std::vector<std::uint64_t>& results, std::size_t sample = 64);
    const Worst& worst() const { return worst_; }
    void add(const Worst& other) {
        if (other.error > worst_.error)
            worst_ = other;
    }
    std::uint64_t asked() const { return asked_; } // of MPFR

private:
    double screen(std::uint64_t x, std::uint64_t y, std::uint64_t result) const;
    void ask(std::uint64_t x, std::uint64_t y, std::uint64_t result);

    std::string function_; // without fast_
    ScalarType type_;
    Measure measure_;
    Worst worst_;
    std::uint64_t asked_ = 0;
};

} // namespace loopscope::prelude_test
