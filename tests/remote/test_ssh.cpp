// GPUs elsewhere through a real sshd: what is measured and checked there, and all that can go
// wrong.
#include "compiler/run/array_file.h"
#include "compiler/run/random_inputs.h"
#include "tests/remote/loopback_host.h"
#include "tests/remote/remote_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>

namespace loopscope::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

void expect_nothing_left(const LoopbackHost& host) {
    soon([&] { return host.processes().empty() && host.run_folders().empty(); });
    EXPECT_TRUE(host.processes().empty()) << "an agent goes on there";
    EXPECT_TRUE(host.run_folders().empty()) << host.run_folders().front();
}

TEST(Ssh, MeasuresAndChecksAsHere) {
    const Blur blur;
    const LoopbackHost host(Settings{{"FAKE_CUDA_PROGRAMS", blur.meaning}});
    NEEDS(host);
    const auto measured = blur.on(host, "measure", {"--json"});
    ASSERT_EQ(measured.status, 0) << measured.err;
    const auto answer = json::parse(measured.out);
    // All that the GPU which is here answers with, the same driver being both.
    const auto here =
        run_with_driver({"measure", pipeline("blur"), "-s", blur.schedule, "--param", "H=40",
                         "--param", "W=70", "--target", "cuda", "--budget", "0.1", "--json"},
                        {{"FAKE_CUDA_PROGRAMS", blur.meaning}});
    ASSERT_EQ(here.status, 0) << here.err;
    const auto answer_here = json::parse(here.out);
    for (const auto& [key, value] : answer_here.items()) {
        ASSERT_TRUE(answer.contains(key)) << key;
        EXPECT_EQ(answer[key].type(), value.type()) << key;
    }
    EXPECT_GT(answer.at("median_s").get<double>(), 0);
    EXPECT_EQ(answer.at("cache"), "warm");
    EXPECT_EQ(answer.at("kernels").at(0).at("launch"), "out");
    EXPECT_GT(answer["kernels"][0].at("median_s").get<double>(), 0);
    EXPECT_EQ(answer.at("check").at("status"), "right");

    const auto cold = blur.on(host, "measure", {"--cache", "cold"});
    EXPECT_EQ(cold.status, 0) << cold.err;
    EXPECT_THAT(cold.out, HasSubstr("cold L2"));

    const auto checked = blur.on(host, "check");
    EXPECT_EQ(checked.status, 0) << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("right: on ssh:gpu1: reals, every bit"));
    expect_nothing_left(host);
}

// A person's arrays go there, and the results come back, as they would be made here.
TEST(Ssh, RunsOnYourOwnArrays) {
    const Blur blur;
    const LoopbackHost host(Settings{{"FAKE_CUDA_PROGRAMS", blur.meaning}});
    NEEDS(host);
    const auto folder = scratch_folder();
    const auto picture = must(random_buffer(ScalarType::U16, {42, 72}, 7, RandomMode::Reals));
    ASSERT_TRUE(write_array(folder + "/img.npy", picture));
    auto run = [&](const std::string& output, const std::vector<std::string>& where) {
        std::vector<std::string> arguments{"run",      pipeline("blur"),
                                           "-s",       blur.schedule,
                                           "--param",  "H=40",
                                           "--param",  "W=70",
                                           "--input",  "img=" + folder + "/img.npy",
                                           "--output", "out=" + folder + "/" + output};
        arguments.insert(arguments.end(), where.begin(), where.end());
        return host.cli(arguments);
    };
    const auto there = run("there.npy", {"--on", host.place()});
    ASSERT_EQ(there.status, 0) << there.err;
    EXPECT_THAT(there.out, HasSubstr("ran in"));
    ASSERT_EQ(run("here.npy", {"--target", "simt"}).status, 0);
    EXPECT_EQ(read_file(folder + "/there.npy"), read_file(folder + "/here.npy"));
    expect_nothing_left(host);
    const auto wrong = run("out.txt", {"--on", host.place()});
    EXPECT_EQ(wrong.status, 2) << "known before anything goes there";
    const LoopbackHost crashing(
        Settings{{"FAKE_CUDA_PROGRAMS", blur.meaning}, {"FAKE_CUDA_CRASH", "out"}});
    auto host_arguments = blur.arguments(
        "run", crashing.place(),
        {"--input", "img=" + folder + "/img.npy", "--output", "out=" + folder + "/none.npy"});
    const auto crashed = crashing.cli(host_arguments);
    EXPECT_EQ(crashed.status, 4);
    EXPECT_FALSE(fs::exists(folder + "/none.npy"));
    expect_nothing_left(crashing);
}

