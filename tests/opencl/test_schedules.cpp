// Schedules for GPUs, written by hand, through OpenCL: what the definitions say, and what a device
// may lack.
#include "compiler/worker/check.h"
#include "compiler/worker/program.h"
#include "tests/export_cuda/kernel_support.h"
#include "tests/opencl/opencl_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope::worker {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::atomic<bool> never = false;
const Context quiet([](const measure::Progress&) {}, never);

json request(const test::KernelCase& which) {
    auto text =
        test::read_file(test::source_path("resources/pipelines/" + which.pipeline + ".loop"));
    return {{"pipeline", {{"name", which.pipeline + ".loop"}, {"text", text}}},
            {"schedule", {{"name", which.name + ".sched"}, {"text", which.schedule}}},
            {"params", which.params},
            {"target", "opencl"}};
}

TEST(OpenclSchedules, AgreeWithTheReference) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    for (const auto& which : test::kernel_cases()) {
        auto answer = serve_check(request(which), quiet);
        if (!which.for_opencl) {
            ASSERT_FALSE(answer.ok()) << which.name;
            EXPECT_THAT(format(answer.errors()), HasSubstr("OpenCL C: it has no instruction"));
            continue;
        }
        ASSERT_TRUE(answer) << which.name << ": " << format(answer.errors());
        EXPECT_EQ(answer->at("status"), "right") << which.name << ": " << answer->dump(2);
        EXPECT_FALSE(answer->at("device").get<std::string>().empty());
    }
}

TEST(OpenclSchedules, AWrongProgramIsFoundOut) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto arguments = request(test::kernel_cases()[1]);
    auto loaded = load_program(arguments).value();
    auto compiled = compile_program(loaded).value();
    const std::string product = "A[";
    auto at = compiled.kernels->source.rfind(product);
    ASSERT_NE(at, std::string::npos);
    compiled.kernels->source.replace(at, product.size(), "2*A[");
    auto answer = check_program(loaded, compiled, check_request(arguments), quiet);
    ASSERT_TRUE(answer) << format(answer.errors());
    EXPECT_EQ(answer->at("status"), "wrong");
    EXPECT_THAT(answer->at("first_difference").get<std::string>(), HasSubstr("C["));
}

TEST(OpenclSchedules, KernelsThatDoNotEndAreAnAnswer) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto arguments = request(test::kernel_cases()[1]);
    arguments["timeout_s"] = 4;
    auto loaded = load_program(arguments).value();
    auto compiled = compile_program(loaded).value();
    auto& source = compiled.kernels->source;
    source.insert(source.rfind("}\n"), "    while (*(volatile __global float *)C == *C)\n"
                                       "        *(volatile __global float *)C = 0;\n");
    auto answer = check_program(loaded, compiled, check_request(arguments), quiet);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.errors().front().code, measure::kCodeTimeout);
    EXPECT_THAT(answer.errors().front().message,
                HasSubstr("the kernels, through OpenCL: `run` did not finish within"));
    auto next = serve_check(request(test::kernel_cases()[1]), quiet);
    ASSERT_TRUE(next) << format(next.errors());
    EXPECT_EQ(next->at("status"), "right");
}

TEST(OpenclSchedules, AreTimedByTheDevice) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto arguments = request(test::kernel_cases()[4]);
    arguments["budget_s"] = 0.1;
    auto answer = serve_measure(arguments, quiet);
    ASSERT_TRUE(answer) << format(answer.errors());
    EXPECT_GT(answer->at("median_s").get<double>(), 0);
    EXPECT_GT(answer->at("samples").get<int>(), 0);
    EXPECT_EQ(answer->at("check").at("status"), "right");
}

// No difference is tolerated of sums in another order.
TEST(OpenclSchedules, AWrongResultHasNoTime) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    const json arguments{
        {"pipeline",
         {{"name", "total.loop"},
          {"text", "pipeline total\ninput a[i, k]: f32[8, 64]\n"
                   "stage s[i] = sum[k in 0..64](a[i, k] * 0.3)\noutput s: [8]\n"}}},
        {"schedule",
         {{"name", "total.sched"},
          {"text", "schedule for total\ns.split(k, ko, ki, 8)\nR = s.rfactor(ki)\n"
                   "R.bind(i, thread.x)\ns.bind(i, thread.x)\n"}}},
        {"target", "opencl"},
        {"tolerance", 0},
        {"budget_s", 0.1}};
    const auto answer = serve_measure(arguments, quiet);
    ASSERT_TRUE(answer) << format(answer.errors());
    EXPECT_EQ(answer->at("check").at("status"), "wrong");
    EXPECT_TRUE(answer->at("median_s").is_null());
}

} // namespace
} // namespace loopscope::worker
