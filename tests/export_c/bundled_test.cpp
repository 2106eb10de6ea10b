// Every bundled program, under its default and its shipped schedules: the exported C gives the compiled program's bits,
// and no compiler has anything to say about it.
#include "tests/export_c/export_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

using namespace loopscope;
using namespace loopscope::test;

namespace {

namespace fs = std::filesystem;

struct Exported {
    std::string label;
    lower::Program program, compiled; // for C, and for the JIT
    Buffers inputs;
    std::string source, function;
};

// Sizes that are small and leave tails: large params become odd numbers. Programs that ask for other sizes than these
// (multiples, or no less than a filter) say so by an error.
std::map<std::string, std::int64_t> small_params(const Pipeline& pipeline, std::int64_t base) {
    std::map<std::string, std::int64_t> params;
    for (const auto& param : pipeline.params)
        if (param.value > 64)
            params[param.name] =
                base + static_cast<std::int64_t>(params.size() % 3) * (base == 37 ? 8 : 0);
    return params;
}

ScheduleTreePtr small_tree(const std::string& pipeline, const std::string& schedule,
                           std::map<std::string, std::int64_t>& params) {
    auto full = tree_of(pipeline, "");
    std::string reasons;
    for (std::int64_t base : {37, 64, 128, 256})
        try {
            params = small_params(*full->pipeline, base);
            return tree_of(pipeline, schedule, params);
        } catch (const std::exception& reason) {
            reasons += reason.what();
        }
    throw std::runtime_error(reasons);
}

Exported exported(const std::string& label, const std::string& pipeline,
                  const std::string& schedule) {
    std::map<std::string, std::int64_t> params;
    auto tree = small_tree(pipeline, schedule, params);
    Exported e{label,
               lowered_for_c(*tree),
               lowered_for_jit(*tree),
               random_inputs_of(*tree->pipeline, 5),
               {},
               {}};
    codegen::COptions options;
    options.sizes = params;
    options.schedule = schedule;
    auto source = codegen::c_source(e.program, options);
    if (!source)
        throw std::runtime_error(format(source.errors()));
    std::size_t lines = 0;
    for (char c : source->text)
        lines += c == '\n';
    EXPECT_EQ(source->lines.size(), lines);
    e.source = source->text + call_wrapper(e.program, source->function);
    e.function = source->function;
    return e;
}

std::vector<Exported> bundled() {
    fs::path folder = source_path("resources/pipelines");
    std::vector<Exported> all;
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        files.insert(entry.path());
    for (const auto& file : files) {
        if (file.extension() != ".loop")
            continue;
        auto name = file.stem().string();
        auto pipeline = read_file(file.string());
        std::vector<std::pair<std::string, std::string>> schedules{{name + ", default", ""}};
        for (const auto& script : files)
            if (script.extension() == ".sched" &&
                script.filename().string().rfind(name + ".", 0) == 0)
                schedules.emplace_back(script.stem().string(), read_file(script.string()));
        for (const auto& [label, schedule] : schedules)
            try {
                all.push_back(exported(label, pipeline, schedule));
            } catch (const std::exception& reason) {
                ADD_FAILURE() << label << ": " << reason.what();
            }
    }
    return all;
}

TEST(Bundled, CGivesTheBitsOfTheCompiledProgram) {
    if (!has_clang())
        std::cout << "clang-19 is not installed: gcc alone is tested\n";
    auto all = bundled();
    ASSERT_GE(all.size(), 16u);
    // Each program meets gcc under all of its schedules, and the other compilers by turns.
    std::vector<CompileJob> jobs;
    std::vector<const Exported*> of;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t c = 0; c < compilers().size(); ++c)
            if (c == 0 || (i + c) % 3 == 0) {
                jobs.push_back({&all[i].source, &compilers()[c]});
                of.push_back(&all[i]);
            }
    auto objects = shared_objects(jobs);
    std::map<const Exported*, Buffers> expected;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        const auto& e = *of[j];
        if (objects[j].empty())
            continue;
        if (!expected.count(&e))
            expected[&e] = run_jit(e.compiled, e.inputs);
        expect_equal(run_object(objects[j], e.function, e.program, e.inputs), expected[&e],
                     e.label + " by " + jobs[j].compiler->label);
    }
}

} // namespace
