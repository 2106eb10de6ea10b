#include "compiler/worker/stage_program.h"

#include "compiler/worker/extension.h"
#include "core/ir/box.h"
#include "core/ir/definition_expressions.h"

#include <algorithm>
#include <set>

namespace loopscope::worker {

namespace {

// The inputs, and the stages up to `last` that it needs: those before it in their order.
std::vector<Stage> needed_stages(const Pipeline& whole, const Stage& last) {
    std::set<std::string> read{last.name};
    std::vector<Stage> stages;
    for (auto stage = whole.stages.rbegin(); stage != whole.stages.rend(); ++stage) {
        if (!stage->is_input && !read.count(stage->name))
            continue;
        for (const auto& definition : stage->definitions)
            each_load(definition, [&](const Expr& load) { read.insert(load.name); });
        stages.push_back(*stage);
    }
    std::reverse(stages.begin(), stages.end());
    return stages;
}

PipelinePtr pipeline_of(const Pipeline& whole, const Stage& stage,
                        const std::vector<std::int64_t>& begin,
                        const std::vector<std::int64_t>& extents) {
    auto pipeline = std::make_shared<Pipeline>(whole);
    pipeline->stages = needed_stages(whole, stage);
    const auto own = std::find_if(pipeline->stages.begin(), pipeline->stages.end(),
                                  [&](const Stage& each) { return each.name == stage.name; });
    own->name = own->display_name = stage.name + "@own";
    for (auto& definition : own->definitions)
        definition = reading(std::move(definition), stage.name, own->name);
    pipeline->outputs.clear();
    const Stage renamed = *own; // another one moves it in memory
    add_window_output(*pipeline, renamed, stage.name, begin, extents);
    pipeline->seal();
    return pipeline;
}

} // namespace

Result<StageProgram> stage_program(const LoadedProgram& whole, const std::string& stage) {
    const auto* found = whole.pipeline->find(stage);
    if (!found || found->is_input)
        return error("the pipeline has no stage `" + stage + "`",
                     found ? "it is an input" : "name one of its stages");
    if (whole.on_device)
        return error("a stage alone is computed by a processor", "leave out the target");
    auto boxes = required_boxes(*whole.pipeline);
    if (!boxes)
        return boxes.errors();
    const auto& box = boxes->at(stage);
    if (std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.extent() <= 0; }))
        return error("no element of `" + stage + "` is needed", "choose a stage that is read");
    StageProgram made;
    std::vector<std::int64_t> extents;
    for (const auto& interval : box) {
        made.begin.push_back(interval.least);
        extents.push_back(interval.extent());
    }
    made.program.pipeline = pipeline_of(*whole.pipeline, *found, made.begin, extents);
    made.program.schedule.pipeline = whole.pipeline->name;
    made.program.vector_bits = made.program.device.vector_bits = whole.vector_bits;
    auto tree = schedule_tree(made.program.pipeline, made.program.schedule,
                              ApplyContext{&made.program.device});
    if (!tree)
        return tree.errors();
    made.program.tree = std::move(*tree);
    return made;
}

} // namespace loopscope::worker
