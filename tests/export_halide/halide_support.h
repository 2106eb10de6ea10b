#pragma once
// Exporting a program to Halide, compiling it against the installed Halide, and running it on
// arrays.

#include "compiler/codegen/halide/halide_source.h"
#include "tests/export_foreign/foreign_support.h"

namespace loopscope::test {

// Why Halide programs cannot be compiled here; empty: they can.
const std::string& without_halide();

struct HalideCase {
    std::string label;
    std::string pipeline, schedule; // texts; an empty schedule is the default one
    std::map<std::string, std::int64_t> params;
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
    std::string label, source;
    ScheduleTreePtr tree;
    Buffers inputs;
    std::string arguments = {}; // more for the program: "--time 3"
};
std::vector<HalideRun> run_halide(const std::vector<HalideJob>& jobs);

// Each case exported, run, and found right (wrong_in).
void expect_right(const std::vector<HalideCase>& cases);

} // namespace loopscope::test
