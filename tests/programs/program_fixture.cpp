#include "tests/programs/program_fixture.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/measure/host_device.h"
#include "compiler/run/compare.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/execution.h"
#include "compiler/worker/marks.h"
#include "compiler/worker/program.h"
#include "compiler/worker/runner.h"
#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/opencl/opencl_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

namespace loopscope::test {

std::string Variant::text() const {
    if (gpu)
        return "schedule for GPUs";
    return (shipped ? "shipped schedule" : "default schedule") +
           (vector_bits ? ", vectors of " + std::to_string(vector_bits) + " bits" : std::string());
}

std::vector<Variant> variants(const std::string& name) {
    constexpr int kCommon = 256;
    std::vector<Variant> out{{false}, {true}};
    if (codegen::host_info().vector_bits != kCommon)
        out.push_back({true, kCommon});
    // Those for tensor cores take whole tiles: test_tensor_schedules.cpp has sizes for them.
    std::ifstream gpu(source_path("resources/pipelines/" + gpu_schedule(name)));
    const std::string text(std::istreambuf_iterator<char>(gpu), {});
    if (!text.empty() && text.find("tensorize(") == std::string::npos)
        out.push_back({true, 0, true});
    return out;
}

std::string shipped_schedule(const std::string& name) { return name + ".cpu.sched"; }
std::string gpu_schedule(const std::string& name) { return name + ".gpu.sched"; }

BundledProgram load_bundled(const std::string& name, const Params& params, const Variant& variant) {
    LoadOptions options;
    options.params = params;
    auto loaded =
        must(load_pipeline_file(source_path("resources/pipelines/" + name + ".loop"), options));
    auto text = "schedule for " + loaded.pipeline->name + "\n";
    auto schedule =
        variant.shipped
            ? must(parse_schedule_file(
                  source_path("resources/pipelines/" +
                              (variant.gpu ? gpu_schedule(name) : shipped_schedule(name))),
                  loaded.pipeline.get()))
            : must(parse_schedule(std::make_shared<SourceFile>("default", text),
                                  loaded.pipeline.get()));
    auto device = variant.gpu ? device::generic_gpu() : device::Device();
    if (!variant.gpu)
        device.vector_bits =
            variant.vector_bits > 0 ? variant.vector_bits : codegen::host_info().vector_bits;
    return {loaded.pipeline, must(schedule_tree(loaded.pipeline, schedule, ApplyContext{&device})),
            device.vector_bits, variant.gpu};
}

device::Device gpu_of(const Schedule& schedule) {
    return schedule.target.empty() ? device::generic_gpu()
                                   : must(measure::find_device(schedule.target));
}

BundledProgram load_for_gpu(const std::string& name, const std::string& schedule,
                            const Params& params) {
    LoadOptions options;
    options.params = params;
    auto pipeline =
        must(load_pipeline_file(source_path("resources/pipelines/" + name + ".loop"), options))
            .pipeline;
    auto script =
        must(parse_schedule_file(source_path("resources/pipelines/" + schedule), pipeline.get()));
    const auto device = gpu_of(script);
    return {pipeline, must(schedule_tree(pipeline, script, ApplyContext{&device})),
            device.vector_bits, true, device};
}

Buffers random_inputs(const Pipeline& pipeline, std::uint64_t seed) {
    return must(loopscope::random_inputs(pipeline, [&](const Stage& input) {
        return RandomInput{seed++,
                           is_float(input.types[0]) ? RandomMode::Reals : RandomMode::FullRange};
    }));
}

Buffers small_whole_inputs(const Pipeline& pipeline, std::uint64_t seed) {
    return must(loopscope::random_inputs(
        pipeline, [&](const Stage&) { return RandomInput{seed++, RandomMode::SmallWhole}; }));
}

namespace {

const std::atomic<bool> never = false;
const worker::Context quiet([](const measure::Progress&) {}, never);

// Shuffles, tensor cores: what OpenCL C has no word for.
bool is_of_the_language(const Diagnostics& errors) {
    return std::all_of(errors.begin(), errors.end(), [](const Diagnostic& error) {
        return error.message.starts_with("OpenCL C: it has no ");
    });
}

Result<Buffers> run_on_opencl(opencl::Client& client, const worker::CompiledProgram& code,
                              const Buffers& inputs) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    auto execution =
        worker::OpenclExecution::prepare(client, code.program, *code.kernels, until, quiet);
    if (!execution)
        return execution.errors();
    return execution->run(inputs);
}

bool same_bits(const Buffers& a, const Buffers& b) {
    return std::all_of(a.begin(), a.end(), [&](const auto& output) {
        return compare(output.second, b.at(output.first)).equal;
    });
}

// The kernels through OpenCL, where it is here and has what they use. `interpreted`: what the SIMT
// interpreter gave.
std::optional<Buffers> run_on_opencl(worker::LoadedProgram loaded, const Buffers& inputs,
                                     const Buffers& interpreted) {
    auto skipped = [&](const std::string& reason) {
        std::cout << loaded.pipeline->name
                  << ", schedule for GPUs: not run through OpenCL: " << reason << "\n";
        return std::nullopt;
    };
    if (auto reason = no_opencl_device(); !reason.empty())
        return skipped(reason);
    loaded.target = "opencl";
    auto compiled = worker::compile_program(loaded);
    if (!compiled && is_of_the_language(compiled.errors()))
        return skipped(compiled.errors().front().message);
    const auto code = must(std::move(compiled));
    auto first = run_on_opencl(plain_opencl_client(), code, inputs);
    if (first && same_bits(interpreted, *first))
        return *first;
    auto second = run_on_opencl(other_opencl_client(), code, inputs);
    if (second && same_bits(interpreted, *second)) {
        std::cout
            << loaded.pipeline->name << ", schedule for GPUs: this OpenCL gives "
            << (first ? "another result" : "an error")
            << " by the one of its ways to compile work groups, and the right one by the other\n";
        return *second;
    }
    return must(std::move(first));
}

} // namespace

