// Every bundled program, under its default and its shipped schedules: the exported C gives the
// compiled program's bits, and no compiler has anything to say about it.
#include "tests/export_c/bundled_programs.h"

#include "tests/support/quick_run.h"
#include "tests/support/random_run.h"

#include <gtest/gtest.h>

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

bool exhaustive() { return std::getenv("LOOPSCOPE_EXHAUSTIVE") != nullptr; }

// gcc takes over a minute for a function of more lines, of which one GPU schedule, vdsr's, makes
// ten thousand: with -O1 less than half of that.
constexpr std::size_t kMaxLinesOfGpus = 5000;

// Every third GPU schedule is taken: their loops are long once they run in order.
std::vector<Exported> all_exported() {
    std::vector<Exported> all;
    std::size_t of_gpus = 0;
    for (const auto& program : bundled_programs())
        try {
            if (program.for_gpu && !exhaustive() && of_gpus++ % 3 != 0)
                continue;
            all.push_back(exported(program));
        } catch (const std::exception& reason) {
            ADD_FAILURE() << program.label << ": " << reason.what();
        }
    return all;
}

TEST(Bundled, CGivesTheBitsOfTheCompiledProgram) {
    LOOPSCOPE_LONG_TEST();
    if (!has_clang())
        std::cout << "clang-19 is not installed: gcc alone is tested\n";
    auto all = all_exported();
    ASSERT_GE(all.size(), 16u);
    // Each program meets gcc under all of its schedules, and one of the other compilers, which
    // differs from commit to commit; those of GPUs gcc alone.
    const auto others = compilers().size() - 1;
    const auto turn = test::RandomRun::first_seed();
    const Compiler quick{compilers()[0].command + " -O1", compilers()[0].label + ", O1"};
    std::vector<CompileJob> jobs;
    std::vector<const Exported*> of;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t c = 0; c < compilers().size(); ++c)
            if (c == 0 || exhaustive() || (!all[i].for_gpu && (i + turn) % others == c - 1)) {
                const bool is_long = all[i].for_gpu && all[i].lines > kMaxLinesOfGpus;
                jobs.push_back(
                    {&all[i].source, is_long && !exhaustive() ? &quick : &compilers()[c]});
                of.push_back(&all[i]);
            }
    auto objects = shared_objects(jobs);
    std::map<const Exported*, Buffers> expected;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        const auto& e = *of[j];
        if (objects[j].empty())
            continue;
        if (!expected.count(&e))
            expected[&e] = run_jit(e.compiled, e.inputs);
        expect_equal(run_object(objects[j], e.function, e.program, e.inputs), expected[&e],
                     e.label + " by " + jobs[j].compiler->label);
    }
}

} // namespace
