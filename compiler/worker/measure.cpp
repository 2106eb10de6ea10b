// measure: compiles a scheduled pipeline and times whole executions of it.
//
// After a warm-up, samples are taken until the median's 95 % confidence interval is within 2 % on either side, or the
// budget ends. A sample is one execution, or the mean of several where one is too short for the clock.
#include "compiler/measure/run_plan.h"
#include "compiler/measure/statistics.h"
#include "compiler/run/random_inputs.h"
#include "compiler/worker/check.h"
#include "compiler/worker/execution.h"
#include "compiler/worker/work_count.h"

#include "compiler/measure/host_device.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>

namespace loopscope::worker {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double kDefaultBudgetSeconds = 5;
constexpr double kWantedHalfWidth = 0.02; // of the median
constexpr double kShortestSampleSeconds = 20e-6;
constexpr std::size_t kLeastSamples = 10;
constexpr double kLeastSeconds = 0.25; // a machine's mood of a moment is not its speed
constexpr std::size_t kMostSamples = 20000;
constexpr double kReportSeconds = 0.2;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Timing {
public:
    Timing(const codegen::HostProgram& code, const Execution& execution, int threads, double budget,
           const Context& context)
        : code_(code),
          execution_(execution),
          threads_(threads),
          budget_(budget),
          context_(context) {}

    Status run() {
        if (auto warm = warm_up(); !warm)
            return warm;
        if (!samples_.empty())
            return success();
        const auto begin = Clock::now();
        auto reported = begin;
        std::size_t next_judgement = kLeastSamples;
        for (;;) {
            if (context_.cancelled())
                return cancelled_error();
            auto sample = time_once();
            if (!sample)
                return sample.errors();
            samples_.push_back(*sample);
            // Judged ever more rarely: sorting must not take the budget.
            if (samples_.size() >= next_judgement) {
                next_judgement = samples_.size() + samples_.size() / 4;
                if (since(begin) >= kLeastSeconds &&
                    measure::summarise(samples_).relative_half_width() <= kWantedHalfWidth)
                    return success();
            }
            if (since(begin) >= budget_ || samples_.size() >= kMostSamples)
                return success();
            if (since(reported) > kReportSeconds) {
                reported = Clock::now();
                report(since(begin));
            }
        }
    }

    const std::vector<double>& samples() const { return samples_; }
    int executions_per_sample() const { return executions_per_sample_; }

private:
    // The first execution touches fresh memory and starts threads; clocks and caches settle in the next ones.
    Status warm_up() {
        context_.progress("warm-up", "running without timing");
        const auto begin = Clock::now();
        double least = 0;
        for (int i = 0; i < 2 || (i < 1000 && since(begin) < measure::warm_up_seconds(budget_));
             ++i) {
            if (context_.cancelled())
                return cancelled_error();
            auto sample = time_once();
            if (!sample)
                return sample.errors();
            least = i == 0 ? *sample : std::min(least, *sample);
            if (since(begin) <= budget_)
                continue;
            // One execution takes longer than the whole budget: its cold start is nothing beside that, and it is the
            // sample. Otherwise time is left for one that starts warm.
            if (i == 0)
                samples_.push_back(*sample);
            break;
        }
        if (least < kShortestSampleSeconds)
            executions_per_sample_ =
                static_cast<int>(std::ceil(kShortestSampleSeconds / std::max(least, 1e-8)));
        return success();
    }

    Result<double> time_once() {
        const auto start = Clock::now();
        for (int i = 0; i < executions_per_sample_; ++i)
            if (auto done = code_.run(execution_.pointers(), threads_); !done)
                return done.errors();
        return since(start) / executions_per_sample_;
    }

    void report(double elapsed) const {
        char text[96];
        auto summary = measure::summarise(samples_);
        std::snprintf(text, sizeof text, "%zu samples, median %.4g ms", samples_.size(),
                      summary.median * 1e3);
        context_.progress("measure", text, std::min(1.0, elapsed / budget_));
    }

    const codegen::HostProgram& code_;
    const Execution& execution_;
    const int threads_;
    const double budget_;
    const Context& context_;
    int executions_per_sample_ = 1;
    std::vector<double> samples_;
};

Result<std::map<std::string, Buffer>> random_inputs(const Pipeline& pipeline, std::uint64_t seed) {
    std::map<std::string, Buffer> inputs;
    for (const auto& stage : pipeline.stages) {
        if (!stage.is_input)
            continue;
        std::vector<std::int64_t> extents;
        for (const auto& extent : stage.extents)
            extents.push_back(extent.hint());
        seed = combine(seed, hash_of(stage.name));
        // Reals of moderate size: denormals and infinities take other paths through some processors.
        auto buffer =
            random_buffer(stage.types.front(), std::move(extents), seed, RandomMode::Reals);
        if (!buffer)
            return buffer.errors();
        inputs.emplace(stage.name, std::move(*buffer));
    }
    return inputs;
}

json answer_of(const Timing& timing, const WorkCount& work, int threads,
               const CompiledProgram& compiled) {
    auto summary = measure::summarise(timing.samples());
    json answer{{"median_s", summary.median},
                {"min_s", summary.least},
                {"ci95_s", nullptr},
                {"samples", summary.samples},
                {"executions_per_sample", timing.executions_per_sample()},
                {"threads", threads},
                {"device", measure::read_host().description},
                {"flops", work.flops},
                {"flops_exact", work.flops_exact},
                {"bytes", work.bytes},
                {"gflops", nullptr},
                {"gbytes_per_s", nullptr},
                {"seconds_compile", compiled.seconds}};
    add_warnings(answer, compiled.scalar_loops);
    if (summary.ci95)
        answer["ci95_s"] = {summary.ci95->first, summary.ci95->second};
    if (work.flops > 0)
        answer["gflops"] = work.flops / summary.median * 1e-9;
    if (work.bytes > 0)
        answer["gbytes_per_s"] = work.bytes / summary.median * 1e-9;
    return answer;
}

} // namespace

Result<json> serve_measure(const json& arguments, const Context& context) {
    if (auto target = check_target(arguments); !target)
        return target.errors();
    if (is_device_target(arguments.value("target", "cpu")))
        return error(
            "an interpreter has no time to measure",
            "`check --target simt` says whether the kernels are right, `estimate` how long "
            "they would take");
    auto loaded = load_program(arguments);
    if (!loaded)
        return loaded.errors();
    context.progress("compile", "compiling");
    auto compiled = compile_program(*loaded);
    if (!compiled)
        return compiled.errors();
    auto request = check_request(arguments);
    json checked;
    if (arguments.value("check", false)) {
        auto result = check_program(*loaded, *compiled, request, context);
        if (!result)
            return result.errors();
        checked = std::move(*result);
    }
    auto work = count_work(*loaded->pipeline);
    if (!work)
        return work.errors();
    auto inputs = random_inputs(*loaded->pipeline, request.seed);
    if (!inputs)
        return inputs.errors();
    auto execution = Execution::prepare(compiled->program, *inputs);
    if (!execution)
        return execution.errors();
    const double budget = arguments.value("budget_s", kDefaultBudgetSeconds);
    Timing timing(*compiled->code, *execution, request.threads, budget, context);
    if (auto done = timing.run(); !done)
        return done.errors();
    auto answer = answer_of(timing, *work, request.threads, *compiled);
    answer["seed"] = request.seed;
    if (!checked.is_null())
        answer["check"] = std::move(checked);
    return answer;
}

} // namespace loopscope::worker
