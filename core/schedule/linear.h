#pragma once
// Linear forms over atoms: the quick affine arithmetic of region inference. An atom is a loop
// variable, a region variable, or a monotone function (floor division, clamp) of another form; `x
// mod n` is an atom too. Everything an edit needs is answered here without isl, whose forms
// (core/polyhedral/accesses.h) are over numbered axes: atoms have ranges, and forms inside.

#include "core/ir/expr.h"
#include "core/ir/range.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct Atom;
using AtomPtr = std::shared_ptr<const Atom>;

class LinearForm {
public:
    LinearForm() = default;
    LinearForm(std::int64_t constant) : constant_(constant) {}
    explicit LinearForm(AtomPtr atom);

    std::int64_t constant() const { return constant_; }
    bool is_constant() const { return terms_.empty(); }
    const std::vector<std::pair<AtomPtr, std::int64_t>>& terms() const {
        return terms_;
    } // sorted by key
    Interval range() const; // by the ranges of the atoms; ends beyond kBeyond are kBeyond
    // A bound on all that the form's arithmetic, and that inside of its atoms, can come to,
    // whichever atoms are taken apart.
    std::int64_t weight() const;

    // Throw std::overflow_error where a factor leaves 64 bits: forms of at most kMaxWeight
    // never do.
    LinearForm operator+(const LinearForm& other) const;
    LinearForm operator-(const LinearForm& other) const { return *this + other * -1; }
    LinearForm operator*(std::int64_t factor) const;
    bool operator==(const LinearForm& other) const;
    std::string key() const;

private:
    std::vector<std::pair<AtomPtr, std::int64_t>> terms_;
    std::int64_t constant_ = 0;
};

struct Atom {
    enum class Kind : std::uint8_t { Variable, FloorDivide, Modulo, Clamp } kind = Kind::Variable;
    std::string key;           // canonical text: equal keys, equal atoms
    std::string name;          // Variable
    LinearForm inner;          // the others
    std::int64_t a = 0, b = 0; // divisor or modulus: a; Clamp: least a, greatest b
    Interval range;
    std::int64_t weight = 0;
};

LinearForm variable_form(const std::string& name, Interval range);
LinearForm floor_divide(const LinearForm& form, std::int64_t divisor); // divisor > 0
LinearForm modulo(const LinearForm& form, std::int64_t modulus);       // modulus > 0
// The weight above which there is no form. Index arithmetic may be in 64 bits (fixed point:
// i64(y)*6442450944 / 4294967296).
constexpr std::int64_t kMaxWeight = std::int64_t{1} << 48;
// Stands for an end of a clamp that the form cannot reach: beyond all forms, and far from overflow.
constexpr std::int64_t kNoEnd = std::int64_t{1} << 52;
constexpr std::int64_t kBeyond = std::int64_t{1} << 60;
LinearForm clamp(const LinearForm& form, std::int64_t least, std::int64_t greatest);

// The form with variables replaced by what `value` gives for them (nothing: kept), and its atoms
// made anew of that.
LinearForm with_variables(const LinearForm& form,
                          const std::function<std::optional<LinearForm>(const Atom&)>& value);

// Does the form's value depend on the variable, be it inside of an atom?
bool depends_on(const LinearForm& form, const std::string& variable);

// The greatest number that is known to divide all values of the form; 0: it is 0.
std::int64_t known_divisor(const LinearForm& form);

// Range of a - b, tighter than range(a) - range(b): equal parts cancel, clamps of one form differ
// by at most their overhang, floor divisions by one divisor of forms at a constant distance differ
// by that distance, rounded, and floor divisions go together with what they divide
// (quotient_range.h).
Interval difference_range(const LinearForm& a, const LinearForm& b);

// The form as an i32 expression. Where a part of it may leave i32 over the ranges of its variables
// it is computed in i64.
ExprPtr to_expr(const LinearForm& form);
// The same where variables take more values than the form knows of: `ranged` is the form with their
// full ranges.
ExprPtr to_expr(const LinearForm& form, const LinearForm& ranged);

// A closed interval between two forms.
struct FormInterval {
    LinearForm least, greatest;
    bool exact = true;
};
FormInterval hull(const FormInterval& a, const FormInterval& b);

} // namespace loopscope
