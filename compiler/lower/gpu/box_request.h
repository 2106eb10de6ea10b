#pragma once
// What `bulk_copies` asks of loops around one copy: can the tensor memory accelerator (TMA) bring
// all of it as one box? The answer says what to ask of the TMA, or why not.

#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope::lower {

struct CopiedArray {
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents;
    int swizzle = 0; // of shared memory
};

// The arrays that a launch copies between, and those that its threads write besides what they copy.
struct CopiedArrays {
    std::map<std::string, CopiedArray> global, shared;
    std::set<std::string> written;
};

// A box of an array in global memory, and where it lies in shared memory, one element behind the
// other: from an element of each on.
struct BoxRequest {
    NodeId origin;
    std::string token;
    Operand target, source;
    std::vector<std::int64_t> extents; // along the source's dimensions
    ScalarType type = ScalarType::F32;
    int swizzle = 0;          // of the target
    bool zero_border = false; // what is outside of the array is zero
};

// The copy in a chain of loops that say how a box is walked through. Null: it is no such chain.
StatementPtr innermost_copy(StatementPtr nest);

// What loops around a copy ask for as one box. The error is the end of a sentence: "elements of it
// have a condition of their own".
Result<BoxRequest> box_request(const StatementPtr& nest, const CopiedArrays& arrays);

// The bulk copy that asks for it, or several, one for each panel of swizzled rows.
StatementPtr bulk_copies_of(const BoxRequest& request, const std::string& arrivals);

} // namespace loopscope::lower
