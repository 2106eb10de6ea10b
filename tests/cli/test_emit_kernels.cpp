// Kernels as source on the command line: CUDA C++ and OpenCL C.
#include "tests/cli/run_cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_cli;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> emit(const std::string& form, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"emit",
                                   pipeline("blur"),
                                   "-s",
                                   test::write_file("blur.sched",
                                                    "schedule for blur\n"
                                                    "out.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n"
                                                    "blur_x.compute_at(out, xo)\n"),
                                   "--param",
                                   "H=64",
                                   "--param",
                                   "W=128",
                                   "--as",
                                   form};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(EmitKernels, Cuda) {
    auto outcome = run_cli(emit("cuda"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("__global__ void __launch_bounds__(256) blur_out("));
    EXPECT_THAT(outcome.out, HasSubstr("-arch=sm_80"));
    EXPECT_THAT(outcome.out, HasSubstr("__syncthreads();"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("int main(")));
    auto newer = run_cli(emit("cuda", {"--arch", "sm_90", "--main"}));
    ASSERT_EQ(newer.status, 0) << newer.err;
    EXPECT_THAT(newer.out, HasSubstr("-arch=sm_90"));
    EXPECT_THAT(newer.out, HasSubstr("int main(int argc, char **argv)"));
    EXPECT_THAT(newer.out, HasSubstr("blur_reference("));
}

TEST(EmitKernels, Opencl) {
    auto outcome = run_cli(emit("opencl"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("__kernel __attribute__((reqd_work_group_size(32, 8, 1)))"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("#include")));
    auto with = run_cli(emit("opencl", {"--main"}));
    ASSERT_EQ(with.status, 0) << with.err;
    EXPECT_THAT(with.out, HasSubstr("int main(int argc, char **argv)"));
}

// Producer warpgroups ask the TMA where the script's device and the architecture have one;
// else threads do both in turns.
TEST(EmitKernels, TheTmaIsAskedWhereThereIsOne) {
    const auto schedule =
        test::write_file("boxes.sched", "schedule for matmul\n"
                                        "target h200\n"
                                        "C.gpu_tile(i, j, io, jo, ii, ji, 8, 32)\n"
                                        "C.split(k, ko, ki, 16)\n"
                                        "C.reorder(io, jo, ii, ji, ko, ki)\n"
                                        "Bs = C.cache_read(B, shared)\n"
                                        "Bs.compute_at(C, ko)\n"
                                        "Bs.pipeline(3)\n"
                                        "Bs.specialize(1)\n");
    auto emitted = [&](const std::string& form, std::vector<std::string> more) {
        std::vector<std::string> words{
            "emit", pipeline("matmul"), "-s",   schedule, "--param", "M=64", "--param",
            "N=64", "--param",          "K=64", "--as",   form};
        words.insert(words.end(), more.begin(), more.end());
        auto outcome = run_cli(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    };
    for (const auto& text : {emitted("cuda", {"--main"}), emitted("cuda", {"--arch", "sm_90"})}) {
        EXPECT_THAT(text, HasSubstr("cp.async.bulk.tensor.2d"));
        EXPECT_THAT(text, HasSubstr("__launch_bounds__(384)"));
        EXPECT_THAT(text, HasSubstr("if (thread == 256) {"));
        EXPECT_THAT(text, HasSubstr("describe_boxes(&B_boxes, \"B\", B,"));
    }
    for (const auto& text : {emitted("cuda", {"--arch", "sm_80"}), emitted("opencl", {})}) {
        EXPECT_THAT(text, Not(HasSubstr("bulk")));
        EXPECT_THAT(text, Not(HasSubstr("thread == 256")));
    }
}

TEST(EmitKernels, LinesAreLinkedToTheTree) {
    for (std::string form : {"cuda", "opencl"}) {
        auto outcome = run_cli(emit(form, {"--json"}));
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        auto object = nlohmann::json::parse(outcome.out);
        const auto& text = object.at("text").get_ref<const std::string&>();
        EXPECT_EQ(object.at("lines").size(),
                  static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
        EXPECT_THAT(object.at("lines").get<std::vector<nlohmann::json>>(),
                    testing::Contains(nlohmann::json("out/@compute")))
            << form;
    }
}

TEST(EmitKernels, ArchitecturesAreCuda) {
    auto other = run_cli(emit("opencl", {"--arch", "sm_90"}));
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("`--arch` chooses an architecture of NVIDIA's GPUs"));
    auto unknown = run_cli(emit("cuda", {"--arch", "i386"}));
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("\"i386\" is no architecture of NVIDIA's"));
}

} // namespace
} // namespace loopscope
