// measure: compiles a scheduled pipeline and times whole executions of it.
//
// After a warm-up, samples are taken until the median's 95 % confidence interval is within 2 % on
// either side, or the budget ends. A sample is one execution, or the mean of several where one is
// too short for the clock.
#include "compiler/measure/other_work.h"
#include "compiler/measure/run_plan.h"
#include "compiler/measure/statistics.h"
#include "compiler/measure/targets.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/server/arguments.h"
#include "compiler/worker/check.h"
#include "compiler/worker/execution.h"
#include "compiler/worker/measure_gpu.h"
#include "compiler/worker/opencl_execution.h"
#include "compiler/worker/work_count.h"
#include "core/base/clock.h"

#include "compiler/measure/host_device.h"
#include "core/base/number_text.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <functional>

namespace loopscope::worker {

using nlohmann::json;
namespace {

constexpr double kDefaultBudgetSeconds = 5;
constexpr double kWantedHalfWidth = 0.02; // of the median
constexpr double kShortestSampleSeconds = 20e-6;
constexpr std::size_t kMinSamples = 10;
constexpr double kMinSeconds = 0.25; // a machine's mood of a moment is not its speed
constexpr std::size_t kMaxSamples = 20000;
constexpr double kReportSeconds = 0.2;

// Runs a program so many times, one execution after another: the mean of their seconds.
using Execute = std::function<Result<double>(int executions)>;

class Timing {
public:
    Timing(Execute execute, double budget, const Context& context)
        : execute_(std::move(execute)), budget_(budget), context_(context) {}

    Status run() {
        if (auto warm = warm_up(); !warm)
            return warm;
        if (!samples_.empty())
            return success();
        const auto begin = Clock::now();
        auto reported = begin;
        std::size_t next_judgement = kMinSamples;
        for (;;) {
            if (context_.cancelled())
                return cancelled_error();
            auto sample = execute_(executions_per_sample_);
            if (!sample)
                return sample.errors();
            samples_.push_back(*sample);
            // Judged ever more rarely: sorting must not take the budget.
            if (samples_.size() >= next_judgement) {
                next_judgement = samples_.size() + samples_.size() / 4;
                if (seconds_since(begin) >= kMinSeconds &&
                    measure::summarize(samples_).relative_half_width() <= kWantedHalfWidth)
                    return success();
            }
            if (seconds_since(begin) >= budget_ || samples_.size() >= kMaxSamples)
                return success();
            if (seconds_since(reported) > kReportSeconds) {
                reported = Clock::now();
                report(seconds_since(begin));
            }
        }
    }

    const std::vector<double>& samples() const { return samples_; }
    int executions_per_sample() const { return executions_per_sample_; }

private:
    // The first execution touches fresh memory and starts threads; clocks and caches settle in the
    // next ones.
    Status warm_up() {
        context_.progress("warm-up", "running without timing");
        const auto begin = Clock::now();
        double least = 0;
        for (int i = 0;
             i < 2 || (i < 1000 && seconds_since(begin) < measure::warm_up_seconds(budget_)); ++i) {
            if (context_.cancelled())
                return cancelled_error();
            auto sample = execute_(1);
            if (!sample)
                return sample.errors();
            least = i == 0 ? *sample : std::min(least, *sample);
            if (seconds_since(begin) <= budget_)
                continue;
            // One execution takes longer than the whole budget: its cold start is nothing beside
            // that, and it is the sample. Otherwise time is left for one that starts warm.
            if (i == 0)
                samples_.push_back(*sample);
            break;
        }
        if (least < kShortestSampleSeconds)
            executions_per_sample_ =
                static_cast<int>(std::ceil(kShortestSampleSeconds / std::max(least, 1e-8)));
        return success();
    }

    void report(double elapsed) const {
        const auto text = std::to_string(samples_.size()) + " samples, median " +
                          general_text(measure::summarize(samples_).median * 1e3, 4) + " ms";
        context_.progress("measure", text, std::min(1.0, elapsed / budget_));
    }

