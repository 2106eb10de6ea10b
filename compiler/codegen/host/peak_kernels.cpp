#include "compiler/codegen/host/peak_kernels.h"

#include "compiler/codegen/emit/optimize.h"
#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/peak_module.h"
#include "compiler/codegen/host/runtime.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

namespace loopscope::codegen {

namespace {

using Clock = std::chrono::steady_clock;
using Arithmetic = void (*)(std::int64_t iterations, void* vectors);
using Stream = void (*)(std::int64_t passes, std::int64_t vectors, void* a, void* b);

constexpr std::int64_t kMinWorkingSet = 4096;
constexpr std::int64_t kArraySpacing = 4096; // bytes: whole pages
// Bytes of a stream that take milliseconds from any memory.
constexpr std::int64_t kStreamPart = 64 << 20;

struct Free {
    void operator()(void* p) const { std::free(p); }
};
using Memory = std::unique_ptr<void, Free>;

// Null when there is no memory.
Memory allocated(std::int64_t bytes) {
    return Memory(std::aligned_alloc(
        kArraySpacing,
        static_cast<std::size_t>((bytes + kArraySpacing - 1) / kArraySpacing * kArraySpacing)));
}

Rate rate_of(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return {samples[samples.size() / 2], samples.front(), samples.back()};
}

constexpr double kFilledBytesPerSecond = 1e9; // of memory that is touched for the first time

// Of one kernel with one working set: the samples, one to warm up, and the calibration.
double seconds_of_point(const ProbeOptions& options) {
    return (options.repetitions + 2) * options.seconds_per_repetition;
}

double seconds_of_filling(std::int64_t bytes) {
    return static_cast<double>(bytes) / kFilledBytesPerSecond;
}

// How far a probe is.
class Pace {
public:
    explicit Pace(const ProbeOptions& options)
        : tell_(options.on_progress), expected_(expected_seconds(options)) {}

    // A part is done that was expected to take so long.
    Status pass(double seconds) {
        done_ += seconds;
        if (tell_ && !tell_(std::min(done_ / expected_, 1.0)))
            return error("the probe was ended");
        return success();
    }

private:
    const std::function<bool(double)>& tell_;
    double expected_;
    double done_ = 0;
};

class Prober {
public:
    Prober(Jit& jit, const ProbeOptions& options) : jit_(jit), options_(options), pace_(options) {}

    Status load() {
        for (const char* name : {"fma_f32", "fma_f64", "read", "copy", "streamed"}) {
            auto address = jit_.address(name);
            if (!address)
                return address.errors();
            kernels_.push_back(*address);
        }
        return success();
    }

    Result<ThreadsProbe> with_threads(int threads) {
        ThreadsProbe probe;
        probe.threads = threads;
        probe.flops_f32 = arithmetic(threads, reinterpret_cast<Arithmetic>(kernels_[0]), 4, 1.0f);
        if (auto on = pace_.pass(seconds_of_point(options_)); !on)
            return on.errors();
        probe.flops_f64 = arithmetic(threads, reinterpret_cast<Arithmetic>(kernels_[1]), 8, 1.0);
        if (auto on = pace_.pass(seconds_of_point(options_)); !on)
            return on.errors();
        for (auto working_set : options_.working_sets) {
            auto bandwidth = streams(threads, working_set);
            if (!bandwidth)
                return bandwidth.errors();
            probe.bandwidth.push_back(*bandwidth);
        }
        return probe;
    }

private:
    // A thread's share: does `repeats` units of work.
    using Work = std::function<void(std::int64_t repeats)>;

    template <typename T> Rate arithmetic(int threads, Arithmetic kernel, int element_bytes, T) {
        int lanes = peak_lanes(element_bytes), vectors = 2 + peak_accumulators();
        auto elements = static_cast<std::size_t>(lanes * vectors);
        auto prepare = [&](int) -> Work {
            auto data =
                std::shared_ptr<void>(allocated(static_cast<std::int64_t>(elements * sizeof(T))));
            auto* values = static_cast<T*>(data.get());
            std::fill_n(values, elements, T(1));
            std::fill_n(values, lanes,
                        T(0.999)); // factor and addend that keep the accumulators near 1
            std::fill_n(values + lanes, lanes, T(0.001));
            return [data, kernel](std::int64_t repeats) { kernel(repeats, data.get()); };
        };
        return measure(threads, prepare, 2.0 * lanes * peak_accumulators());
    }

