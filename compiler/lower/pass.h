#pragma once
// Passes: Program -> Program, one a file, in one visible list per target.

#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <functional>

namespace loopscope::lower {

// What passes may know of the machine they lower for.
struct TargetInfo {
    std::string name = "cpu";
    int vector_bits = 256;           // native vector width
    bool bulk_tensor_copies = false; // a TMA brings boxes of arrays (sm_90)
};

struct Pass {
    const char* name;    // "flatten": what --emit after:PASS names
    const char* summary; // a sentence
    Program (*run)(const Program&, const TargetInfo&);
};

// The list for CPU targets, in order, after `build` (tree -> program).
const std::vector<Pass>& cpu_passes();
// The list for C source that gives the same bits: vectors and accumulators of lanes decide the
// order of float sums, so they are made as in cpu_passes; then loops of vectors become loops of
// elements, and C prints other vectors lane by lane. Unrolled loops stay loops and indices stay as
// they are, for people to read.
const std::vector<Pass>& c_passes();

// The list for launches on a device, after `build_for_device`.
const std::vector<Pass>& device_passes();
// The list for source of the same launches, for people to read: as c_passes(), but vectors stay,
// since they say how memory is accessed, and unrolled loops of a warpgroup's products are written
// out, so that they are one group.
const std::vector<Pass>& device_source_passes();

// Checks every invariant that program.h states (names defined and unique, types and lanes agree,
// indices match ranks, buffers known, loop kinds known …). Empty: fine. Runs after every pass in
// debug builds and in the tests.
Diagnostics verify(const Program& program);

// A vectorised loop of which `vectorize` can make no vector code, and why.
struct ScalarLoop {
    NodeId loop;
    std::string why; // the end of a sentence
};

struct LowerOptions {
    TargetInfo target;
    bool verify_each = false;
    std::string stop_after; // a pass's name, or "build"; empty: all
    // Receives the scalar loops, if given and if `vectorize` is reached
    std::vector<ScalarLoop>* scalar_loops = nullptr;
};
// Runs the list on a built program.
Result<Program> run_passes(const Program& built, const LowerOptions& options);
Result<Program> run_passes(const Program& built, const std::vector<Pass>& passes,
                           const LowerOptions& options);

} // namespace loopscope::lower
