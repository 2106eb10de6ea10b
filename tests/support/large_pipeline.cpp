#include "tests/support/large_pipeline.h"

namespace loopscope::test {

std::string network_text(int blocks) {
    const std::string last = std::to_string(blocks);
    return "pipeline network\n"
           "input data[i]: f32[256]\n"
           "stage out0[i]: f32 = data[i]\n"
           "for l in 1.." +
           std::to_string(blocks + 1) +
           " {\n"
           "  stage norm{l}[i]: f32 = out{l-1}[i]*0.5 + 1.0\n"
           "  stage act{l}[i]: f32 = max(norm{l}[i], 0.0)\n"
           "  stage gate{l}[i]: f32 = act{l}[i]*norm{l}[i]\n"
           "  stage mix{l}[i]: f32 = gate{l}[i] + act{l}[i]*0.25\n"
           "  stage out{l}[i]: f32 = mix{l}[i] + out{l-1}[i]\n"
           "}\n"
           "output out" +
           last + ": [256]\n";
}

} // namespace loopscope::test
