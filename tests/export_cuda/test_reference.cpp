// What exported host programs check by is what `check` judges by: the same parts, and of each the
// same ends, to the bit.
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "compiler/worker/check_cases.h"
#include "compiler/worker/context.h"
#include "compiler/worker/kernel_check.h"
#include "tests/export_c/bundled_programs.h"
#include "tests/export_cuda/kernel_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

namespace {

constexpr double kFlopsOfWindows = 30000; // windows of the larger ones

void expect_parts(const codegen::KernelCheck& check, const worker::CheckCases& cases,
                  const Buffers& wanted, const std::string& label) {
    std::vector<codegen::KernelReference::Part> parts;
    for (const auto& reference : check.references)
        parts.insert(parts.end(), reference.parts.begin(), reference.parts.end());
    const auto compared = cases.parts_of_outputs();
    ASSERT_EQ(parts.size(), compared.size()) << label;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        EXPECT_EQ(parts[i].result, compared[i].output) << label;
        EXPECT_EQ(parts[i].offset, compared[i].offset) << label;
        EXPECT_EQ(cases.bounds(compared[i].array, wanted).has_value(),
                  parts[i].low != parts[i].high)
            << label;
    }
}

void expect_ends(const codegen::KernelReference& reference, const Buffers& inputs,
                 const Buffers& wanted, const std::string& label) {
    const auto run = must(run_loop_program(reference.program, inputs));
    EXPECT_TRUE(run.findings.empty()) << label << "\n" << format(run.findings);
    for (const auto& part : reference.parts)
        for (const auto& array : {part.low, part.high})
            expect_equal({{array, run.outputs.at(array)}}, {{array, wanted.at(array)}}, label);
}

// Some of them are drawn; LOOPSCOPE_KERNEL_PROGRAMS=1 runs all.
TEST(KernelReferences, HaveTheEndsThatCheckHas) {
    const std::atomic<bool> never = false;
    const worker::Context quiet([](const auto&) {}, never);
    const auto every = setting("LOOPSCOPE_KERNEL_PROGRAMS", 11);
    std::size_t number = 0, bounded = 0;
    for (const auto& bundled : bundled_programs()) {
        if (!bundled.for_gpu || number++ % every != 0)
            continue;
        worker::LoadedProgram loaded;
        loaded.pipeline = bundled.tree->pipeline;
        loaded.tree = bundled.tree;
        worker::CheckRequest request;
        request.most_work = kFlopsOfWindows;
        auto cases = must(worker::CheckCases::create(loaded, request, quiet));
        const auto inputs = must(cases.inputs(RandomMode::Reals));
        const auto wanted =
            must(cases.in_bits() ? cases.expected_bits(inputs) : cases.expected_reals(inputs));
        const auto check = must(worker::kernel_check(*bundled.tree, kFlopsOfWindows));
        expect_parts(check, cases, wanted, bundled.label);
        for (const auto& reference : check.references)
            expect_ends(reference, inputs, wanted, bundled.label);
        bounded += !cases.in_bits();
    }
    EXPECT_GT(bounded, 0u) << "none of those that were drawn reassociates or approximates";
}

} // namespace
