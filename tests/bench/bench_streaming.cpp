// Programs that only move memory, under their shipped schedules: what they move over the time they
// take, as a share of what a copy by streaming stores reaches. Many short rounds in turns.

#include "tests/bench/compiled.h"
#include "tests/bench/ratio.h"
#include "tests/bench/streaming_copy.h"

#include <algorithm>

namespace loopscope::bench {
namespace {

void streaming(benchmark::State& state, const std::string& name) {
    constexpr int kRounds = 101;
    const int threads = static_cast<int>(state.range(0));
    Compiled ours(name, {}, true);
    StreamingCopy ceiling(std::int64_t{64} << 20);
    for (auto _ : state) {
        auto turns = in_turns(kRounds, [&] { ours.run(threads); }, [&] { ceiling.run(threads); });
        std::vector<double> shares;
        for (std::size_t i = 0; i < turns.ours.size(); ++i)
            shares.push_back(ours.compulsory_bytes() / turns.ours[i] /
                             (ceiling.bytes() / turns.peer[i]));
        auto gbytes = [](double bytes, double seconds) { return bytes / seconds / 1e9; };
        auto least = [](const std::vector<double>& seconds) {
            return *std::min_element(seconds.begin(), seconds.end());
        };
        report(state, "share_of_copy", spread_of(shares));
        // Others on the machine only ever make a round longer.
        state.counters["share_of_copy_fastest"] =
            gbytes(ours.compulsory_bytes(), least(turns.ours)) /
            gbytes(ceiling.bytes(), least(turns.peer));
        state.counters["gbytes_per_s"] =
            gbytes(ours.compulsory_bytes(), spread_of(turns.ours).median);
        state.counters["gbytes_per_s_fastest"] = gbytes(ours.compulsory_bytes(), least(turns.ours));
        state.counters["copy_gbytes_per_s"] = gbytes(ceiling.bytes(), spread_of(turns.peer).median);
        state.counters["copy_gbytes_per_s_fastest"] = gbytes(ceiling.bytes(), least(turns.peer));
    }
}

void each_count_of_threads(benchmark::internal::Benchmark* benchmark) {
    benchmark->Arg(1)->Arg(all_threads())->Iterations(1)->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(streaming, copy, "copy")->Apply(each_count_of_threads);
BENCHMARK_CAPTURE(streaming, mask, "mask")->Apply(each_count_of_threads);
BENCHMARK_CAPTURE(streaming, transpose, "transpose")->Apply(each_count_of_threads);
BENCHMARK_CAPTURE(streaming, transpose_mask, "transpose_mask")->Apply(each_count_of_threads);

} // namespace
} // namespace loopscope::bench
