// The latencies of models.md: an edit changes one factor, and everything a view shows is computed
// anew. Medians hide what a hand feels, so the 99th percentile is reported; each edit differs from
// the one before.

#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/measure/host_device.h"
#include "compiler/worker/program.h"
#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/bench/ratio.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/must.h"
#include "tests/support/support.h"
#include "tuner/model/estimate.h"

#include <algorithm>
#include <ctime>
#include <regex>
#include <stdexcept>

namespace loopscope::bench {
namespace {

// Figures like the host's where it was never probed: only the arithmetic is timed, not what it
// says.
device::Device timed_device() {
    auto device = measure::host_device();
    auto figure = [](double v) { return device::Figure{v, "bench"}; };
    if (!measure::has_figures(device)) {
        device.flops_per_second[ScalarType::F32] = device.flops_per_second_all[ScalarType::F32] =
            figure(1e11);
        device.flops_per_second[ScalarType::F64] = device.flops_per_second_all[ScalarType::F64] =
            figure(5e10);
        device.memory_bytes_per_second = device.memory_bytes_per_second_all = figure(1e10);
        for (auto& cache : device.caches)
            cache.bytes_per_second = cache.bytes_per_second_all = figure(1e11);
    }
    return device;
}

std::string shipped_script(const std::string& program) {
    return test::read_file(test::source_path("resources/pipelines/" + program + ".cpu.sched"));
}

// Scripts one edit away from this one, all different, at every line in turn: another factor, or the
// line left out, so that what it placed, vectorised or made parallel is back at its default.
std::vector<std::string> edits(const std::string& script) {
    std::vector<std::string> out;
    const std::regex factor(", ([0-9]+)(?=[,)])");
    for (std::size_t begin = 0; begin < script.size();) {
        auto end = std::min(script.find('\n', begin), script.size());
        auto line = script.substr(begin, end - begin);
        auto with = [&](const std::string& other) {
            out.push_back(script.substr(0, begin) + other + script.substr(end));
        };
        if (line[0] != '#' && line.find('.') != std::string::npos) {
            with("# " + line);
            for (std::sregex_iterator at(line.begin(), line.end(), factor), last; at != last; ++at)
                for (int change : {1, 2, 3, 8, 16})
                    with(line.substr(0, static_cast<std::size_t>(at->position(1))) +
                         std::to_string(std::stoi((*at)[1]) + change) +
                         line.substr(static_cast<std::size_t>(at->position(1) + at->length(1))));
        }
        begin = end + 1;
    }
    return out;
}

double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void report(benchmark::State& state, const std::string& name, std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    state.counters[name + "p99_ms"] = samples[samples.size() * 99 / 100] * 1e3;
    state.counters[name + "median_ms"] = samples[samples.size() / 2] * 1e3;
}

// From an edited script to its tree, with legality, and the default estimate. Edits that the
// script's other lines make illegal are left out: they are refused sooner.
void edit_to_estimate(benchmark::State& state, const std::string& program) {
    auto bundled = test::load_bundled(program, {}, true);
    auto device = timed_device();
    ApplyContext context;
    context.device = &device;
    const auto* bottleneck = model::find_model("bottleneck");
    std::vector<double> elapsed, processor, estimates;
    for (auto _ : state)
        for (const auto& text : edits(shipped_script(program))) {
            auto source = std::make_shared<SourceFile>("edit", text);
            bool legal = true;
            double before = thread_seconds(), estimate = 0;
            auto seconds = seconds_of([&] {
                auto schedule = parse_schedule(source, bundled.pipeline.get());
                auto tree = schedule_tree(bundled.pipeline, *schedule, context);
                legal = tree.ok();
                if (legal)
                    estimate = seconds_of([&] {
                        benchmark::DoNotOptimize(bottleneck->estimate(**tree, device, {}));
                    });
            });
            if (!legal)
                continue;
            processor.push_back(thread_seconds() - before);
            elapsed.push_back(seconds);
            estimates.push_back(estimate);
        }
    state.counters["edits"] = static_cast<double>(elapsed.size());
    report(state, "", elapsed);
    report(state, "cpu_", processor);
    std::sort(processor.begin(), processor.end());
    std::sort(estimates.begin(), estimates.end());
    state.counters["estimates_per_s"] = 1 / processor[processor.size() / 2];
    state.counters["of_a_tree_per_s"] = 1 / estimates[estimates.size() / 2];
}

// Long scripts: what a line asks of boxes and of padded tails must not grow with the lines before
// it.
void script_to_tree(benchmark::State& state, const std::string& pipeline,
                    const std::string& script) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>("long.loop", pipeline), {});
    auto schedule = parse_schedule(std::make_shared<SourceFile>("long.sched", script));
    std::vector<double> samples;
    for (auto _ : state)
        for (int i = 0; i < 5; ++i)
            samples.push_back(seconds_of([&] {
                auto tree = schedule_tree(loaded->pipeline, *schedule, {});
                if (!tree)
                    throw std::runtime_error(format(tree.errors()));
                benchmark::DoNotOptimize(tree);
            }));
    std::sort(samples.begin(), samples.end());
    state.counters["median_ms"] = samples[samples.size() / 2] * 1e3;
}

