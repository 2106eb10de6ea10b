// Bundles: packed by loopscope-cli, run by loopscope-agent with the fake driver, shown by
// loopscope-cli.
#include "compiler/gpu/bundle/bundle.h"
#include "tests/gpu/bundle_support.h"
#include "tests/support/must.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

namespace loopscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Bundled;
using test::kBlurInOneKernel;
using test::meaning_of;
using test::overwrite;
using test::pipeline;
using test::read_file;
using test::run_agent;
using test::run_bundle;
using test::run_cli;
using test::scratch_folder;
using test::write_file;
using testing::HasSubstr;

TEST(Bundles, GoThereAndBack) {
    Bundled bundle;
    ASSERT_EQ(bundle.made.status, 0) << bundle.made.err;
    const auto job = bundle.manifest().at("jobs").at(0);
    EXPECT_EQ(job.at("name"), "small");
    EXPECT_EQ(job.at("params"), json({{"H", 40}, {"W", 70}}));
    EXPECT_EQ(job.at("variants").size(), 2u);
    EXPECT_TRUE(fs::exists(bundle.folder + "/peer.py"));

    const auto results = scratch_folder() + "/results.json";
    auto outcome = run_bundle(bundle, results);
    ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("small: right, warm 10.00 us, cold 10.00 us"));
    const auto answer = json::parse(read_file(results));
    const auto& one = answer.at("jobs").at(0);
    EXPECT_EQ(answer.at("format"), "loopscope-results/1");
    EXPECT_EQ(one.at("architecture"), "sm_90");
    EXPECT_EQ(one.at("gpu").at("name"), "Fake GPU");
    EXPECT_EQ(one.at("kernels").at(0).at("registers"), 40);
    EXPECT_EQ(one.at("checks").at(0).at("outputs").at(0).at("status"), "equal");
    EXPECT_NEAR(one.at("times").at(1).at("gbytes_per_s"),
                job.at("bytes").get<double>() / 10e-6 * 1e-9, 1e-2);

    auto shown = run_cli({"bundle", "--results", results});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("Fake GPU, sm_90"));
    EXPECT_THAT(shown.out, testing::ContainsRegex("small +right +warm +10.0 µs"));
    const auto peer = write_file(
        "peer.json", R"({"format": "loopscope-peer/1", "jobs": [{"name": "small", "times": [
            {"cache": "warm", "median_s": 9e-6}]}]})");
    shown = run_cli({"bundle", "--results", results, "--peer", peer});
    EXPECT_THAT(shown.out, testing::ContainsRegex("9.00 µs +90.0 %")) << shown.out;
}

TEST(Bundles, TheArchitectureThatFitsIsTaken) {
    Bundled bundle;
    const auto results = scratch_folder() + "/results.json";
    auto outcome = run_bundle(bundle, results, {{"FAKE_CUDA_CAPABILITY", "86"}});
    ASSERT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_EQ(json::parse(read_file(results)).at("jobs").at(0).at("architecture"), "sm_80");
    outcome = run_bundle(bundle, results, {{"FAKE_CUDA_CAPABILITY", "75"}});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.out, HasSubstr("the bundle has no kernels for Fake GPU, sm_75"));
}

TEST(Bundles, AWrongResultIsNoTime) {
    Bundled bundle;
    const auto results = scratch_folder() + "/results.json";
    auto outcome = run_bundle(bundle, results, {{"FAKE_CUDA_WRONG", "1"}});
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    const auto job = json::parse(read_file(results)).at("jobs").at(0);
    EXPECT_EQ(job.at("status"), "wrong");
    EXPECT_TRUE(job.at("times").empty());
    EXPECT_EQ(job.at("checks").at(0).at("outputs").at(0).at("first_difference").at("position"), 0);
    auto shown = run_cli({"bundle", "--results", results});
    EXPECT_EQ(shown.status, 1);
    EXPECT_THAT(shown.out, HasSubstr("WRONG"));
}

