#pragma once
// Sliding windows: what a stage that is stored outside the loop at which it is computed keeps from
// one iteration to the next. Along a dimension whose needed interval moves with one loop, an
// iteration computes only the elements by which the interval's end moves on (`step`); those before
// the loop's first iteration are computed by `warm_up` iterations of which nothing else takes part:
// Sioutas' Fig. 5.2 c, "for yi in [-2, Ty) … if (yi < 0) continue". Memory folds to the elements
// that are needed at a time (`window`): element i lies at i mod window (eqs. 5.9, 5.11, 5.12).
//
//     S[y-1 .. y+1] needed in iteration y, 0 <= y < 64:
//         step 1, window 3, two iterations -2, -1 of warming up
//
// Why that is right. Let R(t) be what iteration t needs, N(t) what it computes: the last `step`
// elements of R(t). Ends of R do not move back, and move by at most `step`; hence R(t) lies in
// R(t-1) and N(t), and by induction what is not computed yet is computed by warming up, which goes
// down to the start of R(first). Two elements of one R(t) are less than `window` apart, so that
// they never share a place. Where N(t) leaves the stage's box it moves inside whole (region.h): it
// then holds elements of R(t), or some that come next and are computed again.

#include "core/schedule/linear.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

// A loop between the one at which a stage is stored and the one at which it is computed, that one
// included.
struct SlidingLoop {
    std::string variable;
    Interval range; // its values for which some reader of the stage runs
};

struct SlidingDimension {
    bool slides = false;
    bool downward = false; // the interval moves towards smaller indices
    bool rises = false;    // it slides, and no loop ever moves the interval towards smaller indices
    std::int64_t step = 0; // elements that an iteration computes, if it slides
    std::int64_t window = 0; // elements that an iteration needs, at most
    // Elements are needed only until the interval has passed them: memory may fold to `window`
    // elements.
    bool folds = false;
};

struct Sliding {
    std::vector<SlidingDimension> dimensions;
    std::vector<std::int64_t> warm_up; // per loop: iterations before its first
    // Per loop: the end of the needed interval with which the stage must run again; nothing: it
    // runs in each iteration. Where the end stands still, as under upsampling, all that is needed
    // has been computed. A constant: it runs in the first iteration alone, for nothing moves with
    // this loop or one inside of it.
    std::vector<std::optional<LinearForm>> moves;
};

// `needed`: per dimension, the interval that an iteration of the innermost loop needs, in loop
// variables alone. `own`: per dimension, whether elements are independent of those at other
// indices. `loops`: outermost first.
Sliding find_sliding(const std::vector<FormInterval>& needed, const std::vector<bool>& own,
                     const std::vector<SlidingLoop>& loops);

// The form with another value, or another range, of a variable.
LinearForm at_value(const LinearForm& form, const std::string& variable, const LinearForm& value);
LinearForm in_range(const LinearForm& form, const std::string& variable, Interval range);

} // namespace loopscope
