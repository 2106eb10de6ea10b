// check, run and measure on a GPU, through the public commands, with the fake driver.
#include "tests/gpu/gpu_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace loopscope {
namespace {

using nlohmann::json;
using test::meaning_of;
using test::Outcome;
using test::pipeline;
using test::run_with_driver;
using test::Settings;
using testing::HasSubstr;

const char* const kTile = "schedule for blur\nout.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n"
                          "blur_x.compute_at(out, xo)\n";
const char* const kTwoKernels = "schedule for blur\nout.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n"
                                "blur_x.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n";

class OnGpu {
public:
    explicit OnGpu(const std::string& schedule = kTile, std::string target = "cuda")
        : target_(std::move(target)),
          schedule_(test::write_file("blur.sched", schedule)),
          meaning_(meaning_of(pipeline("blur"), schedule_, {{"H", 40}, {"W", 70}})) {}

    Outcome operator()(std::vector<std::string> verb, std::vector<std::string> more = {},
                       Settings settings = {}) const {
        verb.insert(verb.end(), {pipeline("blur"), "-s", schedule_, "--param", "H=40", "--param",
                                 "W=70", "--target", target_});
        verb.insert(verb.end(), more.begin(), more.end());
        settings.emplace("FAKE_CUDA_PROGRAMS", meaning_);
        return run_with_driver(verb, settings);
    }

private:
    std::string target_, schedule_, meaning_;
};

json parsed(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out.empty() ? json() : json::parse(outcome.out);
}

int count_of(const std::string& text, const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST(GpuRuns, OneOfSeveralGpusIsChosenByItsNumber) {
    const Settings two{{"FAKE_CUDA_DEVICES", "2"}};
    for (const char* target : {"cuda:0", "cuda:1"})
        EXPECT_EQ(parsed(OnGpu(kTile, target)({"check"}, {"--json"}, two)).at("status"), "right")
            << target;
    const auto third = OnGpu(kTile, "cuda:2")({"check"}, {}, two);
    EXPECT_EQ(third.status, 3) << third.err;
    EXPECT_THAT(third.err, HasSubstr("there is no GPU 2: the driver shows 2"));
    EXPECT_EQ(OnGpu(kTile, "cuda:two")({"check"}, {}, two).status, 3);
}

TEST(GpuRuns, ACheckIsRightAndSaysWhatTheDriverMadeOfTheKernel) {
    auto answer = parsed(OnGpu()({"check"}, {"--json"}));
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("device"), "Fake GPU");
    EXPECT_EQ(answer.at("architecture"), "sm_90");
    const auto& kernel = answer.at("kernels").at(0);
    EXPECT_EQ(kernel.at("grid"), json({3, 5, 1}));
    EXPECT_EQ(kernel.at("block"), json({32, 8, 1}));
    EXPECT_EQ(kernel.at("registers"), 40);
}

TEST(GpuRuns, KernelsHandOnThroughMemoryOfTheDevice) {
    const auto log = test::scratch_folder() + "/log";
    auto answer = parsed(OnGpu(kTwoKernels)({"check"}, {"--json"}, {{"FAKE_CUDA_LOG", log}}));
    EXPECT_EQ(answer.at("status"), "right");
    ASSERT_EQ(answer.at("kernels").size(), 2u);
    EXPECT_EQ(answer["kernels"][0].at("name"), "blur_x");
    EXPECT_THAT(test::read_file(log), HasSubstr("launch blur_x 3,6,1 32,8,1 0\nlaunch out 3,5,1"));
}

// Two blocks of 1024 threads run at once on each of its 132 multiprocessors: 14 of 18 rows of 18.
TEST(GpuRuns, AsManyBlocksStayAsTheAttachedGpuHolds) {
    const auto schedule = test::write_file(
        "stay.sched", "schedule for blur\nout.gpu_tile(y, x, yo, xo, yi, xi, 32, 32)\n"
                      "out.persistent(yo)\nout.persistent(xo)\nblur_x.inline()\n");
    const auto meaning =
        meaning_of(pipeline("blur"), schedule, {{"H", 576}, {"W", 576}}, /*multiprocessors=*/132);
    auto answer =
        parsed(run_with_driver({"check", pipeline("blur"), "-s", schedule, "--param", "H=576",
                                "--param", "W=576", "--target", "cuda", "--json"},
                               {{"FAKE_CUDA_PROGRAMS", meaning}}));
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("kernels").at(0).at("grid"), json({18, 14, 1}));
}

