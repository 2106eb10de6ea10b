#pragma once
// Vector expressions as the scalar expressions of one element: the converse of widening.

#include "compiler/lower/known_facts.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace loopscope::lower {

// Rewrites vector expressions in a loop of vectors with the variable `chunk` (empty: there is
// none), in which element chunk*lanes + lane is called `element`.
class OneLane {
public:
    OneLane(const KnownFacts& scope, std::string chunk, int lanes, ExprPtr element)
        : scope_(scope), chunk_(std::move(chunk)), lanes_(lanes), element_(std::move(element)) {}

    // The scalar form; null where the chunk or the lane occurs by itself, not as their element.
    ExprPtr of(const ExprPtr& e);
    // Names a let of the vector loop, which becomes a scalar.
    void name(const std::string& name, const ExprPtr& value);
    // Assumes that this vector of bools is true in every element that there is.
    void assume(const ExprPtr& mask) { mask_ = mask; }

private:
    ExprPtr computed(const ExprPtr& e);
    ExprPtr ramp(const Expr& e);
    ExprPtr load(const Expr& e);
    bool mentions_chunk(const ExprPtr& e) const;

    const KnownFacts& scope_;
    std::string chunk_;
    int lanes_;
    ExprPtr element_, mask_;
    std::unordered_set<std::string> scalars_; // names of vectors that are now scalars
    std::unordered_map<const Expr*, ExprPtr> known_;
};

} // namespace loopscope::lower
