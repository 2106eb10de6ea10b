#include "core/language/exact.h"

#include "core/base/number_text.h"
#include "core/ir/expr.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

constexpr std::size_t kBitLimit = 4'096;       // of a numerator or denominator
constexpr std::size_t kDigitLimit = 1'000;     // of a number as written
constexpr std::int64_t kExponentLimit = 1'000; // of a decimal number as written

ExactResult too_large() {
    return {"the constant's value does not fit 64 bits",
            "use decimal constants (1e20), or a typed const"};
}
ExactResult too_precise() {
    return {"the exact value of the constant needs more than 4,096 bits",
            "round it by giving a const a type: const C: f64 = …"};
}

std::size_t size_of(const mpq_class& q) {
    return std::max(mpz_sizeinbase(q.get_num().get_mpz_t(), 2),
                    mpz_sizeinbase(q.get_den().get_mpz_t(), 2));
}

mpz_class from_int64(std::int64_t value) {
    mpz_class out;
    auto magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    mpz_import(out.get_mpz_t(), 1, 1, sizeof magnitude, 0, 0, &magnitude);
    if (value < 0)
        out = -out;
    return out;
}

std::optional<std::uint64_t> to_uint64(const mpz_class& value) {
    if (sgn(value) < 0 || mpz_sizeinbase(value.get_mpz_t(), 2) > 64)
        return std::nullopt;
    std::uint64_t out = 0;
    mpz_export(&out, nullptr, 1, sizeof out, 0, 0, value.get_mpz_t());
    return out;
}

std::optional<std::int64_t> to_int64(const mpz_class& value) {
    auto magnitude = to_uint64(abs(value));
    auto limit = std::uint64_t{1} << 63;
    if (!magnitude || *magnitude > limit || (*magnitude == limit && sgn(value) > 0))
        return std::nullopt;
    return sgn(value) < 0 ? static_cast<std::int64_t>(0 - *magnitude)
                          : static_cast<std::int64_t>(*magnitude);
}

ExactResult whole_result(const mpz_class& value) {
    auto fits = to_int64(value);
    return fits ? ExactResult(Exact::whole(*fits)) : too_large();
}

ExactResult decimal_result(const mpq_class& value) {
    return size_of(value) > kBitLimit ? too_precise() : ExactResult(Exact::decimal(value));
}

mpz_class floor_of(const mpq_class& q) {
    mpz_class out;
    mpz_fdiv_q(out.get_mpz_t(), q.get_num().get_mpz_t(), q.get_den().get_mpz_t());
    return out;
}

mpz_class round_half_even(const mpq_class& q) {
    mpz_class down = floor_of(q);
    mpq_class rest = q - down;
    int side = cmp(rest, mpq_class(1, 2));
    bool up = side > 0 || (side == 0 && mpz_odd_p(down.get_mpz_t()));
    return up ? mpz_class(down + 1) : down;
}

mpz_class power_of_ten(unsigned long exponent) {
    mpz_class out;
    mpz_ui_pow_ui(out.get_mpz_t(), 10, exponent);
    return out;
}

ExactResult power(const Exact& base, const Exact& exponent) {
    if (!exponent.is_whole())
        return {"the exponent of '**' must be a whole constant", "write sqrt(…) for a square root"};
    auto e = exponent.value();
    auto q = base.rational();
    if (base.is_whole() && e < 0)
        return {"a whole number to a negative power is not whole",
                "write a decimal base, as in 2.0**-1"};
    if (e < 0 && sgn(q) == 0)
        return {"zero to a negative power", ""};
    bool unit = q == 1 || q == -1 || sgn(q) == 0;
    std::uint64_t count = e < 0 ? 0 - static_cast<std::uint64_t>(e) : static_cast<std::uint64_t>(e);
    if (unit)
        count = sgn(q) == 0 ? std::min<std::uint64_t>(count, 1) : count % 2;
    if (!unit && count > kBitLimit) // every other base grows by a bit a step
        return base.is_whole() ? too_large() : too_precise();
    if ((size_of(q) - (unit ? 0 : 1)) * count > kBitLimit)
        return base.is_whole() ? too_large() : too_precise();
    mpz_class num, den;
    mpz_pow_ui(num.get_mpz_t(), q.get_num().get_mpz_t(), count);
    mpz_pow_ui(den.get_mpz_t(), q.get_den().get_mpz_t(), count);
    if (base.is_whole())
        return whole_result(num);
    mpq_class out = e < 0 ? mpq_class(den, num) : mpq_class(num, den);
    out.canonicalize();
    return decimal_result(out);
}

