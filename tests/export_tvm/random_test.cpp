// Random pipelines under random schedules as Python for TVM: where it is installed they give the compiled program's results.
// LOOPSCOPE_TVM_PAIRS: how many (40), LOOPSCOPE_TVM_SEED: the first.
#include "compiler/run/compare.h"
#include "compiler/run/numpy.h"
#include "compiler/worker/float_values.h"
#include "core/language/loop_parser.h"
#include "tests/export_c/export_support.h"
#include "tests/export_tvm/tvm_support.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/schedule_generator.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// Runs exported files in one process, for TVM takes a second to load: a file has a line for each, of its name and arguments.
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

int setting(const char* name, int otherwise) {
    const char* set = std::getenv(name);
    return set ? std::atoi(set) : otherwise;
}

struct Pair {
    std::string label, pipeline, schedule;
    ScheduleTreePtr tree;
    Buffers expected, in_order; // in_order: of the default schedule
};

std::vector<Pair> pairs(std::string& commands) {
    std::vector<Pair> list;
    int first = setting("LOOPSCOPE_TVM_SEED", 1), count = setting("LOOPSCOPE_TVM_PAIRS", 40);
    for (int seed = first; seed < first + count; ++seed) {
        auto text = fuzz::random_pipeline(static_cast<std::uint64_t>(seed));
        auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", text), {});
        if (!loaded)
            continue;
        auto script =
            fuzz::random_schedule(loaded->pipeline, static_cast<std::uint64_t>(seed)).text;
        Pair pair{"seed_" + std::to_string(seed), text, script, tree_of(text, script), {}, {}};
        auto stem = (scratch() / pair.label).string();
        std::ofstream(stem + ".py") << tvm_source_of(pair.tree, script).text;
        auto inputs = random_inputs_of(*pair.tree->pipeline, static_cast<std::uint64_t>(seed));
        pair.expected = run_jit(lowered_for_jit(*pair.tree), inputs);
        pair.in_order = run_jit(lowered_for_jit(*tree_of(text, "")), inputs);
        commands += stem + ".py";
        for (const auto& [name, buffer] : inputs) {
            EXPECT_TRUE(write_numpy(stem + "_in_" + name + ".npy", buffer).ok());
            commands += " " + name + "=" + stem + "_in_" + name + ".npy";
        }
        for (const auto& output : pair.expected)
            commands += " " + output.first + "=" + stem + "_out_" + output.first + ".npy";
        commands += "\n";
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
            // Its simplifier leaves int32 on the way, or writes shared expressions out for more than a minute.
            if (status == SIGKILL || failure.find("tvm.error.InternalError") != std::string::npos ||
                failure.find("exceeds range of int32") != std::string::npos) {
                ++not_compiled;
                continue;
            }
            failure = "status " + std::to_string(status) + "\n" +
                      failure.substr(failure.size() > 1500 ? failure.size() - 1500 : 0);
        }
        for (const auto& [name, buffer] : pair.expected) {
            if (!failure.empty())
                break;
            auto read = read_numpy(stem + "_out_" + name + ".npy");
            if (!read.ok()) {
                failure = name + ": " + read.errors().front().message;
                break;
            }
            read->type = buffer.type; // bf16 is u16 in .npy files
            auto difference = compare(*read, buffer);
            // What TVM refuses of a schedule that reassociates it sums in order.
            bool same = difference.equal ||
                        (pair.tree->reassociates() && compare(*read, pair.in_order.at(name)).equal);
            bool near = pair.tree->reassociates() &&
                        difference.max_abs_error <= 1e-3 * worker::greatest_magnitude(buffer);
            if (!same && !near)
                failure = name + " differs in " + std::to_string(difference.differences) +
                          " elements, first at " + std::to_string(difference.first_difference);
        }
        if (!failure.empty())
            ADD_FAILURE() << pair.label << " by TVM: " << failure << "\n--- pipeline\n"
                          << pair.pipeline << "--- schedule\n"
                          << pair.schedule;
    }
    std::cout << not_compiled << " of " << list.size() << " TVM does not compile\n";
    EXPECT_LE(not_compiled, list.size() / 4);
}

} // namespace
