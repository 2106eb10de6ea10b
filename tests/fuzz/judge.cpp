#include "tests/fuzz/judge.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/host_program.h"
#include "compiler/codegen/opencl/opencl_source.h"
#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "compiler/worker/execution.h"
#include "compiler/worker/opencl_execution.h"
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/fuzz/c_judge.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/schedule_generator.h"
#include "tests/fuzz/trials.h"
#include "tests/support/own_names.h"
#include "tuner/model/estimate.h"

#include <optional>

namespace loopscope::fuzz {

namespace {

// What must not fail did.
Verdict failure(const std::string& what, const Diagnostics& errors) {
    return {Outcome::Failure, what + ": " + format(errors),
            what + (errors.empty() ? "" : " " + errors[0].code)};
}

Verdict interpret(const lower::Program& program, const std::vector<Trial>& trials,
                  const char* path) {
    for (const auto& trial : trials) {
        auto run = run_loop_program(program, trial.inputs);
        if (!run)
            return failure(path, run.errors());
        if (!run->findings.empty())
            return {Outcome::Hazard, std::string(path) + ": " + format(run->findings),
                    std::string(path) + ": " + name(run->findings[0].kind)};
        if (auto verdict = compare_outputs(run->outputs, trial, path); verdict.bad())
            return verdict;
    }
    return {};
}

// `last`: receives the outputs of the last trial.
Verdict run_compiled(const lower::Program& program, const std::vector<Trial>& trials,
                     const std::vector<std::string>& without, Buffers& last) {
    codegen::HostOptions host;
    host.without = without;
    auto compiled = codegen::HostProgram::compile(program, host);
    if (!compiled)
        return failure("code generation", compiled.errors());
    for (const auto& trial : trials) {
        auto execution = worker::Execution::prepare(program, trial.inputs);
        if (!execution)
            return failure("buffers", execution.errors());
        execution->poison();
        if (auto status = (*compiled)->run(execution->pointers(), 2); !status)
            return failure("run", status.errors());
        auto outputs = execution->outputs(program);
        if (!outputs)
            return failure("buffers", outputs.errors());
        if (auto verdict = compare_outputs(*outputs, trial, "compiled program"); verdict.bad())
            return verdict;
        last = std::move(*outputs);
    }
    return {};
}

// Hands the pair on to the judge of exported C.
Verdict hand_on(const lower::Program& built, const lower::LowerOptions& options,
                const std::function<void(ExportedPair)>& exported, std::uint64_t seed,
                const Trial& trial, Buffers outputs) {
    auto program = lower::run_passes(built, lower::c_passes(), options);
    if (!program)
        return failure("passes for C", program.errors());
    if (has_one_result(*program))
        exported({seed, std::move(*program), trial.inputs, std::move(outputs)});
    return {};
}

Verdict interpret_kernels(const lower::Program& program, const std::vector<Trial>& trials,
                          std::uint64_t seed) {
    SimtOptions options;
    options.seed = seed;
    for (const auto& trial : trials) {
        auto run = run_simt_program(program, trial.inputs, options);
        if (!run)
            return failure("kernels", run.errors());
        if (!run->findings.empty())
            return {Outcome::Hazard, "kernels: " + format(run->findings),
                    std::string("kernels: ") + name(run->findings[0].kind)};
        if (auto verdict = compare_outputs(run->outputs, trial, "kernels"); verdict.bad())
            return verdict;
    }
    return {};
}

// A pair's kernels run for milliseconds, their compilation on a busy machine for seconds.
constexpr std::chrono::minutes kOpenclLimit{1};

Verdict run_on_opencl(const lower::Program& program, const std::vector<Trial>& trials,
                      opencl::Client& client) {
    auto kernels = codegen::opencl_program(program);
    if (!kernels &&
        std::all_of(kernels.errors().begin(), kernels.errors().end(), [](const Diagnostic& error) {
            return error.message.starts_with("OpenCL C: it has no ");
        }))
        return {Outcome::NotExpressible, kernels.errors()[0].message};
    if (!kernels)
        return failure("OpenCL C", kernels.errors());
    const std::atomic<bool> never = false;
    const worker::Context quiet([](const measure::Progress&) {}, never);
    auto execution = worker::OpenclExecution::prepare(
        client, program, *kernels, std::chrono::steady_clock::now() + kOpenclLimit, quiet);
    if (!execution)
        return failure("OpenCL", execution.errors());
    for (const auto& trial : trials) {
        auto outputs = execution->run(trial.inputs);
        if (!outputs)
            return failure("OpenCL", outputs.errors());
        if (auto verdict = compare_outputs(*outputs, trial, "OpenCL"); verdict.bad())
            return verdict;
    }
    return {};
}

} // namespace

const device::Device& JudgeOptions::target() const { return gpu ? *gpu : device::generic_gpu(); }

namespace {

// Points, or operations, that are interpreted. A group's instruction has many at once.
double most_interpreted(const JudgeOptions& options) { return options.gpu ? 8e6 : 2e6; }

// Kernels of the tests' sizes have few blocks: of a GPU on which all would run at once none would
// be given a second iteration.
device::Device small_gpu(std::uint64_t seed) {
    auto device = device::generic_gpu();
    device.gpu->multiprocessors = 1 + static_cast<int>(seed % 3);
    device.gpu->limits.blocks_per_multiprocessor = 1;
    return device;
}

Verdict judge_kernels(const ScheduleTree& tree, const std::vector<Trial>& trials,
                      std::uint64_t seed, const JudgeOptions& options) {
    auto built = lower::build_for_device(tree, options.gpu ? *options.gpu : small_gpu(seed));
    if (!built)
        return failure("build for a device", built.errors());
    if (options.plant_built && !options.plant_built(*built, tree))
        return {};
    lower::LowerOptions lowering;
    lowering.verify_each = true;
    lowering.target.vector_bits = options.target().vector_bits;
    lowering.target.bulk_tensor_copies =
        !options.opencl && options.target().gpu->has("bulk_tensor_copy");
    const auto& passes = options.opencl ? lower::device_source_passes() : lower::device_passes();
    auto program = lower::run_passes(*built, passes, lowering);
    if (!program && program.errors()[0].code == "program-too-large")
        return {Outcome::TooLarge, program.errors()[0].message};
    if (!program)
        return failure("passes for a device", program.errors());
    if (options.plant_final && !options.plant_final(*program, tree))
        return {};
    if (options.opencl)
        return run_on_opencl(*program, trials, *options.opencl);
    auto verdict = interpret_kernels(*program, trials, seed);
    if (options.also)
        options.also(*program, tree, [&](const lower::Program& other) {
            return interpret_kernels(other, trials, seed);
        });
    return verdict;
}

// The verdict on what was lowered of a tree; `meant` says what may be reassociated and
// approximated.
Verdict judged(const PipelinePtr& pipeline, const ScheduleTree& meant, const ScheduleTree& tree,
               std::uint64_t seed, const JudgeOptions& options) {
    // Recomputation in nested loops multiplies: a schedule may be right and take hours. The judge
    // has seconds.
    auto work = model::count(tree);
    if (std::max(work.stores, work.flops) >
        (options.interpret || options.inspect || options.on_device ? most_interpreted(options)
                                                                   : 1e8))
        return {Outcome::TooLarge,
                "the schedule computes " + std::to_string(work.stores) + " points"};
    if (options.on_device)
        if (auto reasons = not_runnable(tree, *options.target().gpu); !reasons.empty())
            return {Outcome::NotRunnable, reasons[0].message};
    auto built = options.on_device ? Result<lower::Program>(lower::Program()) : lower::build(tree);
    if (!built)
        return failure("build", built.errors());
    // The verifier would find most of them, and is not what is on trial.
    if (!options.plant_built)
        if (auto found = lower::verify(*built); !found.empty())
            return failure("verify after build", found);
    if (options.inspect)
        options.inspect(tree, *built);
    if (!options.on_device && options.plant_built && !options.plant_built(*built, tree))
        return {};
    lower::LowerOptions lower_options;
    lower_options.verify_each = !options.plant_built;
    lower_options.target.vector_bits = codegen::host_info_without(options.without).vector_bits;
    auto passed = [&] { return lower::run_passes(*built, lower_options); };
    std::optional<Result<lower::Program>> program;
    if (options.plant_final && !options.on_device) {
        program = passed();
        if (!*program || !options.plant_final(**program, tree))
            return {};
    }

    auto marks = worker::marks_of(meant);
    auto approximate = marks.approximated.empty() ? pipeline : approximated(pipeline, meant, marks);
    if (!approximate) {
        Verdict unjudged;
        unjudged.not_held = true;
        return unjudged;
    }
    marks.approximated.clear();
    worker::Tolerance tolerance(*approximate, marks, std::nullopt);
    auto tried = trials(approximate, marks, tolerance, seed);
    if (!tried)
        return failure("the reference", tried.errors());
    if (auto verdict = enclose_the_reference(*tried); verdict.bad())
        return verdict;

    if (options.on_device) {
        auto verdict = judge_kernels(tree, *tried, seed, options);
        for (const auto& trial : *tried)
            if (!trial.hostile)
                (!trial.tolerance ? verdict.in_bits
                 : holds(trial)   ? verdict.within_bound
                                  : verdict.not_held) = true;
        return verdict;
    }
    if (options.interpret)
        if (auto verdict = interpret(*built, *tried, "built program, interpreted"); verdict.bad())
            return verdict;
    if (!options.passes)
        return {};
    if (!program)
        program = passed();
    if (!*program && program->errors()[0].code == "program-too-large")
        return {Outcome::TooLarge, program->errors()[0].message};
    if (!*program)
        return failure("passes", program->errors());
    if (options.interpret)
        if (auto verdict = interpret(**program, *tried, "final program, interpreted");
            verdict.bad())
            return verdict;
    Buffers outputs;
    auto verdict =
        options.compiled ? run_compiled(**program, *tried, options.without, outputs) : Verdict{};
    if (options.exported && !outputs.empty() && !verdict.bad())
        verdict = hand_on(*built, lower_options, options.exported, seed, tried->back(),
                          std::move(outputs));
    for (const auto& trial : *tried)
        if (!trial.hostile)
            (!trial.tolerance ? verdict.in_bits
             : holds(trial)   ? verdict.within_bound
                              : verdict.not_held) = true;
    return verdict;
}

Verdict judged(const Pair& pair, const JudgeOptions& options) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline), {});
    if (!loaded)
        return {Outcome::Rejected, format(loaded.errors())};
    auto pipeline = loaded->pipeline;
    const auto script = options.own_names ? test::in_own_names(pair.schedule) : pair.schedule;
    auto schedule =
        parse_schedule(std::make_shared<SourceFile>("pair.sched", script), pipeline.get());
    if (!schedule)
        return failure("the schedule does not parse", schedule.errors());
    ApplyContext context;
    device::Device renamed;
    if (options.on_device) {
        context.device = &options.target();
        if (options.own_names)
            context.device = &(renamed = test::with_own_names(options.target()));
        context.intrinsics = &declared_intrinsics();
    }
    auto tree = schedule_tree(pipeline, *schedule, context);
    if (!tree)
        return failure("the schedule does not apply", tree.errors());
    if (!options.plant_state)
        return judged(pipeline, **tree, **tree, pair.seed, options);
    auto state = (*tree)->state;
    if (!options.plant_state(state))
        return {};
    auto planted = build_tree(state);
    if (!planted)
        return failure("the planted state has no tree", planted.errors());
    return judged(pipeline, **tree, **planted, pair.seed, options);
}

