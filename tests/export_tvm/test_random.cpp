// Random pipelines under random schedules as Python for TVM: where it is installed they give the
// compiled program's results. LOOPSCOPE_TVM_PAIRS: how many (40), LOOPSCOPE_TVM_SEED: the first.
#include "core/language/loop_parser.h"
#include "tests/export_tvm/tvm_support.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/schedule_generator.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// Runs exported files in one process, for TVM takes a second to load: a file has a line for each,
// of its name and arguments.
constexpr const char* kDriver = R"(
import os, runpy, sys, tvm

for number, line in enumerate(open(sys.argv[1]).read().splitlines()):
    words = line.split()
    child = os.fork()
    if child == 0:
        sys.argv = words
        log = os.open(words[0] + ".log", os.O_CREAT | os.O_WRONLY)
        os.dup2(log, 1)
        os.dup2(log, 2)
        import resource
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        runpy.run_path(words[0], run_name="__main__")
        os._exit(0)
    print(os.waitpid(child, 0)[1])
)";

struct Pair {
    std::string label, pipeline, schedule;
    ScheduleTreePtr tree;
    Buffers inputs;
};

std::vector<Pair> pairs(std::string& commands) {
    std::vector<Pair> list;
    auto first = setting("LOOPSCOPE_TVM_SEED", 1), count = setting("LOOPSCOPE_TVM_PAIRS", 40);
    for (auto seed = first; seed < first + count; ++seed) {
        auto text = fuzz::random_pipeline(seed);
        auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", text), {});
        if (!loaded)
            continue;
        auto script = fuzz::random_schedule(loaded->pipeline, seed).text;
        Pair pair{"seed_" + std::to_string(seed), text, script, tree_of(text, script), {}};
        pair.inputs = random_inputs_of(*pair.tree->pipeline, seed);
        auto stem = (scratch() / pair.label).string();
        std::ofstream(stem + ".py") << tvm_source_of(pair.tree, script).text;
        commands += stem + ".py" + written_inputs(stem, pair.inputs) +
                    output_arguments(stem, *pair.tree->pipeline) + "\n";
        list.push_back(std::move(pair));
    }
    return list;
}

TEST(RandomTvm, GivesTheResultsOfTheCompiledProgram) {
    if (!has_tvm())
        GTEST_SKIP() << no_tvm();
    std::string commands, said;
    auto list = pairs(commands);
    ASSERT_FALSE(list.empty());
    std::ofstream(scratch() / "driver.py") << kDriver;
    std::ofstream(scratch() / "commands") << commands;
    ASSERT_EQ(run_command(python() + " " + (scratch() / "driver.py").string() + " " +
                              (scratch() / "commands").string(),
                          said),
              0)
        << said;
    std::istringstream statuses(said);
    std::size_t not_compiled = 0;
    for (const auto& pair : list) {
        auto stem = (scratch() / pair.label).string();
        int status = -1;
        statuses >> status;
        std::string failure;
        if (status != 0) {
            std::ifstream log(stem + ".py.log");
            failure = std::string(std::istreambuf_iterator<char>(log), {});
            // Its simplifier leaves int32 on the way, or writes shared expressions out for more
            // than a minute.
            if (status == SIGKILL || failure.find("tvm.error.InternalError") != std::string::npos ||
                failure.find("exceeds range of int32") != std::string::npos) {
                ++not_compiled;
                continue;
            }
            failure = "status " + std::to_string(status) + "\n" +
                      failure.substr(failure.size() > 1500 ? failure.size() - 1500 : 0);
        }
        if (failure.empty())
            failure = wrong_in(*pair.tree, pair.inputs, read_outputs(stem, *pair.tree->pipeline));
        if (!failure.empty())
            ADD_FAILURE() << pair.label << " by TVM: " << failure << "\n--- pipeline\n"
                          << pair.pipeline << "--- schedule\n"
                          << pair.schedule;
    }
    std::cout << not_compiled << " of " << list.size() << " TVM does not compile\n";
    EXPECT_LE(not_compiled, list.size() / 4);
}

} // namespace
