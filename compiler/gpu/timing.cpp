#include "compiler/gpu/timing.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"
#include "compiler/gpu/timer.h"
#include "compiler/measure/run_plan.h"
#include "compiler/measure/statistics.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/clock.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace loopscope::gpu {

namespace {

constexpr double kWantedHalfWidth = 0.02; // of the median
constexpr double kShortKernelSeconds = 50e-6;
constexpr double kGraphSeconds = 2e-3; // that one replay takes, about
constexpr std::size_t kMaxNodes = 2048;
constexpr std::size_t kLaunchesOfAFill = 8;
constexpr std::size_t kMinSamples = 10, kMaxSamples = 20000;
constexpr std::size_t kSamplesOfKernels = 21;
constexpr double kPartForKernels = 0.1; // of the budget
// Of work in the stream before kernels are timed one by one, and executions at most.
constexpr double kAheadSeconds = 200e-6;
constexpr int kMaxAhead = 64;
constexpr double kMinSeconds = 0.25;
constexpr double kBatchSeconds = 0.02; // of work in the stream at once
constexpr int kMaxOfBatch = 32;

class Timing {
public:
    Timing(const PlanRun& run, const TimingOptions& options)
        : run_(run), session_(run.session()), options_(options), timer_(session_) {}

    Result<PlanTiming> time() {
        out_.cold = options_.cold;
        if (auto ready = prepare(); !ready)
            return ready.errors();
        out_.before = read_clocks(session_.gpu().pci);
        if (auto done = sample(); !done)
            return done.errors();
        if (options_.each_kernel)
            if (auto done = sample_kernels(); !done)
                return done.errors();
        out_.after = read_clocks(session_.gpu().pci);
        return std::move(out_);
    }

private:
    Status prepare() {
        const auto kernels = run_.plan().kernels.size();
        if (auto ready = timer_.prepare(std::max(kMaxOfBatch, static_cast<int>(kernels))); !ready)
            return ready;
        if (auto warm = warm_up(); !warm)
            return warm;
        if (options_.cold) {
            if (auto ready = prepare_flush(); !ready)
                return ready;
            // More launches than fit into the time of a fill would be waited for.
            return kernels > kLaunchesOfAFill ? make_graph() : success();
        }
        if (execution_ >= kShortKernelSeconds * static_cast<double>(kernels))
            return success();
        const double wanted = std::ceil(kGraphSeconds / std::max(execution_, 1e-7));
        const auto most = static_cast<double>(std::max<std::size_t>(1, kMaxNodes / kernels));
        out_.executions_per_sample = static_cast<int>(std::min(wanted, most));
        return make_graph();
    }

    // The driver brings code and arrays to the device with the first launch; clocks rise with the
    // next ones.
    Status warm_up() {
        const auto begin = Clock::now();
        if (auto done = run_.run(options_.watch); !done)
            return done;
        do {
            auto seconds = timer_.one([&] { return run_.launch(); }, options_.watch, run_.text());
            if (!seconds)
                return seconds.errors();
            execution_ = execution_ > 0 ? std::min(execution_, *seconds) : *seconds;
        } while (seconds_since(begin) < measure::warm_up_seconds(options_.budget_seconds));
        return success();
    }

    Status prepare_flush() {
        auto memory = session_.allocate(
            std::max<std::int64_t>(2 * session_.gpu().l2_bytes, 1 << 20), "emptying the L2 cache");
        if (!memory)
            return memory.errors();
        flush_ = std::move(*memory);
        auto seconds = timer_.one([&] { return flush(); }, options_.watch, "emptying the L2 cache");
        if (!seconds)
            return seconds.errors();
        flush_seconds_ = *seconds;
        return success();
    }

    Status flush() const { return session_.fill(flush_.pointer(), 0, flush_.bytes()); }

    Status make_graph() {
        // an old driver: the executions of a sample are launched one by one
        if (!session_.api().graph_instantiate)
            return success();
        if (auto made = graph_.record(session_, [&] { return execute_all(); }); !made)
            return made;
        out_.graph = true;
        return success();
    }

    Status execute_all() const {
        for (int i = 0; i < out_.executions_per_sample; ++i)
            if (auto done = run_.launch(); !done)
                return done;
        return success();
    }

    Status one_sample() const { return out_.graph ? graph_.launch(session_) : execute_all(); }

