#pragma once
// Options of exporters of kernels.

#include "compiler/lower/program.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope::codegen {

// A program for the host, after c_passes(), that computes parts of the results as they should be.
// Its inputs are the kernels'.
struct KernelReference {
    struct Part {
        std::string result;               // an array of the kernels' program
        std::vector<std::int64_t> offset; // where in that the part begins
        // Arrays of the reference, as large as the part: each element lies between the two. One
        // array: it has that one's bits.
        std::string low, high;
    };
    lower::Program program;
    std::vector<Part> parts;
};

struct KernelCheck {
    std::vector<KernelReference> references; // none: nothing is checked
    std::string compared; // what is compared and by which rule: "all elements, every bit"
    // Are floats computed? If not, a device whose floats are not rounded as they should be gives
    // the same bits.
    bool computes_floats = true;
};

struct KernelOptions {
    std::map<std::string, std::int64_t> sizes; // the pipeline's params: for the comment on top
    std::string schedule; // its text: for the comment on top; empty: the default schedule
    // a host program that runs the kernels on files, or checks and times them
    bool with_main = false;
    KernelCheck check = {};

    bool checks() const { return with_main && !check.references.empty(); }
};

} // namespace loopscope::codegen
