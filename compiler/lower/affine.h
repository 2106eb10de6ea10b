#pragma once
// Affine forms in exact integer arithmetic: constant + sum of coefficient * atom. An atom is any
// expression that is not itself affine: a variable, a quotient, a minimum, a loaded value.
// It has no range of its own, as an atom of core/schedule/linear.h: that depends on the statement.

#include "core/ir/expr.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace loopscope::lower {

struct Affine {
    struct Term {
        ExprPtr atom;
        std::int64_t coefficient = 0; // not zero
    };
    std::int64_t constant = 0;
    std::vector<Term> terms; // in order of first appearance; atoms are distinct

    bool is_constant() const { return terms.empty(); }
    std::int64_t coefficient(const ExprPtr& atom) const; // 0 when it does not take part
    // Adds factor * other. False (and unusable) when a coefficient leaves 62 bits.
    bool add(const Affine& other, std::int64_t factor);
    bool add_term(const ExprPtr& atom, std::int64_t coefficient);
    bool add_constant(std::int64_t value);
};

// a - b; nullopt on overflow.
std::optional<Affine> difference(const Affine& a, const Affine& b);

// The lane number of a vector of `lanes`, as an atom: affine forms of vector expressions hold in
// every lane.
ExprPtr lane_atom(int lanes);
// The number of lanes of such an atom; 0 for any other name.
int lanes_of_lane_atom(const std::string& name);

} // namespace loopscope::lower
