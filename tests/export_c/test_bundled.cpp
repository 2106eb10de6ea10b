// The bundled programs, under their default and their shipped schedules, in turns: the exported C
// gives the compiled program's bits, and the compiler, which differs from commit to commit, has
// nothing to say about it.
#include "tests/export_c/bundled_programs.h"

#include "tests/support/quick_run.h"
#include "tests/support/turns.h"
#include "tests/support/two_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

using namespace loopscope;
using namespace loopscope::test;

namespace {

struct Exported {
    std::string label;
    bool for_gpu;
    lower::Program program, compiled; // for C, and for the JIT
    Buffers inputs;
    std::string source, function;
    std::size_t lines = 0; // of the source
};

Exported exported(const BundledProgram& bundled) {
    Exported e{bundled.label,
               bundled.for_gpu,
               lowered_for_c(*bundled.tree),
               lowered_for_jit(*bundled.tree),
               random_inputs_of(*bundled.tree->pipeline, 5),
               {},
               {},
               0};
    codegen::COptions options;
    options.sizes = bundled.params;
    options.schedule = bundled.schedule;
    auto source = codegen::c_source(e.program, options);
    if (!source)
        throw std::runtime_error(format(source.errors()));
    for (char c : source->text)
        e.lines += c == '\n';
    EXPECT_EQ(source->lines.size(), e.lines);
    e.source = source->text + call_wrapper(e.program, source->function);
    e.function = source->function;
    return e;
}

// gcc takes minutes for a function of more lines, which GPU schedules of many stages make.
constexpr std::size_t kMaxLinesOfGpus = 5000;
constexpr std::size_t kLong = 450;          // lines
constexpr std::size_t kLeastPrograms = 180; // that have turns, each under some schedule

// A compiler may take minutes for it, as gcc does for the steps of tensor instructions.
bool takes_long(const BundledProgram& program, std::size_t lines) {
    return lines > kLong || program.schedule.find("tensor") != std::string::npos;
}

// All have turns, those for GPUs seldom: their loops are long once they run in order. The longest
// come first, so that none is left for one thread at the end.
std::vector<Exported> all_exported() {
    std::vector<Exported> all;
    std::size_t of_gpus = 0, of_cpus = 0, long_ones = 0;
    for (const auto& program : bundled_programs())
        try {
            if (program.for_gpu ? !has_turn(of_gpus++, 16) : !has_turn(of_cpus++, 6))
                continue;
            all.push_back(exported(program));
            const auto lines = all.back().lines;
            if ((program.for_gpu && !exhaustive() && lines > kMaxLinesOfGpus) ||
                (takes_long(program, lines) && !has_turn(long_ones++, 4, "long")))
                all.pop_back();
        } catch (const std::exception& reason) {
            ADD_FAILURE() << program.label << ": " << reason.what();
        }
    EXPECT_GE(of_gpus + of_cpus, kLeastPrograms);
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.lines > b.lines; });
    return all;
}

TEST(Bundled, CGivesTheBitsOfTheCompiledProgram) {
    LOOPSCOPE_LONG_TEST();
    if (!has_clang())
        std::cout << "clang-19 is not installed: gcc alone is tested\n";
    const auto all = all_exported();
    for (const auto& each : all)
        std::cout << each.label << ", " << each.lines << " lines\n";
    ASSERT_FALSE(all.empty());
    const std::vector<Compiler> gcc{compilers().front()};
    // Each program meets one compiler, those of GPUs gcc. What each makes of every operator and
    // statement is in the other tests of this folder.
    on_two_threads(all.size(), [&](std::size_t i) {
        const auto& e = all[i];
        const auto expected = run_jit(e.compiled, e.inputs);
        for (const auto& compiler : e.for_gpu ? gcc : in_turn(compilers(), i, "compiler")) {
            const auto object = shared_object(e.source, compiler);
            if (!object.empty())
                expect_equal(run_object(object, e.function, e.program, e.inputs), expected,
                             e.label + " by " + compiler.label);
        }
    });
}

} // namespace