ExactResult shift(std::int64_t a, std::int64_t amount, bool left) {
    // Amounts beyond the width are all alike, and a negative one shifts the other way.
    auto by = std::clamp<std::int64_t>(amount, -64, 64) * (left ? 1 : -1);
    if (by < 0)
        return Exact::whole(a >> std::min<std::int64_t>(-by, 63));
    mpz_class out = from_int64(a) << static_cast<unsigned long>(by);
    return whole_result(out);
}

ExactResult whole_op(ExactOp op, std::int64_t a, std::int64_t b) {
    auto x = from_int64(a), y = from_int64(b);
    mpz_class out;
    switch (op) {
    case ExactOp::Add: return whole_result(x + y);
    case ExactOp::Subtract: return whole_result(x - y);
    case ExactOp::Multiply: return whole_result(x * y);
    case ExactOp::Divide:
        mpz_fdiv_q(out.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
        return whole_result(out);
    case ExactOp::Modulo:
        mpz_fdiv_r(out.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());
        return whole_result(out);
    case ExactOp::ShiftLeft: return shift(a, b, true);
    case ExactOp::ShiftRight: return shift(a, b, false);
    case ExactOp::BitAnd: return Exact::whole(a & b);
    case ExactOp::BitXor: return Exact::whole(a ^ b);
    default: return Exact::whole(a | b);
    }
}

ExactResult decimal_op(ExactOp op, const mpq_class& a, const mpq_class& b) {
    switch (op) {
    case ExactOp::Add: return decimal_result(a + b);
    case ExactOp::Subtract: return decimal_result(a - b);
    case ExactOp::Multiply: return decimal_result(a * b);
    case ExactOp::Divide: return decimal_result(a / b);
    case ExactOp::Modulo: return decimal_result(a - b * floor_of(a / b));
    default: return {"bit operations are for whole constants", ""};
    }
}

// The value rounded to nearest even with `precision` bits and least exponent `least` (of the last
// bit of denormals); nullopt when it rounds beyond the greatest finite value.
std::optional<double> rounded(const mpq_class& q, int precision, int least, int greatest_exponent) {
    if (sgn(q) == 0)
        return 0.0;
    mpq_class magnitude = abs(q);
    // magnitude is in [2^(top-1), 2^(top+1)), so this exponent leaves `precision` or one more bits.
    long top = static_cast<long>(mpz_sizeinbase(magnitude.get_num().get_mpz_t(), 2)) -
               static_cast<long>(mpz_sizeinbase(magnitude.get_den().get_mpz_t(), 2));
    for (long exponent = std::max<long>(top - precision, least);; ++exponent) {
        mpq_class scaled;
        if (exponent >= 0)
            mpq_div_2exp(scaled.get_mpq_t(), magnitude.get_mpq_t(),
                         static_cast<unsigned long>(exponent));
        else
            mpq_mul_2exp(scaled.get_mpq_t(), magnitude.get_mpq_t(),
                         static_cast<unsigned long>(-exponent));
        if (mpz_sizeinbase(floor_of(scaled).get_mpz_t(), 2) > static_cast<std::size_t>(precision))
            continue; // would keep more bits than the type has
        mpz_class digits = round_half_even(scaled);
        double value = std::ldexp(mpz_get_d(digits.get_mpz_t()), static_cast<int>(exponent));
        if (exponent + static_cast<long>(mpz_sizeinbase(digits.get_mpz_t(), 2)) > greatest_exponent)
            return std::nullopt;
        return sgn(q) < 0 ? -value : value;
    }
}

std::optional<double> rounded_to(const mpq_class& q, ScalarType type) {
    switch (type) {
    case ScalarType::F16: return rounded(q, 11, -24, 16);
    case ScalarType::BF16: return rounded(q, 8, -133, 128);
    case ScalarType::F32: return rounded(q, 24, -149, 128);
    default: return rounded(q, 53, -1074, 1024);
    }
}

std::uint64_t float_bits(double value, ScalarType type) {
    return constant_float(type, value)->bits;
}

std::uint64_t special_bits(const Exact& a, ScalarType type) {
    if (a.kind() == Exact::Kind::NotANumber)
        return float_bits(std::numeric_limits<double>::quiet_NaN(), type); // positive: the one NaN
    double infinity = std::numeric_limits<double>::infinity();
    return float_bits(a.is_negative() ? -infinity : infinity, type);
}

} // namespace

