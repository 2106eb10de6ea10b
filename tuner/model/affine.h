#pragma once
// Affine forms as footprints need them: how far an index moves while the loops from some depth
// inwards run. They are read off the schedule tree's own expressions, and consist of numbers only:
// no text is compared where it matters.

#include "core/ir/expr.h"
#include "core/ir/range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope::model {

// constant + sum of coefficient * atom; atoms in rising order, no coefficient zero.
struct Form {
    std::vector<std::pair<int, std::int64_t>> terms;
    std::int64_t constant = 0;
    bool operator==(const Form&) const = default;
};

Form add(const Form& a, const Form& b, std::int64_t factor_of_b = 1);
Form scale(const Form& a, std::int64_t factor);

struct FormAtom {
    enum class Kind : std::uint8_t { Loop, Divide, Modulo, Clamp, Opaque } kind = Kind::Loop;
    int depth = 0;             // Loop
    Form inner;                // Divide, Modulo, Clamp
    std::int64_t a = 0, b = 0; // Divide, Modulo: by a; Clamp: to [a, b]
    Interval range;            // of its values over everything
    // Bit d: its value depends on the loop at depth d (63 and beyond share a bit)
    std::uint64_t depths = 0;
    // by level: the greatest less the least value while deeper loops run; an upper bound
    std::vector<double> spread;
    // by depth: by how much it moves when that loop advances by one, on average
    std::vector<double> step;
};

// Where a form's values lie at one level, relative to the held part.
struct Span {
    double low = 0, high = 0; // closed
    std::uint64_t key = 0;    // equal keys: relative to the same held value
};

class FormTable {
public:
    explicit FormTable(int levels)
        : levels_(levels) {} // levels: depth of the deepest loop, plus one

    Form loop(int depth, std::int64_t extent);
    Form divide(const Form& form, std::int64_t divisor); // floor; divisor > 0
    Form modulo(const Form& form, std::int64_t modulus); // modulus > 0
    Form clamp(const Form& form, std::int64_t least, std::int64_t greatest);
    // A value with only a known range; it moves with the loops in `depths`, of which `trips` gives
    // the extents.
    Form opaque(Interval range, std::uint64_t depths, const std::vector<double>& trips);

    using Environment = std::unordered_map<std::string, Form>;
    // Parses the form of an integer expression; false when a part of it is no form (a load, a
    // product of variables, …).
    bool parse(const ExprPtr& e, const Environment& variables, Form& out);

    Interval range(const Form& form) const;
    // The form's value with the loops at these values, by depth; nullopt: data decide.
    std::optional<std::int64_t> value(const Form& form,
                                      const std::vector<std::int64_t>& loops) const;
    double spread(const Form& form, int level) const;
    double step(const Form& form, int depth) const; // absolute
    double signed_step(const Form& form, int depth) const;
    std::uint64_t depths(const Form& form) const;
    Span span(const Form& form, int level) const;
    const FormAtom& atom(int index) const { return atoms_[static_cast<std::size_t>(index)]; }

private:
    Form intern(FormAtom atom);
    void drop_remainder(Form& form, std::int64_t divisor) const;
    std::int64_t held_gcd(const Form& form, int level) const;
    std::uint64_t held_key(int index, int level) const;

    int levels_;
    std::vector<FormAtom> atoms_;
};

} // namespace loopscope::model
