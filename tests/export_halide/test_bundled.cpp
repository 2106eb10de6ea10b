// Every bundled program under its shipped schedule, and the others by turns: the exported Halide
// program gives the results of the compiled program.
#include "tests/export_c/bundled_programs.h"
#include "tests/export_halide/halide_support.h"
#include "tests/support/quick_run.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace loopscope;
using namespace loopscope::test;

namespace {

TEST(BundledHalide, GivesTheResultsOfTheCompiledProgram) {
    LOOPSCOPE_LONG_TEST();
    if (!without_halide().empty())
        GTEST_SKIP() << without_halide();
    const char* only = std::getenv("LOOPSCOPE_ONLY"); // a program's name, to look into one
    std::vector<HalideCase> cases;
    auto programs = bundled_programs(only ? only : "");
    std::map<std::string, std::size_t> scripts; // of each program
    for (const auto& program : programs)
        scripts[program.name] += !program.schedule.empty();
    std::size_t scheduled = 0, of_gpus = 0;
    for (const auto& program : programs) {
        // Halide takes minutes for the largest programs.
        if (!only && !std::getenv("LOOPSCOPE_EXHAUSTIVE") &&
            program.tree->pipeline->stages.size() > 40)
            continue;
        // Every eighth GPU schedule is taken, for Halide takes long to compile them, and one that
        // it once got wrong.
        if (program.for_gpu && !only && !std::getenv("LOOPSCOPE_EXHAUSTIVE") &&
            program.label != "doitgen.gpu" && of_gpus++ % 8 != 0)
            continue;
        // The default schedule of what has no other, and of the others by turns.
        if (program.schedule.empty() && !only && scripts[program.name] > 0 && scheduled++ % 8 != 0)
            continue;
        cases.push_back({program.label, program.pipeline, program.schedule, program.params});
    }
    expect_right(cases);
}

} // namespace