template <typename Judge> Verdict without_exceptions(const Judge& judge) {
    try {
        return judge();
    } catch (const std::exception& bug) {
        return {Outcome::Failure, std::string("exception: ") + bug.what(), "exception"};
    }
}

} // namespace

Verdict judge(const Pair& pair, const JudgeOptions& options) {
    return without_exceptions([&] { return judged(pair, options); });
}

Verdict judge_tree(const PipelinePtr& pipeline, const ScheduleTree& tree, std::uint64_t seed,
                   const JudgeOptions& options) {
    return without_exceptions([&] { return judged(pipeline, tree, tree, seed, options); });
}

Pair random_pair(std::uint64_t seed, int* rejected, Coverage* coverage,
                 const std::vector<std::string>& favoured) {
    for (std::uint64_t attempt = 0;; ++attempt) {
        Pair pair;
        pair.seed = seed;
        pair.pipeline = random_pipeline(combine(seed, attempt));
        auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline), {});
        if (!loaded) {
            if (rejected)
                ++*rejected;
            continue;
        }
        pair.schedule =
            random_schedule(loaded->pipeline, combine(seed, 7), coverage, favoured).text;
        return pair;
    }
}

std::string report(const Pair& pair, const Verdict& verdict) {
    return verdict.message + "\nseed of the inputs: " + std::to_string(pair.seed) +
           "\n--- pipeline\n" + pair.pipeline + "--- schedule\n" + pair.schedule;
}

} // namespace loopscope::fuzz
