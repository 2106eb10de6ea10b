#pragma once
// Judges an array by bounds of each of its elements, or by a tolerance.

#include "compiler/run/buffer.h"

namespace loopscope {

// How one output's array stands to its bounds.
struct Judgement {
    std::int64_t beyond = 0; // elements outside
    std::int64_t first = -1; // the first of them
    std::int64_t elements = 0;
    // Elements that may be anything, or infinitely far from the reference
    std::int64_t unbounded = 0;
    double allowed = 0;            // the greatest |out - ref| that the bounds of the others admit
    bool excludes_nothing = false; // one value in place of the whole array would pass as well

    bool conclusive() const { return !excludes_nothing && 2 * unbounded <= elements; }
};
// Judges by the element-wise least and greatest. All arrays are of one type and shape.
Judgement judge_within(const Buffer& actual, const Buffer& reference, const Buffer& low,
                       const Buffer& high);
Judgement judge_by(double tolerance, const Buffer& actual, const Buffer& reference);

} // namespace loopscope