TEST(Bundles, FaultsHangsAndCrashesEndTheirJobOnly) {
    const auto folder = scratch_folder() + "/bundle";
    const auto first = write_file("a.sched", kBlurInOneKernel);
    auto made = run_cli({"bundle", folder, "--job",
                         "faulty=" + pipeline("blur") + "," + first + ",H=40,W=70", "--job",
                         "fine=" + pipeline("blur") + ",H=8,W=8"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto results = scratch_folder() + "/results.json";
    const auto meaning = scratch_folder();
    const auto none = write_file("none.sched", "schedule for blur\n");
    fs::copy(meaning_of(pipeline("blur"), none, {{"H", 8}, {"W", 8}}) + "/blur.program",
             meaning + "/fine.program");
    const std::vector<std::string> arguments{
        "run", folder, "--out", results, "--budget", "0.1", "--kernel-timeout", "0.3"};
    // The second job's default schedule has two kernels, blur_x and out; the first has one alone,
    // out with 3 x 5 blocks.
    auto outcome =
        run_agent(arguments, {{"FAKE_CUDA_PROGRAMS", meaning}, {"FAKE_CUDA_FAULT", "700:out@3"}});
    EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out,
                HasSubstr("faulty: failed: the kernel out<<<(3, 5, 1), (32, 8, 1), 640 "
                          "B>>>: CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_THAT(outcome.out, HasSubstr("fine: right"));
    outcome = run_agent(arguments, {{"FAKE_CUDA_PROGRAMS", meaning}, {"FAKE_CUDA_HANG", "out@3"}});
    EXPECT_THAT(outcome.out, HasSubstr("did not end within 0.3 s"));
    EXPECT_THAT(outcome.out, HasSubstr("fine: right"));
    outcome = run_agent(arguments, {{"FAKE_CUDA_PROGRAMS", meaning}, {"FAKE_CUDA_CRASH", "out@3"}});
    EXPECT_THAT(outcome.out, HasSubstr("the job's process was ended by signal 11"));
    EXPECT_THAT(outcome.out, HasSubstr("fine: right"));
    const auto jobs = json::parse(read_file(results)).at("jobs");
    ASSERT_EQ(jobs.size(), 2u);
    EXPECT_EQ(jobs[0].at("status"), "failed");
    EXPECT_EQ(run_cli({"bundle", "--results", results}).status, 4);
}

TEST(Bundles, AJobThatDoesNotAnswerIsEnded) {
    Bundled bundle;
    auto outcome =
        run_bundle(bundle, scratch_folder() + "/results.json", {{"FAKE_CUDA_HANG", "out"}},
                   {"--job-timeout", "0.5", "--kernel-timeout", "100"});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.out, HasSubstr("the job did not end within 0.5 s, and was ended"));
}

TEST(Bundles, WithoutADriverTheAgentSaysSo) {
    Bundled bundle;
    const auto folder = scratch_folder();
    const auto command = "LOOPSCOPE_CUDA_LIBRARY=/nowhere '" +
                         test::program_path("loopscope-agent") + "' run " + bundle.folder +
                         " --out " + folder + "/results.json >/dev/null 2>" + folder + "/err";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_THAT(read_file(folder + "/err"), HasSubstr("there is no NVIDIA driver on this machine"));
}

TEST(Bundles, ReassociatedSumsAreHeldToTheirBounds) {
    const auto folder = scratch_folder() + "/bundle";
    const auto schedule = write_file(
        "matmul.sched", "schedule for matmul\nC.split(k, ko, ki, 8)\nR = C.rfactor(ki)\n");
    auto made = run_cli({"bundle", folder, "--job",
                         "sums=" + pipeline("matmul") + "," + schedule + ",M=16,N=24,K=32"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto bundle = test::must(gpu::read_bundle(folder));
    const auto& checks = bundle.jobs.at(0).checks;
    ASSERT_EQ(checks.size(), 2u);
    EXPECT_EQ(checks[0].kind, "whole numbers, every bit");
    EXPECT_FALSE(checks[0].expected[0].low);
    EXPECT_TRUE(checks[1].expected[0].low);
    const auto results = scratch_folder() + "/results.json";
    auto outcome =
        run_agent({"run", folder, "--out", results, "--budget", "0.1"},
                  {{"FAKE_CUDA_PROGRAMS",
                    meaning_of(pipeline("matmul"), schedule, {{"M", 16}, {"N", 24}, {"K", 32}})}});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    const auto answer = json::parse(read_file(results)).at("jobs").at(0).at("checks");
    EXPECT_EQ(answer[0].at("outputs")[0].at("status"), "equal");
    EXPECT_EQ(answer[1].at("outputs")[0].at("status"), "within bound");
}

TEST(Bundles, ALargeOutputIsComparedByWindows) {
    const auto folder = scratch_folder() + "/bundle";
    auto made = run_cli(
        {"bundle", folder, "--job", "large=" + pipeline("matmul") + ",M=1024,N=1024,K=1024"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto bundle = test::must(gpu::read_bundle(folder));
    const auto& expected = bundle.jobs.at(0).checks.at(0).expected;
    ASSERT_EQ(expected.size(), 4u);
    EXPECT_EQ(expected[1].offset[0] + expected[1].extents[0], 1024);
    EXPECT_LT(expected[0].extents[0], 1024);
}

// What of a large output every bit is compared of travels as hashes, slab by slab.
TEST(Bundles, ALargeOutputOfWhichEveryBitCountsIsComparedByHashes) {
    const auto folder = scratch_folder() + "/bundle";
    const auto schedule = write_file("copy.sched", "schedule for copy\n"
                                                   "out.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n");
    const auto meaning = meaning_of(pipeline("copy"), schedule, {{"H", 500}, {"W", 256}});
    auto made = run_cli({"bundle", folder, "--job",
                         "copies=" + pipeline("copy") + "," + schedule + ",H=500,W=256"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto bundle = test::must(gpu::read_bundle(folder));
    const auto& expected = bundle.jobs.at(0).checks.at(0).expected;
    ASSERT_EQ(expected.size(), 63u); // of 8 rows, the last of 4
    EXPECT_TRUE(expected.back().elements);
    EXPECT_EQ(expected.back().offset, (std::vector<std::int64_t>{496, 0}));
    EXPECT_EQ(expected.back().extents, (std::vector<std::int64_t>{4, 256}));
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        EXPECT_NE(entry.path().extension(), ".bin") << entry.path();

    const auto results = scratch_folder() + "/results.json";
    auto outcome = run_agent({"run", folder, "--out", results, "--budget", "0.1"},
                             {{"FAKE_CUDA_PROGRAMS", meaning}});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    outcome = run_agent({"run", folder, "--out", results, "--budget", "0.1"},
                        {{"FAKE_CUDA_PROGRAMS", meaning}, {"FAKE_CUDA_WRONG", "1"}});
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    const auto answer = json::parse(read_file(results));
    const auto& outputs = answer.at("jobs").at(0).at("checks").at(0).at("outputs");
    EXPECT_EQ(outputs.at(0).at("status"), "WRONG"); // the first element alone
    EXPECT_EQ(outputs.at(0).at("different"), nullptr);
    EXPECT_EQ(outputs.at(1).at("status"), "equal");
    EXPECT_EQ(run_cli({"bundle", "--results", results}).status, 1);
}

TEST(Bundles, ALargeOutputThatIsHeldToBoundsIsComparedByWindows) {
    const auto folder = scratch_folder() + "/bundle";
    const auto schedule = write_file(
        "matmul.sched", "schedule for matmul\nC.split(k, ko, ki, 2)\nR = C.rfactor(ki)\n");
    auto made = run_cli({"bundle", folder, "--job",
                         "sums=" + pipeline("matmul") + "," + schedule + ",M=256,N=300,K=4"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto bundle = test::must(gpu::read_bundle(folder));
    const auto& checks = bundle.jobs.at(0).checks;
    ASSERT_EQ(checks.size(), 2u);
    EXPECT_EQ(checks[1].expected.size(), 4u);
    EXPECT_TRUE(checks[1].expected[0].low);
    EXPECT_LT(checks[1].expected[0].extents[0], 256);
}

TEST(Bundles, JobsComeFromAFileToo) {
    const auto folder = scratch_folder();
    overwrite(folder + "/blur.loop", read_file(pipeline("blur")));
    overwrite(folder + "/blur.sched", kBlurInOneKernel);
    overwrite(folder + "/jobs.json", R"({"jobs": [
        {"name": "a", "pipeline": "blur.loop", "schedule": "blur.sched", "params": {"H": 16, "W": 64},
         "peer": {"op": "copy", "type": "f32", "elements": 1024}},
        {"name": "b", "pipeline": "blur.loop", "params": {"H": 8, "W": 8}, "architectures": ["sm_75", "sm_86"]}]})");
    auto made = run_cli({"bundle", folder + "/out", "--jobs", folder + "/jobs.json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto manifest = json::parse(read_file(folder + "/out/manifest.json"));
    EXPECT_EQ(manifest.at("jobs").at(0).at("peer").at("op"), "copy");
    EXPECT_EQ(manifest.at("jobs").at(1).at("params").at("H"), 8);
    const auto architecture = [&](std::size_t job, std::size_t variant) {
        return manifest.at("jobs").at(job).at("variants").at(variant).at("architecture");
    };
    EXPECT_EQ(manifest.at("jobs").at(0).at("variants").size(), 1u);
    EXPECT_EQ(architecture(0, 0), "sm_80");
    EXPECT_EQ(architecture(1, 0), "sm_75");
    EXPECT_EQ(architecture(1, 1), "sm_86");
    overwrite(folder + "/jobs.json", R"({"jobs": [{"name": "a", "pipline": "blur.loop"}]})");
    EXPECT_THAT(run_cli({"bundle", folder + "/x", "--jobs", folder + "/jobs.json"}).err,
                HasSubstr("jobs[0].pipeline` is missing"));
    EXPECT_THAT(run_cli({"bundle", folder + "/x"}).err, HasSubstr("needs at least one job"));
    EXPECT_THAT(run_cli({"bundle", folder + "/x", "--job", "../up=blur.loop"}).err,
                HasSubstr("is no name of a job"));
    EXPECT_THAT(run_cli({"bundle", folder, "--job", "a=" + pipeline("blur")}).err,
                HasSubstr("is neither empty nor a bundle"));
}

TEST(Bundles, AJobThatCannotBePackedIsLeftOutAndSaid) {
    const auto folder = scratch_folder() + "/bundle";
    const auto wrong = write_file("wrong.sched", "schedule for blur\nout.bind(z, block.x)\n");
    const auto made = run_cli({"bundle", folder, "--job", "wrong=" + pipeline("blur") + "," + wrong,
                               "--job", "fine=" + pipeline("blur") + ",H=8,W=8"});
    EXPECT_EQ(made.status, 2);
    EXPECT_THAT(made.err, HasSubstr("the job wrong is left out:\n" + wrong + ":2:10: error: "));
    const auto bundle = test::must(gpu::read_bundle(folder));
    ASSERT_EQ(bundle.jobs.size(), 1u);
    EXPECT_EQ(bundle.jobs[0].name, "fine");
}

TEST(GpuJobs, AreWhatTheirScriptMakesOfTheTables) {
    const auto jobs = test::source_path("tests/bench/gpu/jobs.json");
    const auto made = scratch_folder() + "/jobs.json";
    const auto command =
        "python3 '" + test::source_path("tests/bench/gpu/make_jobs.py") + "' " + made;
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read_file(jobs), read_file(made)) << "run tests/bench/gpu/make_jobs.py";
}

} // namespace
} // namespace loopscope