void padded_chain(benchmark::State& state) {
    std::string pipeline = "pipeline p\ninput a[x]: f32[100] boundary edge\nstage s0[x] = a[x]\n";
    std::string script = "schedule for p\ns0.split(x, xo, xi, 8, pad)\n";
    for (int i = 1; i < 1000; ++i) {
        auto name = "s" + std::to_string(i);
        pipeline += "stage " + name + "[x] = s" + std::to_string(i - 1) + "[x + 1] + 1.0\n";
        script += name + ".split(x, xo, xi, 8, pad)\n";
    }
    script_to_tree(state, pipeline + "stage o[x] = s999[x]\noutput o: [100]\n", script);
}
BENCHMARK(padded_chain)
    ->Name("script_to_tree/padded_chain")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void factored_sums(benchmark::State& state) {
    std::string pipeline = "pipeline p\ninput A[y, x]: f32[64, 64]\n";
    std::string script = "schedule for p\n";
    for (int i = 0; i < 300; ++i) {
        auto name = "s" + std::to_string(i);
        pipeline += "stage " + name + "[y] = sum[k in 0..64](A[y, k])\noutput " + name + ": [64]\n";
        script += "R" + std::to_string(i) + " = " + name + ".rfactor(k)\n";
    }
    script_to_tree(state, pipeline, script);
}
BENCHMARK(factored_sums)
    ->Name("script_to_tree/factored_sums")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Each stage reads the one before it and runs in its loops: what a line asks of those that share
// loops already must not grow with them by more than their number.
void merged_stages(benchmark::State& state) {
    std::string pipeline = "pipeline p\ninput a[y, x]: f32[64, 64]\nstage s0[y, x] = a[y, x]\n";
    std::string script = "schedule for p\n";
    for (int i = 1; i < 160; ++i) {
        auto name = "s" + std::to_string(i), before = "s" + std::to_string(i - 1);
        pipeline += "stage " + name + "[y, x] = " + before + "[y, x] + 1.0\n";
        script += name + ".compute_with(" + before + ", y)\n";
    }
    script_to_tree(state, pipeline + "output s159: [64, 64]\n", script);
}
BENCHMARK(merged_stages)
    ->Name("script_to_tree/merged_stages")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// From an edited script to host code: up to thirty edits from all over the script, for half a
// minute at most.
void edit_to_compiled(benchmark::State& state, const std::string& program) {
    auto bundled = test::load_bundled(program, {}, true);
    auto all = edits(shipped_script(program));
    std::vector<double> elapsed, processor;
    double spent = 0;
    for (auto _ : state)
        for (std::size_t i = 0; i < 30 && spent < 30; ++i) {
            auto source = std::make_shared<SourceFile>("edit", all[i * all.size() / 30]);
            bool legal = true;
            double before = thread_seconds();
            auto seconds = seconds_of([&] {
                auto schedule = parse_schedule(source, bundled.pipeline.get());
                auto tree = schedule_tree(bundled.pipeline, *schedule, {});
                legal = tree.ok();
                if (!legal)
                    return;
                auto compiled = worker::compile_program(
                    {bundled.pipeline, {}, *tree, codegen::host_info().vector_bits});
                benchmark::DoNotOptimize(compiled.ok());
            });
            spent += seconds;
            if (!legal)
                continue;
            elapsed.push_back(seconds);
            processor.push_back(thread_seconds() - before);
        }
    state.counters["edits"] = static_cast<double>(elapsed.size());
    report(state, "", elapsed);
    report(state, "cpu_", processor);
}

