// --target opencl on the command line.
#include "tests/cli/run_cli.h"
#include "tests/opencl/opencl_support.h"
#include "tests/support/support.h"

#include "compiler/run/array_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope {
namespace {

using nlohmann::json;
using test::run_cli;
using testing::HasSubstr;

const char* const kQuotients = "pipeline quotients\ninput a[x]: f32[64]\ninput b[x]: f32[64]\n"
                               "stage q[x] = a[x]/b[x]\nstage less[x]: bool = q[x] < 1.0\n"
                               "output q: [64]\noutput less: [64]\n";
const char* const kOfBlocks =
    "schedule for quotients\nq.split(x, xo, xi, 16)\nq.bind(xo, block.x)\n"
    "q.bind(xi, thread.x)\n";

test::Outcome check_quotients(const std::string& before) {
    return run_cli({"check", test::write_file("q.loop", kQuotients), "-s",
                    test::write_file("q.sched", kOfBlocks), "--target", "opencl", "--json"},
                   "", before);
}

TEST(OpenclCommands, ChecksAndSaysWhereItRan) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    const auto device = test::opencl_client().devices().value().front();
    if (!device.exact())
        GTEST_SKIP() << device.name << " " << device.inexact_text();
    auto outcome = check_quotients("");
    ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    auto answer = json::parse(outcome.out);
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_EQ(answer.at("conclusive"), true);
    EXPECT_EQ(answer.at("device"), device.name);
    EXPECT_THAT(answer.at("method").get<std::string>(), HasSubstr("every bit compared"));
}

TEST(OpenclCommands, ADeviceThatDoesNotRoundIsHeldToABound) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto outcome = check_quotients("export LOOPSCOPE_OPENCL_WITHOUT=rounds");
    ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    auto answer = json::parse(outcome.out);
    EXPECT_THAT(answer.at("method").get<std::string>(),
                HasSubstr("does not round quotients and roots to the nearest: floats within 1e-5"));
    for (const auto& output : answer.at("outputs"))
        if (output.at("name") == "q") {
            EXPECT_GT(output.at("allowed").get<double>(), 0);
        }
}

TEST(OpenclCommands, AMissingTypeIsStatus3) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto program = test::write_file(
        "d.loop", "pipeline d\ninput a[x]: f64[8]\nstage s[x] = a[x]*2.0\noutput s: [8]\n");
    auto outcome = run_cli({"check", program, "--target", "opencl"}, "",
                           "export LOOPSCOPE_OPENCL_WITHOUT=doubles");
    EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("has no f64"));
}

TEST(OpenclCommands, NoPlatformIsStatus3) {
    for (std::string verb : {"check", "measure"}) {
        auto outcome = run_cli({verb, test::pipeline("blur"), "--target", "opencl", "--param",
                                "H=16", "--param", "W=16"},
                               "", "export OCL_ICD_VENDORS=/nowhere");
        EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("OpenCL"));
        EXPECT_THAT(outcome.err, HasSubstr("pocl-opencl-icd"));
    }
}

TEST(OpenclCommands, RunsOnArraysAndSaysWhereItRan) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    const auto folder = test::scratch_folder();
    auto numbers = make_buffer(ScalarType::F32, {64}).value();
    for (int i = 0; i < 64; ++i)
        numbers.as<float>()[i] = static_cast<float>(i + 1);
    ASSERT_TRUE(write_array(folder + "/a.npy", numbers));
    // exact quotients, however a device rounds
    for (int i = 0; i < 64; ++i)
        numbers.as<float>()[i] = 2;
    ASSERT_TRUE(write_array(folder + "/b.npy", numbers));
    auto outcome = run_cli({"run", test::write_file("q.loop", kQuotients), "-s",
                            test::write_file("q.sched", kOfBlocks), "--target", "opencl", "--input",
                            "a=" + folder + "/a.npy", "--input", "b=" + folder + "/b.npy",
                            "--output", "q=" + folder + "/q.npy"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("on " + test::opencl_client().devices()->front().name));
    const auto quotients = read_array(folder + "/q.npy").value();
    ASSERT_EQ(quotients.count(), 64);
    for (int i = 0; i < 64; ++i)
        EXPECT_EQ(quotients.as<float>()[i], static_cast<float>(i + 1) / 2) << i;
}

TEST(OpenclCommands, DevicesListsWhatOpenclHas) {
    auto none = run_cli({"devices", "--json"}, "", "export OCL_ICD_VENDORS=/nowhere");
    ASSERT_EQ(none.status, 0) << none.err;
    EXPECT_TRUE(json::parse(none.out).at("opencl").empty());
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    auto some = run_cli({"devices", "--json"});
    ASSERT_EQ(some.status, 0) << some.err;
    EXPECT_EQ(json::parse(some.out).at("opencl").at(0).at("name"),
              test::opencl_client().devices().value().front().name);
    EXPECT_THAT(run_cli({"devices"}).out, HasSubstr("opencl: "));
}

} // namespace
} // namespace loopscope
