#include "tests/prelude/judge.h"

#include "core/ir/half.h"

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace loopscope::prelude_test {

namespace {

struct Format {
    int precision; // significand bits
    int least;     // exponent of the least denormal
    int greatest;  // values are below 2^greatest
};

Format format_of(ScalarType type) {
    switch (type) {
    case ScalarType::F16: return {11, -24, 16};
    case ScalarType::BF16: return {8, -133, 128};
    case ScalarType::F32: return {24, -149, 128};
    default: return {53, -1074, 1024};
    }
}

// Working precision: enough for the cancellation of erf's tail against 1 and for the reduction MPFR
// does itself.
constexpr mpfr_prec_t kPrecision = 160;

class Real {
public:
    Real() { mpfr_init2(value, kPrecision); }
    ~Real() { mpfr_clear(value); }
    Real(const Real&) = delete;
    Real& operator=(const Real&) = delete;
    mpfr_t value;
};

void truth(const std::string& f, double x, double y, Real& out) {
    Real a, b;
    mpfr_set_d(a.value, x, MPFR_RNDN);
    mpfr_set_d(b.value, y, MPFR_RNDN);
    auto& r = out.value;
    if (f == "exp")
        mpfr_exp(r, a.value, MPFR_RNDN);
    else if (f == "log")
        mpfr_log(r, a.value, MPFR_RNDN);
    else if (f == "tanh")
        mpfr_tanh(r, a.value, MPFR_RNDN);
    else if (f == "erf")
        mpfr_erf(r, a.value, MPFR_RNDN);
    else if (f == "sin")
        mpfr_sin(r, a.value, MPFR_RNDN);
    else if (f == "cos")
        mpfr_cos(r, a.value, MPFR_RNDN);
    else if (f == "pow")
        mpfr_pow(r, a.value, b.value, MPFR_RNDN);
    else if (mpfr_zero_p(a.value)) // IEEE 754's rSqrt(-0) is -infinity; MPFR's is not
        mpfr_set_inf(r, std::signbit(x) ? -1 : 1);
    else
        mpfr_rec_sqrt(r, a.value, MPFR_RNDN);
}

template <typename Float> Float libm(const std::string& f, Float x, Float y) {
    switch (f[0]) {
    case 'e': return f == "exp" ? std::exp(x) : std::erf(x);
    case 'l': return std::log(x);
    case 't': return std::tanh(x);
    case 's': return std::sin(x);
    case 'c': return std::cos(x);
    case 'p': return std::pow(x, y);
    default: return 1 / std::sqrt(x);
    }
}

constexpr double kWrong = std::numeric_limits<double>::infinity();

} // namespace

double value_of(ScalarType type, std::uint64_t bits) {
    switch (type) {
    case ScalarType::F16: return f16_value(static_cast<std::uint16_t>(bits));
    case ScalarType::BF16: return bf16_value(static_cast<std::uint16_t>(bits));
    case ScalarType::F32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default: return std::bit_cast<double>(bits);
    }
}

std::uint64_t bits_of(ScalarType type, double value) {
    switch (type) {
    case ScalarType::F16: return f16_bits(value);
    case ScalarType::BF16: return bf16_bits(value);
    case ScalarType::F32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default: return std::bit_cast<std::uint64_t>(value);
    }
}

std::string Worst::text(const std::string& function, ScalarType type) const {
    char buffer[200];
    std::snprintf(buffer, sizeof buffer,
                  "%s %s: %.4f at x = %.17g (0x%llx), y = %.17g, result %.17g", function.c_str(),
                  name(type), error, value_of(type, x), static_cast<unsigned long long>(x),
                  value_of(type, y), value_of(type, result));
    return buffer;
}

Judge::Judge(std::string function, ScalarType type, Measure measure)
    : function_(std::move(function)), type_(type), measure_(measure) {
    if (function_.rfind("fast_", 0) == 0)
        function_ = function_.substr(5);
}

double Judge::error(std::uint64_t x, std::uint64_t y, std::uint64_t result) const {
    Real real, difference;
    truth(function_, value_of(type_, x), value_of(type_, y), real);
    double got = value_of(type_, result);
    auto format = format_of(type_);
    if (mpfr_nan_p(real.value) || std::isnan(got))
        return mpfr_nan_p(real.value) && std::isnan(got) ? 0 : kWrong;
    if (mpfr_inf_p(real.value))
        return std::isinf(got) && std::signbit(got) == (mpfr_signbit(real.value) != 0) ? 0 : kWrong;
    // The sign counts of a true zero, and of what rounds to zero.
    bool sign_counts = measure_ == Measure::Ulp;
    if (got == 0 && sign_counts && std::signbit(got) != (mpfr_signbit(real.value) != 0))
        return kWrong;
    if (mpfr_zero_p(real.value))
        return got == 0 ? 0 : kWrong;
    bool too_great = mpfr_get_exp(real.value) > format.greatest;
    if (std::isinf(got) && too_great)
        return std::signbit(got) == (mpfr_signbit(real.value) != 0) ? 0 : kWrong;
    if (std::isinf(got)) // stands for the first value that is too great
        got = std::copysign(std::ldexp(1.0, format.greatest - (type_ == ScalarType::F64)), got);
    mpfr_set_d(difference.value, got, MPFR_RNDN);
    if (std::isinf(value_of(type_, result)) && type_ == ScalarType::F64)
        mpfr_mul_2si(difference.value, difference.value, 1, MPFR_RNDN);
    mpfr_sub(difference.value, difference.value, real.value, MPFR_RNDN);
    long unit = std::max<long>(mpfr_get_exp(real.value) - format.precision, format.least);
    if (measure_ == Measure::Ulp)
        mpfr_mul_2si(difference.value, difference.value, -unit, MPFR_RNDN);
    else
        mpfr_mul_2si(difference.value, difference.value, format.precision, MPFR_RNDN);
    if (measure_ == Measure::Relative)
        mpfr_div(difference.value, difference.value, real.value, MPFR_RNDN);
    return std::fabs(mpfr_get_d(difference.value, MPFR_RNDN));
}

double Judge::screen(std::uint64_t x, std::uint64_t y, std::uint64_t result) const {
    double got = value_of(type_, result);
    double a = value_of(type_, x), b = value_of(type_, y);
    auto format = format_of(type_);
    long double real = type_ == ScalarType::F64
                           ? libm<long double>(function_, a, b)
                           : static_cast<long double>(libm<double>(function_, a, b));
    double rounded = value_of(type_, bits_of(type_, static_cast<double>(real)));
    if (rounded == got && std::signbit(rounded) == std::signbit(got))
        return 0;
    if (std::isnan(rounded) && std::isnan(got))
        return 0;
    if (!std::isfinite(got) || !std::isfinite(real) || got == 0 || real == 0)
        return kWrong;
    int exponent = 0;
    std::frexp(real, &exponent);
    auto difference = std::fabs(got - real);
    if (measure_ == Measure::Ulp)
        return static_cast<double>(
            std::ldexp(difference, -std::max(exponent - format.precision, format.least)));
    if (measure_ == Measure::Relative)
        difference /= std::fabs(real);
    return static_cast<double>(std::ldexp(difference, format.precision));
}

void Judge::ask(std::uint64_t x, std::uint64_t y, std::uint64_t result) {
    ++asked_;
    auto e = error(x, y, result);
    if (e > worst_.error)
        worst_ = {e, x, y, result};
}

void Judge::all(const std::vector<std::vector<std::uint64_t>>& arguments,
                const std::vector<std::uint64_t>& results, std::size_t sample) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        auto x = arguments[0][i], y = arguments.size() > 1 ? arguments[1][i] : 0;
        if (i % sample == 0 || worst_.error < screen(x, y, results[i]))
            ask(x, y, results[i]);
    }
}

} // namespace loopscope::prelude_test