    // A thread's memory for the streams of one working set, and how many bytes they went through.
    struct Block {
        Memory memory;
        std::int64_t passed = 0;
    };

    Result<BandwidthProbe> streams(int threads, std::int64_t working_set) {
        if (working_set < kMinWorkingSet)
            return error("a working set of " + std::to_string(working_set) +
                             " bytes is too small to measure bandwidth",
                         "at least 4096");
        BandwidthProbe probe;
        probe.working_set = working_set;
        std::vector<Block> blocks(static_cast<std::size_t>(threads));
        for (Block& block : blocks) {
            const std::int64_t bytes = working_set + 2 * kArraySpacing; // room between two arrays
            block.memory = allocated(bytes);
            if (!block.memory)
                return error("no memory for a working set of " + std::to_string(working_set) +
                             " bytes");
            fill_with_numbers(static_cast<float*>(block.memory.get()),
                              bytes / std::int64_t{sizeof(float)});
            if (auto on = pace_.pass(seconds_of_filling(working_set)); !on)
                return on.errors();
        }
        struct Kernel {
            std::size_t number;
            int arrays;
            Rate BandwidthProbe::* rate;
        };
        for (const auto& kernel : {Kernel{2, 1, &BandwidthProbe::read},
                                   {3, 2, &BandwidthProbe::copy},
                                   {4, 2, &BandwidthProbe::streamed}}) {
            probe.*kernel.rate = stream(blocks, kernel.number, kernel.arrays, working_set);
            if (auto on = pace_.pass(seconds_of_point(options_)); !on)
                return on.errors();
        }
        return probe;
    }

    // Lines of zeros travel faster than others on some machines: a third faster where this was met.
    static void fill_with_numbers(float* values, std::int64_t count) {
        constexpr std::int64_t kPeriod = 251 * 64;
        const auto first = std::min(count, kPeriod);
        for (std::int64_t i = 0; i < first; ++i)
            values[i] = 1 + static_cast<float>(i % 251) / 256;
        for (std::int64_t i = first; i < count; i += kPeriod)
            std::copy_n(values, std::min(kPeriod, count - i), values + i);
    }

    // A long array is gone through in parts, each sample the next one, and a kernel begins behind
    // the bytes that the one before went through: a part comes from where passes over all of the
    // memory would find it, in a fraction of their time.
    Rate stream(std::vector<Block>& blocks, std::size_t kernel_number, int arrays,
                std::int64_t working_set) {
        const auto kernel = reinterpret_cast<Stream>(kernels_[kernel_number]);
        const std::int64_t vector_bytes = host_info().vector_bits / 8;
        const std::int64_t unit = vector_bytes * kStreamUnroll;
        const std::int64_t parts = std::max<std::int64_t>(working_set / kStreamPart, 1);
        const std::int64_t part =
            std::max<std::int64_t>(working_set / arrays / parts / unit, 1) * unit;
        // The second array lies a cache line behind in its sets, so that they do not evict each
        // other.
        const std::int64_t spacing =
            (part * parts + kArraySpacing - 1) / kArraySpacing * kArraySpacing + 256;
        auto prepare = [&](int thread) -> Work {
            Block& block = blocks[static_cast<std::size_t>(thread)];
            auto* first = static_cast<char*>(block.memory.get());
            return [=, &block](std::int64_t repeats) {
                // All passes at once where there is one part.
                const std::int64_t calls = parts == 1 ? 1 : repeats;
                for (std::int64_t call = 0; call < calls; ++call) {
                    auto* a = first + block.passed / part % parts * part;
                    kernel(parts == 1 ? repeats : 1, part / vector_bytes, a,
                           arrays > 1 ? a + spacing : a);
                    block.passed += part;
                }
            };
        };
        return measure(static_cast<int>(blocks.size()), prepare,
                       static_cast<double>(part) * arrays);
    }