Exact Exact::whole(std::int64_t value) {
    Exact out;
    out.whole_ = value;
    return out;
}

Exact Exact::decimal(mpq_class value) {
    Exact out;
    out.kind_ = Kind::Decimal;
    out.decimal_ = std::make_shared<const mpq_class>(std::move(value));
    return out;
}

Exact Exact::infinity(bool negative) {
    Exact out;
    out.kind_ = Kind::Infinity;
    out.negative_ = negative;
    return out;
}

Exact Exact::not_a_number() {
    Exact out;
    out.kind_ = Kind::NotANumber;
    return out;
}

Exact Exact::negative_zero() {
    Exact out = decimal(mpq_class(0));
    out.negative_ = true;
    return out;
}

bool Exact::is_zero() const {
    return is_finite() && (is_whole() ? whole_ == 0 : sgn(*decimal_) == 0);
}

bool Exact::is_negative() const {
    return kind_ == Kind::Whole     ? whole_ < 0
           : kind_ == Kind::Decimal ? sgn(*decimal_) < 0
                                    : negative_;
}

mpq_class Exact::rational() const {
    return kind_ == Kind::Whole ? mpq_class(from_int64(whole_)) : *decimal_;
}

std::size_t Exact::bits() const { return kind_ == Kind::Decimal ? size_of(*decimal_) : 64; }

