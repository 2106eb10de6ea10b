#pragma once
// The tree's record of a loop that a tensor instruction replaces: enough to emit the instruction
// without matching again.

#include "core/schedule/intrinsics.h"

namespace loopscope {

// A part of an instruction's axis, which counts along one dimension, or along several: rows that
// are pixels count images and places of a line, the last fastest, as digits of a number.
struct AxisPart {
    int dimension = -1;
    std::int64_t extent = 1; // of the part: of the axis where it has no other
    // How many values of the axis one value of the part stands for: as many as the parts behind it
    // count
    std::int64_t step = 1;
    bool operator==(const AxisPart&) const = default;
};

struct TensorCall {
    std::shared_ptr<const Intrinsic> intrinsic;

    // An axis of the instruction, or a part of one, in its order. The definition's axis takes, over
    // all iterations of the loops inside, the values from `base` to base + extent - 1, each once.
    struct Axis {
        std::string name; // of the instruction: "i"
        std::string axis; // of the definition
        ExprPtr base;     // over the variables of loops outside
    };
    std::vector<Axis> axes;

    // An operand of the instruction, in its order, or its result. Element (x, y, …) of it is the
    // source's element at `base`, moved along the dimensions of parts[0] by x, or by its digits;
    // along those of parts[1] by y, ….
    struct Operand {
        std::string name; // of the instruction: "A"
        // a stage or input of the derived program; of the result the stage itself
        std::string source;
        int component = 0;
        std::vector<ExprPtr> base;                // one index for each dimension of the source
        std::vector<std::vector<AxisPart>> parts; // of each index
    };
    std::vector<Operand> operands; // none where it initialises
    Operand result;

    // A copy of the loops for the initialisation: all elements of the result become 0.
    bool initializes = false;
    // The initialisation stands inside of the loops: the instruction adds to 0, and not to what is
    // there.
    bool starts = false;
    // The instruction rounds operands that the definition does not, and so computes `term`, over
    // the definition's axes, in place of the definition's term.
    bool rounds = false;
    ExprPtr term;
};

} // namespace loopscope
