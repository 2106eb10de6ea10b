#pragma once
// Lanes of a load or store that lie side by side in memory.

#include "compiler/codegen/c/expression.h"
#include "compiler/lower/known_facts.h"

#include <optional>
#include <vector>

namespace loopscope::codegen {

// Accesses of neighbouring lanes at once: lanes [k*together, (k+1)*together) are neighbours, the
// first of them at begins[k].
struct VectorAccess {
    int together = 1;
    std::vector<std::vector<ExprPtr>> begins; // indices
};

struct AccessLimits {
    // of the buffer's first element, in bytes; 0: any place may be accessed
    std::int64_t alignment = 1;
    int bytes = 16; // of one access at most
    int lanes = 16; // likewise
};

// Nothing where lanes are not neighbours, or no two of them can be accessed at once.
std::optional<VectorAccess> vector_access(lower::KnownFacts& scope, const CBuffer& buffer,
                                          const std::vector<ExprPtr>& indices, int lanes,
                                          const AccessLimits& limits);

} // namespace loopscope::codegen