std::string Exact::text() const {
    switch (kind_) {
    case Kind::Whole: return std::to_string(whole_);
    case Kind::Infinity: return negative_ ? "-inf" : "inf";
    case Kind::NotANumber: return "nan";
    case Kind::Decimal: break;
    }
    auto near = rounded_to(*decimal_, ScalarType::F64);
    if (!near) {
        auto digits = mpz_sizeinbase(mpz_class(abs(floor_of(*decimal_))).get_mpz_t(), 10);
        return std::string(is_negative() ? "-" : "") + "1e" + std::to_string(digits - 1) +
               " (about)";
    }
    const auto out = general_text(*near, 6);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

NumberText split_number(std::string_view text) {
    std::size_t end = 0;
    auto digits = [&](auto accepts) {
        while (end < text.size() && accepts(text[end]))
            ++end;
    };
    auto decimal = [](char c) { return c >= '0' && c <= '9'; };
    if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        end = 2;
        digits([](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
        return {text.substr(0, end), text.substr(end)};
    }
    digits(decimal);
    if (end < text.size() && text[end] == '.') {
        ++end;
        digits(decimal);
    }
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        auto sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-') ? 2 : 1;
        if (end + sign < text.size() && decimal(text[end + sign])) {
            end += sign;
            digits(decimal);
        }
    }
    return {text.substr(0, end), text.substr(end)};
}

ExactResult parse_number(std::string_view digits, bool negated) {
    if (digits.size() - static_cast<std::size_t>(std::count(digits.begin(), digits.end(), '.')) >
        kDigitLimit)
        return {"a number has at most " + std::to_string(kDigitLimit) + " digits", ""};
    bool hexadecimal = digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X');
    if (hexadecimal && digits.size() == 2)
        return {"a hexadecimal number needs digits after 0x", ""};
    auto exponent_at = hexadecimal ? std::string_view::npos : digits.find_first_of("eE");
    auto mantissa = std::string(digits.substr(0, exponent_at));
    auto point = mantissa.find('.');
    if (exponent_at == std::string_view::npos && point == std::string::npos) {
        mpz_class value(hexadecimal ? mantissa.substr(2) : mantissa, hexadecimal ? 16 : 10);
        auto fits = to_int64(value);
        if (fits)
            return Exact::whole(*fits);
        const bool unsigned_fits = !negated && to_uint64(value);
        return {"the whole number does not fit 64 bits",
                unsigned_fits ? "a suffix u64 allows up to 18446744073709551615" : ""};
    }
    std::int64_t exponent = 0;
    if (exponent_at != std::string_view::npos) {
        auto text = std::string(digits.substr(exponent_at + 1));
        exponent = text.size() > 9 ? kExponentLimit + 1 : std::stol(text);
        if (std::abs(exponent) > kExponentLimit)
            return {"the exponent is beyond ±" + std::to_string(kExponentLimit),
                    "no type holds such a number"};
    }
    if (point != std::string::npos) {
        exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
        mantissa.erase(point, 1);
    }
    mpq_class value{mpz_class(mantissa, 10)};
    auto scale = power_of_ten(static_cast<unsigned long>(std::abs(exponent)));
    value = exponent < 0 ? mpq_class(value / scale) : mpq_class(value * scale);
    return decimal_result(value);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view digits) {
    if (digits.size() > 64 || digits.empty())
        return std::nullopt;
    bool hexadecimal = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
    mpz_class value;
    if (value.set_str(std::string(hexadecimal ? digits.substr(2) : digits),
                      hexadecimal ? 16 : 10) != 0)
        return std::nullopt;
    return to_uint64(value);
}

ExactResult apply(ExactOp op, const Exact& a, const Exact& b) {
    if (!a.is_finite() || !b.is_finite())
        return {"arithmetic on inf and nan needs a type", "write f32(inf)"};
    if (op == ExactOp::Power)
        return power(a, b);
    if (op == ExactOp::Min || op == ExactOp::Max) {
        int order = *compare(a, b);
        if (order == 0) // -0 is less than 0, as in every type
            order = int{b.is_negative_zero()} - int{a.is_negative_zero()};
        bool first = op == ExactOp::Min ? order <= 0 : order >= 0;
        // A decimal among the two makes a decimal of the result, so that its kind does not depend
        // on the values.
        const auto& chosen = first ? a : b;
        const bool as_is = a.is_whole() == b.is_whole() || chosen.is_negative_zero();
        return as_is ? chosen : Exact::decimal(chosen.rational());
    }
    bool divides = op == ExactOp::Divide || op == ExactOp::Modulo;
    if (divides && sgn(b.rational()) == 0)
        return {"division of a constant by zero", ""};
    if (a.is_whole() && b.is_whole())
        return whole_op(op, a.value(), b.value());
    return decimal_op(op, a.rational(), b.rational());
}

std::optional<int> compare(const Exact& a, const Exact& b) {
    if (a.kind() == Exact::Kind::NotANumber || b.kind() == Exact::Kind::NotANumber)
        return std::nullopt;
    auto rank = [](const Exact& e) { return e.is_finite() ? 0 : e.is_negative() ? -1 : 1; };
    if (rank(a) != 0 || rank(b) != 0)
        return rank(a) - rank(b) < 0 ? -1 : rank(a) > rank(b);
    if (a.is_whole() && b.is_whole())
        return a.value() < b.value() ? -1 : a.value() > b.value();
    int order = cmp(a.rational(), b.rational());
    return order < 0 ? -1 : order > 0;
}

ExactResult apply(ExactFunction f, const Exact& a) {
    if (f == ExactFunction::Negate && !a.is_finite())
        return a.kind() == Exact::Kind::Infinity ? Exact::infinity(!a.is_negative()) : a;
    if (!a.is_finite())
        return {"arithmetic on inf and nan needs a type", "write f32(inf)"};
    switch (f) {
    case ExactFunction::BitNot:
        return a.is_whole() ? ExactResult(Exact::whole(~a.value()))
                            : ExactResult("'~' is for whole numbers", "");
    case ExactFunction::Negate:
    case ExactFunction::Abs:
        if (a.kind() == Exact::Kind::Decimal && a.is_zero())
            return f == ExactFunction::Abs || a.is_negative_zero() ? Exact::decimal(mpq_class(0))
                                                                   : Exact::negative_zero();
        if (f == ExactFunction::Abs && !a.is_negative())
            return a;
        return a.is_whole() ? whole_result(-from_int64(a.value()))
                            : ExactResult(Exact::decimal(-a.rational()));
    case ExactFunction::Floor: return whole_result(floor_of(a.rational()));
    case ExactFunction::Ceil: return whole_result(-floor_of(-a.rational()));
    case ExactFunction::Round: return whole_result(round_half_even(a.rational()));
    }
    return a;
}

std::optional<std::uint64_t> bits_as(const Exact& a, ScalarType type) {
    if (is_float(type)) {
        if (!a.is_finite())
            return special_bits(a, type);
        if (a.is_negative_zero())
            return float_bits(-0.0, type);
        auto value = rounded_to(a.rational(), type);
        return value ? std::optional(float_bits(*value, type)) : std::nullopt;
    }
    if (is_bool(type) || !a.is_whole())
        return std::nullopt;
    auto v = a.value();
    if (type == ScalarType::U64 ? v < 0 : v < least(type) || v > greatest(type))
        return std::nullopt;
    return constant_int(type, v)->bits;
}

std::optional<std::uint64_t> bits_cast(const Exact& a, ScalarType type) {
    if (is_float(type))
        return bits_as(a, type);
    if (is_bool(type))
        return !a.is_finite() || sgn(a.rational()) != 0;
    if (a.kind() == Exact::Kind::NotANumber)
        return 0;
    if (a.is_whole())
        return constant_int(type, a.value())->bits;
    auto greatest_bits =
        type == ScalarType::U64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(greatest(type));
    if (!a.is_finite())
        return a.is_negative() ? static_cast<std::uint64_t>(least(type)) : greatest_bits;
    mpz_class cut;
    auto q = a.rational();
    mpz_tdiv_q(cut.get_mpz_t(), q.get_num().get_mpz_t(), q.get_den().get_mpz_t());
    if (cut < from_int64(least(type)))
        return constant_int(type, least(type))->bits;
    if (type == ScalarType::U64)
        return to_uint64(cut).value_or(greatest_bits);
    return cut > from_int64(greatest(type)) ? greatest_bits
                                            : constant_int(type, *to_int64(cut))->bits;
}

std::uint64_t bits_saturated(const Exact& a, ScalarType type) {
    if (is_float(type)) {
        const auto fits = a.kind() == Exact::Kind::Infinity ? std::nullopt : bits_as(a, type);
        return fits
                   ? *fits
                   : constant_float(type, greatest_finite(type) * (a.is_negative() ? -1 : 1))->bits;
    }
    // Decimals saturate by themselves.
    return *bits_cast(a.is_whole() ? Exact::decimal(a.rational()) : a, type);
}

std::string misfit_remedy(const Exact& a, ScalarType type) {
    if (!is_float(type))
        return std::string(is_unsigned(type) && a.is_negative() ? "use a signed type"
                                                                : "use a wider type") +
               ", or write a cast: " + name(type) + "(…) wraps";
    for (auto wider : {ScalarType::F32, ScalarType::F64})
        if (bits(wider) > bits(type) && bits_as(a, wider))
            return std::string("use ") + name(wider) + ", or inf";
    return "write inf";
}

} // namespace loopscope
