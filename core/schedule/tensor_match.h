#pragma once
// The proof behind tensorize: a definition, over loops of its nest, computes what an intrinsic
// computes (TVM, section 3.4). Term and operator are those of tensor_term.h; each axis of the
// intrinsic is one of the definition's, with its extent; each operand is loaded at indices that
// move by one with exactly its axes, and nothing is guarded inside. An axis of an instruction that
// reads its factors out of shared memory may be several of the definition's, in the order of their
// loops.

#include "core/schedule/intrinsics.h"
#include "core/schedule/region.h"
#include "core/schedule/tensor_call.h"

namespace loopscope {

struct TensorMatch {
    struct Axis {
        std::size_t of = 0; // the intrinsic's
        std::string axis;   // of the definition
        LinearForm base;    // its value with the loops inside at 0
    };
    std::vector<Axis> axes; // in the intrinsic's order

    struct Operand {
        ExprPtr load;                 // of the derived definition; null: it is the result
        std::vector<LinearForm> base; // its indices with the loops inside at 0
        // along which the operand's axes move, in their order
        std::vector<std::vector<AxisPart>> parts;
    };
    std::vector<Operand> operands; // in the intrinsic's order
    Operand result;

    bool rounds = false; // the intrinsic rounds operands that the definition does not
    ExprPtr term;        // what the intrinsic computes, over the definition's axes
};

// `from`: position of the outermost of the loops. `layout`: of the state, with the stage. Errors:
// which part differs, and what would be legal.
Result<TensorMatch> match_tensor(const Intrinsic& intrinsic, const ScheduleState& state,
                                 const Layout& layout, const std::string& stage, int definition,
                                 std::size_t from);

} // namespace loopscope