    // Units per second of all threads together, when each does `units` per repeat.
    Rate measure(int threads, const std::function<Work(int)>& prepare, double units) {
        std::int64_t repeats = calibrate(prepare(0));
        std::vector<double> samples;
        std::vector<Clock::time_point> begins(static_cast<std::size_t>(threads)), ends(begins);
        std::barrier start(threads), finish(threads);
        auto run = [&](int thread) {
            auto work = prepare(thread);
            auto t = static_cast<std::size_t>(thread);
            for (int sample = 0; sample <= options_.repetitions; ++sample) {
                start.arrive_and_wait();
                begins[t] = Clock::now();
                work(repeats);
                ends[t] = Clock::now();
                finish.arrive_and_wait();
                if (thread == 0 && sample > 0) // the first warms up
                    samples.push_back(units * static_cast<double>(repeats) * threads /
                                      span(begins, ends));
            }
        };
        std::vector<std::jthread> others;
        for (int t = 1; t < threads; ++t)
            others.emplace_back(run, t);
        run(0);
        return rate_of(samples);
    }

    static double span(const std::vector<Clock::time_point>& begins,
                       const std::vector<Clock::time_point>& ends) {
        auto begin = *std::min_element(begins.begin(), begins.end());
        auto end = *std::max_element(ends.begin(), ends.end());
        return std::max(std::chrono::duration<double>(end - begin).count(), 1e-9);
    }

    std::int64_t calibrate(const Work& work) {
        for (std::int64_t repeats = 1;; repeats *= 2) {
            auto begin = Clock::now();
            work(repeats);
            double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
            if (seconds > options_.seconds_per_repetition / 4) {
                double wanted =
                    static_cast<double>(repeats) * options_.seconds_per_repetition / seconds;
                return std::max<std::int64_t>(static_cast<std::int64_t>(wanted), 1);
            }
        }
    }

    Jit& jit_;
    const ProbeOptions& options_;
    Pace pace_;
    std::vector<void*> kernels_;
};

Result<std::unique_ptr<Jit>> peak_kernels() {
    auto jit = Jit::create();
    if (!jit)
        return jit.errors();
    llvm::LLVMContext context;
    auto module = (*jit)->new_module(context, "peaks");
    build_peak_kernels(*module);
    verify_module(*module);
    (*jit)->optimize(*module);
    if (auto status = (*jit)->generate(*module); !status)
        return status.errors();
    if (auto status = (*jit)->link(); !status)
        return status.errors();
    return jit;
}

std::vector<int> counts_of(const ProbeOptions& options) {
    if (!options.thread_counts.empty())
        return options.thread_counts;
    return available_threads() > 1 ? std::vector{1, available_threads()} : std::vector{1};
}

} // namespace

double expected_seconds(const ProbeOptions& options) {
    double seconds = 0;
    for (int threads : counts_of(options)) {
        seconds += 2 * seconds_of_point(options);
        for (auto bytes : options.working_sets)
            seconds += seconds_of_filling(bytes) * threads + 3 * seconds_of_point(options);
    }
    return seconds;
}

Result<ProbeResult> probe_peaks(const ProbeOptions& options) {
    const auto counts = counts_of(options);
    if (*std::min_element(counts.begin(), counts.end()) < 1 || options.repetitions < 1 ||
        options.seconds_per_repetition <= 0)
        return error("thread counts, repetitions and seconds of a probe must be positive");
    auto jit = peak_kernels();
    if (!jit)
        return jit.errors();
    Prober prober(**jit, options);
    if (auto status = prober.load(); !status)
        return status.errors();
    ProbeResult result;
    result.cpu = host_info().cpu;
    result.vector_bits = host_info().vector_bits;
    result.fused = host_info().has("fma");
    for (int threads : counts) {
        auto probe = prober.with_threads(threads);
        if (!probe)
            return probe.errors();
        result.threads.push_back(std::move(*probe));
    }
    return result;
}

} // namespace loopscope::codegen
