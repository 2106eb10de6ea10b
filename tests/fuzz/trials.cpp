#include "tests/fuzz/trials.h"

#include "compiler/run/compare.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/exactness.h"
#include "core/ir/functions.h"

#include <memory>
#include <optional>
#include <utility>

namespace loopscope::fuzz {

namespace {

RandomMode mode_of(std::uint64_t seed) {
    return seed % 4 == 0   ? RandomMode::Hostile
           : seed % 4 == 1 ? RandomMode::SmallWhole
                           : RandomMode::Reals;
}

Result<Trial> trial(const Pipeline& pipeline, const worker::DefinitionSet& contracted,
                    std::uint64_t seed, RandomMode mode) {
    Trial out;
    std::uint64_t n = 0;
    out.inputs = random_inputs(pipeline, [&](const Stage&) {
                     return RandomInput{combine(seed, n++), mode};
                 }).value();
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

bool agrees(const std::string& name, const Buffer& actual, const Trial& trial) {
    auto bounded = trial.tolerance ? trial.tolerance->judge(name, actual, trial.expected)
                                   : std::optional<Judgement>();
    return bounded ? bounded->beyond == 0 : compare(actual, trial.expected.at(name)).equal;
}

} // namespace

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
    // Infinities, NaN and overflow among reals: whatever order they are met in, what comes out is
    // within the ends.
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

Verdict enclose_the_reference(const std::vector<Trial>& trials) {
    for (const auto& trial : trials)
        for (const auto& [name, reference] : trial.expected) {
            auto bounded = trial.tolerance ? trial.tolerance->judge(name, reference, trial.expected)
                                           : std::optional<Judgement>();
            if (bounded && bounded->beyond > 0)
                return {Outcome::Failure,
                        "the bounds: " + name + " of the reference is beyond them" +
                            (trial.hostile ? ", on hostile inputs" : "") + ", at element " +
                            std::to_string(bounded->first),
                        "bounds"};
        }
    return {};
}

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
        return {Outcome::Mismatch,
                std::string(path) + ": " + name + " differs from the reference at element " +
                    std::to_string(comparison.first_difference) + ", " +
                    std::to_string(comparison.differences) + " elements in all" +
                    (trial.tolerance ? ", beyond the bound" : ""),
                path};
    }
    return {};
}

} // namespace loopscope::fuzz
