#pragma once
// Places of vector accesses as written: the part that several accesses share, and the constant by
// which they differ.

#include "core/ir/expr.h"

#include <cstdint>

namespace loopscope::codegen {

// The place of a first lane as rest + constant. After `simplify_indices` the constant of a sum
// stands last.
struct Place {
    ExprPtr rest; // null: none
    std::int64_t constant = 0;
};

Place place_of(const ExprPtr& base);

} // namespace loopscope::codegen
