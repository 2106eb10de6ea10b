// The bundled programs under their schedules, in turns: the exported Halide program gives the
// results of the compiled program.
#include "tests/export_c/bundled_programs.h"
#include "tests/export_halide/halide_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// Halide takes minutes for the largest programs, and for what is unrolled for tensor cores, of
// which nothing is left on a CPU. One of GPUs it once got wrong.
bool takes_seconds(const BundledProgram& program, std::size_t number) {
    if (program.label == "doitgen.gpu")
        return true;
    return program.tree->pipeline->stages.size() <= 40 &&
           program.schedule.find("tensorize(") == std::string::npos &&
           has_turn(number, program.for_gpu ? 24 : 12);
}

TEST(BundledHalide, GivesTheResultsOfTheCompiledProgram) {
    LOOPSCOPE_LONG_TEST();
    if (!without_halide().empty())
        GTEST_SKIP() << without_halide();
    const char* only = std::getenv("LOOPSCOPE_ONLY"); // a program's name, to look into one
    std::vector<HalideCase> cases;
    std::size_t number = 0;
    for (const auto& program : bundled_programs(only ? only : ""))
        if (only || exhaustive() || takes_seconds(program, number++))
            cases.push_back({program.label, program.pipeline, program.schedule, program.params});
    expect_right(cases);
}

} // namespace
