#pragma once
// Sets of integer points as plain structs: affine conditions over variables, with floor divisions,
// remainders, minima and maxima of forms. They are for questions that come by the hundred: a search
// over bounds tells in microseconds whether such a set is empty, where it can (point_search.h), and
// isl where it cannot.
//
//     PointSet set;
//     int x = set.variable(), y = set.variable();
//     set.require(PointSet::at_least_zero(set.plus(PointSet::of(x), -3)));   // x >= 3
//     set.require(PointSet::zero(set.plus(set.quotient(PointSet::of(x), 4), PointSet::of(y), -1)));

#include "core/polyhedral/accesses.h"
#include "core/polyhedral/integer_sets.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::polyhedral {

class PointSet {
public:
    struct Condition {
        enum class Kind : std::uint8_t { AtLeastZero, Zero, NotZero, All, Any };
        Kind kind = Kind::All;
        Affine form; // of the first three
        // of the others; All without parts holds, Any without parts does not
        std::vector<Condition> parts;
    };
    static Condition at_least_zero(Affine form);
    static Condition zero(Affine form);
    static Condition not_zero(Affine form);
    static Condition all(std::vector<Condition> parts);
    static Condition any(std::vector<Condition> parts);
    static Condition negated(const Condition& condition);

    int variable(); // a new one, of any integer
    static Affine of(int variable);
    static Affine constant(std::int64_t value);
    Affine plus(const Affine& a, const Affine& b, std::int64_t factor = 1); // a + factor*b
    Affine plus(const Affine& a, std::int64_t constant);
    Affine times(const Affine& a, std::int64_t factor);
    Affine quotient(const Affine& a, std::int64_t divisor);  // floor(a / divisor), divisor > 0
    Affine remainder(const Affine& a, std::int64_t divisor); // a - divisor*quotient
    Affine minimum(const Affine& a, const Affine& b);
    Affine maximum(const Affine& a, const Affine& b);

    void require(Condition condition);
    // Adds a constant to the form of the condition of that number, which has one.
    void move(std::size_t condition, std::int64_t constant);

    // The meaning of a variable that is none of the question's own.
    struct Derived {
        enum class Kind : std::uint8_t { Quotient, Minimum, Maximum };
        Kind kind = Kind::Quotient;
        Affine a, b;              // b: of minima and maxima
        std::int64_t divisor = 1; // of quotients
        int variable = 0;
        int remainder = 0; // of quotients: the variable of a - divisor*variable
    };

    int variables() const { return variables_; }
    const std::vector<Derived>& derived() const { return derived_; }
    const std::vector<Condition>& conditions() const { return conditions_; }
    // Has a factor left 64 bits? The set is then not the one asked for, and nothing is said of it.
    bool overflows() const { return overflows_; }

    // The set of the condition of that number and of all that are connected to it by common
    // variables, except some: a superset of the set.
    PointSet connected(std::size_t condition, const std::vector<std::size_t>& without) const;

    std::string text() const; // in isl's notation
    std::string key() const;  // bytes; equal for equal sets made in the same order

private:
    Affine derive(Derived::Kind kind, Affine a, Affine b, std::int64_t divisor, bool remainder);

    int variables_ = 0;
    std::vector<Derived> derived_;
    std::vector<Condition> conditions_;
    bool overflows_ = false;
};

// Decides by the search, and by isl where that gives up. Unknown: the quota on isl's work was
// exhausted, or a number is too large.
Emptiness is_empty(const PointSet& set, unsigned long quota = kDefaultQuota);

} // namespace loopscope::polyhedral
