#include "tests/fuzz/judge.h"

#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/host_program.h"
#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/run/compare.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "compiler/run/random_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/execution.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/schedule_generator.h"
#include "tuner/model/estimate.h"

#include <sstream>

namespace loopscope::fuzz {

namespace {

std::map<std::string, Buffer> random_inputs(const Pipeline& pipeline, std::uint64_t seed) {
    std::map<std::string, Buffer> out;
    std::uint64_t n = 0;
    for (const auto& stage : pipeline.stages) {
        if (!stage.is_input)
            continue;
        std::vector<std::int64_t> extents;
        for (const auto& e : stage.extents)
            extents.push_back(e.hint());
        auto mode = seed % 4 == 0   ? RandomMode::Hostile
                    : seed % 4 == 1 ? RandomMode::SmallWhole
                                    : RandomMode::Reals;
        out[stage.name] = random_buffer(stage.types[0], extents, combine(seed, n++), mode).value();
    }
    return out;
}

Verdict compare_outputs(const std::map<std::string, Buffer>& actual,
                        const std::map<std::string, Buffer>& expected, const char* path) {
    for (const auto& [name, buffer] : expected) {
        auto comparison = compare(actual.at(name), buffer);
        if (!comparison.equal)
            return {Outcome::Mismatch,
                    std::string(path) + ": " + name + " differs from the reference at element " +
                        std::to_string(comparison.first_difference) + ", " +
                        std::to_string(comparison.differences) + " elements in all"};
    }
    return {};
}

Verdict interpret(const lower::Program& program, const std::map<std::string, Buffer>& inputs,
                  const std::map<std::string, Buffer>& expected, const char* path) {
    auto run = run_loop_program(program, inputs);
    if (!run)
        return {Outcome::Failure, std::string(path) + ": " + format(run.errors())};
    if (!run->findings.empty())
        return {Outcome::Hazard, std::string(path) + ": " + format(run->findings)};
    return compare_outputs(run->outputs, expected, path);
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
    // Reassociated float results follow another rule than equal bits; the generator's pairs are judged by bits.
    bool exact = !(*tree)->reassociates();

    // Recomputation in nested loops multiplies: a schedule may be right and take hours. The judge has seconds.
    auto work = model::count(**tree);
    if (std::max(work.stores, work.flops) > (options.interpret ? 2e6 : 1e8))
        return {Outcome::TooLarge,
                "the schedule computes " + std::to_string(work.stores) + " points"};

    auto inputs = random_inputs(*pipeline, pair.seed);
    ReferenceOptions reference_options;
    for (const auto& stage : (*tree)->stages)
        for (std::size_t d = 0; d < stage.contracted.size(); ++d)
            if (stage.contracted[d])
                reference_options.contracted.insert({stage.stage.name, static_cast<int>(d)});
    auto expected = evaluate(*pipeline, inputs, reference_options);
    if (!expected)
        return {Outcome::Failure, "the reference: " + format(expected.errors())};

    auto built = lower::build(**tree);
    if (!built)
        return {Outcome::Failure, "build: " + format(built.errors())};
    if (auto found = lower::verify(*built); !found.empty())
        return {Outcome::Failure, "verify after build: " + format(found)};
    if (options.inspect)
        options.inspect(**tree, *built);
    if (options.plant_built && !options.plant_built(*built))
        return {};
    if (options.interpret && exact)
        if (auto verdict = interpret(*built, inputs, *expected, "built program, interpreted");
            verdict.outcome != Outcome::Agree)
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
    if (options.interpret && exact)
        if (auto verdict = interpret(*program, inputs, *expected, "final program, interpreted");
            verdict.outcome != Outcome::Agree)
            return verdict;
    if (!options.compiled)
        return {};
    auto compiled = codegen::HostProgram::compile(*program);
    if (!compiled)
        return {Outcome::Failure, "code generation: " + format(compiled.errors())};
    auto execution = worker::Execution::prepare(*program, inputs);
    if (!execution)
        return {Outcome::Failure, format(execution.errors())};
    execution->poison();
    if (auto status = (*compiled)->run(execution->pointers(), 2); !status)
        return {Outcome::Failure, "run: " + format(status.errors())};
    auto outputs = execution->outputs(*program);
    if (!outputs)
        return {Outcome::Failure, format(outputs.errors())};
    return exact ? compare_outputs(*outputs, *expected, "compiled program") : Verdict{};
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