    Status sample() {
        const auto begin = Clock::now();
        const double each = execution_ * out_.executions_per_sample + flush_seconds_;
        const int batch =
            std::clamp(static_cast<int>(kBatchSeconds / std::max(each, 1e-7)), 1, kMaxOfBatch);
        std::size_t next_judgement = kMinSamples;
        auto watch = options_.watch;
        watch.seconds += 10 * batch * each;
        for (;;) {
            if (options_.watch.cancel && *options_.watch.cancel)
                return coded_error(measure::kCodeCancelled, "cancelled");
            auto seconds = timer_.several(
                batch, [&] { return options_.cold ? flush() : success(); },
                [&] { return one_sample(); }, watch, run_.text());
            if (!seconds)
                return seconds.errors();
            for (double s : *seconds)
                out_.samples.push_back(s / out_.executions_per_sample);
            if (enough(seconds_since(begin), next_judgement))
                return success();
        }
    }

    // What the kernels of an execution stand behind in the stream: else each event would be stamped
    // before its kernel has arrived, and short kernels took as long as a launch.
    Status fill_stream() const {
        if (options_.cold)
            return flush();
        const auto executions =
            std::clamp(static_cast<int>(kAheadSeconds / std::max(execution_, 1e-7)), 1, kMaxAhead);
        for (int i = 0; i < executions; ++i)
            if (auto done = run_.launch(); !done)
                return done;
        return success();
    }

    Status sample_kernels() {
        const auto kernels = run_.plan().kernels.size();
        if (kernels <= 1) {
            out_.kernel_seconds.assign(kernels, measure::summarize(out_.samples).median);
            return success();
        }
        const auto begin = Clock::now();
        std::vector<std::vector<double>> samples(kernels);
        auto watch = options_.watch;
        watch.seconds += 10 * (kMaxAhead + 1) * execution_;
        do {
            if (options_.watch.cancel && *options_.watch.cancel)
                return coded_error(measure::kCodeCancelled, "cancelled");
            std::size_t before = 0, launched = 0;
            auto seconds = timer_.several(
                static_cast<int>(kernels),
                [&] { return before++ == 0 ? fill_stream() : success(); },
                [&] { return run_.launch(launched++); }, watch, run_.text());
            if (!seconds)
                return seconds.errors();
            for (std::size_t k = 0; k < kernels; ++k)
                samples[k].push_back((*seconds)[k]);
        } while (samples.front().size() < kSamplesOfKernels &&
                 seconds_since(begin) < kPartForKernels * options_.budget_seconds);
        for (auto& of_kernel : samples)
            out_.kernel_seconds.push_back(measure::summarize(std::move(of_kernel)).median);
        return success();
    }

    // Judged ever more rarely: sorting must not take the budget.
    bool enough(double elapsed, std::size_t& next_judgement) {
        const auto n = out_.samples.size();
        if (elapsed >= options_.budget_seconds || n >= kMaxSamples)
            return true;
        if (n < next_judgement)
            return false;
        next_judgement = n + n / 4;
        const auto summary = measure::summarize(out_.samples);
        if (options_.report)
            options_.report(n, summary.median, std::min(1.0, elapsed / options_.budget_seconds));
        return elapsed >= kMinSeconds && summary.relative_half_width() <= kWantedHalfWidth;
    }

    const PlanRun& run_;
    const GpuSession& session_;
    const TimingOptions& options_;
    Timer timer_;
    DeviceMemory flush_;
    RecordedGraph graph_;
    double execution_ = 0;     // seconds, the least seen
    double flush_seconds_ = 0; // of one fill
    PlanTiming out_;
};

} // namespace

Result<PlanTiming> time_plan(const PlanRun& run, const TimingOptions& options) {
    return Timing(run, options).time();
}

nlohmann::json to_json(const PlanTiming& timing) {
    const auto summary = measure::summarize(timing.samples);
    nlohmann::json out{
        {"median_s", summary.median},
        {"min_s", summary.least},
        {"ci95_s", nullptr},
        {"samples", summary.samples},
        {"executions_per_sample", timing.executions_per_sample},
        {"graph", timing.graph},
        {"cache", timing.cold ? "cold" : "warm"},
        {"clocks", {{"before", to_json(timing.before)}, {"after", to_json(timing.after)}}}};
    if (summary.ci95)
        out["ci95_s"] = {summary.ci95->first, summary.ci95->second};
    return out;
}

} // namespace loopscope::gpu
