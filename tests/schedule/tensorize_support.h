#pragma once
// A product of matrices, its loops as an instruction takes them, and calls as short texts.

#include "core/schedule/tensor_call.h"
#include "tests/schedule/scheduling.h"

#include <string>

namespace loopscope::test {

// C = A B, 64 × 96 by 96 × 48, of elements of `type` that are summed in `sum`.
inline PipelinePtr product(const std::string& type = "f16", const std::string& sum = "f32",
                           const std::string& second = {}, const std::string& element = "B[k, j]") {
    return parsed("pipeline product\n"
                  "input A[i, k]: " +
                  type + "[64, 96]\ninput " +
                  (second.empty() ? "B[k, j]: " + type + "[96, 48]" : second) +
                  "\nstage C[i, j]: " + sum + " = sum[k in 0..96](" + sum + "(A[i, k])*" + sum +
                  "(" + element + "))\noutput C: [64, 48]\n");
}

inline const std::string kTiles = "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\n"
                                  "C.split(k, ko, ki, 16)\nC.reorder(io, jo, ko, ii, ji, ki)\n";
inline const std::string kTensorize = "C.tensorize(ii, mma_m16n8k16_f16)\n";

// "A[16*C.io, 16*C.ko] i→0 k→1"
inline std::string text_of(const TensorCall::Operand& operand, const IntrinsicOperand& of) {
    std::string out = operand.source + "[";
    for (std::size_t d = 0; d < operand.base.size(); ++d)
        out += (d ? ", " : "") + to_text(operand.base[d]);
    out += "]";
    for (std::size_t a = 0; a < operand.parts.size(); ++a) {
        out += " " + of.axes[a] + "→";
        for (const auto& part : operand.parts[a])
            out += (&part == &operand.parts[a].front() ? "" : "·") + std::to_string(part.dimension);
    }
    return out;
}

inline std::vector<std::string> operands(const TensorCall& call) {
    std::vector<std::string> out{call.result.name + " = " +
                                 text_of(call.result, call.intrinsic->result)};
    for (std::size_t o = 0; o < call.operands.size(); ++o)
        out.push_back(call.operands[o].name + " = " +
                      text_of(call.operands[o], call.intrinsic->operands[o]));
    return out;
}

inline std::shared_ptr<const TensorCall> call_at(const Applied& applied, const std::string& loop,
                                                 const std::string& stage = "C",
                                                 int definition = 0) {
    const auto tree = tree_of(applied);
    const auto* node = tree->find({stage, definition, loop});
    return node ? node->tensor : nullptr;
}

} // namespace loopscope::test
