// Every bundled program under its schedules as Python for TVM: Python reads all of them; where TVM is installed (for the Python
// that LOOPSCOPE_PYTHON names, else python3) they run, and give the results of the compiled program.
#include "compiler/run/compare.h"
#include "compiler/run/numpy.h"
#include "compiler/worker/float_values.h"
#include "tests/export_c/export_support.h"
#include "tests/export_tvm/tvm_support.h"
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

// Its gamma curve is made of a power, which TVM writes out to millions of operations.
bool slow_when_exact(const std::string& label) { return label.rfind("camera_pipe", 0) == 0; }

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
    if (!has_tvm())
        GTEST_SKIP() << no_tvm();
    std::string said;
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
        bool inexact = slow_when_exact(one.label);
        if (inexact)
            command += " --inexact";
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
            if (inexact) // of bytes
                EXPECT_LE(difference.max_abs_error, 1) << one.label << " by TVM: " << name;
            else if (one.tree->reassociates())
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
