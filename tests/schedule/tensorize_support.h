#pragma once
// A product of matrices, and its loops as an instruction takes them.

#include "core/schedule/intrinsics.h"
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

} // namespace loopscope::test
