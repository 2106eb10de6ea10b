#pragma once
// The work of one evaluation of a definition's expressions for a core: instructions by the width of
// their operands, and the distinct loads. Equal subexpressions count once, as a compiler shares
// them; the FLOPs of core/ir/cost.h, which count every node, are another matter.

#include "core/ir/pipeline.h"

#include <array>
#include <functional>
#include <unordered_set>
#include <vector>

namespace loopscope::model {

// Index 0 … 3: 8, 16, 32 and 64 bits.
inline int width_index(ScalarType type) {
    int b = bits(type);
    return b <= 8 ? 0 : b == 16 ? 1 : b == 32 ? 2 : 3;
}
inline int width_bits(int index) { return 8 << index; }

struct Operations {
    // Slots of instructions that every vector unit runs at full rate
    std::array<double, 4> arithmetic{};
    // divisions and square roots of floats, divisions of integers by no constant
    std::array<double, 4> divisions{};
};

// Latencies: a dependent fma, addition or comparison of floats takes 4 cycles at two instructions a
// cycle. Selects between values, and integers, are quicker.
constexpr double kLatencySlots = 8, kSelectLatencySlots = 4, kIntegerLatencySlots = 2;

// The expressions that combine the values so far with a point's, one a component; for reductions
// and updates that accumulate.
std::vector<ExprPtr> combining_step(const Stage& stage, const Definition& definition);
// Slots from the value so far to the last of the step's results, along the longest chain of
// instructions.
double step_latency(const std::vector<ExprPtr>& step);

class ExprWork {
public:
    // Called at every distinct load, and at every integer `let` before its body (`load` null
    // there).
    struct Visitor {
        std::function<void(const Expr& load)> load;
        std::function<void(const Expr& let)> let;
    };
    // Adds an expression. Subexpressions met before, in any expression added, are not counted
    // again.
    void add(const ExprPtr& e, const Visitor& visitor) { walk(e, visitor, false); }

    Operations operations;

private:
    void walk(const ExprPtr& e, const Visitor& visitor, bool in_index);
    void count(const Expr& e);

    std::unordered_set<Hash> seen_;
};

} // namespace loopscope::model