    const Execute execute_;
    const double budget_;
    const Context& context_;
    int executions_per_sample_ = 1;
    std::vector<double> samples_;
};

// What is timed, and of what: code of this processor, or kernels through OpenCL.
struct Timed {
    Execute execute;
    int threads = 1;
    std::string device;
    std::optional<Execution> execution;    // what `execute` runs on
    std::optional<OpenclExecution> opencl; // likewise
};

Result<std::unique_ptr<Timed>> timed_on_host(const CompiledProgram& compiled,
                                             const std::map<std::string, Buffer>& inputs,
                                             int threads) {
    auto timed = std::make_unique<Timed>();
    auto execution = Execution::prepare(compiled.program, inputs);
    if (!execution)
        return execution.errors();
    timed->execution = std::move(*execution);
    timed->threads = threads;
    timed->device = measure::read_host().description;
    timed->execute = [&, on = timed.get()](int executions) -> Result<double> {
        const auto start = Clock::now();
        for (int i = 0; i < executions; ++i)
            if (auto done = compiled.code->run(on->execution->pointers(), on->threads); !done)
                return done.errors();
        return seconds_since(start) / executions;
    };
    return timed;
}

// By the device's clock: what passes between the processes is not in it.
Result<std::unique_ptr<Timed>> timed_on_opencl(const LoadedProgram& loaded,
                                               const CompiledProgram& compiled,
                                               const std::map<std::string, Buffer>& inputs,
                                               const Context& context) {
    auto timed = std::make_unique<Timed>();
    auto prepared = OpenclExecution::prepare(opencl_client(), compiled.program, *compiled.kernels,
                                             loaded.kernels_until, context, loaded.number);
    if (!prepared)
        return prepared.errors();
    timed->opencl = std::move(*prepared);
    if (auto filled = timed->opencl->run(inputs); !filled)
        return filled.errors();
    timed->threads = static_cast<int>(timed->opencl->device().units);
    timed->device = timed->opencl->device().name;
    timed->execute = [on = timed.get()](int executions) -> Result<double> {
        auto seconds = on->opencl->repeat(executions);
        if (!seconds)
            return seconds.errors();
        return *seconds / executions;
    };
    return timed;
}

json answer_of(const Timing& timing, const WorkCount& work, const Timed& timed,
               const CompiledProgram& compiled) {
    auto summary = measure::summarize(timing.samples());
    json answer{{"median_s", summary.median},
                {"min_s", summary.least},
                {"ci95_s", nullptr},
                {"samples", summary.samples},
                {"executions_per_sample", timing.executions_per_sample()},
                {"threads", timed.threads},
                {"device", timed.device},
                {"seconds_compile", compiled.seconds}};
    add_warnings(answer, compiled.scalar_loops);
    if (summary.ci95)
        answer["ci95_s"] = {summary.ci95->first, summary.ci95->second};
    add_rates(answer, work, summary.median);
    return answer;
}

} // namespace

Result<json> serve_measure(const json& arguments, const Context& context) {
    if (auto target = check_target(arguments); !target)
        return target.errors();
    const auto target = measure::read_target(arguments.value("target", "cpu"))->kind;
    if (target == "cuda")
        return measure_on_gpu(arguments, context);
    if (target == "simt")
        return error(
            "an interpreter has no time to measure",
            "`check --target simt` says whether the kernels are right, `estimate` how long they "
            "would take, `measure --target cuda` how long they take on a GPU, and `--target "
            "opencl` through OpenCL");
    if (arguments.contains("cache"))
        return error("`--cache` is for GPUs: of a processor's caches nothing is emptied",
                     "leave it out, or measure with `--target cuda`");
    auto loaded = load_program(arguments);
    if (!loaded)
        return loaded.errors();
    context.progress("compile", "compiling");
    auto compiled = compile_program(*loaded);
    if (!compiled)
        return compiled.errors();
    auto request = check_request(arguments);
    json checked;
    if (compiled->kernels || arguments.value("check", false)) {
        if (compiled->kernels) // nobody asked for the check: it does not take the time
            request.most_work = kReferenceFlops;
        auto result = check_program(*loaded, *compiled, request, context);
        if (!result)
            return result.errors();
        if (result->at("status") != "right")
            return json{{"median_s", nullptr},
                        {"seed", request.seed},
                        {"seconds_compile", compiled->seconds},
                        {"check", std::move(*result)}};
        checked = std::move(*result);
    }
    auto work = count_work(*loaded->pipeline);
    if (!work)
        return work.errors();
    // Reals of moderate size: denormals and infinities take other paths through some processors.
    auto inputs = random_inputs(*loaded->pipeline, request.seed, RandomMode::Reals);
    if (!inputs)
        return inputs.errors();
    auto timed = compiled->kernels ? timed_on_opencl(*loaded, *compiled, *inputs, context)
                                   : timed_on_host(*compiled, *inputs, request.threads);
    if (!timed)
        return timed.errors();
    const double budget = seconds_or(arguments, "budget_s", kDefaultBudgetSeconds);
    Timing timing((*timed)->execute, budget, context);
    const measure::OtherWork others;
    if (auto done = timing.run(); !done)
        return done.errors();
    auto answer = answer_of(timing, *work, **timed, *compiled);
    // What OpenCL runs on may be a process of its own, whose work is ours.
    const auto busy = compiled->kernels ? std::nullopt : others.cores();
    answer["other_work_cores"] = busy ? json(*busy) : json();
    answer["seed"] = request.seed;
    if (!checked.is_null())
        answer["check"] = std::move(checked);
    return answer;
}

} // namespace loopscope::worker
