#pragma once
// What a pipeline says, as lists of fields (core/base/fields.h): two that say the same are equal.
// Places, origins, display names and params' defaults say nothing of what is computed.

#include "core/base/fields.h"
#include "core/ir/pipeline.h"

namespace loopscope {

template <FieldsOf<ReductionAxis> T> auto fields(T& axis) {
    auto& [name, begin, end, where] = axis;
    return std::tie(name, begin, end);
}

template <FieldsOf<Definition> T> auto fields(T& definition) {
    auto& [kind, values, reduction, update, axes, condition, left, free, where] = definition;
    return std::tie(kind, values, reduction, update, axes, condition, left, free);
}

template <FieldsOf<Boundary> T> auto fields(T& boundary) {
    auto& [kind, value] = boundary;
    return std::tie(kind, value);
}

template <FieldsOf<Stage> T> auto fields(T& stage) {
    // `original`: only derived programs have it, and it follows from what they were made of.
    auto& [name, display_name, origin, variables, types, is_input, extents, boundary, definitions,
           original] = stage;
    return std::tie(name, variables, types, is_input, extents, boundary, definitions);
}

template <FieldsOf<Output> T> auto fields(T& output) {
    auto& [stage, extents, where] = output;
    return std::tie(stage, extents);
}

template <FieldsOf<Param> T> auto fields(T& param) {
    auto& [name, value, default_value, where] = param;
    return std::tie(name, value);
}

// Without its symbols, which have no text: extents name those that matter.
template <FieldsOf<Pipeline> T> auto fields(T& pipeline) {
    return std::tie(pipeline.name, pipeline.params, pipeline.stages, pipeline.outputs);
}

} // namespace loopscope
