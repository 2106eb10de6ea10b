// Programs under their shipped schedules: products of matrices against the measured FMA peak
// (matmul against OpenBLAS, too), image programs against the time that their compulsory traffic
// takes at the measured copy bandwidth. All of one line comes from one run. Those that only move
// memory: bench_streaming.cpp.

#include "compiler/codegen/host/peak_kernels.h"
#include "tests/bench/compiled.h"
#include "tests/bench/ratio.h"

#include <cblas.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

extern "C" void openblas_set_num_threads(int);

namespace loopscope::bench {
namespace {

double peak_flops(int threads) {
    codegen::ProbeOptions options;
    options.thread_counts = {threads};
    auto probe = codegen::probe_peaks(options);
    return probe ? probe->threads.at(0).flops_f32.median : 0;
}

void matmul(benchmark::State& state) {
    int threads = static_cast<int>(state.range(0));
    const int n = 2048;
    Compiled ours("matmul", {{"M", n}, {"N", n}, {"K", n}}, true);
    std::vector<float> result(static_cast<std::size_t>(n) * n);
    const auto* a = ours.inputs().at("A").as<float>();
    const auto* b = ours.inputs().at("B").as<float>();
    openblas_set_num_threads(threads);
    const double flops = 2.0 * n * n * n;
    for (auto _ : state) {
        double peak_before = peak_flops(threads);
        auto turns = in_turns(
            9, [&] { ours.run(threads); },
            [&] {
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0,
                            result.data(), n);
            });
        double peak = std::max(peak_before, peak_flops(threads));
        std::vector<double> against_blas, against_peak, blas_peak;
        for (std::size_t i = 0; i < turns.ours.size(); ++i) {
            against_blas.push_back(turns.peer[i] / turns.ours[i]);
            against_peak.push_back(flops / turns.ours[i] / peak);
            blas_peak.push_back(flops / turns.peer[i] / peak);
        }
        report(state, "speed_vs_openblas", spread_of(against_blas));
        report(state, "share_of_fma_peak", spread_of(against_peak));
        report(state, "openblas_share_of_peak", spread_of(blas_peak));
        state.counters["gflops"] = flops / spread_of(turns.ours).median / 1e9;
        state.counters["fma_peak_gflops"] = peak / 1e9;
    }
}
BENCHMARK(matmul)
    ->Arg(1)
    ->Arg(all_threads())
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->Name("matmul_2048_f32/threads");

// Copies `size` bytes from one array to another with all threads: the peer of streaming programs. A
// copy of n bytes moves 2n.
class Copier {
public:
    explicit Copier(std::size_t size) : from_(size, 1), to_(size, 2) {}
    void run(int threads) {
        std::vector<std::thread> pool;
        auto share = from_.size() / static_cast<std::size_t>(threads);
        for (int t = 1; t < threads; ++t)
            pool.emplace_back(
                [this, t, share] { part(static_cast<std::size_t>(t) * share, share); });
        part(0, share);
        for (auto& thread : pool)
            thread.join();
    }

private:
    void part(std::size_t begin, std::size_t size) {
        std::memcpy(to_.data() + begin, from_.data() + begin, size);
        benchmark::DoNotOptimize(to_.data());
    }
    std::vector<char> from_, to_;
};

void image(benchmark::State& state, const std::string& name) {
    int threads = static_cast<int>(state.range(0));
    Compiled ours(name, {}, true);
    const std::size_t size = std::size_t{128} << 20;
    Copier copier(size);
    for (auto _ : state) {
        auto turns = in_turns(9, [&] { ours.run(threads); }, [&] { copier.run(threads); });
        std::vector<double> times;
        for (std::size_t i = 0; i < turns.ours.size(); ++i) {
            double bandwidth = 2.0 * static_cast<double>(size) / turns.peer[i];
            times.push_back(turns.ours[i] / (ours.compulsory_bytes() / bandwidth));
        }
        report(state, "times_compulsory_traffic", spread_of(times));
        state.counters["ms"] = spread_of(turns.ours).median * 1e3;
        state.counters["copy_gbytes_per_s"] =
            2.0 * static_cast<double>(size) / spread_of(turns.peer).median / 1e9;
    }
}

// The share of the measured peak of fused multiply-adds that a program's operations take. Of
// products with a triangular operand those of the triangle count, in blocks where the program has
// it so.
void arithmetic(benchmark::State& state, const std::string& name) {
    int threads = static_cast<int>(state.range(0));
    Compiled ours(name, {}, true);
    const double flops = ours.flops();
    for (auto _ : state) {
        double peak = peak_flops(threads);
        ours.run(threads);
        std::vector<double> seconds, shares;
        for (int i = 0; i < 9; ++i)
            seconds.push_back(seconds_of([&] { ours.run(threads); }));
        peak = std::max(peak, peak_flops(threads));
        for (double taken : seconds)
            shares.push_back(flops / taken / peak);
        report(state, "share_of_fma_peak", spread_of(shares));
        // Others on the machine only ever make a run longer.
        state.counters["share_of_fma_peak_fastest"] =
            *std::max_element(shares.begin(), shares.end());
        state.counters["ms"] = spread_of(seconds).median * 1e3;
        state.counters["gflops"] = flops / spread_of(seconds).median / 1e9;
        state.counters["fma_peak_gflops"] = peak / 1e9;
    }
}

// Programs that spend their time on products of matrices, and those that spend it on pictures.
const int registered = [] {
    auto of_each_count = [](benchmark::internal::Benchmark* benchmark) {
        benchmark->Arg(1)->Arg(all_threads())->Iterations(1)->Unit(benchmark::kMillisecond);
    };
    for (const char* name : {"attention",
                             "attention_f16",
                             "batch_matmul_qk_f16",
                             "batch_matmul_sv_f16",
                             "conv2d",
                             "conv2d_f16",
                             "conv3d_f16",
                             "conv_relu",
                             "depthwise_separable",
                             "doitgen",
                             "gemm",
                             "matmul",
                             "matmul_bf16",
                             "matmul_bias_relu_f16",
                             "matmul_f16",
                             "matmul_f16_nt",
                             "matmul_residual_f16",
                             "syr2k",
                             "syrk",
                             "three_matmul",
                             "trmm",
                             "vdsr"})
        of_each_count(benchmark::RegisterBenchmark(
            (std::string("arithmetic/") + name).c_str(),
            [name](benchmark::State& state) { arithmetic(state, name); }));
    for (const char* name : {"argmax_rows",
                             "bilateral_grid",
                             "bilateral_guided_upsampling",
                             "blur",
                             "camera_pipe",
                             "cumulative_sum",
                             "depthwise_conv2d",
                             "harris",
                             "histogram_equalise",
                             "iir_blur",
                             "interpolate",
                             "layer_norm",
                             "lens_blur",
                             "local_laplacian",
                             "max_filter",
                             "non_local_means",
                             "pyramid_blend",
                             "softmax",
                             "stencil_chain",
                             "unsharp"})
        of_each_count(
            benchmark::RegisterBenchmark((std::string("image/") + name).c_str(),
                                         [name](benchmark::State& state) { image(state, name); }));
    return 0;
}();

} // namespace
} // namespace loopscope::bench
