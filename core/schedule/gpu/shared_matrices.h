#pragma once
// How a stage in shared memory must lie for an instruction to take it from there.

#include "core/base/result.h"
#include "core/schedule/gpu/shared_matrix.h"
#include "core/schedule/tensor_call.h"
#include "core/schedule/tree.h"

#include <vector>

namespace loopscope {

struct SharedOperand {
    SharedMatrix matrix;
    // Per dimension of the stage: the operand's first element must be a multiple of this, so that a
    // descriptor reaches it.
    std::vector<std::int64_t> granule;
};

// The operand that the call reads out of the stage whose memory `storage` is. Errors: it does not
// lie as the instruction needs it, with what would make it.
Result<SharedOperand> shared_operand(const TreeNode& storage, bool swizzled,
                                     const Intrinsic& intrinsic, const IntrinsicOperand& of,
                                     const TensorCall::Operand& call);

} // namespace loopscope
