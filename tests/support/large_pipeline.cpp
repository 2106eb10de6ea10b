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

std::string iteration_text(int steps) {
    return "pipeline iteration\n"
           "input u[y, x]: f32[512, 512] boundary edge\n"
           "input rhs[y, x]: f32[512, 512] boundary edge\n"
           "stage v0[y, x]: f32 = u[y, x]\n"
           "for k in 1.." +
           std::to_string(steps + 1) +
           " {\n"
           "  stage v{k}[y, x]: f32 = 0.25*(v{k-1}[y - 1, x] + v{k-1}[y + 1, x] + v{k-1}[y, x - 1] "
           "+ "
           "v{k-1}[y, x + 1]) + rhs[y, x]\n"
           "}\n"
           "output v" +
           std::to_string(steps) + ": [512, 512]\n";
}

ScheduledText chain_of_a_thousand_loops() {
    ScheduledText text{"pipeline chain\ninput a[y, x]: f32[256, 256] boundary edge\n",
                       "schedule for chain\n"};
    std::string before = "a";
    for (int n = 0; n < 100; ++n) {
        const auto name = "s" + std::to_string(n);
        text.pipeline +=
            "stage " + name + "[y, x]: f32 = " + before + "[y, x - 1] + " + before + "[y + 1, x]\n";
        for (const char* line :
             {".tile(y, x, yo, xo, yi, xi, 64, 64)", ".tile(yi, xi, ym, xm, yn, xn, 16, 16)",
              ".tile(yn, xn, yp, xp, yq, xq, 4, 8)", ".split(yo, yoo, yoi, 2)",
              ".split(xo, xoo, xoi, 2)"})
            text.schedule += name + line + '\n';
        before = name;
    }
    text.pipeline += "output s99: [256, 256]\n";
    return text;
}

} // namespace loopscope::test
