// A stage in place of the outputs: all of its box, by its definition, whatever the schedule says.
#include "compiler/worker/stage_program.h"

#include "compiler/run/array_file.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/context.h"
#include "tests/support/support.h"
#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace loopscope::worker {
namespace test_stage_program {

using nlohmann::json;
using testing::HasSubstr;

const std::atomic<bool> never = false;
const Context quiet([](const measure::Progress&) {}, never);

const char* const kText = "pipeline p\ninput a[x]: f32[8] boundary edge\ninput b[x]: f32[8]\n"
                          "stage T[x] = a[x] * 2.0\nstage C[x] = T[x - 1] + T[x + 1]\n"
                          "stage out[x] = C[x] + b[x]\noutput out: [8]\n";

TEST(StageProgram, HasAllOfItsBoxFromZeroOn) {
    const auto whole = test::load(kText, "schedule for p\nT.inline()\n");
    const auto made = stage_program(whole, "T");
    ASSERT_TRUE(made) << format(made.errors());
    EXPECT_EQ(made->begin, std::vector<std::int64_t>{-1});
    const auto& pipeline = *made->program.pipeline;
    ASSERT_EQ(pipeline.outputs.size(), 1U);
    EXPECT_EQ(pipeline.outputs[0].stage, "T");
    EXPECT_EQ(hints(pipeline.outputs[0].extents), std::vector<std::int64_t>{10});
    EXPECT_FALSE(pipeline.find("C")) << "it is not needed";
    EXPECT_TRUE(pipeline.find("b")) << "inputs stay, for files are of them";
    const auto inputs = random_inputs(*whole.pipeline, 3, RandomMode::Reals).value();
    const auto values = evaluate(pipeline, inputs);
    ASSERT_TRUE(values) << format(values.errors());
    for (std::int64_t x = -1; x < 9; ++x)
        EXPECT_EQ(values->at("T").as<float>()[x + 1],
                  inputs.at("a").as<float>()[std::clamp<std::int64_t>(x, 0, 7)] * 2)
            << x;
}

TEST(StageProgram, StagesThatReadThemselvesKeepTheirUpdates) {
    const auto whole = test::load("pipeline p\ninput a[x]: i32[8]\nstage S[x] = a[x]\n"
                                  "update S[x] += S[x] over k in 0..3\nstage out[x] = S[x] + 1\n"
                                  "output out: [8]\n");
    const auto made = stage_program(whole, "S");
    ASSERT_TRUE(made) << format(made.errors());
    const auto inputs = random_inputs(*whole.pipeline, 3, RandomMode::SmallWhole).value();
    const auto values = evaluate(*made->program.pipeline, inputs);
    ASSERT_TRUE(values) << format(values.errors());
    for (int x = 0; x < 8; ++x)
        EXPECT_EQ(values->at("S").as<std::int32_t>()[x], inputs.at("a").as<std::int32_t>()[x] * 8);
}

TEST(StageProgram, OtherNamesAreRefused) {
    const auto whole = test::load(kText);
    for (const auto* name : {"nothing", "a"}) {
        const auto made = stage_program(whole, name);
        ASSERT_FALSE(made) << name;
        EXPECT_THAT(format(made.errors()), HasSubstr("no stage"));
    }
}

// As the window asks for it: compiled, into a file.
TEST(StageProgram, RunWritesItAndRandomInputs) {
    const auto file = test::scratch_folder() + "/T.npy";
    auto arguments = test::arguments(kText);
    arguments["stage"] = "T";
    arguments["random"] = true;
    arguments["seed"] = 5;
    arguments["outputs"] = {{"T", file}};
    const auto answer = serve_run(arguments, quiet);
    ASSERT_TRUE(answer) << format(answer.errors());
    EXPECT_EQ(answer->at("outputs").at(0).at("begin"), json::array({-1}));
    const auto& input = answer->at("inputs").at(0);
    EXPECT_EQ(input.at("name"), "a");
    const auto a = random_buffer(ScalarType::F32, {8}, input.at("seed").get<std::uint64_t>(),
                                 RandomMode::Reals)
                       .value();
    EXPECT_EQ(a.data,
              random_inputs(*test::load(kText).pipeline, 5, RandomMode::Reals).value().at("a").data)
        << "as check makes it";
    const auto values = read_array(file);
    ASSERT_TRUE(values) << format(values.errors());
    ASSERT_EQ(values->extents, std::vector<std::int64_t>{10});
    for (std::int64_t x = -1; x < 9; ++x)
        EXPECT_EQ(values->as<float>()[x + 1], a.as<float>()[std::clamp<std::int64_t>(x, 0, 7)] * 2);
}

TEST(StageProgram, RunWithoutAFileIsRefusedUnlessRandom) {
    auto arguments = test::arguments(kText);
    arguments["outputs"] = {{"out", test::scratch_folder() + "/out.npy"}};
    const auto answer = serve_run(arguments, quiet);
    ASSERT_FALSE(answer);
    EXPECT_THAT(format(answer.errors()), HasSubstr("the input `a` has no file"));
}

} // namespace test_stage_program
} // namespace loopscope::worker