// The driver is told of clusters by the kernel and by the launch.
TEST(GpuRuns, Clusters) {
    const auto schedule = test::write_file(
        "clusters.sched", "schedule for copy\ntarget h200\nout.split(y, yo, yi, 64)\n"
                          "out.split(yi, yc, yi, 32)\nout.bind(yo, block.x)\n"
                          "out.bind(yc, cluster.x)\nout.bind(x, thread.x)\n");
    const auto meaning = meaning_of(pipeline("copy"), schedule, {{"H", 128}, {"W", 64}});
    const auto log = test::scratch_folder() + "/log";
    const std::vector<std::string> of{pipeline("copy"), "-s",      schedule, "--param",
                                      "H=128",          "--param", "W=64",   "--target"};
    auto with = [&](const char* verb, const char* target) {
        std::vector<std::string> arguments{verb};
        arguments.insert(arguments.end(), of.begin(), of.end());
        arguments.insert(arguments.end(), {target, "--json"});
        return run_with_driver(arguments,
                               {{"FAKE_CUDA_PROGRAMS", meaning}, {"FAKE_CUDA_LOG", log}});
    };
    const auto answer = parsed(with("check", "cuda"));
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("kernels").at(0).at("grid"), json({4, 1, 1}));
    EXPECT_EQ(answer.at("kernels").at(0).at("cluster"), json({2, 1, 1}));
    EXPECT_THAT(test::read_file(log),
                HasSubstr("launch out 4,1,1 64,1,1 0 in clusters of 2,1,1\n"));
    EXPECT_EQ(parsed(with("check", "simt")).at("status"), "right");
}

TEST(GpuRuns, AWrongResultIsFound) {
    auto outcome = OnGpu()({"check"}, {}, {{"FAKE_CUDA_WRONG", "1"}});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("WRONG"));
    EXPECT_THAT(outcome.out, HasSubstr("first difference: out[0, 0] is"));
}

TEST(GpuRuns, ARunWritesWhatTheProcessorWrites) {
    const auto folder = test::scratch_folder();
    ASSERT_EQ(std::system(("python3 -c \"import struct; h=str(dict(descr='<u2',fortran_order="
                           "False,shape=(42,72))).ljust(117)+chr(10); "
                           "open('" +
                           folder +
                           "/img.npy','wb').write(b'\\x93NUMPY\\x01\\x00'+"
                           "struct.pack('<H',len(h))+h.encode()+bytes(i*7%256 for i in "
                           "range(42*72*2)))\"")
                              .c_str()),
              0);
    auto files = [&](const std::string& out) {
        return std::vector<std::string>{"--input", "img=" + folder + "/img.npy", "--output",
                                        "out=" + folder + "/" + out};
    };
    auto on_gpu = OnGpu()({"run"}, files("gpu.npy"));
    EXPECT_EQ(on_gpu.status, 0) << on_gpu.err;
    EXPECT_THAT(on_gpu.out, HasSubstr("on Fake GPU"));
    auto on_cpu =
        std::vector<std::string>{"run", pipeline("blur"), "--param", "H=40", "--param", "W=70"};
    for (const auto& file : files("cpu.npy"))
        on_cpu.push_back(file);
    auto outcome = test::run_cli(on_cpu);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(test::read_file(folder + "/gpu.npy"), test::read_file(folder + "/cpu.npy"));
}

TEST(GpuMeasures, ShortKernelsAreReplayedAsAGraph) {
    const auto log = test::scratch_folder() + "/log";
    auto answer = parsed(OnGpu()({"measure"}, {"--json", "--budget", "0.3"},
                                 {{"FAKE_CUDA_LOG", log}, {"FAKE_CUDA_KERNEL_US", "12"}}));
    EXPECT_NEAR(answer.at("median_s"), 12e-6, 1e-8);
    EXPECT_EQ(answer.at("graph"), true);
    EXPECT_EQ(answer.at("executions_per_sample"), 167); // of 2 ms
    EXPECT_EQ(answer.at("cache"), "warm");
    EXPECT_EQ(answer.at("check").at("status"), "right");
    EXPECT_GE(answer.at("samples"), 10);
    EXPECT_NEAR(answer.at("gbytes_per_s"), answer.at("bytes").get<double>() / 12e-6 * 1e-9, 1e-2);
    EXPECT_EQ(answer.at("clocks").at("before").at("multiprocessor_hertz"), 1755e6);
    EXPECT_EQ(answer.at("clocks").at("after").at("power_watts"), 321);
    EXPECT_THAT(test::read_file(log), HasSubstr("graph of 167"));
}

TEST(GpuMeasures, LongKernelsAreLaunchedOneByOne) {
    auto answer = parsed(
        OnGpu()({"measure"}, {"--json", "--budget", "0.3"}, {{"FAKE_CUDA_KERNEL_US", "2000"}}));
    EXPECT_NEAR(answer.at("median_s"), 2e-3, 1e-6);
    EXPECT_EQ(answer.at("graph"), false);
    EXPECT_EQ(answer.at("executions_per_sample"), 1);
}

