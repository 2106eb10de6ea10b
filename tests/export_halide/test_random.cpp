// Random pipelines, every other one under a random schedule, as programs for Halide: they give the
// compiled program's results. LOOPSCOPE_HALIDE_PAIRS: how many (6: each compiles for seconds, and
// some for a minute, as the pair of seed 5), LOOPSCOPE_HALIDE_SEED: the first.
#include "core/language/loop_parser.h"
#include "tests/export_halide/halide_support.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/schedule_generator.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

using namespace loopscope;
using namespace loopscope::test;

namespace {

TEST(RandomHalide, GivesTheResultsOfTheCompiledProgram) {
    LOOPSCOPE_LONG_TEST();
    if (!without_halide().empty())
        GTEST_SKIP() << without_halide();
    std::vector<HalideJob> jobs;
    std::vector<std::string> texts;
    auto first = setting("LOOPSCOPE_HALIDE_SEED", 6);
    auto count = setting("LOOPSCOPE_HALIDE_PAIRS", 6);
    for (auto seed = first; seed < first + count; ++seed) {
        auto text = fuzz::random_pipeline(seed);
        auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", text), {});
        if (!loaded)
            continue;
        auto script =
            seed % 2 == 0 ? fuzz::random_schedule(loaded->pipeline, seed).text : std::string();
        if (std::getenv("LOOPSCOPE_HALIDE_TRACE"))
            std::cout << "seed " << seed << "\n" << text << script << std::endl;
        auto tree = tree_of(text, script);
        jobs.push_back({"seed " + std::to_string(seed), halide_source_of(tree, script).text, tree,
                        random_inputs_of(*tree->pipeline, seed)});
        texts.push_back("\n--- pipeline\n" + text + "--- schedule\n" + script);
    }
    ASSERT_FALSE(jobs.empty());
    auto runs = run_halide(jobs);
    std::size_t refused = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        // Its schedules have rules of their own, which its exceptions tell.
        if (runs[j].built && runs[j].outputs.empty() &&
            runs[j].said.find("Error:") != std::string::npos &&
            texts[j].find("--- schedule\nschedule") != std::string::npos) {
            ++refused;
            if (std::getenv("LOOPSCOPE_HALIDE_TRACE"))
                std::cout << jobs[j].label << ": " << runs[j].said << texts[j] << "\n";
            continue;
        }
        auto failure = runs[j].built && !runs[j].outputs.empty()
                           ? wrong_in(*jobs[j].tree, jobs[j].inputs, runs[j].outputs)
                           : runs[j].said.substr(0, 3000);
        if (!failure.empty())
            ADD_FAILURE() << jobs[j].label << " by Halide: " << failure << texts[j];
    }
    std::cout << refused << " of " << jobs.size() << " Halide refuses\n";
    EXPECT_LE(refused, jobs.size() / 2);
}

} // namespace