TEST(Ssh, GpusAreListedAndTheirPeaksKept) {
    const LoopbackHost host(Settings{{"FAKE_CUDA_DEVICES", "2"}});
    NEEDS(host);
    const auto listed = host.cli({"devices", "--on", host.place()});
    ASSERT_EQ(listed.status, 0) << listed.err;
    EXPECT_THAT(listed.out, HasSubstr("ssh:gpu1: "));
    EXPECT_THAT(listed.out, HasSubstr("ssh:gpu1/1: "));
    EXPECT_THAT(listed.out, HasSubstr("ceilings: not measured yet"));
    ASSERT_EQ(host.cli({"devices", "--on", host.place(), "--probe"}).status, 0);
    EXPECT_THAT(host.cli({"devices", "--on", host.place()}).out, HasSubstr("figures: measured"));
    const Blur blur;
    const auto third = host.cli(blur.arguments("check", "ssh:gpu1/2"));
    EXPECT_EQ(third.status, 3);
    EXPECT_THAT(third.err, HasSubstr("gpu1 has no GPU 2: it has 2"));
}

TEST(Ssh, TheAgentIsCopiedOnceAndAgainWhereItIsDamaged) {
    const LoopbackHost host;
    NEEDS(host);
    ASSERT_EQ(host.cli({"devices", "--on", host.place()}).status, 0);
    ASSERT_EQ(host.agents().size(), 1u);
    const auto agent = host.agents().front() + "/loopscope-agent";
    const auto made = fs::last_write_time(agent);
    ASSERT_EQ(host.cli({"devices", "--on", host.place()}).status, 0);
    EXPECT_EQ(fs::last_write_time(agent), made);
    for (const auto* damage :
         {"", "#!/bin/sh\nexit 0\n", "#!/bin/sh\nkill -9 $$\n",
          "#!/bin/sh\necho '{\"agent\": {\"hash\": \"0\"}, \"gpus\": []}'\n"}) {
        overwrite(agent, damage);
        const auto again = host.cli({"devices", "--on", host.place()});
        EXPECT_EQ(again.status, 0) << damage << again.err;
        EXPECT_GT(fs::file_size(agent), 100'000u);
    }
}

TEST(Ssh, AWrongResultIsToldFromAFailure) {
    const Blur blur;
    {
        const LoopbackHost host(
            Settings{{"FAKE_CUDA_PROGRAMS", blur.meaning}, {"FAKE_CUDA_WRONG", "1"}});
        NEEDS(host);
        const auto measured = blur.on(host, "measure");
        EXPECT_EQ(measured.status, 1) << measured.err;
        EXPECT_THAT(measured.out, HasSubstr("a wrong result has no time"));
        EXPECT_THAT(measured.out, HasSubstr("first difference: out"));
        const auto checked = blur.on(host, "check");
        EXPECT_EQ(checked.status, 1);
        EXPECT_THAT(checked.out, HasSubstr("WRONG: on ssh:gpu1"));
        expect_nothing_left(host);
    }
    const std::vector<std::pair<Settings, const char*>> failures{
        {{{"FAKE_CUDA_CRASH", "out"}}, "SIGSEGV"},
        {{{"FAKE_CUDA_HANG", "out"}}, "did not end"},
        {{{"FAKE_CUDA_FAULT", "700:out"}}, "ILLEGAL_ADDRESS"},
        {{{"FAKE_CUDA_MEMORY", "1000"}}, "MiB free"}};
    for (auto [settings, said] : failures) {
        settings["FAKE_CUDA_PROGRAMS"] = blur.meaning;
        const LoopbackHost host(settings);
        const auto measured = blur.on(host, "measure", {"--kernel-timeout", "1"});
        EXPECT_NE(measured.status, 0);
        EXPECT_NE(measured.status, 1) << "no wrong result: " << measured.err;
        EXPECT_THAT(measured.err, HasSubstr(said));
        EXPECT_THAT(measured.err, HasSubstr("gpu1: "));
        expect_nothing_left(host);
    }
}

TEST(Ssh, WhatIsMissingThereIsSaid) {
    {
        const LoopbackHost host(Settings{{"FAKE_CUDA_INIT", "100"}});
        NEEDS(host);
        const auto none = host.cli({"devices", "--on", host.place()});
        EXPECT_EQ(none.status, 3);
        EXPECT_THAT(none.err, HasSubstr("gpu1 has no GPU to run on"));
    }
    {
        const auto programs = scratch_folder();
        overwrite(programs + "/uname", "#!/bin/sh\necho Linux riscv64\n");
        ::chmod((programs + "/uname").c_str(), 0755);
        const LoopbackHost host(Settings{{"PATH", programs + ":/usr/bin:/bin"}});
        const auto other = host.cli({"devices", "--on", host.place()});
        EXPECT_EQ(other.status, 3);
        EXPECT_THAT(other.err, HasSubstr("gpu1 is Linux riscv64"));
    }
    {
        const LoopbackHost host(Settings{{"HOME", "/nowhere"}});
        fs::remove_all(fs::path(host.cache()).parent_path());
        overwrite(fs::path(host.cache()).parent_path(), "in the way");
        const auto closed = host.cli({"devices", "--on", host.place()});
        EXPECT_EQ(closed.status, 3);
        EXPECT_THAT(closed.err, HasSubstr("the agent cannot be copied to gpu1: "));
    }
}

// A disk that is full is no bad input.
TEST(Ssh, AFullDiskThereIsALimit) {
    const auto programs = scratch_folder();
    overwrite(programs + "/cat", "#!/bin/sh\necho 'cat: write error: No space left on device' >&2\n"
                                 "exit 1\n");
    ::chmod((programs + "/cat").c_str(), 0755);
    const LoopbackHost host(Settings{{"PATH", programs + ":/usr/bin:/bin"}});
    NEEDS(host);
    const auto full = host.cli({"devices", "--on", host.place()});
    EXPECT_EQ(full.status, 4);
    EXPECT_THAT(full.err, HasSubstr("No space left on device"));
    EXPECT_THAT(full.err, HasSubstr("make room there"));
    EXPECT_FALSE(fs::exists(host.agents().front() + "/loopscope-agent"));
}

// What start-up files and banners there say is nobody's answer.
TEST(Ssh, StartUpFilesMayTalk) {
    const Blur blur;
    const auto banner = write_file("banner", "Welcome. No space left for strangers.\n");
    const LoopbackHost host(Settings{{"FAKE_CUDA_PROGRAMS", blur.meaning}},
                            "Banner " + banner +
                                "\nForceCommand echo Welcome; echo; printf 'no end of line: '; "
                                "echo mail >&2; eval \"$SSH_ORIGINAL_COMMAND\"");
    NEEDS(host);
    const auto checked = blur.on(host, "check");
    EXPECT_EQ(checked.status, 0) << checked.err;
    const auto listed = host.cli({"devices", "--on", host.place(), "--json"});
    EXPECT_EQ(json::parse(listed.out).at("gpus").size(), 1u) << listed.err;
}

// A person whose configuration shares connections: a password may have been typed for that one.
TEST(Ssh, APersonsSharedConnectionIsUsed) {
    const LoopbackHost host;
    NEEDS(host);
    const auto socket = scratch_folder() + "/s";
    host.configure("Host gpu1\n  ControlMaster auto\n  ControlPath " + socket +
                   "\n  ControlPersist 30");
    EXPECT_EQ(host.cli({"devices", "--on", host.place()}).status, 0);
    EXPECT_TRUE(fs::exists(socket));
}

// Another bundle's results, or anything else, are not written over.
TEST(Ssh, ResultsOfAnotherBundleStay) {
    const Bundled bundle;
    const LoopbackHost host(Settings{{"FAKE_CUDA_PROGRAMS", bundle.meaning}});
    NEEDS(host);
    const auto file = write_file("results.json", "{\"format\": \"loopscope-results/1\", "
                                                 "\"bundle\": {\"hash\": \"1\"}, \"jobs\": []}");
    const auto before = read_file(file);
    const auto refused = host.cli({"bundle", bundle.folder, "--on", host.place(), "--out", file});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("has no results of this bundle"));
    EXPECT_EQ(read_file(file), before);
}

