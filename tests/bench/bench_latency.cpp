// The latencies of models.md: an edit changes one factor, and everything a view shows is computed anew. Medians hide
// what a hand feels, so the 99th percentile is reported; each edit differs from the one before.

#include "compiler/codegen/host/host_info.h"
#include "compiler/measure/host_device.h"
#include "compiler/worker/program.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/bench/ratio.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/support.h"
#include "tuner/model/estimate.h"

#include <algorithm>
#include <stdexcept>

namespace loopscope::bench {
namespace {

// The shipped script with one number in it replaced by `factor`.
struct Edit {
    const char* program;
    std::string pattern; // the text that is replaced
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    auto at = text.find(from);
    if (at == std::string::npos)
        throw std::runtime_error("the shipped schedule has no " + from);
    return text.replace(at, from.size(), to);
}

// Figures like the host's where it was never probed: only the arithmetic is timed, not what it says.
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

void edit_to_estimate(benchmark::State& state, const std::string& program,
                      const std::string& before, const std::string& after) {
    auto bundled = test::load_bundled(program, {}, true);
    auto script =
        test::read_file(test::source_path("resources/pipelines/" + program + ".cpu.sched"));
    auto device = timed_device();
    ApplyContext context;
    context.device = &device;
    const auto* bottleneck = model::find_model("bottleneck");
    std::vector<double> samples;
    for (auto _ : state) {
        for (int i = 0; i < 500; ++i) {
            // A factor that no earlier edit had: nothing memoised helps.
            auto text = replaced(script, before, after + std::to_string(33 + i));
            auto source = std::make_shared<SourceFile>("edit", text);
            samples.push_back(seconds_of([&] {
                auto schedule = parse_schedule(source, bundled.pipeline.get());
                auto tree = schedule_tree(bundled.pipeline, *schedule, context);
                benchmark::DoNotOptimize(bottleneck->estimate(**tree, device, {}));
            }));
        }
    }
    std::sort(samples.begin(), samples.end());
    state.counters["p99_ms"] = samples[samples.size() * 99 / 100] * 1e3;
    state.counters["median_ms"] = samples[samples.size() / 2] * 1e3;
    state.counters["estimates_per_s"] = 1 / samples[samples.size() / 2];
}
BENCHMARK_CAPTURE(edit_to_estimate, matmul, "matmul", "ji, 8", "ji, ")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(edit_to_estimate, blur, "blur", "yi, 16", "yi, ")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(edit_to_estimate, harris, "harris", "xi, 64", "xi, ")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Long scripts: what a line asks of boxes and of padded tails must not grow with the lines before it.
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

void edit_to_compiled(benchmark::State& state, const std::string& program) {
    auto bundled = test::load_bundled(program, {}, true);
    std::vector<double> samples;
    for (auto _ : state)
        for (int i = 0; i < 30; ++i)
            samples.push_back(seconds_of([&] {
                auto compiled = worker::compile_program(
                    {bundled.pipeline, {}, bundled.tree, codegen::host_info().vector_bits});
                benchmark::DoNotOptimize(compiled.ok());
            }));
    std::sort(samples.begin(), samples.end());
    state.counters["p99_ms"] = samples[samples.size() * 99 / 100] * 1e3;
    state.counters["median_ms"] = samples[samples.size() / 2] * 1e3;
}
BENCHMARK_CAPTURE(edit_to_compiled, matmul, "matmul")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(edit_to_compiled, blur, "blur")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(edit_to_compiled, harris, "harris")->Iterations(1)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace loopscope::bench

BENCHMARK_MAIN();
