// A hundred measurements elsewhere, and what goes wrong between them: nothing is lost, and nothing
// is left.
#include "tests/remote/loopback_host.h"
#include "tests/remote/remote_support.h"
#include "tests/remote/slurm_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>
#include <set>

namespace loopscope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr int kJobs = 50; // of a bundle

// One job under many names: a bundle is packed once, and its manifest repeats the job.
class ManyJobs {
public:
    ManyJobs() {
        auto manifest = bundle.manifest();
        const auto job = manifest["jobs"][0];
        manifest["jobs"] = json::array();
        for (int i = 0; i < kJobs; ++i) {
            manifest["jobs"].push_back(job);
            manifest["jobs"].back()["name"] = "job" + std::to_string(i);
        }
        overwrite(bundle.folder + "/manifest.json", manifest.dump());
    }
    std::vector<std::string> arguments(const std::string& place) const {
        return {"bundle", bundle.folder, "--on", place,      "--out",
                results,  "--cache",     "warm", "--budget", "0.05"};
    }
    json jobs() const { return json::parse(read_file(results)).at("jobs"); }
    std::size_t done() const { return std::filesystem::exists(results) ? jobs().size() : 0; }
    // Each job once, and right.
    void expect_all_right() const {
        std::set<std::string> names;
        for (const auto& job : jobs()) {
            EXPECT_EQ(job.at("status"), "right") << job;
            EXPECT_TRUE(names.insert(job.at("name")).second) << job.at("name");
        }
        EXPECT_EQ(names.size(), kJobs);
    }

    Bundled bundle;
    std::string results = scratch_folder() + "/results.json";
};

TEST(ManyMeasurements, ThroughSshInSpiteOfAllThatBreaks) {
    const ManyJobs many;
    const LoopbackHost host(Settings{{"FAKE_CUDA_PROGRAMS", many.bundle.meaning}});
    NEEDS(host);
    // The connection breaks, the agent is killed, the caller is killed: the same command goes on.
    for (int round = 0; round < 3; ++round) {
        const auto before = many.done();
        const Background cli(host.variables(), many.arguments(host.place()), scratch_folder());
        ASSERT_TRUE(soon([&] { return many.done() >= before + 5 && !host.processes().empty(); }));
        if (round == 0)
            host.break_connections();
        else if (round == 1)
            ::kill(host.processes().front(), SIGKILL);
        else
            ::kill(cli.process(), SIGKILL);
        EXPECT_NE(cli.status(), 0);
        EXPECT_TRUE(soon([&] { return host.processes().empty() && host.run_folders().empty(); }));
        EXPECT_LT(many.done(), kJobs);
        EXPECT_GE(many.done(), before + 5) << "what came back stays";
    }
    const auto rest = host.cli(many.arguments(host.place()));
    EXPECT_EQ(rest.status, 0) << rest.err;
    EXPECT_THAT(rest.out, HasSubstr("jobs have a result already"));
    many.expect_all_right();
    EXPECT_TRUE(host.processes().empty());
    EXPECT_TRUE(host.run_folders().empty());
}

TEST(ManyMeasurements, ThroughSlurmSeveralAtOnce) {
    const ManyJobs many;
    const SlurmNode node;
    NEEDS(node);
    const Settings settings{{"FAKE_CUDA_PROGRAMS", many.bundle.meaning}};
    // One is cancelled there by somebody, and the caller is interrupted once.
    {
        const Background cli(node.variables(settings), many.arguments(node.place()), cli_cache());
        ASSERT_TRUE(soon([&] { return many.done() >= 2; }));
        ::kill(cli.process(), SIGINT);
        EXPECT_EQ(cli.status(), 4);
        EXPECT_TRUE(soon([&] { return node.jobs() == 0 && node.run_folders().empty(); }));
    }
    {
        const Background cli(node.variables(settings), many.arguments(node.place()), cli_cache());
        ASSERT_TRUE(soon([&] { return node.jobs() > 3; }));
        const auto waiting = node.ask("squeue -h -r -t PENDING -o '%A %F_%K' | tail -1");
        node.ask("scancel " + waiting.substr(waiting.find(' ') + 1));
        EXPECT_EQ(cli.status(), 4) << "one job failed: " << cli.err();
        std::size_t failed = 0;
        for (const auto& job : many.jobs())
            failed += job.at("status") == "failed";
        EXPECT_EQ(many.done(), kJobs);
        EXPECT_EQ(failed, 1u);
    }
    const auto rest = node.cli(many.arguments(node.place()), settings);
    EXPECT_EQ(rest.status, 0) << rest.err;
    many.expect_all_right();
    EXPECT_EQ(node.jobs(), 0);
    EXPECT_TRUE(node.run_folders().empty());
}

} // namespace
} // namespace loopscope::test
