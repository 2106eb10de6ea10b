// JSON from strangers at each place where a program of ours reads some: what is too deep, too long,
// of wrong types, or for a terminal to obey.
#include "tests/gpu/bundle_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include <sys/stat.h>

namespace loopscope {
namespace {

using nlohmann::json;
using test::Bundled;
using test::overwrite;
using test::program_path;
using test::read_file;
using test::run_agent;
using test::run_cli;
using test::scratch_folder;
using test::write_file;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::string deep(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

// Each ends by itself with the status of bad input; 100,000 levels ended it by a signal.
void expect_refused(const test::Outcome& outcome, const char* reason) {
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(reason));
}

json right_results() {
    return {{"format", "loopscope-results/1"},
            {"agent", "loopscope 0.1.0"},
            {"jobs",
             {{{"name", "small"},
               {"status", "right"},
               {"gpu", {{"name", "GPU"}, {"architecture", "sm_90"}}},
               {"kernels", {{{"registers", 40}, {"local_bytes", 0}}}},
               {"times",
                {{{"cache", "warm"},
                  {"median_s", 1e-5},
                  {"gflops", 3},
                  {"gbytes_per_s", nullptr}}}}}}}};
}

test::Outcome shown(const json& results, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"bundle", "--results", write_file("r.json", results.dump())};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
}

TEST(HostileJson, DepthEndsNoProgram) {
    const std::string texts[] = {deep(100'000), "{\"format\": " + deep(100'000) + "}",
                                 std::string(30'000'000, '[')};
    for (const auto& text : texts) {
        const auto file = write_file("deep.json", text);
        const char* reason = text.size() > (16 << 20) ? "than 16 MiB" : "in one another";
        expect_refused(run_cli({"bundle", scratch_folder() + "/b", "--jobs", file}), reason);
        expect_refused(run_cli({"bundle", "--results", file}), "in one another");
        expect_refused(run_cli({"bundle", "--results", write_file("r.json", right_results().dump()),
                                "--peer", file}),
                       "in one another");
        reason = text.size() > (1 << 20) ? "than 1 MiB" : "in one another";
        expect_refused(run_cli({"estimate", test::pipeline("blur"), "--device", file}), reason);
        const auto folder = scratch_folder();
        overwrite(folder + "/manifest.json", text);
        expect_refused(run_agent({"run", folder, "--out", folder + "/results.json"}),
                       "in one another");
    }
    Bundled bundle;
    bundle.change([](json& m) { m["jobs"][0]["peer"] = json::parse(deep(50)); });
    EXPECT_THAT(run_agent({"run", bundle.folder, "--out", bundle.folder + "/r.json"}).err,
                Not(HasSubstr("signal")));
}

// Two bytes of text and sixteen of memory each: many millions of them.
TEST(HostileJson, WidthEndsNoProgram) {
    std::string list = "[0";
    for (int n = 0; n < 9'000'000; ++n)
        list += ",0";
    const auto file = write_file("wide.json", "{\"format\": " + list + "]}");
    expect_refused(run_cli({"bundle", scratch_folder() + "/b", "--jobs", file}), "than 16 MiB");
    expect_refused(run_cli({"bundle", "--results", file}), " values");
    expect_refused(run_cli({"bundle", "--results", write_file("r.json", right_results().dump()),
                            "--peer", file}),
                   " values");
    const auto folder = scratch_folder();
    overwrite(folder + "/manifest.json", read_file(file));
    expect_refused(run_agent({"run", folder, "--out", folder + "/results.json"}), "more than");
}

// What a file of jobs names is never waited for.
TEST(HostileJson, JobsNameRegularFiles) {
    const auto folder = scratch_folder();
    ASSERT_EQ(::mkfifo((folder + "/pipe").c_str(), 0600), 0);
    for (const auto* job : {R"({"name": "a", "pipeline": "pipe"})",
                            R"({"name": "a", "pipeline": "copy.loop", "schedule": "pipe"})"}) {
        overwrite(folder + "/copy.loop", read_file(test::pipeline("copy")));
        overwrite(folder + "/jobs.json", std::string("{\"jobs\": [") + job + "]}");
        expect_refused(
            run_cli({"bundle", scratch_folder() + "/b", "--jobs", folder + "/jobs.json"}),
            "it is not a regular file");
    }
}

TEST(HostileJson, ResultsAreHeldToTheirForm) {
    ASSERT_EQ(shown(right_results()).status, 0);
    const struct {
        const char* place;
        json value;
        const char* message;
    } cases[] = {
        {"/jobs", "none", "`results.jobs` must be a list"},
        {"/jobs/0", 5, "`jobs[0]` must be an object"},
        {"/jobs/0/name", 5, "`jobs[0].name` must be a text"},
        {"/jobs/0/status", "splendid", "`jobs[0].status` must be \"right\""},
        {"/jobs/0/times", 7, "`jobs[0].times` must be a list"},
        {"/jobs/0/times/0/median_s", "soon", "`jobs[0].times[0].median_s` must be a number"},
        {"/jobs/0/times/0/median_s", -1, "`jobs[0].times[0].median_s` must be a number"},
        {"/jobs/0/times/0/gflops", json::array(), "`jobs[0].times[0].gflops` must be a number"},
        {"/jobs/0/kernels/0/registers", std::uint64_t(1) << 63,
         "`jobs[0].kernels[0].registers` must be a whole number"},
        {"/jobs/0/kernels/0/registers", 1.5, "must be a whole number"},
        {"/jobs/0/gpu", "fast", "`jobs[0].gpu` must be an object"},
    };
    for (const auto& one : cases) {
        auto results = right_results();
        results[json::json_pointer(one.place)] = one.value;
        const auto outcome = shown(results);
        EXPECT_EQ(outcome.status, 2) << one.place;
        EXPECT_THAT(outcome.err, HasSubstr(one.message)) << one.place;
        EXPECT_THAT(outcome.err, HasSubstr("r.json")) << one.place;
        EXPECT_THAT(outcome.err, Not(HasSubstr("json.exception"))) << one.place;
    }
}

// A window's title, a colour that stays, C1's sequence introducer: for a terminal to show.
TEST(HostileJson, NoEscapeSequenceReachesTheTerminal) {
    const std::string evil = "\x1b]0;title\x07\x1b[31m\x7f\xc2\x9b"
                             "31m";
    for (const char* place :
         {"/agent", "/jobs/0/name", "/jobs/0/gpu/name", "/jobs/0/times/0/cache"}) {
        auto results = right_results();
        results[json::json_pointer(place)] = evil;
        for (const auto& more : {std::vector<std::string>{}, {"--json"}}) {
            const auto outcome = shown(results, more);
            EXPECT_EQ(outcome.status, 0) << outcome.err;
            for (const char* bad : {"\x1b", "\x07", "\x7f", "\xc2\x9b"})
                EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(bad))) << place;
        }
    }
    auto results = right_results();
    results["jobs"][0]["status"] = "failed";
    results["jobs"][0]["errors"] = {{{"message", evil}}};
    EXPECT_THAT(shown(results).out, Not(HasSubstr("\x1b")));
    results["jobs"][0]["status"] = evil;
    EXPECT_THAT(shown(results).err, Not(HasSubstr("\x1b")));
}