std::vector<Buffers> run_compiled(const BundledProgram& program, const Buffers& inputs,
                                  const std::vector<int>& threads) {
    worker::LoadedProgram loaded{program.pipeline,  {},         program.tree, program.vector_bits,
                                 program.on_device, program.gpu};
    auto compiled = must(worker::compile_program(loaded));
    std::vector<Buffers> out;
    if (program.on_device) {
        const worker::CheckRequest request;
        worker::Runner runner(loaded, compiled, request, quiet);
        out.push_back(must(runner.run(inputs)));
        EXPECT_TRUE(runner.findings().empty()) << program.pipeline->name << "\n"
                                               << loopscope::format(runner.findings());
        static std::size_t number = 0; // OpenCL compiles each kernel for long
        if (has_turn(number++, 3, "OpenCL"))
            if (auto through_opencl = run_on_opencl(loaded, inputs, out.front()))
                out.push_back(std::move(*through_opencl));
        return out;
    }
    for (int count : threads) {
        auto execution = must(worker::Execution::prepare(compiled.program, inputs));
        execution.poison();
        must(compiled.code->run(execution.pointers(), count));
        out.push_back(must(execution.outputs(compiled.program)));
    }
    return out;
}

Buffers run_compiled(const BundledProgram& program, const Buffers& inputs, int threads) {
    return std::move(run_compiled(program, inputs, std::vector<int>{threads}).front());
}

Buffers run_reference(const BundledProgram& program, const Buffers& inputs) {
    ReferenceOptions options;
    options.contracted = worker::marks_of(*program.tree).contracted;
    return must(evaluate(*program.pipeline, inputs, options));
}

const Buffers& References::of(const BundledProgram& program, const Buffers& inputs) {
    const auto [found, is_new] =
        by_contracted_.try_emplace(worker::marks_of(*program.tree).contracted);
    if (is_new)
        found->second = run_reference(program, inputs);
    return found->second;
}

} // namespace loopscope::test