TEST(Ssh, WhatSshSaysHasARemedy) {
    const LoopbackHost host;
    NEEDS(host);
    const auto nobody = host.cli({"devices", "--on", "ssh:no-such-host.invalid"});
    EXPECT_EQ(nobody.status, 3);
    EXPECT_THAT(nobody.err, HasSubstr("no such host is known"));
    host.configure("Host closed\n  HostName 127.0.0.1\n  Port 1");
    const auto closed = host.cli({"devices", "--on", "ssh:closed"});
    EXPECT_EQ(closed.status, 3);
    EXPECT_THAT(closed.err, HasSubstr("no ssh server answers there"));
    const auto badly = host.cli({"devices", "--on", "ssh:-oProxyCommand=touch /tmp/x"});
    EXPECT_EQ(badly.status, 2);
}

// A job whose kernel never ends.
class Hanging : public testing::Test {
protected:
    Blur blur_;
    LoopbackHost host_{Settings{{"FAKE_CUDA_PROGRAMS", blur_.meaning}, {"FAKE_CUDA_HANG", "out"}}};

    Background start() const {
        return {host_.variables(),
                blur_.arguments("measure", host_.place(), {"--kernel-timeout", "600"}),
                scratch_folder()};
    }
    // The agent and its job.
    bool runs() const {
        return soon([&] { return host_.processes().size() == 2; });
    }
};

