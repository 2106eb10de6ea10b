// Warnings about a pipeline that loaded: what nothing uses, and what a GPU would run in one thread.
#include "core/ir/definition_expressions.h"
#include "core/language/loop_parser.h"
#include "core/schedule/combining.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

Diagnostic warning(std::string message, SourceRange range, std::string remedy, std::string code) {
    return {Severity::Warning, std::move(message), std::move(range), std::move(remedy),
            std::move(code)};
}

// Everything that an output needs, directly or not.
std::set<std::string> needed(const Pipeline& pipeline) {
    std::set<std::string> out;
    for (const auto& o : pipeline.outputs)
        out.insert(o.stage);
    for (auto stage = pipeline.stages.rbegin(); stage != pipeline.stages.rend(); ++stage) {
        if (!out.count(stage->name))
            continue;
        for (const auto& d : stage->definitions)
            each_load(d, [&](const Expr& load) { out.insert(load.name); });
    }
    return out;
}

// Only what the schedule would allow: most updates that assign, or read their stage, run step by
// step.
std::string parallel_remedy(const Stage& stage, const Definition& update) {
    const bool factors = not_combining(stage, update).empty();
    const bool collides = not_atomic(stage, update).empty();
    return std::string("leave an index free") +
           (factors || collides
                ? std::string(", or let it be parallel by ") + (collides ? "atomic()" : "") +
                      (collides && factors ? " or " : "") + (factors ? "rfactor()" : "") +
                      " in the schedule"
                : "");
}

// A definition without free variables has only its reduction or `over` axes, and those carry the
// value from step to step.
void lint_definitions(const Stage& stage, Diagnostics& out) {
    for (std::size_t i = 1; i < stage.definitions.size(); ++i) {
        const auto& d = stage.definitions[i];
        if (!d.free.empty() || d.axes.empty())
            continue;
        out.push_back(warning("update " + std::to_string(i - 1) + " of '" + stage.name +
                                  "' has no free variable: a GPU target runs it in one thread",
                              d.where, parallel_remedy(stage, d), "one-thread"));
    }
}

void lint_axes(const Stage& stage, Diagnostics& out) {
    for (const auto& d : stage.definitions)
        for (const auto& a : d.axes)
            if (a.extent().hint() == 0)
                out.push_back(warning("the range of the axis '" + a.name +
                                          "' is empty: the definition does nothing",
                                      a.where, "an end below the start is empty", "empty-range"));
}

} // namespace

Diagnostics lint(const LoadedPipeline& loaded) {
    const auto& pipeline = *loaded.pipeline;
    Diagnostics out = loaded.warnings;
    auto used = needed(pipeline);
    for (const auto& stage : pipeline.stages) {
        if (!used.count(stage.name))
            out.push_back(warning(std::string("no output needs the ") +
                                      (stage.is_input ? "input" : "stage") + " '" + stage.name +
                                      "'",
                                  stage.origin.range, "remove it, or make it an output", "unused"));
        lint_definitions(stage, out);
        lint_axes(stage, out);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
    return out;
}

} // namespace loopscope
