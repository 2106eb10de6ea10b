// Random sums of products under tensor_core(), in the interpreter of SIMT programs, against the
// reference interpreter. The recipe is refused where, and only where, no instruction of the device
// takes the sums, and for one of its rules; all others agree.
// LOOPSCOPE_FUZZ_PRODUCT_PAIRS, LOOPSCOPE_FUZZ_SEED.
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/fuzz/product_pairs.h"
#include "tests/fuzz/shrink.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

using namespace loopscope;
using namespace loopscope::fuzz;
using loopscope::test::must;
using loopscope::test::setting;

namespace test_products {

// What has tensor cores that know whole matrices alone, as the first ones did.
device::Device of_whole_matrices() {
    auto device = device::generic_gpu();
    device.gpu->tensor_intrinsics = {"wmma_m16n16k16_f16"};
    std::erase(device.gpu->capabilities, "asynchronous_copy");
    return device;
}

// Why the first line, the recipe, is refused; empty: it is not.
std::string refusal(const Pair& pair, const device::Device& device) {
    const auto pipeline =
        must(load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline))).pipeline;
    auto schedule = must(parse_schedule(std::make_shared<SourceFile>("pair.sched", pair.schedule)));
    schedule.directives.resize(1);
    const auto applied = apply(pipeline, schedule, {&device, &declared_intrinsics()});
    return applied.diagnostics.empty() ? "" : applied.diagnostics.front().message;
}

// The recipe's rules that these sums may break: too few rows or columns, terms that no instruction
// divides, axes that are none of a product.
bool is_a_rule(const std::string& refusal) {
    for (const char* rule :
         {" takes 16 rows", " takes 8 columns", " at once", "no product of matrices",
          // Reasons of wmma fragments, and of devices that have one type of them.
          " takes 16 columns", "which is no index of the product", "adds to values of each element",
          " is of f16, and ", " and wmma_m16n16k16_f16 in f32"})
        if (refusal.find(rule) != std::string::npos)
            return true;
    return false;
}

// Does the instruction, whose rows may be either factor's, take such sums?
bool takes(const Intrinsic& instruction, const ProductFacts& facts) {
    for (const auto& operand : instruction.operands)
        if (name(operand.type) != facts.type)
            return false;
    std::vector<std::int64_t> free;
    for (const auto& axis : instruction.axes)
        if (!axis.reduction)
            free.push_back(axis.extent);
        else if (facts.terms % axis.extent != 0)
            return false;
    const bool fits = (free[0] <= facts.rows && free[1] <= facts.columns) ||
                      (free[1] <= facts.rows && free[0] <= facts.columns);
    // Which lane holds what is not known: whole matrices begin at zero, and lie in memory as lines.
    return fits && (!instruction.result.opaque() || (!facts.starts_from_values && facts.in_lines));
}

bool some_instruction_takes(const ProductFacts& facts, const device::Device& device) {
    const auto known = known_intrinsics({&device, &declared_intrinsics()});
    return std::any_of(known.begin(), known.end(), [&](const auto& instruction) {
        return takes(*declared_intrinsics().find(instruction), facts);
    });
}

void expect_agreement(const JudgeOptions& options, std::uint64_t pairs) {
    const auto first = setting("LOOPSCOPE_FUZZ_SEED", 1);
    std::map<std::string, std::uint64_t> counts;
    int bad = 0;
    for (auto seed = first; seed < first + pairs && bad < 5; ++seed) {
        const auto [pair, facts] = random_product_pair(seed);
        const auto reason = refusal(pair, options.target());
        EXPECT_EQ(reason.empty(), some_instruction_takes(facts, options.target()))
            << "seed " << seed << ": " << pair.pipeline << reason;
        if (!reason.empty()) {
            ++counts["refused"];
            EXPECT_TRUE(is_a_rule(reason)) << "seed " << seed << ": " << pair.pipeline << reason;
            continue;
        }
        const auto verdict = judge(pair, options);
        ++counts[verdict.bad()                             ? "bad"
                 : verdict.outcome == Outcome::NotRunnable ? "not runnable"
                 : verdict.outcome == Outcome::TooLarge    ? "too large"
                 : verdict.in_bits || verdict.within_bound ? "agree"
                                                           : "not held"];
        if (!verdict.bad() && verdict.outcome != Outcome::NotRunnable)
            continue;
        ++bad;
        const auto small =
            verdict.bad()
                ? shrink(pair, [&](const Pair& smaller) { return judge(smaller, options); })
                : pair;
        ADD_FAILURE() << "seed " << seed << ": " << report(small, judge(small, options));
    }
    for (const auto& [what, number] : counts)
        std::cout << what << ": " << number << "\n";
    // What is not refused is judged, unless that would take hours.
    if (bad == 0) {
        EXPECT_EQ(counts["agree"] + counts["too large"], pairs - counts["refused"]);
    }
    if (pairs >= 100) {
        EXPECT_GT(counts["agree"], counts["too large"]);
    }
}

TEST(FuzzProducts, TheRecipeAgrees) {
    JudgeOptions options;
    options.on_device = true;
    expect_agreement(options, setting("LOOPSCOPE_FUZZ_PRODUCT_PAIRS", 200));
}

// Half of the pairs are of other types; others start from values, or have fewer columns than 16.
TEST(FuzzProducts, TheRecipeAgreesByWholeMatrices) {
    JudgeOptions options;
    options.on_device = true;
    const auto device = of_whole_matrices();
    options.gpu = &device;
    expect_agreement(options, 2 * setting("LOOPSCOPE_FUZZ_PRODUCT_PAIRS", 200));
}

} // namespace test_products
