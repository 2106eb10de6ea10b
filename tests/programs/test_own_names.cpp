// A device's file may call memories and levels as it likes (resources/devices/README.md). Every
// schedule that is shipped for GPUs says the same in such names: it becomes the same loop program,
// takes as long by the models, and in the SIMT interpreter products, copies, reductions and
// pipelines give the reference's bits.
#include "compiler/measure/host_device.h"
#include "compiler/worker/program.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/must.h"
#include "tests/support/own_names.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"
#include "tuner/model/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace loopscope::test {
namespace {

std::string program_of(const std::string& schedule) {
    return schedule.substr(0, schedule.find('.'));
}

std::vector<std::string> schedules_for_gpus() {
    std::vector<std::string> out;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_path("resources/pipelines")))
        if (const auto file = entry.path().filename().string();
            file.ends_with(".sched") && file.find(".gpu") != std::string::npos)
            out.push_back(file);
    std::sort(out.begin(), out.end());
    return out;
}

BundledProgram loaded_in_names(const std::string& schedule, const Params& params, bool own_names) {
    LoadOptions options;
    options.params = params;
    auto pipeline =
        must(load_pipeline_file(
                 source_path("resources/pipelines/" + program_of(schedule) + ".loop"), options))
            .pipeline;
    auto text = read_file(source_path("resources/pipelines/" + schedule));
    if (own_names)
        text = in_own_names(text);
    const auto script =
        must(parse_schedule(std::make_shared<SourceFile>(schedule, text), pipeline.get()));
    auto device = gpu_of(script);
    if (own_names)
        device = with_own_names(device);
    const ApplyContext context{&device, &declared_intrinsics()};
    return {pipeline, must(schedule_tree(pipeline, script, context)), device.vector_bits, true,
            device};
}

lower::Program lowered_kernels(const BundledProgram& program) {
    return must(worker::lower_program(
        {program.pipeline, {}, program.tree, program.vector_bits, true, program.gpu}));
}

class OwnNames : public testing::TestWithParam<std::string> {};

// The program's own sizes, but where the schedule is for pictures of few channels.
Params sizes_for(const std::string& schedule) {
    return schedule == "conv2d.gpu_few_channels.sched" ? Params{{"C", 3}} : Params{};
}

TEST_P(OwnNames, SayTheSame) {
    const auto common = loaded_in_names(GetParam(), sizes_for(GetParam()), false),
               own = loaded_in_names(GetParam(), sizes_for(GetParam()), true);
    const auto& gpu = *own.gpu.gpu;
    for (const auto& reason : not_runnable(*own.tree, gpu))
        ADD_FAILURE() << reason.message;
    EXPECT_EQ(in_common_names(lower::to_text(lowered_kernels(own))),
              lower::to_text(lowered_kernels(common)));
    static const auto device = must(measure::find_device("h200"));
    const auto* model = model::find_model("bottleneck", device);
    const auto expected = model->estimate(*common.tree, device, {}),
               estimate = model->estimate(*own.tree, with_own_names(device), {});
    EXPECT_GT(expected.seconds, 0) << expected.reason;
    EXPECT_EQ(estimate.seconds, expected.seconds) << estimate.reason;
}

INSTANTIATE_TEST_SUITE_P(Shipped, OwnNames,
                         testing::ValuesIn(part_in_turn(schedules_for_gpus(), 3)),
                         [](const auto& info) {
                             auto name = info.param;
                             std::replace(name.begin(), name.end(), '.', '_');
                             return name;
                         });

struct SmallCase {
    const char* schedule;
    Params params;
};

// On whole numbers, of which all sums are exact.
TEST(OwnNamesRun, GiveTheReferencesBits) {
    const SmallCase cases[] = {
        {"transpose.gpu.sched", {{"H", 70}, {"W", 66}}},
        {"matmul.gpu.sched", {{"M", 130}, {"N", 136}, {"K", 24}}},
        {"matmul_f16.gpu.sched", {{"M", 128}, {"N", 128}, {"K", 64}}},
        {"matmul_f16.gpu_hopper.sched", {{"M", 128}, {"N", 256}, {"K", 128}}},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.schedule);
        const auto program = loaded_in_names(c.schedule, c.params, true);
        const auto inputs = small_whole_inputs(*program.pipeline, 1);
        const auto expected = run_reference(program, inputs);
        for (const auto& [name, buffer] : run_compiled(program, inputs, 1))
            EXPECT_EQ(buffer.data, expected.at(name).data) << name;
    }
}

} // namespace
} // namespace loopscope::test
