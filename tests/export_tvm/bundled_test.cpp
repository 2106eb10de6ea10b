// Every bundled program under its schedules as Python for TVM: Python reads all of them; where TVM is installed (for the Python
// that LOOPSCOPE_PYTHON names, else python3) they run, and give the results of the compiled program.
#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/tvm/tvm_source.h"
#include "compiler/run/compare.h"
#include "compiler/run/numpy.h"
#include "compiler/worker/float_values.h"
#include "core/device/device.h"
#include "core/language/schedule_parser.h"
#include "tests/export_c/export_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

using namespace loopscope;
using namespace loopscope::test;

namespace {

namespace fs = std::filesystem;

struct Exported {
    std::string label, file;
    ScheduleTreePtr tree;
    codegen::ForeignSource source;
};

codegen::ForeignSource tvm_source_of(const ScheduleTreePtr& tree, const std::string& script) {
    Schedule schedule;
    schedule.pipeline = tree->pipeline->name;
    if (!script.empty())
        schedule =
            parse_schedule(std::make_shared<SourceFile>("test.sched", script), tree->pipeline.get())
                .value();
    device::Device device;
    device.vector_bits = codegen::host_info().vector_bits;
    codegen::ForeignInput input;
    input.script = script;
    input.schedule = &schedule;
    input.context.device = &device;
    input.tree = tree;
    return codegen::tvm_source(input).value();
}

ScheduleTreePtr small_tree(const std::string& pipeline, const std::string& schedule) {
    auto full = tree_of(pipeline, "");
    std::string reasons;
    for (std::int64_t base : {37, 64, 128, 256})
        try {
            std::map<std::string, std::int64_t> params;
            for (const auto& param : full->pipeline->params)
                if (param.value > 64)
                    params[param.name] =
                        base + static_cast<std::int64_t>(params.size() % 3) * (base == 37 ? 8 : 0);
            return tree_of(pipeline, schedule, params);
        } catch (const std::exception& reason) {
            reasons += reason.what();
        }
    throw std::runtime_error(reasons);
}

const std::vector<Exported>& bundled() {
    static const std::vector<Exported> all = [] {
        std::vector<Exported> list;
        std::set<fs::path> files;
        for (const auto& entry : fs::directory_iterator(source_path("resources/pipelines")))
            files.insert(entry.path());
        for (const auto& file : files) {
            if (file.extension() != ".loop")
                continue;
            auto name = file.stem().string();
            std::vector<std::pair<std::string, std::string>> schedules{{name + "_default", ""}};
            for (const auto& script : files)
                if (script.extension() == ".sched" &&
                    script.filename().string().rfind(name + ".", 0) == 0)
                    schedules.emplace_back(script.stem().string(), read_file(script.string()));
            for (auto& [label, schedule] : schedules)
                try {
                    auto tree = small_tree(read_file(file.string()), schedule);
                    auto path = (scratch() / (label + ".py")).string();
                    list.push_back({label, path, tree, tvm_source_of(tree, schedule)});
                    std::ofstream(path) << list.back().source.text;
                } catch (const std::exception& reason) {
                    ADD_FAILURE() << label << ": " << reason.what();
                }
        }
        return list;
    }();
    return all;
}

std::string python() {
    const char* named = std::getenv("LOOPSCOPE_PYTHON");
    return named ? named : "python3";
}

TEST(BundledTvm, PythonReadsAllPrograms) {
    std::string files, said;
    for (const auto& one : bundled()) {
        files += " " + one.file;
        EXPECT_EQ(one.source.lines.size(),
                  static_cast<std::size_t>(
                      std::count(one.source.text.begin(), one.source.text.end(), '\n')))
            << one.label;
    }
    ASSERT_FALSE(files.empty());
    EXPECT_EQ(run_command("python3 -m py_compile" + files, said), 0) << said;
}

TEST(BundledTvm, GivesTheResultsOfTheCompiledProgram) {
    std::string said;
    if (run_command(python() + " -c 'import tvm, tvm.s_tir'", said) != 0)
        GTEST_SKIP() << "TVM is not installed for " << python() << " (pip install apache-tvm)";
    const char* only = std::getenv("LOOPSCOPE_ONLY");
    for (const auto& one : bundled()) {
        if (only ? one.label.rfind(only, 0) != 0 : one.tree->pipeline->stages.size() > 40)
            continue; // TVM takes minutes for the largest programs
        auto inputs = random_inputs_of(*one.tree->pipeline, 5);
        auto stem = (scratch() / one.label).string();
        auto command = python() + " " + one.file;
        for (const auto& [name, buffer] : inputs) {
            ASSERT_TRUE(write_numpy(stem + "_in_" + name + ".npy", buffer).ok());
            command += " " + name + "=" + stem + "_in_" + name + ".npy";
        }
        auto expected = run_jit(lowered_for_jit(*one.tree), inputs);
        for (const auto& output : expected)
            command += " " + output.first + "=" + stem + "_out_" + output.first + ".npy";
        if (run_command("timeout 120 " + command, said) != 0) {
            ADD_FAILURE() << one.label << " by TVM: "
                          << said.substr(said.size() > 1500 ? said.size() - 1500 : 0);
            continue;
        }
        if (!said.empty())
            std::cout << one.label << ": " << said;
        for (const auto& [name, buffer] : expected) {
            auto read = read_numpy(stem + "_out_" + name + ".npy");
            ASSERT_TRUE(read.ok());
            read->type = buffer.type; // bf16 is u16 in .npy files
            auto difference = compare(*read, buffer);
            // TVM refuses vectors across reductions, and so sums in order where the schedule does not.
            if (one.tree->reassociates())
                EXPECT_LE(difference.max_abs_error, 1e-4 * worker::greatest_magnitude(buffer))
                    << one.label << " by TVM: " << name;
            else
                EXPECT_TRUE(difference.equal)
                    << one.label << " by TVM: " << name << " differs in " << difference.differences
                    << " elements, first at " << difference.first_difference;
        }
    }
}

} // namespace
