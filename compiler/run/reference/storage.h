#pragma once
// Where the values of a stage or an input lie, and what a read outside means.

#include "core/ir/box.h"
#include "core/ir/pipeline.h"

#include <cstdint>
#include <vector>

namespace loopscope::reference {

// One component of a stage, or an input: a dense box of elements. Not the owner of the memory.
struct Storage {
    const Stage* stage = nullptr;
    ScalarType type = ScalarType::F32;
    std::byte* data = nullptr;
    std::vector<std::int64_t> origin; // least index per dimension; 0 for inputs
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;          // in elements
    BoundaryKind boundary = BoundaryKind::None; // None: a read outside is an error
    std::uint64_t outside = 0; // bits of the value that zero and constant(V) give outside
};

} // namespace loopscope::reference
