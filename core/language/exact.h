#pragma once
// Exact constants: what literals, params, `for` variables and untyped consts are until they meet a
// type (languages.md, "Types"). Whole numbers have 64 bits; decimals are rationals of bounded size.

#include "core/ir/type.h"

#include <gmpxx.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace loopscope {

class Exact {
public:
    enum class Kind : std::uint8_t { Whole, Decimal, Infinity, NotANumber };

    static Exact whole(std::int64_t value);
    static Exact decimal(mpq_class value);
    static Exact infinity(bool negative);
    static Exact not_a_number();
    static Exact negative_zero(); // the decimal -0.0; arithmetic forgets the sign

    Kind kind() const { return kind_; }
    bool is_whole() const { return kind_ == Kind::Whole; }
    bool is_finite() const { return kind_ == Kind::Whole || kind_ == Kind::Decimal; }
    bool is_negative() const; // of numbers and infinities
    bool is_zero() const;
    bool is_negative_zero() const { return kind_ == Kind::Decimal && negative_; }
    bool is_nan() const { return kind_ == Kind::NotANumber; }
    std::int64_t value() const { return whole_; } // of a whole number
    mpq_class rational() const;                   // of a finite one
    std::size_t bits() const; // of the numerator or denominator, whichever has more
    std::string text() const; // for messages; decimals in about six digits

private:
    Kind kind_ = Kind::Whole;
    bool negative_ = false;
    std::int64_t whole_ = 0;
    std::shared_ptr<const mpq_class> decimal_;
};

// A value, or why there is none.
struct ExactResult {
    std::optional<Exact> value;
    std::string error = {};
    std::string remedy = {};

    ExactResult(Exact v) : value(std::move(v)) {}
    ExactResult(std::string error_text, std::string remedy_text)
        : error(std::move(error_text)), remedy(std::move(remedy_text)) {}
};

// A number's text in its two parts.
struct NumberText {
    std::string_view digits;
    std::string_view suffix; // may be unknown
};
NumberText split_number(std::string_view text);
// `negated`: a minus stands before it, so that no unsigned type takes it.
ExactResult parse_number(std::string_view digits, bool negated = false);
// A whole number of up to 64 bits unsigned, which only a u64 suffix can use.
std::optional<std::uint64_t> parse_unsigned(std::string_view digits);

enum class ExactOp : std::uint8_t {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitXor,
    BitOr,
    Min,
    Max,
    Power,
};
// `/` and `%` floor on whole numbers; decimals divide exactly. Nothing here takes long, whatever
// the operands.
ExactResult apply(ExactOp op, const Exact& a, const Exact& b);
// -1, 0, 1; of finite operands or infinities.
std::optional<int> compare(const Exact& a, const Exact& b);

enum class ExactFunction : std::uint8_t { Negate, BitNot, Abs, Floor, Ceil, Round };
ExactResult apply(ExactFunction f, const Exact& a);

// The bit pattern (as in Expr::bits) of an exact constant that takes a type implicitly: whole
// numbers must be in the range of an integer type; floats round once, to nearest even, and must not
// overflow. nullopt: does not fit.
std::optional<std::uint64_t> bits_as(const Exact& a, ScalarType type);
// The bits after a written cast: whole numbers wrap, decimals truncate and saturate, bool is != 0.
std::optional<std::uint64_t> bits_cast(const Exact& a, ScalarType type);
// The bits of saturate(TYPE, …): those of the cast where the type has the value, else of its
// nearest end. Not of bool.
std::uint64_t bits_saturated(const Exact& a, ScalarType type);
// The remedy for a constant that does not fit a type (not bool): a type that holds it, inf, a cast.
std::string misfit_remedy(const Exact& a, ScalarType type);

} // namespace loopscope
