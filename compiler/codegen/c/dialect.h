#pragma once
// Differences of languages that are nearly C, as far as the expressions, statements and small
// functions of programs go.

#include <string>

namespace loopscope::codegen {

struct CDialect {
    std::string function = "static inline"; // before the type of a small function
    std::string alone = "restrict";         // of a pointer to memory that no other one reaches
    std::string aligned = "_Alignas(64)";   // of an array on the stack
    bool casts_pointers = false;            // a void pointer must be cast: C++
    // Functions multiply, divide and take roots of floats, say how they round, and no compiler
    // fuses them: CUDA.
    bool names_rounding = false;
    // as_uint(x) and the like give a float's bits, and there is no memcpy: OpenCL C
    bool names_bits = false;
};

} // namespace loopscope::codegen
