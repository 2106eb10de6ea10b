#include "tests/export_c/bundled_programs.h"

#include "compiler/worker/work_count.h"
#include "core/schedule/tree_search.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace loopscope::test {

namespace fs = std::filesystem;

namespace {

std::map<std::string, std::int64_t> small_params(const Pipeline& pipeline, std::int64_t base) {
    std::map<std::string, std::int64_t> params;
    for (const auto& param : pipeline.params)
        if (param.value > 64)
            params[param.name] =
                base + static_cast<std::int64_t>(params.size() % 3) * (base == 37 ? 8 : 0);
    return params;
}

bool takes(BundledProgram& program, std::map<std::string, std::int64_t> params) {
    try {
        program.tree = tree_of(program.pipeline, program.schedule, params);
        program.params = std::move(params);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// A judge evaluates as many points in some seconds.
constexpr double kManyPoints = 3e7;

// Halves one param after the other, the greatest first, until there are few points or until none
// can be halved: to odd numbers where the program takes them.
void make_quick(BundledProgram& program) {
    std::set<std::string> fixed;
    for (;;) {
        const auto work = worker::count_work(*program.tree->pipeline);
        if (!work || work->points <= kManyPoints)
            return;
        const Param* greatest = nullptr;
        for (const auto& param : program.tree->pipeline->params)
            if (param.value > 8 && !fixed.count(param.name) &&
                (!greatest || param.value > greatest->value))
                greatest = &param;
        if (!greatest)
            return;
        auto params = program.params;
        const auto name = greatest->name; // of a tree that may be replaced
        const auto half = greatest->value / 2;
        params[name] = half | 1;
        if (takes(program, params))
            continue;
        params[name] = half;
        if (!takes(program, params))
            fixed.insert(name);
    }
}

// A program says by an error what it does not take.
void make_small(BundledProgram& program) {
    auto full = tree_of(program.pipeline, "");
    std::string reasons;
    for (std::int64_t base : {37, 64, 128, 256})
        try {
            program.params = small_params(*full->pipeline, base);
            program.tree = tree_of(program.pipeline, program.schedule, program.params);
            return;
        } catch (const std::exception& reason) {
            reasons += reason.what();
        }
    throw std::runtime_error(reasons);
}

} // namespace

std::vector<BundledProgram> bundled_programs(const std::string& only) {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(source_path("resources/pipelines")))
        files.insert(entry.path());
    std::vector<BundledProgram> all;
    for (const auto& file : files) {
        auto name = file.stem().string();
        if (file.extension() != ".loop" || (!only.empty() && name != only))
            continue;
        std::vector<std::pair<std::string, std::string>> schedules{{name + "_default", ""}};
        for (const auto& script : files)
            if (script.extension() == ".sched" &&
                script.filename().string().rfind(name + ".", 0) == 0)
                schedules.emplace_back(script.stem().string(), read_file(script.string()));
        auto pipeline = read_file(file.string());
        for (const auto& [label, schedule] : schedules)
            try {
                BundledProgram program{name, label, pipeline, schedule, {}, nullptr};
                make_small(program);
                make_quick(program);
                program.for_gpu = binds_loops(*program.tree->root);
                all.push_back(std::move(program));
            } catch (const std::exception& reason) {
                ADD_FAILURE() << label << ": " << reason.what();
            }
    }
    return all;
}

} // namespace loopscope::test
