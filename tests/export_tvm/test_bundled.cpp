// Every bundled program under its schedules as Python for TVM: Python reads all of them; where TVM
// is installed (for the Python that LOOPSCOPE_PYTHON names, else python3) they run, and give the
// results of the compiled program.
#include "compiler/run/compare.h"
#include "tests/export_c/bundled_programs.h"
#include "tests/export_tvm/tvm_support.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>

using namespace loopscope;
using namespace loopscope::test;

namespace {

struct Exported {
    std::string label, file;
    ScheduleTreePtr tree;
    codegen::ForeignSource source;
};

const std::vector<Exported>& bundled() {
    static const std::vector<Exported> all = [] {
        std::vector<Exported> list;
        for (const auto& program : bundled_programs())
            try {
                auto path = (scratch() / (program.label + ".py")).string();
                list.push_back({program.label, path, program.tree,
                                tvm_source_of(program.tree, program.schedule)});
                std::ofstream(path) << list.back().source.text;
            } catch (const std::exception& reason) {
                ADD_FAILURE() << program.label << ": " << reason.what();
            }
        return list;
    }();
    return all;
}

// Lines of the script that TVM refuses, by its own rules: to inline into a definition that reads
// through data, to compute what has updates at a loop, to vectorise a reduction. Each definition of
// a stage that is not moved counts. None, for others.
std::size_t known_refusals(const std::string& label) {
    static const std::map<std::string, std::size_t> known{
        {"argmax_rows.cpu", 1}, {"bilateral_grid.cpu", 7}, {"cumulative_sum.cpu", 4},
        {"iir_blur.cpu", 16},   {"layer_norm.cpu", 2},     {"softmax.cpu", 2},
        {"syr2k.cpu", 6},
    };
    auto found = known.find(label);
    return found == known.end() ? 0 : found->second;
}

std::size_t refusals(const std::string& said) {
    std::size_t count = 0;
    for (auto at = said.find("TVM refuses "); at != std::string::npos;
         at = said.find("TVM refuses ", at + 1))
        ++count;
    return count;
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
        // TVM takes minutes for the largest programs
        if (only ? one.label.rfind(only, 0) != 0 : one.tree->pipeline->stages.size() > 40)
            continue;
        auto inputs = random_inputs_of(*one.tree->pipeline, 5);
        auto stem = (scratch() / one.label).string();
        const auto& pipeline = *one.tree->pipeline;
        bool inexact = slow_when_exact(one.label);
        auto command = python() + " " + one.file + written_inputs(stem, inputs) +
                       output_arguments(stem, pipeline) + (inexact ? " --inexact" : "");
        if (run_command("timeout 120 " + command, said) != 0) {
            ADD_FAILURE() << one.label << " by TVM: "
                          << said.substr(said.size() > 1500 ? said.size() - 1500 : 0);
            continue;
        }
        if (!said.empty())
            std::cout << one.label << ": " << said;
        EXPECT_LE(refusals(said), known_refusals(one.label)) << one.label << " by TVM:\n" << said;
        auto outputs = read_outputs(stem, pipeline);
        if (!inexact) {
            EXPECT_EQ(wrong_in(*one.tree, inputs, outputs), "") << one.label << " by TVM";
            continue;
        }
        for (const auto& [name, buffer] : run_jit(lowered_for_jit(*one.tree), inputs))
            EXPECT_LE(compare(outputs.at(name), buffer).max_abs_error, 1) // of bytes
                << one.label << " by TVM: " << name;
    }
}

} // namespace
