// GPUs of a cluster through a real Slurm of one node.
#include "tests/remote/remote_support.h"
#include "tests/remote/slurm_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace loopscope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// One Slurm for all: it takes seconds to start.
class Slurm : public testing::Test {
protected:
    static void SetUpTestSuite() { node_ = std::make_unique<SlurmNode>(); }
    static void TearDownTestSuite() { node_.reset(); }
    void SetUp() override { NEEDS(*node_); }

    Outcome run(const std::string& verb, const Settings& settings,
                const std::vector<std::string>& more = {}) {
        auto all = settings;
        all.emplace("FAKE_CUDA_PROGRAMS", blur_.meaning);
        return node_->cli(blur_.arguments(verb, node_->place(), more), all);
    }
    static void expect_nothing_left() {
        soon([] { return node_->jobs() == 0 && node_->run_folders().empty(); });
        EXPECT_EQ(node_->jobs(), 0) << node_->ask("squeue");
        EXPECT_TRUE(node_->run_folders().empty());
    }

    // Behind the job that asked for the node's GPUs: a bundle is there, and its job has begun.
    static bool bundle_runs() {
        const auto folders = node_->run_folders();
        return std::any_of(folders.begin(), folders.end(),
                           [](const std::string& folder) {
                               return std::filesystem::exists(folder + "/manifest.json");
                           }) &&
               node_->ask("squeue -h -o %T").starts_with("RUNNING");
    }

    static std::unique_ptr<SlurmNode> node_;
    Blur blur_;
};
std::unique_ptr<SlurmNode> Slurm::node_;

TEST_F(Slurm, MeasuresChecksAndListsGpus) {
    const auto measured = run("measure", {}, {"--json"});
    ASSERT_EQ(measured.status, 0) << measured.err;
    EXPECT_GT(json::parse(measured.out).at("median_s").get<double>(), 0);
    const auto checked = run("check", {});
    EXPECT_EQ(checked.status, 0) << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("right: on slurm:gpu: reals, every bit"));
    const auto listed = node_->cli({"devices", "--on", node_->place()}, {});
    EXPECT_EQ(listed.status, 0) << listed.err;
    EXPECT_THAT(listed.out, HasSubstr("slurm:gpu: "));
    const auto none = node_->cli({"devices", "--on", node_->place()}, {{"FAKE_CUDA_INIT", "100"}});
    EXPECT_EQ(none.status, 3);
    EXPECT_THAT(none.err, HasSubstr("has no GPU to run on"));
    expect_nothing_left();
}

TEST_F(Slurm, AWrongResultIsToldFromAJobThatDies) {
    const auto wrong = run("check", {{"FAKE_CUDA_WRONG", "1"}});
    EXPECT_EQ(wrong.status, 1) << wrong.err;
    EXPECT_THAT(wrong.out, HasSubstr("WRONG: on slurm:gpu"));
    const auto crashed = run("measure", {{"FAKE_CUDA_CRASH", "out"}});
    EXPECT_EQ(crashed.status, 4);
    EXPECT_THAT(crashed.err, HasSubstr("SIGSEGV"));
    expect_nothing_left();
}

TEST_F(Slurm, WhatSlurmRefusesIsSaid) {
    const auto nowhere = node_->cli(blur_.arguments("check", "slurm:nowhere"), {});
    EXPECT_EQ(nowhere.status, 3);
    EXPECT_THAT(nowhere.err, HasSubstr("Slurm takes no job for the partition nowhere"));
    EXPECT_THAT(nowhere.err, HasSubstr("invalid partition"));
    EXPECT_TRUE(node_->run_folders().empty());
}

TEST_F(Slurm, CancelCancelsTheJobWhereverItIs) {
    const Background running(
        node_->variables({{"FAKE_CUDA_PROGRAMS", blur_.meaning}, {"FAKE_CUDA_HANG", "out"}}),
        blur_.arguments("measure", node_->place(), {"--kernel-timeout", "600"}), cli_cache());
    ASSERT_TRUE(soon(bundle_runs));
    ::kill(running.process(), SIGINT);
    EXPECT_EQ(running.status(), 4);
    EXPECT_THAT(running.err(), HasSubstr("cancelled"));
    expect_nothing_left();
    // One that has not begun, for nobody may.
    node_->ask("scontrol update PartitionName=gpu State=DOWN");
    const Background queued(node_->variables({}), blur_.arguments("measure", node_->place()),
                            cli_cache());
    EXPECT_TRUE(soon([] { return node_->jobs() == 1; }));
    ::kill(queued.process(), SIGINT);
    EXPECT_EQ(queued.status(), 4);
    node_->ask("scontrol update PartitionName=gpu State=UP");
    expect_nothing_left();
}

// The queue's own end of a job: somebody's scancel, a node that goes.
TEST_F(Slurm, AJobThatIsEndedThereIsAFailure) {
    const Background running(
        node_->variables({{"FAKE_CUDA_PROGRAMS", blur_.meaning}, {"FAKE_CUDA_HANG", "out"}}),
        blur_.arguments("measure", node_->place(), {"--kernel-timeout", "600"}), cli_cache());
    ASSERT_TRUE(soon(bundle_runs));
    node_->ask("scancel -u root");
    EXPECT_EQ(running.status(), 4);
    // As cancelled or, where its agent died first, as failed.
    EXPECT_THAT(running.err(),
                testing::AnyOf(HasSubstr("ended as CANCELLED"), HasSubstr("ended as FAILED")));
    expect_nothing_left();
}

} // namespace
} // namespace loopscope::test
