#pragma once
// Tensor instructions as the schedule sees them: what they compute, stated in the tensor-expression
// language (TVM, section 3.4), and how their operands lie in the registers of a warp's lanes. The
// declarations are resources/intrinsics/*.loop, which core/language/intrinsics.h reads; which of
// them a target has, its device says.

#include "core/ir/pipeline.h"
#include "core/schedule/directive.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct IntrinsicOperand {
    std::string name; // "A"
    ScalarType type = ScalarType::F32;
    std::vector<std::string> axes; // of the behaviour, one for each index: "i", "k"
    std::vector<std::int64_t> extents;
    // Which element a lane's register holds: for each index an i32 over the variables `lane` and
    // `r`, which counts the elements that a lane holds, as the instruction numbers them. Of less
    // than 32 bits several lie side by side in one register, the first lowest. Empty: only the
    // instruction and those that load and store for it know.
    std::vector<ExprPtr> layout;
    std::int64_t registers = 0; // elements that a lane holds; 0: it lies in no registers
    // Does it lie in registers, without anybody knowing which element a register holds
    // (core/schedule/gpu/opaque_fragments.h)?
    bool opaque() const { return registers > 0 && layout.empty(); }
    // Does it lie in no registers though the result does? The instruction then reads it out of
    // shared memory (core/schedule/gpu/shared_matrices.h).
    bool shared = false;
};

struct IntrinsicAxis {
    std::string name; // "i"
    std::int64_t extent = 0;
    bool reduction = false;
};

struct Intrinsic {
    std::string name;                // "mma_m16n8k16_f16", as devices list it
    PipelinePtr declaration;         // as read: behaviour and layouts are its outputs
    Stage behaviour;                 // one definition: a sum, whose term loads each operand
    std::vector<IntrinsicAxis> axes; // free ones, then those summed over
    std::vector<IntrinsicOperand> operands;
    IntrinsicOperand result;
    bool accumulates = true; // it adds to what the result's registers hold
    bool rounds = false;     // it rounds operands before it multiplies them, as the behaviour says
    std::int64_t lanes = 32; // that execute it together: a warp's, or a warpgroup's 128

    const ExprPtr& term() const { return behaviour.definitions.front().values.front(); }
    const IntrinsicOperand* operand(const std::string& operand) const; // null: it has none
};

struct IntrinsicTable {
    std::vector<std::shared_ptr<const Intrinsic>> all;                    // by name
    std::shared_ptr<const Intrinsic> find(const std::string& name) const; // null: not declared
};

// The operand that the expression loads, if it does no more than cast it or round it (which takes
// its bits apart and puts them together again). Null: it does more.
const Expr* operand_of(const ExprPtr& e);

// Names of the declared intrinsics that the target has. Without a GPU the target is one of compute
// capability 8.0.
std::vector<std::string> known_intrinsics(const ApplyContext& context);
// The declaration of that name. Errors: none is known, or the target has none; they say what it
// has.
Result<std::shared_ptr<const Intrinsic>> find_intrinsic(const std::string& name,
                                                        const ApplyContext& context);

} // namespace loopscope
