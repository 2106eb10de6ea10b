#pragma once
// Kernels of a warpgroup with products of its instructions: those of 64 rows and 128 columns, of
// which `d` has the sums of two.

#include "lower_support.h"

#include <string>

namespace loopscope::lower::test {

inline std::string product_kernel(const std::string& lines) {
    return "\nprogram p\noutput C: f32[64, 128]\nlaunch p on device (C) {\n"
           "    bound thread.x for t in 0..128 {\n"
           "        allocate a: f16[64, 64] in shared align 1024\n"
           "        allocate b: f16[2, 64, 64] in shared align 1024\n"
           "        allocate d: f32[2, 64] in register\n" +
           lines + "    }\n}\n";
}

inline std::string product(const std::string& sums, int step) {
    const auto k = std::to_string(16 * step);
    return "intrinsic wgmma_m64n128k16_f16 " + sums + ", a[0, " + k +
           "] matrix 64, 16 along 1 of 128, b[0, " + k +
           ", 0] matrix 16, 128 along 1 of 128 every 8192, " + sums + "\n";
}
inline const std::string in(8, ' ');

} // namespace loopscope::lower::test