// From an edited schedule for GPUs to new PTX: the script whole, with another number of stages of
// its outer pipeline each time. What NVIDIA's assembler then takes is not part of it.
void edit_to_ptx(benchmark::State& state, const std::string& program, const std::string& variant) {
    LoadOptions options;
    const auto pipeline =
        test::must(load_pipeline_file(test::source_path("resources/pipelines/" + program + ".loop"),
                                      options))
            .pipeline;
    const auto script = test::read_file(
        test::source_path("resources/pipelines/" + program + "." + variant + ".sched"));
    const auto target =
        test::must(parse_schedule(std::make_shared<SourceFile>("s", script), pipeline.get()))
            .target;
    const auto device =
        target.empty() ? device::generic_gpu() : test::must(measure::find_device(target));
    int stages = 9; // of the outer pipeline: the most there are
    while (stages > 1 &&
           script.find(".pipeline(" + std::to_string(stages) + ")") == std::string::npos)
        --stages;
    const auto line = ".pipeline(" + std::to_string(stages) + ")";
    std::vector<double> elapsed, processor;
    for (auto _ : state)
        for (int i = 0; i < 30; ++i) {
            auto edited = script;
            for (auto at = edited.find(line); at != std::string::npos;
                 at = edited.find(line, at + 1))
                edited.replace(at, line.size(), ".pipeline(" + std::to_string(2 + i % 3) + ")");
            const auto source = std::make_shared<SourceFile>("edit", edited);
            const double before = thread_seconds();
            elapsed.push_back(seconds_of([&] {
                const auto schedule = test::must(parse_schedule(source, pipeline.get()));
                worker::LoadedProgram loaded{
                    pipeline,
                    schedule,
                    test::must(schedule_tree(pipeline, schedule, ApplyContext{&device})),
                    device.vector_bits,
                    true,
                    device};
                codegen::PtxOptions ptx;
                ptx.architecture = device.gpu->architecture;
                const auto lowered = test::must(worker::lower_program(loaded));
                benchmark::DoNotOptimize(test::must(codegen::compile_ptx(lowered, ptx)));
            }));
            processor.push_back(thread_seconds() - before);
        }
    report(state, "", elapsed);
    report(state, "cpu_", processor);
}

// One case for each shipped program, named after it.
void register_programs() {
    for (const char* program :
         {"matmul", "blur", "harris", "camera_pipe", "bilateral_grid",
          "bilateral_guided_upsampling", "interpolate", "pyramid_blend", "non_local_means", "trmm",
          "syrk", "syr2k", "doitgen", "attention", "vdsr", "lens_blur", "local_laplacian"}) {
        std::string name = program;
        benchmark::RegisterBenchmark(("edit_to_estimate/" + name).c_str(), edit_to_estimate, name)
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
        benchmark::RegisterBenchmark(("edit_to_compiled/" + name).c_str(), edit_to_compiled, name)
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
    }
}

void register_kernels() {
    auto add = [](const std::string& name, const std::string& program, const std::string& variant) {
        benchmark::RegisterBenchmark(("edit_to_ptx/" + name).c_str(), edit_to_ptx, program, variant)
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
    };
    for (const std::string program :
         {"matmul_f16", "matmul_bias_relu_f16", "conv2d_f16", "attention_f16", "matmul", "unsharp"})
        add(program, program, "gpu");
    for (const std::string program : {"matmul_f16", "matmul_bias_relu_f16"})
        add(program + "_hopper", program, "gpu_hopper");
}

} // namespace
} // namespace loopscope::bench

int main(int argc, char** argv) {
    loopscope::bench::register_programs();
    loopscope::bench::register_kernels();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
