#pragma once
// Distinct bytes that a program touches, per stage and input.
//
// A stage's first definition writes every element of the memory that the stage has at once, hence
// all of it is touched: exact. Memory inside a loop counts once, as the same memory serves every
// iteration; the slots of a pipelined stage all count, an upper bound. For an input, the union of
// the boxes that its loads cover counts: exact where every index takes all values between its ends
// and no two dimensions move together; an upper bound where an index reads data, has gaps, or
// stands under a `where`.

#include "core/schedule/tree.h"
#include "tuner/model/work.h"

namespace loopscope::model {

struct DistinctBytes {
    double bytes = 0;
    bool exact = true; // false: an upper bound
};
std::map<std::string, DistinctBytes> distinct_bytes(const Work& work);

} // namespace loopscope::model
