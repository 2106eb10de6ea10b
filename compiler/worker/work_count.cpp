#include "compiler/worker/work_count.h"

#include "core/ir/box.h"
#include "core/ir/condition_count.h"
#include "core/ir/cost.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

namespace {

double flops_of(const ExprPtr& e) { return static_cast<double>(cost_of(e).flops); }

// The operations that combine a point's values, once they are known, with what was there before.
double flops_of_step(const Stage& stage, const Definition& definition) {
    std::vector<ExprPtr> before, values;
    for (auto type : stage.types) {
        before.push_back(variable("before", type));
        values.push_back(variable("value", type));
    }
    double sum = 0;
    if (definition.kind == DefinitionKind::Reduction)
        for (const auto& step : reduction_step(definition.reduction, before, values))
            sum += flops_of(step);
    else if (definition.kind == DefinitionKind::Update)
        for (std::size_t i = 0; i < values.size(); ++i)
            sum += flops_of(update_step(definition.update, before[i], values[i]));
    return sum;
}

// The operations of one point at which the condition holds, without the condition.
double flops_of_one(const Stage& stage, const Definition& definition) {
    double sum = 0;
    for (const auto& index : definition.left)
        sum += flops_of(index);
    for (const auto& value : definition.values)
        sum += flops_of(value);
    return sum + flops_of_step(stage, definition);
}

void count_definition(const Stage& stage, const Definition& definition, const Box& box,
                      WorkCount& work) {
    std::vector<AxisValues> axes;
    double points = 1;
    for (const auto& [axis, range] : axis_ranges(stage, definition, box)) {
        axes.push_back({axis, range, {}});
        points *= static_cast<double>(range.extent());
    }
    double holds = points;
    if (definition.condition) {
        auto counted = count_where(definition.condition, axes);
        holds = counted.value_or(points);
        work.flops_exact = work.flops_exact && counted;
    }
    work.points += points;
    work.flops += points * flops_of(definition.condition) + holds * flops_of_one(stage, definition);
}

double elements(const Box& box) {
    double product = 1;
    for (const auto& interval : box)
        product *= static_cast<double>(interval.extent());
    return product;
}

double element_bytes(const Stage& stage) {
    double sum = 0;
    for (auto type : stage.types)
        sum += bytes(type);
    return sum;
}

// What is read of an input lies inside it: a box that a boundary extends is cut.
double bytes_read(const Stage& input, const Box& box) {
    double product = element_bytes(input);
    for (std::size_t d = 0; d < box.size(); ++d) {
        Interval inside{std::max<std::int64_t>(0, box[d].least),
                        std::min(input.extents[d].hint() - 1, box[d].greatest)};
        // Wrapping and mirroring reach the other end: then the whole axis counts.
        bool wraps = input.boundary.kind == BoundaryKind::Wrap && !(inside == box[d]);
        product *= static_cast<double>(wraps ? input.extents[d].hint() : inside.extent());
    }
    return product;
}

} // namespace

Result<WorkCount> count_work(const Pipeline& pipeline) {
    auto boxes = required_boxes(pipeline);
    if (!boxes)
        return boxes.errors();
    WorkCount work;
    for (const auto& stage : pipeline.stages) {
        const auto& box = boxes->at(stage.name);
        if (stage.is_input) {
            work.bytes += bytes_read(stage, box);
            continue;
        }
        if (elements(box) == 0)
            continue;
        for (const auto& definition : stage.definitions)
            count_definition(stage, definition, box, work);
    }
    for (const auto& output : pipeline.outputs) {
        double product = element_bytes(*pipeline.find(output.stage));
        for (const auto& extent : output.extents)
            product *= static_cast<double>(extent.hint());
        work.bytes += product;
    }
    return work;
}

void add_rates(nlohmann::json& answer, const WorkCount& work, double seconds) {
    answer["flops"] = work.flops;
    answer["flops_exact"] = work.flops_exact;
    answer["bytes"] = work.bytes;
    answer["gflops"] = answer["gbytes_per_s"] = nullptr;
    if (work.flops > 0)
        answer["gflops"] = work.flops / seconds * 1e-9;
    if (work.bytes > 0)
        answer["gbytes_per_s"] = work.bytes / seconds * 1e-9;
}

} // namespace loopscope::worker