TEST(HostileJson, PeersAreHeldToTheirForm) {
    const auto results = right_results();
    const auto of = [&](const std::string& text) {
        return shown(results, {"--peer", write_file("peer.json", text)});
    };
    EXPECT_THAT(of(R"({"format": "loopscope-peer/1", "jobs": [{"name": "small", "times": [
                       {"cache": "warm", "median_s": 9e-6}]}, {"name": "x", "error": "no"}]})")
                    .out,
                HasSubstr("90.0 %"));
    EXPECT_THAT(of(R"({"format": "loopscope-peer/1", "jobs": [{"name": 3}]})").err,
                HasSubstr("`jobs[0].name` must be a text"));
    EXPECT_THAT(of(R"({"format": 1})").err, HasSubstr("not of the format `loopscope-peer/1`"));
    EXPECT_THAT(of("{\"format\": \"loopscope-peer/1\",\n nonsense}").err,
                HasSubstr("peer.json:2:3: error: not a JSON text"));
}

TEST(HostileJson, ParamsBeyond64BitsAreRefused) {
    const auto jobs = write_file("jobs.json", R"({"jobs": [{"name": "a", "pipeline": "a.loop",
        "params": {"N": 9223372036854775808}}]})");
    expect_refused(run_cli({"bundle", scratch_folder() + "/b", "--jobs", jobs}),
                   "whole numbers that 64 bits hold");
    Bundled bundle;
    bundle.change([](json& m) { m["jobs"][0]["params"]["N"] = std::uint64_t(1) << 63; });
    expect_refused(run_agent({"run", bundle.folder, "--out", bundle.folder + "/r.json"}),
                   "whole numbers that 64 bits hold");
}

TEST(HostileJson, AnEmptyBundleSaysSo) {
    Bundled bundle;
    bundle.change([](json& m) { m["jobs"] = json::array(); });
    expect_refused(run_agent({"run", bundle.folder, "--out", bundle.folder + "/r.json"}),
                   "lists no job");
}

TEST(HostileJson, ResultsReplaceNoFileOfTheBundle) {
    Bundled bundle;
    const auto manifest = bundle.folder + "/manifest.json";
    const auto before = read_file(manifest);
    for (const auto& out : {manifest, bundle.file_of("reference"), bundle.folder + "/peer.py",
                            bundle.folder + "/jobs/../manifest.json"}) {
        expect_refused(run_agent({"run", bundle.folder, "--out", out}),
                       "is a file in the bundle's folder");
    }
    EXPECT_EQ(read_file(manifest), before);
    const auto results = bundle.folder + "/results.json"; // a second run writes over the first's
    for (int n = 0; n < 2; ++n)
        EXPECT_EQ(test::run_bundle(bundle, results).status, 0);
}

// A message of the right length whose members are of other types than the protocol's.
TEST(HostileJson, TheWorkerDoesNotAbortOnAMessage) {
    const std::string bodies[] = {
        R"({"type": 5})",
        R"({"type": "request", "id": "one"})",
        R"({"type": "request", "id": 1e300})",
        R"({"type": "request", "id": 9223372036854775808})",
        R"({"type": "request", "id": 1, "verb": []})",
        R"({"type": "request", "id": 1, "verb": "info", "arguments": 5})",
        R"({"type": "cancel", "id": {}})",
        R"([1, 2])",
        "{\"type\": \"request\", \"id\": 1, \"verb\": \"info\", \"arguments\": {\"a\": " +
            deep(100'000) + "}}",
    };
    for (const auto& body : bodies) {
        const auto frame = write_file("frame", std::to_string(body.size()) + "\n" + body);
        const auto folder = scratch_folder();
        const auto command = program_path("loopscope-worker") + " <" + frame + " >" + folder +
                             "/out 2>" + folder + "/err";
        const int status = std::system(command.c_str());
        ASSERT_TRUE(WIFEXITED(status)) << body.substr(0, 100);
        EXPECT_EQ(WEXITSTATUS(status), 3) << body.substr(0, 100);
        EXPECT_THAT(read_file(folder + "/err"),
                    AnyOf(HasSubstr(" of a message must be "), HasSubstr("must be an object"),
                          HasSubstr("in one another")));
    }
}

} // namespace
} // namespace loopscope
