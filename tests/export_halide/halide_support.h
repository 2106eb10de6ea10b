#pragma once
// Exporting a program to Halide, compiling it against the installed Halide, and running it on arrays.

#include "compiler/codegen/halide/halide_source.h"
#include "tests/export_c/export_support.h"

namespace loopscope::test {

// Why Halide programs cannot be compiled here; empty: they can.
const std::string& without_halide();

struct HalideCase {
    std::string label;
    std::string pipeline, schedule; // texts; an empty schedule is the default one
    std::map<std::string, std::int64_t> params;
    std::string flags = {}; // more for the compiler: "-DEXACT=0"
};

codegen::ForeignSource halide_source_of(const HalideCase& one);
// The same with the tree made already.
codegen::ForeignSource halide_source_of(const ScheduleTreePtr& tree, const std::string& schedule);

struct HalideRun {
    bool built = false;
    Buffers outputs;
    std::string said; // by the compiler or the program
};
// Compiles and runs programs, two at a time, with Halide's header compiled once for all of them.
struct HalideJob {
    std::string label, source, flags;
    ScheduleTreePtr tree;
    Buffers inputs;
    std::string arguments = {}; // more for the program: "--time 3"
};
std::vector<HalideRun> run_halide(const std::vector<HalideJob>& jobs);

// Each case exported, run, and held to what the JIT gives: to the bit, or, where the schedule reassociates, within `bound`
// of the greatest magnitude.
void expect_same_as_jit(const std::vector<HalideCase>& cases, double bound = 1e-4);

} // namespace loopscope::test
