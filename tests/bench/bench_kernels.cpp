// Kernels under their shipped schedules: matmul against OpenBLAS and the measured FMA peak, image programs against the
// time that their compulsory traffic takes at the measured copy bandwidth. All of one line comes from one run.

#include "compiler/codegen/host/peak_kernels.h"
#include "tests/bench/compiled.h"
#include "tests/bench/ratio.h"

#include <cblas.h>

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

// Copies `size` bytes from one array to another with all threads: the peer of streaming programs. A copy of n bytes
// moves 2n.
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

void image(benchmark::State& state, const std::string& name, bool shipped) {
    int threads = static_cast<int>(state.range(0));
    Compiled ours(name, {}, shipped);
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
BENCHMARK_CAPTURE(image, copy, "copy", true)
    ->Arg(1)
    ->Arg(all_threads())
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(image, blur, "blur", true)
    ->Arg(1)
    ->Arg(all_threads())
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(image, unsharp, "unsharp", true)
    ->Arg(1)
    ->Arg(all_threads())
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(image, harris, "harris", true)
    ->Arg(1)
    ->Arg(all_threads())
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

} // namespace
} // namespace loopscope::bench
