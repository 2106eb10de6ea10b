#include "tests/fuzz/judge.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/host_program.h"
#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/run/compare.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "compiler/run/random_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/exactness.h"
#include "compiler/worker/execution.h"
#include "compiler/worker/tolerance.h"
#include "core/ir/functions.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/fuzz/c_judge.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/schedule_generator.h"
#include "tuner/model/estimate.h"

#include <sstream>

namespace loopscope::fuzz {

namespace {

using Buffers = std::map<std::string, Buffer>;

// Inputs, what the reference makes of them, and how near the program must come.
struct Trial {
    Buffers inputs, expected;
    const worker::Tolerance* tolerance = nullptr; // null: the same bits
    bool hostile = false; // then bounds may well be missing, which says nothing of others
};

Buffers random_inputs(const Pipeline& pipeline, std::uint64_t seed, RandomMode mode) {
    Buffers out;
    std::uint64_t n = 0;
    for (const auto& stage : pipeline.stages) {
        if (!stage.is_input)
            continue;
        std::vector<std::int64_t> extents;
        for (const auto& e : stage.extents)
            extents.push_back(e.hint());
        out[stage.name] = random_buffer(stage.types[0], extents, combine(seed, n++), mode).value();
    }
    return out;
}

RandomMode mode_of(std::uint64_t seed) {
    return seed % 4 == 0   ? RandomMode::Hostile
           : seed % 4 == 1 ? RandomMode::SmallWhole
                           : RandomMode::Reals;
}

Result<Trial> trial(const Pipeline& pipeline, const worker::DefinitionSet& contracted,
                    std::uint64_t seed, RandomMode mode) {
    Trial out;
    out.inputs = random_inputs(pipeline, seed, mode);
    ReferenceOptions options;
    options.contracted = contracted;
    auto expected = evaluate(pipeline, out.inputs, options);
    if (!expected)
        return expected.errors();
    out.expected = std::move(*expected);
    return out;
}

// Whole numbers for which the reassociated sums are exact in any order; none where they are not.
Result<std::vector<Trial>> whole_trials(const PipelinePtr& pipeline, const worker::Marks& marks,
                                        std::uint64_t seed) {
    auto witnesses = worker::with_witnesses(pipeline, marks.reassociated, marks.contracted);
    if (!witnesses)
        return witnesses.errors();
    auto contracted = marks.contracted;
    contracted.insert(witnesses->contracted.begin(), witnesses->contracted.end());
    for (auto mode : {RandomMode::SmallWhole, RandomMode::TinyWhole}) {
        auto made = trial(*witnesses->pipeline, contracted, seed, mode);
        if (!made)
            return made.errors();
        if (worker::exactness_of(made->expected) != worker::Exactness::Exact)
            continue;
        std::erase_if(made->expected, [&](const auto& output) { // the witnesses
            return output.first.find('@') != std::string::npos;
        });
        return std::vector<Trial>{std::move(*made)};
    }
    return std::vector<Trial>{};
}

// The pipeline that fast_math() leaves: its approximations are functions of the prelude like others, with bits of their
// own. Null where a stage is inlined into definitions of both kinds.
PipelinePtr approximated(const PipelinePtr& pipeline, const ScheduleTree& tree,
                         const worker::Marks& marks) {
    auto out = std::make_shared<Pipeline>(*pipeline);
    for (auto& stage : out->stages)
        for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
            if (!marks.approximated.count({stage.name, static_cast<int>(d)}))
                continue;
            const auto& derived = *tree.find_stage(stage.name);
            if (derived.inlined && !derived.approximated[d])
                return nullptr;
            auto each = [](ExprPtr& e) {
                if (e)
                    e = rewrite(e, [](const ExprPtr& node) {
                        return node->kind == ExprKind::Call
                                   ? call(approximation_of(node->name), node->args)
                                   : node;
                    });
            };
            auto& definition = stage.definitions[d];
            for (auto& value : definition.values)
                each(value);
            for (auto& index : definition.left)
                each(index);
            each(definition.condition);
        }
    out->seal();
    return out;
}

// How the pair is judged: by bits, or as languages.md says of a schedule that reassociates.
Result<std::vector<Trial>> trials(const PipelinePtr& pipeline, const worker::Marks& marks,
                                  const worker::Tolerance& tolerance, std::uint64_t seed) {
    std::vector<Trial> out;
    bool reassociates = !marks.reassociated.empty();
    if (reassociates) {
        auto whole = whole_trials(pipeline, marks, seed);
        if (!whole)
            return whole.errors();
        out = std::move(*whole);
    }
    auto made = reassociates ? trial(*tolerance.enclosed().pipeline,
                                     tolerance.enclosed().contracted, seed, RandomMode::Reals)
                             : trial(*pipeline, marks.contracted, seed, mode_of(seed));
    if (!made)
        return made.errors();
    made->tolerance = reassociates ? &tolerance : nullptr;
    // Infinities, NaN and overflow among reals: whatever order they are met in, what comes out is within the ends.
    if (reassociates && mode_of(seed) == RandomMode::Hostile) {
        auto hostile = trial(*tolerance.enclosed().pipeline, tolerance.enclosed().contracted, seed,
                             RandomMode::Hostile);
        if (!hostile)
            return hostile.errors();
        hostile->tolerance = &tolerance;
        hostile->hostile = true;
        out.push_back(std::move(*hostile));
    }
    out.push_back(std::move(*made));
    return out;
}

bool agrees(const std::string& name, const Buffer& actual, const Trial& trial) {
    auto bounded = trial.tolerance ? trial.tolerance->judge(name, actual, trial.expected)
                                   : std::optional<worker::Judgement>();
    return bounded ? bounded->beyond == 0 : compare(actual, trial.expected.at(name)).equal;
}

// The reference's own order is one of those that the ends enclose.
Verdict enclose_the_reference(const std::vector<Trial>& trials) {
    for (const auto& trial : trials)
        for (const auto& [name, reference] : trial.expected) {
            auto bounded = trial.tolerance ? trial.tolerance->judge(name, reference, trial.expected)
                                           : std::optional<worker::Judgement>();
            if (bounded && bounded->beyond > 0)
                return {Outcome::Failure, "the bounds: " + name +
                                              " of the reference is beyond them" +
                                              (trial.hostile ? ", on hostile inputs" : "") +
                                              ", at element " + std::to_string(bounded->first)};
        }
    return {};
}

// Do the trial's bounds say something of every output: could they exclude a wrong one?
bool holds(const Trial& trial) {
    for (const auto& [name, reference] : trial.expected) {
        auto bounded = trial.tolerance->judge(name, reference, trial.expected);
        if (bounded && !bounded->conclusive())
            return false;
    }
    return true;
}

Verdict compare_outputs(const Buffers& actual, const Trial& trial, const char* path) {
    for (const auto& [name, buffer] : actual) {
        if (agrees(name, buffer, trial))
            continue;
        auto comparison = compare(buffer, trial.expected.at(name));
        return {Outcome::Mismatch, std::string(path) + ": " + name +
                                       " differs from the reference at element " +
                                       std::to_string(comparison.first_difference) + ", " +
                                       std::to_string(comparison.differences) + " elements in all" +
                                       (trial.tolerance ? ", beyond the bound" : "")};
    }
    return {};
}

Verdict interpret(const lower::Program& program, const std::vector<Trial>& trials,
                  const char* path) {
    for (const auto& trial : trials) {
        auto run = run_loop_program(program, trial.inputs);
        if (!run)
            return {Outcome::Failure, std::string(path) + ": " + format(run.errors())};
        if (!run->findings.empty())
            return {Outcome::Hazard, std::string(path) + ": " + format(run->findings)};
        if (auto verdict = compare_outputs(run->outputs, trial, path); verdict.bad())
            return verdict;
    }
    return {};
}

// `last`: receives the outputs of the last trial.
Verdict run_compiled(const lower::Program& program, const std::vector<Trial>& trials,
                     Buffers& last) {
    auto compiled = codegen::HostProgram::compile(program);
    if (!compiled)
        return {Outcome::Failure, "code generation: " + format(compiled.errors())};
    for (const auto& trial : trials) {
        auto execution = worker::Execution::prepare(program, trial.inputs);
        if (!execution)
            return {Outcome::Failure, format(execution.errors())};
        execution->poison();
        if (auto status = (*compiled)->run(execution->pointers(), 2); !status)
            return {Outcome::Failure, "run: " + format(status.errors())};
        auto outputs = execution->outputs(program);
        if (!outputs)
            return {Outcome::Failure, format(outputs.errors())};
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
        return {Outcome::Failure, "passes for C: " + format(program.errors())};
    if (has_one_result(*program))
        exported({seed, std::move(*program), trial.inputs, std::move(outputs)});
    return {};
}

} // namespace

namespace {

Verdict judged(const Pair& pair, const JudgeOptions& options) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline), {});
    if (!loaded)
        return {Outcome::Rejected, format(loaded.errors())};
    auto pipeline = loaded->pipeline;
    auto schedule =
        parse_schedule(std::make_shared<SourceFile>("pair.sched", pair.schedule), pipeline.get());
    if (!schedule)
        return {Outcome::Failure, "the schedule does not parse: " + format(schedule.errors())};
    auto tree = schedule_tree(pipeline, *schedule, {});
    if (!tree)
        return {Outcome::Failure, "the schedule does not apply: " + format(tree.errors())};
    // Recomputation in nested loops multiplies: a schedule may be right and take hours. The judge has seconds.
    auto work = model::count(**tree);
    if (std::max(work.stores, work.flops) > (options.interpret ? 2e6 : 1e8))
        return {Outcome::TooLarge,
                "the schedule computes " + std::to_string(work.stores) + " points"};

    auto marks = worker::marks_of(**tree);
    auto meant = marks.approximated.empty() ? pipeline : approximated(pipeline, **tree, marks);
    if (!meant)
        return {};
    marks.approximated.clear();
    worker::Tolerance tolerance(*meant, marks, std::nullopt);
    auto tried = trials(meant, marks, tolerance, pair.seed);
    if (!tried)
        return {Outcome::Failure, "the reference: " + format(tried.errors())};
    if (auto verdict = enclose_the_reference(*tried); verdict.bad())
        return verdict;

    auto built = lower::build(**tree);
    if (!built)
        return {Outcome::Failure, "build: " + format(built.errors())};
    if (auto found = lower::verify(*built); !found.empty())
        return {Outcome::Failure, "verify after build: " + format(found)};
    if (options.inspect)
        options.inspect(**tree, *built);
    if (options.plant_built && !options.plant_built(*built))
        return {};
    if (options.interpret)
        if (auto verdict = interpret(*built, *tried, "built program, interpreted"); verdict.bad())
            return verdict;
    lower::LowerOptions lower_options;
    lower_options.verify_each = !options.plant_built;
    lower_options.target.vector_bits = codegen::host_info().vector_bits;
    auto program = lower::run_passes(*built, lower_options);
    if (!program && program.errors()[0].code == "program-too-large")
        return {Outcome::TooLarge, program.errors()[0].message};
    if (!program)
        return {Outcome::Failure, "passes: " + format(program.errors())};
    if (options.plant_final && !options.plant_final(*program))
        return {};
    if (options.interpret)
        if (auto verdict = interpret(*program, *tried, "final program, interpreted"); verdict.bad())
            return verdict;
    Buffers outputs;
    auto verdict = options.compiled ? run_compiled(*program, *tried, outputs) : Verdict{};
    if (options.exported && !outputs.empty() && !verdict.bad())
        verdict = hand_on(*built, lower_options, options.exported, pair.seed, tried->back(),
                          std::move(outputs));
    for (const auto& trial : *tried)
        if (!trial.hostile)
            (!trial.tolerance ? verdict.in_bits
             : holds(trial)   ? verdict.within_bound
                              : verdict.not_held) = true;
    return verdict;
}

} // namespace