TEST_F(Hanging, AConnectionThatBreaksIsSaidAndLeavesNothing) {
    NEEDS(host_);
    const auto cli = start();
    ASSERT_TRUE(runs());
    host_.break_connections();
    EXPECT_EQ(cli.status(), 4);
    EXPECT_THAT(cli.err(), HasSubstr("gpu1: the connection broke"));
    expect_nothing_left(host_);
}

TEST_F(Hanging, CancelEndsItThereToo) {
    NEEDS(host_);
    const auto cli = start();
    ASSERT_TRUE(runs());
    ::kill(cli.process(), SIGINT);
    EXPECT_EQ(cli.status(), 4);
    EXPECT_THAT(cli.err(), HasSubstr("cancelled"));
    expect_nothing_left(host_);
}

// Not even a cable that is pulled, or a caller that is killed, leaves something behind.
TEST_F(Hanging, ACallerThatIsKilledLeavesNothing) {
    NEEDS(host_);
    const auto cli = start();
    ASSERT_TRUE(runs());
    ::kill(cli.process(), SIGKILL);
    EXPECT_NE(cli.status(), 0);
    expect_nothing_left(host_);
}

TEST_F(Hanging, AnAgentThatIsKilledIsSaid) {
    NEEDS(host_);
    const auto cli = start();
    ASSERT_TRUE(runs());
    ::kill(host_.processes().front(), SIGKILL); // the agent: it was there before its job
    EXPECT_EQ(cli.status(), 4);
    EXPECT_THAT(cli.err(), HasSubstr("gpu1: the agent ended before job was done"));
    expect_nothing_left(host_);
}

TEST_F(Hanging, TimeEndsIt) {
    NEEDS(host_);
    auto arguments = blur_.arguments("measure", host_.place(), {"--kernel-timeout", "600"});
    *std::find(arguments.begin(), arguments.end(), "120") = "8";
    const auto late = host_.cli(arguments);
    EXPECT_EQ(late.status, 4);
    expect_nothing_left(host_);
}

} // namespace
} // namespace loopscope::test
