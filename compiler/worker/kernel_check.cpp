#include "compiler/worker/kernel_check.h"

#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/worker/marks.h"
#include "compiler/worker/tolerance.h"
#include "compiler/worker/windows.h"
#include "core/device/device.h"
#include "core/ir/definition_expressions.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/directives/contract.h"

#include <algorithm>
#include <optional>

namespace loopscope::worker {

namespace {

using Part = codegen::KernelReference::Part;

// The stages that a definition of one of those reads, and so on. Stages stand behind what they
// read.
std::set<std::string> needed_by(const Pipeline& pipeline, std::set<std::string> stages) {
    for (auto stage = pipeline.stages.rbegin(); stage != pipeline.stages.rend(); ++stage) {
        if (!stages.count(stage->name))
            continue;
        for (const auto& definition : stage->definitions)
            each_load(definition, [&](const Expr& load) { stages.insert(load.name); });
    }
    return stages;
}

// With those outputs alone.
PipelinePtr with_outputs(const Pipeline& whole, const std::set<std::string>& outputs) {
    auto pipeline = std::make_shared<Pipeline>(whole);
    const auto needed = needed_by(whole, outputs);
    std::erase_if(pipeline->outputs, [&](const Output& o) { return !outputs.count(o.stage); });
    std::erase_if(pipeline->stages, [&](const Stage& s) { return !needed.count(s.name); });
    pipeline->seal();
    return pipeline;
}

// Under the default schedule, with what is contracted.
Result<lower::Program> lowered_for_host(const PipelinePtr& pipeline,
                                        const DefinitionSet& contracted) {
    Schedule schedule;
    schedule.pipeline = pipeline->name;
    for (const auto& [stage, definition] : contracted) {
        if (!pipeline->find(stage))
            continue;
        auto contract = std::make_shared<Contract>();
        contract->receiver = {stage, definition};
        schedule.directives.push_back(std::move(contract));
    }
    const device::Device host;
    auto tree = schedule_tree(pipeline, schedule, ApplyContext{&host});
    if (!tree)
        return tree.errors();
    auto built = lower::build(**tree);
    if (!built)
        return built;
    lower::LowerOptions options;
    options.verify_each = true;
    return lower::run_passes(*built, lower::c_passes(), options);
}

std::string stage_of(const std::string& array) { return array.substr(0, array.rfind('.')); }

class References {
public:
    References(const Pipeline& whole, const Marks& marks, std::optional<WindowedPipeline> windows)
        : whole_(whole), marks_(marks), windows_(std::move(windows)) {}

    Result<codegen::KernelCheck> check(const std::vector<PipelinePtr>& pipelines) {
        for (const auto& pipeline : pipelines)
            if (auto done = add(*pipeline); !done)
                return done.errors();
        check_.compared = windows_ ? windows_->summary(whole_) : "all elements";
        check_.compared += bounds_.empty() ? ", every bit" : "; " + bounds_;
        check_.computes_floats =
            std::any_of(whole_.stages.begin(), whole_.stages.end(), [](const Stage& stage) {
                return std::any_of(stage.types.begin(), stage.types.end(), is_float);
            });
        return std::move(check_);
    }

private:
    Status add(const Pipeline& pipeline) {
        const Tolerance tolerance(pipeline, marks_, std::nullopt);
        const auto& enclosed = tolerance.enclosed();
        codegen::KernelReference reference;
        std::set<std::string> outputs;
        for (const auto& output : pipeline.outputs)
            for (auto& part : parts_of(pipeline, output, tolerance)) {
                outputs.insert(stage_of(part.low));
                if (part.low != part.high)
                    bounds_ = "allowed: " + tolerance.text() +
                              "; of what that makes no difference to, every bit";
                reference.parts.push_back(std::move(part));
            }
        auto program =
            lowered_for_host(with_outputs(*enclosed.pipeline, outputs), enclosed.contracted);
        if (!program)
            return program.errors();
        reference.program = std::move(*program);
        check_.references.push_back(std::move(reference));
        return success();
    }

    // A part of each component.
    std::vector<Part> parts_of(const Pipeline& pipeline, const Output& output,
                               const Tolerance& tolerance) const {
        Part whole{output.stage, std::vector<std::int64_t>(output.extents.size(), 0), "", ""};
        if (windows_)
            for (const auto& window : windows_->windows)
                if (window.stage == output.stage)
                    whole = {window.output, window.offset, "", ""};
        std::vector<Part> parts;
        const auto components = pipeline.find(output.stage)->types.size();
        for (std::size_t c = 0; c < components; ++c) {
            const auto component = components == 1 ? "" : "." + std::to_string(c);
            auto part = whole;
            part.result += component;
            part.low = part.high = output.stage + component;
            if (auto ends = tolerance.ends(part.low))
                std::tie(part.low, part.high) = *ends;
            parts.push_back(std::move(part));
        }
        return parts;
    }

    const Pipeline& whole_;
    const Marks& marks_;
    const std::optional<WindowedPipeline> windows_;
    std::string bounds_; // how elements are judged that have some
    codegen::KernelCheck check_;
};

} // namespace

Result<codegen::KernelCheck> kernel_check(const ScheduleTree& tree, double most_work) {
    const auto marks = marks_of(tree);
    auto windows = windows_of_large(*tree.pipeline, 1, most_work);
    if (!windows)
        return windows.errors();
    const auto pipelines =
        *windows ? (*windows)->pipelines : std::vector<PipelinePtr>{tree.pipeline};
    return References(*tree.pipeline, marks, std::move(*windows)).check(pipelines);
}

} // namespace loopscope::worker
