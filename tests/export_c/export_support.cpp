#include "tests/export_c/export_support.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/host_program.h"
#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/measure/host_device.h"
#include "compiler/run/compare.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/worker/execution.h"
#include "core/device/device.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/support.h"
#include "tests/support/two_threads.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>
#include <iterator>

namespace loopscope::test {

namespace fs = std::filesystem;

const fs::path& scratch() {
    static const fs::path folder = scratch_folder();
    return folder;
}

int run_command(const std::string& command, std::string& output) {
    static std::atomic<int> number = 0;
    auto log = scratch() / ("log_" + std::to_string(number++));
    int status = std::system((command + " > " + log.string() + " 2>&1").c_str());
    std::ifstream in(log);
    output.assign(std::istreambuf_iterator<char>(in), {});
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool has_clang() {
    static const bool found = [] {
        std::string ignored;
        return run_command("clang-19 --version", ignored) == 0;
    }();
    return found;
}

const std::vector<Compiler>& compilers() {
    static const std::vector<Compiler> all = [] {
        const std::string strict = " -std=c11 -Wall -Wextra -Werror -O2";
        std::vector<Compiler> list{
            {"gcc" + strict + " -fopenmp", "gcc"},
            {"gcc" + strict + " -fopenmp -march=native", "gcc, native"},
            {"gcc" + strict, "gcc without OpenMP"},
            {"gcc -std=gnu11 -Wall -Wextra -Werror -O3 -march=native -fopenmp", "gcc, GNU C, O3"}};
#if defined(__x86_64__)
        // What a compiler may fold depends on the instructions that it has.
        list.push_back({"gcc" + strict + " -fopenmp -march=x86-64-v2", "gcc, x86-64-v2"});
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            list.push_back({"gcc" + strict + " -fopenmp -march=x86-64-v3", "gcc, x86-64-v3"});
#endif
        if (!has_clang())
            return list;
        list.push_back({"clang-19" + strict, "clang"});
        // It takes some processors for ones with half of AVX10, and says so.
        list.push_back({"clang-19" + strict + " -march=native -Wno-invalid-feature-combination",
                        "clang, native"});
        std::string ignored;
        std::ofstream(scratch() / "empty.c") << "int empty;\n";
        if (run_command("clang-19 -fopenmp -shared -fPIC -o " + (scratch() / "empty.so").string() +
                            " " + (scratch() / "empty.c").string(),
                        ignored) == 0)
            list.push_back({"clang-19" + strict + " -fopenmp", "clang with OpenMP"});
        return list;
    }();
    return all;
}

std::string shared_object(const std::string& source, const Compiler& compiler) {
    static std::atomic<int> number = 0;
    auto stem = scratch() / ("export_" + std::to_string(number++));
    auto c = stem.string() + ".c", object = stem.string() + ".so";
    std::ofstream(c) << source;
    std::string output;
    int status =
        run_command(compiler.command + " -shared -fPIC -o " + object + " " + c + " -lm", output);
    if (status == 0 && output.empty())
        return object;
    ADD_FAILURE() << compiler.label << " says:\n"
                  << output.substr(0, 4000) << "\nof\n"
                  << source.substr(0, 20000);
    return {};
}

std::vector<std::string> shared_objects(const std::vector<CompileJob>& jobs) {
    std::vector<std::string> objects(jobs.size());
    on_two_threads(jobs.size(), [&](std::size_t j) {
        objects[j] = shared_object(*jobs[j].source, *jobs[j].compiler);
    });
    return objects;
}

std::vector<std::string> shared_objects(const std::string& source) {
    std::vector<CompileJob> jobs;
    for (const auto& compiler : compilers())
        jobs.push_back({&source, &compiler});
    return shared_objects(jobs);
}

std::string call_wrapper(const lower::Program& program, const std::string& function) {
    std::string text = "\nvoid call_" + function + "(void *const *buffers);\nvoid call_" +
                       function + "(void *const *buffers) {\n    " + function + "(";
    for (std::size_t i = 0; i < program.arguments.size(); ++i)
        text += (i ? ", " : "") + ("buffers[" + std::to_string(i) + "]");
    return text + ");\n}\n";
}

Buffers run_object(const std::string& object, const std::string& function,
                   const lower::Program& program, const Buffers& inputs) {
    if (object.empty())
        return {};
    void* library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        ADD_FAILURE() << dlerror();
        return {};
    }
    auto* symbol = dlsym(library, ("call_" + function).c_str());
    auto execution = worker::Execution::prepare(program, inputs);
    if (!symbol || !execution) {
        ADD_FAILURE() << function << (symbol ? format(execution.errors()) : " is not there");
        return {};
    }
    execution->poison();
    reinterpret_cast<void (*)(void* const*)>(symbol)(execution->pointers().data());
    auto outputs = execution->outputs(program);
    // The library stays loaded: OpenMP's threads may still be in it.
    return outputs ? *outputs : Buffers{};
}

Buffers run_jit(const lower::Program& program, const Buffers& inputs) {
    auto compiled = codegen::HostProgram::compile(program);
    if (!compiled) {
        ADD_FAILURE() << format(compiled.errors());
        return {};
    }
    auto execution = worker::Execution::prepare(program, inputs);
    if (!execution) {
        ADD_FAILURE() << format(execution.errors());
        return {};
    }
    execution->poison();
    EXPECT_TRUE((*compiled)->run(execution->pointers(), 2).ok());
    return *execution->outputs(program);
}

namespace {

template <typename T> T checked(Result<T> result) {
    if (!result)
        throw std::runtime_error(format(result.errors()));
    return std::move(*result);
}

lower::Program lowered(const ScheduleTree& tree, const std::vector<lower::Pass>& passes) {
    lower::LowerOptions options;
    options.target.vector_bits = codegen::host_info().vector_bits;
    options.verify_each = true;
    return checked(lower::run_passes(checked(lower::build(tree)), passes, options));
}

} // namespace

Schedule schedule_of(const Pipeline& pipeline, const std::string& text) {
    Schedule schedule;
    schedule.pipeline = pipeline.name;
    if (text.empty())
        return schedule;
    return checked(parse_schedule(std::make_shared<SourceFile>("test.sched", text), &pipeline));
}

device::Device target_of(const Schedule& schedule) {
    device::Device device;
    if (!schedule.target.empty())
        device = checked(measure::find_device(schedule.target));
    device.vector_bits = codegen::host_info().vector_bits;
    return device;
}

ScheduleTreePtr tree_of(const std::string& pipeline, const std::string& schedule,
                        const std::map<std::string, std::int64_t>& params) {
    LoadOptions options;
    options.params = params;
    auto loaded =
        checked(load_pipeline(std::make_shared<SourceFile>("test.loop", pipeline), options));
    const auto script = schedule_of(*loaded.pipeline, schedule);
    const auto device = target_of(script);
    return checked(schedule_tree(loaded.pipeline, script, ApplyContext{&device}));
}

lower::Program lowered_for_c(const ScheduleTree& tree) { return lowered(tree, lower::c_passes()); }
lower::Program lowered_for_jit(const ScheduleTree& tree) {
    return lowered(tree, lower::cpu_passes());
}

Buffers random_inputs_of(const Pipeline& pipeline, std::uint64_t seed) {
    std::uint64_t n = 0;
    return random_inputs(
               pipeline,
               [&](const Stage&) { return RandomInput{combine(seed, n++), RandomMode::Reals}; })
        .value();
}

void expect_equal(const Buffers& actual, const Buffers& expected, const std::string& what) {
    ASSERT_EQ(actual.size(), expected.size()) << what;
    for (const auto& [name, buffer] : expected) {
        ASSERT_TRUE(actual.count(name)) << what;
        auto difference = compare(actual.at(name), buffer);
        EXPECT_TRUE(difference.equal)
            << what << ": " << name << " differs in " << difference.differences
            << " elements, first at " << difference.first_difference;
    }
}

} // namespace loopscope::test
