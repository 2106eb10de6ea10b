#pragma once
// How two arrays differ.

#include "compiler/run/buffer.h"
#include "core/base/hash.h"

namespace loopscope {

struct Comparison {
    bool equal = true;                  // to the bit; all NaNs are one NaN; -0 and +0 differ
    std::int64_t first_difference = -1; // index of the element, row-major; -1: none
    std::int64_t differences = 0;       // elements
    double max_abs_error = 0; // infinite where one is NaN or infinite and the other is not the same
    // Greatest distance in representable values (for integers: the difference), saturated; the
    // greatest where one is NaN.
    std::uint64_t max_ulp = 0;
};

// Both must have one type and one shape (an exception otherwise: that is a bug).
Comparison compare(const Buffer& a, const Buffer& b);

// The same for arrays of one shape and type that `compare` finds equal; for others, almost surely
// another.
Hash hash_of_elements(const Buffer& buffer);

} // namespace loopscope
