#pragma once
// What exporters of kernels are asked for.

#include "compiler/lower/program.h"

#include <cstdint>
#include <map>
#include <string>

namespace loopscope::codegen {

struct KernelOptions {
    std::map<std::string, std::int64_t> sizes; // the pipeline's params: for the comment on top
    std::string schedule; // its text: for the comment on top; empty: the default schedule
    bool with_main =
        false; // a host program that runs the kernels on files, or checks and times them
    // The same pipeline for the host, after c_passes(): what the host program checks the kernels by. Null: it cannot.
    const lower::Program* reference = nullptr;
    // By how much elements may be away from it, in units of the output's greatest magnitude; 0: every bit must be right.
    double tolerance = 0;
};

} // namespace loopscope::codegen
