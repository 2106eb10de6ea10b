// The index of the shipped programs says what is there, and which schedules suit a device.

#include "app/session/script_edit.h"
#include "app/session/script_target.h"
#include "app/session/shipped_programs.h"
#include "compiler/measure/host_device.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "tests/session/session_fixture.h"
#include "tests/support/must.h"
#include "tests/support/quick_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace loopscope::session::test {

namespace test_shipped_programs {

namespace fs = std::filesystem;
using loopscope::test::must;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const auto& file : files)
        names.push_back(fs::path(file).filename().string());
    return names;
}

device::Device described(const std::string& name) { return must(measure::find_device(name)); }

// All that are shipped for the device's kind, whatever they ask of it.
std::vector<std::string> of_kind(const std::string& program, const device::Device& device) {
    std::vector<std::string> files;
    const auto begins = program + (device.gpu ? ".gpu" : ".cpu");
    for (const auto& entry :
         fs::directory_iterator(loopscope::test::source_path("resources/pipelines")))
        if (entry.path().filename().string().starts_with(begins))
            files.push_back(entry.path().string());
    return files;
}

bool applies(const std::string& file, const PipelinePtr& pipeline, const device::Device& device) {
    ApplyContext at;
    at.device = &device;
    at.intrinsics = &declared_intrinsics();
    return schedule_script(pipeline, with_target(loopscope::test::read_file(file), {}), at).ok();
}

TEST(ShippedPrograms, EachStandsInAGroupOfTheIndexAndSaysWhatItTeaches) {
    std::set<std::string> listed, there;
    for (const auto& program : must(shipped_programs())) {
        EXPECT_TRUE(listed.insert(program.name).second) << program.name << " is listed twice";
        EXPECT_FALSE(program.group.empty()) << program.name;
        EXPECT_GE(program.teaches.size(), 30u) << program.name;
        EXPECT_LE(program.teaches.size(), 80u) << program.name << ": a line on the start page";
        EXPECT_TRUE(fs::exists(program.file)) << program.file;
    }
    for (const auto& entry :
         fs::directory_iterator(loopscope::test::source_path("resources/pipelines")))
        if (entry.path().extension() == ".loop")
            there.insert(entry.path().stem().string());
    EXPECT_EQ(listed, there)
        << "resources/pipelines/programs.json lists each program, and no other";
}

TEST(ShippedPrograms, HaveTheStagesThatTheIndexSays) {
    for (const auto& program : must(shipped_programs())) {
        const auto pipeline = must(load_pipeline_file(program.file)).pipeline;
        EXPECT_EQ(program.name, pipeline->name);
        EXPECT_EQ(program.stages, std::count_if(pipeline->stages.begin(), pipeline->stages.end(),
                                                [](const Stage& stage) { return !stage.is_input; }))
            << program.name;
    }
}

TEST(ShippedPrograms, SchedulesAreOfTheDevicesKindAndInstructions) {
    const ShippedSchedules schedules;
    EXPECT_THAT(names_of(schedules.suited("matmul_f16", described("i7-6700"))),
                ElementsAre("matmul_f16.cpu.sched"));
    EXPECT_THAT(names_of(schedules.suited("matmul_f16", described("v100"))),
                ElementsAre("matmul_f16.gpu_wmma.sched"));
    EXPECT_THAT(names_of(schedules.suited("matmul", described("v100"))),
                ElementsAre("matmul.gpu.sched"));
    EXPECT_THAT(schedules.suited("matmul_s8", described("v100")), IsEmpty());
    // where a file was tuned is not where it may be used
    EXPECT_THAT(names_of(schedules.suited("matmul_f16", described("h100-sxm"))),
                testing::Contains("matmul_f16.gpu_hopper.sched"));
    EXPECT_THAT(names_of(schedules.suited("matmul_f16", described("a100-sxm-40gb"))),
                testing::Not(testing::Contains("matmul_f16.gpu_hopper.sched")));
    EXPECT_THAT(schedules.suited("mine", described("v100")), IsEmpty());
    EXPECT_TRUE(schedules.any_suits("matmul_f16", described("v100")));
    EXPECT_FALSE(schedules.any_suits("matmul_s8", described("v100")));
}

// What the start page promises of a device holds when a schedule is applied there.
TEST(ShippedPrograms, ThereIsAScheduleForADeviceWhereOneApplies) {
    LOOPSCOPE_LONG_TEST();
    const auto programs = must(shipped_programs());
    const ShippedSchedules schedules;
    std::vector<PipelinePtr> pipelines;
    for (const auto& program : programs)
        pipelines.push_back(must(load_pipeline_file(program.file)).pipeline);
    for (const auto& name : measure::described_devices()) {
        const auto device = described(name);
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const auto suited = schedules.suited(programs[i].name, device);
            EXPECT_TRUE(
                suited.empty() ||
                std::any_of(suited.begin(), suited.end(),
                            [&](const auto& file) { return applies(file, pipelines[i], device); }))
                << programs[i].name << " on " << name;
            const auto kept = names_of(suited);
            for (const auto& file : of_kind(programs[i].name, device)) {
                if (std::count(kept.begin(), kept.end(), fs::path(file).filename().string()) > 0)
                    continue;
                EXPECT_FALSE(applies(file, pipelines[i], device)) << file << " on " << name;
            }
        }
    }
}

} // namespace test_shipped_programs

TEST_F(SessionTest, APipelineOpensOnTheDeviceThatIsChosenWhileNothingIsOpen) {
    ASSERT_TRUE(session_->set_device("h200").ok());
    auto& s = open("matmul.loop");
    EXPECT_EQ(s.device()->name, "h200");
    EXPECT_EQ(target_of(s.script()), "h200");
    s.close();
    ASSERT_TRUE(s.set_device("i7-6700").ok());
    open("blur.loop");
    EXPECT_EQ(s.device()->name, "i7-6700");
    open("copy.loop");
    EXPECT_TRUE(s.device()->is_host) << "the device of an open document is its own";
    s.close();
    ASSERT_TRUE(s.set_device("h200").ok());
    OpenOptions options;
    options.device = "host";
    open("blur.loop", options);
    EXPECT_TRUE(s.device()->is_host) << "what is asked for wins";
}

} // namespace loopscope::session::test