Verdict judge(const Pair& pair, const JudgeOptions& options) {
    try {
        return judged(pair, options);
    } catch (const std::exception& bug) {
        return {Outcome::Failure, std::string("exception: ") + bug.what()};
    }
}

Pair random_pair(std::uint64_t seed, int* rejected) {
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
        pair.schedule = random_schedule(loaded->pipeline, combine(seed, 7)).text;
        return pair;
    }
}

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const auto& line : lines)
        out += line + "\n";
    return out;
}

} // namespace

Pair shrink(Pair pair, const JudgeOptions& options, int attempts) {
    auto outcome = judge(pair, options).outcome;
    auto still_bad = [&](const Pair& candidate) {
        return --attempts >= 0 && judge(candidate, options).outcome == outcome;
    };
    bool progress = true;
    while (progress && attempts > 0) {
        progress = false;
        for (auto* text : {&pair.schedule, &pair.pipeline}) {
            auto lines = lines_of(*text);
            for (std::size_t i = lines.size(); i-- > 1;) { // the header stays
                auto fewer = lines;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
                Pair candidate = pair;
                (text == &pair.schedule ? candidate.schedule : candidate.pipeline) = joined(fewer);
                if (!still_bad(candidate))
                    continue;
                pair = candidate;
                lines = fewer;
                progress = true;
            }
        }
    }
    return pair;
}

std::string report(const Pair& pair, const Verdict& verdict) {
    return verdict.message + "\nseed of the inputs: " + std::to_string(pair.seed) +
           "\n--- pipeline\n" + pair.pipeline + "--- schedule\n" + pair.schedule;
}

} // namespace loopscope::fuzz