TEST(GpuMeasures, EachKernelHasATimeOfItsOwn) {
    for (const char* cache : {"warm", "cold"}) {
        auto answer =
            parsed(OnGpu(kTwoKernels)({"measure"}, {"--json", "--budget", "0.3", "--cache", cache},
                                      {{"FAKE_CUDA_KERNEL_US", "100"}}));
        EXPECT_NEAR(answer.at("median_s"), 200e-6, 1e-7);
        ASSERT_EQ(answer.at("kernels").size(), 2u);
        for (const auto& kernel : answer.at("kernels"))
            EXPECT_NEAR(kernel.at("median_s"), 100e-6, 1e-7) << cache << " " << kernel.dump();
    }
    const auto one = parsed(OnGpu()({"measure"}, {"--json", "--budget", "0.3"}));
    EXPECT_EQ(one.at("kernels")[0].at("median_s"), one.at("median_s"));
}

TEST(GpuMeasures, AColdCacheIsEmptiedBeforeEachSample) {
    const auto log = test::scratch_folder() + "/log";
    auto answer = parsed(OnGpu()({"measure"}, {"--json", "--budget", "0.3", "--cache", "cold"},
                                 {{"FAKE_CUDA_LOG", log}}));
    EXPECT_NEAR(answer.at("median_s"), 10e-6, 1e-8) << "without the fill";
    EXPECT_EQ(answer.at("cache"), "cold");
    EXPECT_EQ(answer.at("executions_per_sample"), 1);
    EXPECT_GE(count_of(test::read_file(log), "flush\n"), answer.at("samples").get<int>());
}

TEST(GpuMeasures, AWrongResultHasNoTime) {
    auto outcome = OnGpu()({"measure"}, {}, {{"FAKE_CUDA_WRONG", "1"}});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("not timed: a wrong result has no time"));
    EXPECT_THAT(outcome.out, testing::Not(HasSubstr("median")));
}

TEST(GpuMeasures, TheTextSaysHow) {
    auto outcome = OnGpu()({"measure"}, {"--budget", "0.3"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("out: grid [3, 5, 1], block [32, 8, 1], 40 registers"));
    EXPECT_THAT(outcome.out, HasSubstr("clocks before: 1.75 GHz, memory 3.20 GHz"));
    EXPECT_THAT(outcome.out, HasSubstr("result right: "));
}

TEST(GpuMeasures, AProcessorsCacheIsNotEmptied) {
    auto outcome = test::run_cli({"measure", pipeline("blur"), "--cache", "cold"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("`--cache` is for GPUs"));
}

TEST(GpuFailures, AFaultNamesItsKernelAndEndsItsWorkerOnly) {
    auto outcome = OnGpu(kTwoKernels)({"check"}, {}, {{"FAKE_CUDA_FAULT", "700:out"}});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, HasSubstr("the kernel out<<<(3, 5, 1), (32, 8, 1), 0 B>>>: "
                                       "CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
}

TEST(GpuFailures, AHangEndsInTime) {
    auto outcome = OnGpu()({"measure"}, {"--kernel-timeout", "0.3"}, {{"FAKE_CUDA_HANG", "out"}});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, HasSubstr("the kernel out<<<"));
    EXPECT_THAT(outcome.err, HasSubstr("did not end within 0.3 s"));
}

TEST(GpuFailures, ACrashInsideTheDriverEndsTheWorkerOnly) {
    auto outcome = OnGpu()({"check"}, {}, {{"FAKE_CUDA_CRASH", "out"}});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, HasSubstr("SIGSEGV"));
}

TEST(GpuFailures, TooMuchMemoryIsRefusedWithTheFigures) {
    auto outcome = OnGpu()({"check"}, {}, {{"FAKE_CUDA_MEMORY", "8000"}});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, HasSubstr("the arrays take"));
    EXPECT_THAT(outcome.err, HasSubstr("img"));
}

TEST(GpuFailures, TooManyThreadsForTheRegistersIsRefusedBeforeALaunch) {
    const auto log = test::scratch_folder() + "/log";
    auto outcome = OnGpu()({"check"}, {}, {{"FAKE_CUDA_THREADS", "128"}, {"FAKE_CUDA_LOG", log}});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("with 40 registers a thread the GPU runs at most 128"));
    EXPECT_THAT(test::read_file(log), testing::Not(HasSubstr("launch")));
}

TEST(GpuFailures, PtxThatTheDriverRefusesIsShownAtItsLine) {
    auto outcome = OnGpu()({"check"}, {}, {{"FAKE_CUDA_PTX_ERROR", "7"}});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, HasSubstr("blur.ptx:7:1: error: the driver does not compile"));
    EXPECT_THAT(outcome.err, HasSubstr("line 7; error   : planted"));
}

TEST(GpuFailures, ASchedulesTargetMustBeAtHand) {
    OnGpu newer("schedule for blur\ntarget h200\nout.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n");
    auto outcome = newer({"check"}, {}, {{"FAKE_CUDA_CAPABILITY", "80"}});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("the kernels are for sm_90a, and the GPU here, Fake GPU, is "
                                       "sm_80"));
    EXPECT_EQ(newer({"check"}, {}, {{"FAKE_CUDA_CAPABILITY", "90"}}).status, 0);
}

} // namespace
} // namespace loopscope
