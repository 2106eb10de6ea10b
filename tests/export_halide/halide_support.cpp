#include "tests/export_halide/halide_support.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <future>
#include <iostream>

namespace loopscope::test {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHalide = "/usr/include/halide14";

std::string compile_command(const std::string& more) {
    return "g++ -std=c++17 -O0 -Wall -Wextra -Wno-unused-parameter -Werror -I" +
           (scratch() / "halide").string() + " -isystem " + kHalide + " " + more;
}

// The header takes most of a compilation: it is compiled once.
std::string prepare() {
    if (!fs::exists(fs::path(kHalide) / "Halide.h"))
        return "Halide 14 is not installed (libhalide14-0-dev)";
    fs::create_directories(scratch() / "halide");
    std::string said;
    int status = run_command("g++ -std=c++17 -O0 -x c++-header " + std::string(kHalide) +
                                 "/Halide.h -o " + (scratch() / "halide/Halide.h.gch").string(),
                             said);
    return status == 0 ? "" : "Halide's header does not compile: " + said.substr(0, 400);
}

HalideRun run_one(const HalideJob& job, int number) {
    HalideRun run;
    auto stem = (scratch() / ("halide_" + std::to_string(number))).string();
    std::ofstream(stem + ".cpp") << job.source;
    if (run_command(compile_command(stem + ".cpp -lHalide14 -o " + stem), run.said) != 0)
        return run;
    run.built = true;
    const auto& pipeline = *job.tree->pipeline;
    auto command = stem + " " + job.arguments + written_inputs(stem, job.inputs) +
                   output_arguments(stem, pipeline);
    if (run_command("HL_NUM_THREADS=2 timeout 120 " + command, run.said) != 0)
        return run;
    run.outputs = read_outputs(stem, pipeline);
    fs::remove(stem);
    return run;
}

} // namespace

const std::string& without_halide() {
    static const std::string reason = prepare();
    return reason;
}

codegen::ForeignSource halide_source_of(const ScheduleTreePtr& tree, const std::string& schedule) {
    return foreign_source_of(codegen::halide_source, tree, schedule);
}

codegen::ForeignSource halide_source_of(const HalideCase& one) {
    return halide_source_of(tree_of(one.pipeline, one.schedule, one.params), one.schedule);
}

std::vector<HalideRun> run_halide(const std::vector<HalideJob>& jobs) {
    static std::atomic<int> number = 0;
    std::vector<HalideRun> runs(jobs.size());
    std::atomic<std::size_t> next = 0;
    auto work = [&] {
        for (std::size_t j; (j = next++) < jobs.size();)
            try {
                runs[j] = run_one(jobs[j], number++);
            } catch (const std::exception& failure) {
                runs[j].said = failure.what();
            }
    };
    auto other = std::async(std::launch::async, work);
    work();
    other.get();
    return runs;
}

void expect_right(const std::vector<HalideCase>& cases) {
    std::vector<HalideJob> jobs;
    for (const auto& one : cases)
        try {
            auto tree = tree_of(one.pipeline, one.schedule, one.params);
            jobs.push_back({one.label, halide_source_of(tree, one.schedule).text, tree,
                            random_inputs_of(*tree->pipeline, 5)});
        } catch (const std::exception& reason) {
            ADD_FAILURE() << one.label << ": " << reason.what();
        }
    auto runs = run_halide(jobs);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        const auto& job = jobs[j];
        if (!runs[j].built || runs[j].outputs.empty()) {
            ADD_FAILURE() << job.label << " by Halide: " << runs[j].said.substr(0, 3000) << "\nof\n"
                          << job.source.substr(job.source.find("struct Program"), 6000);
            continue;
        }
        auto wrong = wrong_in(*job.tree, job.inputs, runs[j].outputs);
        EXPECT_EQ(wrong, "") << job.label << " by Halide";
    }
}

} // namespace loopscope::test
