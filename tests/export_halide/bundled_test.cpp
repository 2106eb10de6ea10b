// Every bundled program under its shipped schedule, and the others by turns: the exported Halide program gives the results of
// the compiled program.
#include "tests/export_halide/halide_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace loopscope;
using namespace loopscope::test;

namespace {

namespace fs = std::filesystem;

// Sizes that are small and leave tails: large params become odd numbers. Programs that ask for other sizes than these say
// so by an error.
std::map<std::string, std::int64_t> small_params(const std::string& pipeline,
                                                 const std::string& schedule) {
    auto full = tree_of(pipeline, "");
    std::string reasons;
    for (std::int64_t base : {37, 64, 128, 256})
        try {
            std::map<std::string, std::int64_t> params;
            for (const auto& param : full->pipeline->params)
                if (param.value > 64)
                    params[param.name] =
                        base + static_cast<std::int64_t>(params.size() % 3) * (base == 37 ? 8 : 0);
            tree_of(pipeline, schedule, params);
            return params;
        } catch (const std::exception& reason) {
            reasons += reason.what();
        }
    throw std::runtime_error(reasons);
}

TEST(BundledHalide, GivesTheResultsOfTheCompiledProgram) {
    if (!without_halide().empty())
        GTEST_SKIP() << without_halide();
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(source_path("resources/pipelines")))
        files.insert(entry.path());
    const char* only = std::getenv("LOOPSCOPE_ONLY"); // a program's name, to look into one
    std::vector<HalideCase> cases;
    std::size_t programs = 0;
    for (const auto& file : files) {
        auto name = file.stem().string();
        if (file.extension() != ".loop" || (only && name != only))
            continue;
        auto pipeline = read_file(file.string());
        // Halide takes minutes for the largest programs.
        if (!only && !std::getenv("LOOPSCOPE_EXHAUSTIVE") &&
            tree_of(pipeline, "")->pipeline->stages.size() > 40)
            continue;
        std::vector<std::pair<std::string, std::string>> schedules;
        for (const auto& script : files)
            if (script.extension() == ".sched" &&
                script.filename().string().rfind(name + ".", 0) == 0)
                schedules.emplace_back(script.stem().string(), read_file(script.string()));
        if (schedules.empty() || programs++ % 8 == 0 || only)
            schedules.emplace_back(name + ", default", "");
        for (const auto& [label, schedule] : schedules)
            try {
                cases.push_back({label, pipeline, schedule, small_params(pipeline, schedule)});
            } catch (const std::exception& reason) {
                ADD_FAILURE() << label << ": " << reason.what();
            }
    }
    expect_same_as_jit(cases);
}

} // namespace
