// probe: measures the host's peaks and gives its description with them.
#include "compiler/codegen/host/host_program.h"
#include "compiler/codegen/host/peak_kernels.h"
#include "compiler/codegen/host/runtime.h"
#include "compiler/measure/host_device.h"
#include "compiler/measure/kept_files.h"
#include "compiler/measure/requests.h"
#include "compiler/run/buffer.h"
#include "compiler/worker/context.h"
#include "compiler/worker/working_sets.h"
#include "core/base/memory_limit.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace loopscope::worker {

using device::CacheLevel;
using device::Device;
using device::Figure;
using nlohmann::json;

namespace {

constexpr int kParallelRuns = 301;

// The same kernels on one core, and on all.
struct ProbePart {
    codegen::ProbeOptions options;
    std::string remark; // where memory is short of what the figures should be of
};

ProbePart part_of(const Device& host, int threads) {
    const auto sets = working_sets(host, threads, available_memory());
    ProbePart part;
    part.options.thread_counts = {threads};
    part.options.working_sets = sets.bytes;
    part.remark = sets.remark;
    return part;
}

// The share of the whole probe that its parts take; the rest is for starting parallel loops.
constexpr double kOfParts = 0.97;

// Says what it is at, and which share of the whole probe is done: `begin` to `end` are this part's.
Result<codegen::ThreadsProbe> probed(ProbePart part, const std::string& text, double begin,
                                     double end, const Context& context) {
    context.progress("probe", text, begin);
    part.options.on_progress = [&](double share) {
        context.progress("probe", text, begin + (end - begin) * share);
        return !context.cancelled();
    };
    auto probe = codegen::probe_peaks(part.options);
    if (context.cancelled())
        return cancelled_error();
    if (!probe)
        return probe.errors();
    return probe->threads.front();
}

// One of the description's two columns: one core, or all cores.
void fill(Device& host, const codegen::ThreadsProbe& probe, const std::string& source, bool all) {
    // The greatest of the repetitions: a ceiling, and whatever else the machine does only lowers a
    // rate.
    auto figure = [&](const codegen::Rate& rate) { return Figure{rate.greatest, source}; };
    auto& flops = all ? host.flops_per_second_all : host.flops_per_second;
    flops[ScalarType::F32] = figure(probe.flops_f32);
    flops[ScalarType::F64] = figure(probe.flops_f64);
    for (std::size_t level = 0; level < host.caches.size(); ++level) {
        auto& cache = host.caches[level];
        (all ? cache.bytes_per_second_all : cache.bytes_per_second) =
            figure(probe.bandwidth[level].read);
    }
    // What moves: an ordinary store moves a line more, which it fetches first.
    const auto& memory = probe.bandwidth.back();
    (all ? host.memory_bytes_per_second_all : host.memory_bytes_per_second) =
        figure(memory.streamed.greatest > memory.copy.greatest ? memory.streamed : memory.copy);
}

// parallel for i in 0..tasks { for j in 0..kTaskSteps { out[i*16] = out[i*16] + 1 } }: tasks of
// some 20 µs, each on a cache line of its own.
lower::Program parallel_tasks(int tasks) {
    constexpr int kTaskSteps = 20'000;
    auto whole = [](int value) { return constant_int(ScalarType::I32, value); };
    lower::Argument out;
    out.buffer = "out";
    out.role = lower::Role::Output;
    out.type = ScalarType::F32;
    out.extents = out.window = {Extent(tasks * 16)};
    out.mins = {0};
    auto place = binary(Op::Multiply, variable("i"), whole(16));
    auto next =
        binary(Op::Add, load("out", ScalarType::F32, {place}), constant_float(ScalarType::F32, 1));
    auto steps = lower::for_loop({}, "j", whole(0), whole(kTaskSteps), lower::ForKind::Serial,
                                 lower::store({}, "out", {place}, next));
    lower::Launch launch;
    launch.name = "parallel_overhead";
    launch.arguments = {"out"};
    launch.body = lower::for_loop({}, "i", whole(0), whole(tasks), lower::ForKind::Parallel, steps);
    lower::Program program;
    program.name = launch.name;
    program.flat = true;
    program.arguments = {out};
    program.launches = {launch};
    return program;
}

// Seconds of the quickest of many runs: whatever else the machine does makes a run longer, never
// shorter.
Result<double> quickest(const codegen::HostProgram& code, const std::vector<void*>& buffers,
                        int threads) {
    double least = 0;
    for (int i = 0; i < kParallelRuns; ++i) {
        const auto start = std::chrono::steady_clock::now();
        if (auto done = code.run(buffers, threads); !done)
            return done.errors();
        double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        least = i == 0 ? seconds : std::min(least, seconds);
    }
    return least;
}

// How much longer a parallel loop of one task a thread takes than its share of the same loop in one
// thread.
Result<double> parallel_overhead(int threads) {
    auto code = codegen::HostProgram::compile(parallel_tasks(threads));
    if (!code)
        return code.errors();
    auto memory = make_buffer(ScalarType::F32, {std::int64_t(threads) * 16});
    if (!memory)
        return memory.errors();
    auto alone = quickest(**code, {memory->data.data()}, 1);
    auto together = quickest(**code, {memory->data.data()}, threads);
    if (!alone || !together)
        return alone ? together : alone;
    constexpr double kClockSeconds = 1e-7; // below that the difference says nothing
    return std::max(*together - *alone / threads, kClockSeconds);
}

} // namespace

Result<json> serve_probe(const json&, const Context& context) {
    auto host = measure::read_host();
    const auto source = "measured " + measure::today();
    const int all = std::min(codegen::available_threads(), measure::kMaxThreads);
    const auto alone = part_of(host, 1), side_by_side = part_of(host, all);
    const double first = expected_seconds(alone.options);
    const double second = all > 1 ? expected_seconds(side_by_side.options) : 0;
    const double middle = kOfParts * first / (first + second);
    auto one = probed(alone, "one core", 0, middle, context);
    if (!one)
        return one.errors();
    fill(host, *one, source + alone.remark, false);
    auto together = all > 1 ? probed(side_by_side, "all cores", middle, kOfParts, context) : one;
    if (!together)
        return together.errors();
    fill(host, *together, source + side_by_side.remark, true);
    context.progress("probe", "starting parallel loops", kOfParts);
    auto overhead = parallel_overhead(all);
    if (!overhead)
        return overhead.errors();
    host.parallel_overhead_seconds = Figure{*overhead, source};
    return device::to_json(host);
}

} // namespace loopscope::worker
