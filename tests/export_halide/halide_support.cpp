#include "tests/export_halide/halide_support.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/run/compare.h"
#include "compiler/run/numpy.h"
#include "compiler/worker/float_values.h"
#include "core/device/device.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"

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

Schedule schedule_of(const Pipeline& pipeline, const std::string& text) {
    Schedule schedule;
    schedule.pipeline = pipeline.name;
    if (text.empty())
        return schedule;
    auto parsed = parse_schedule(std::make_shared<SourceFile>("test.sched", text), &pipeline);
    if (!parsed)
        throw std::runtime_error(format(parsed.errors()));
    return *parsed;
}

HalideRun run_one(const HalideJob& job, int number) {
    HalideRun run;
    auto stem = (scratch() / ("halide_" + std::to_string(number))).string();
    std::ofstream(stem + ".cpp") << job.source;
    if (run_command(compile_command(job.flags + " " + stem + ".cpp -lHalide14 -o " + stem),
                    run.said) != 0)
        return run;
    run.built = true;
    std::string command = stem + " " + job.arguments;
    for (const auto& [name, buffer] : job.inputs) {
        auto file = stem + "_in_" + name + ".npy";
        if (auto written = write_numpy(file, buffer); !written)
            throw std::runtime_error(format(written.errors()));
        command += " " + name + "=" + file;
    }
    std::map<std::string, std::pair<std::string, ScalarType>> files;
    for (const auto& output : job.tree->pipeline->outputs) {
        const auto& types = job.tree->pipeline->find(output.stage)->types;
        for (std::size_t c = 0; c < types.size(); ++c) {
            auto name = output.stage + (types.size() > 1 ? "." + std::to_string(c) : "");
            files[name] = {stem + "_out_" + name + ".npy", types[c]};
            command += " " + name + "=" + files[name].first;
        }
    }
    if (run_command("HL_NUM_THREADS=2 timeout 120 " + command, run.said) != 0)
        return run;
    for (const auto& [name, file] : files) {
        auto read = read_numpy(file.first);
        if (!read)
            throw std::runtime_error(format(read.errors()));
        read->type = file.second; // bf16 is u16 in .npy files
        run.outputs.emplace(name, std::move(*read));
        fs::remove(file.first);
    }
    fs::remove(stem);
    return run;
}

} // namespace

const std::string& without_halide() {
    static const std::string reason = prepare();
    return reason;
}

codegen::ForeignSource halide_source_of(const ScheduleTreePtr& tree, const std::string& schedule) {
    auto directives = schedule_of(*tree->pipeline, schedule);
    device::Device device;
    device.vector_bits = codegen::host_info().vector_bits;
    codegen::ForeignInput input;
    input.script = schedule;
    input.schedule = &directives;
    input.context.device = &device;
    input.tree = tree;
    auto source = codegen::halide_source(input);
    if (!source)
        throw std::runtime_error(format(source.errors()));
    return std::move(*source);
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

void expect_same_as_jit(const std::vector<HalideCase>& cases, double bound) {
    std::vector<HalideJob> jobs;
    for (const auto& one : cases)
        try {
            auto tree = tree_of(one.pipeline, one.schedule, one.params);
            jobs.push_back({one.label, halide_source_of(tree, one.schedule).text, one.flags, tree,
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
        auto expected = run_jit(lowered_for_jit(*job.tree), job.inputs);
        if (!job.tree->reassociates()) {
            expect_equal(runs[j].outputs, expected, job.label + " by Halide");
            continue;
        }
        for (const auto& [name, buffer] : expected)
            EXPECT_LE(compare(runs[j].outputs.at(name), buffer).max_abs_error,
                      bound * worker::greatest_magnitude(buffer))
                << job.label << " by Halide: " << name;
    }
}

} // namespace loopscope::test
