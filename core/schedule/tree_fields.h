#pragma once
// The fields of a tree's nodes as lists (core/base/fields.h): its hash is of all of them.

#include "core/base/fields.h"
#include "core/device/hierarchy_fields.h"
#include "core/schedule/tensor_call.h"
#include "core/schedule/tree.h"

namespace loopscope {

template <FieldsOf<Region::Dimension> T> auto fields(T& dimension) {
    auto& [min, extent, variable, index, unfolded] = dimension;
    return std::tie(min, extent, variable, index, unfolded);
}

template <FieldsOf<Region> T> auto fields(T& region) {
    auto& [dimensions, exact] = region;
    return std::tie(dimensions, exact);
}

template <FieldsOf<ComputeInfo> T> auto fields(T& compute) {
    auto& [stage, definition, role, axes, atomic, non_temporal, read_again, guards, vectorized] =
        compute;
    return std::tie(stage, definition, role, axes, atomic, non_temporal, read_again, guards,
                    vectorized);
}

template <FieldsOf<PartialRun> T> auto fields(T& run) {
    auto& [variable, first, ahead, end, moved, count, exact] = run;
    return std::tie(variable, first, ahead, end, moved, count, exact);
}

template <FieldsOf<LoopTail> T> auto fields(T& tail) {
    auto& [asked, used, reason] = tail;
    return std::tie(asked, used, reason);
}

template <FieldsOf<Prefetch> T> auto fields(T& prefetch) {
    auto& [stage, definition, source, ahead, region, contiguous, step, lines] = prefetch;
    return std::tie(stage, definition, source, ahead, region, contiguous, step, lines);
}

template <FieldsOf<AxisPart> T> auto fields(T& part) {
    auto& [dimension, extent, step] = part;
    return std::tie(dimension, extent, step);
}

template <FieldsOf<TensorCall::Axis> T> auto fields(T& of) {
    auto& [name, axis, base] = of;
    return std::tie(name, axis, base);
}

template <FieldsOf<TensorCall::Operand> T> auto fields(T& operand) {
    auto& [name, source, component, base, parts] = operand;
    return std::tie(name, source, component, base, parts);
}

// Devices list an instruction by its name, which stands for all that its declaration says.
template <FieldsOf<Intrinsic> T> auto fields(T& intrinsic) { return std::tie(intrinsic.name); }

template <FieldsOf<TensorCall> T> auto fields(T& call) {
    auto& [intrinsic, axes, operands, result, initializes, starts, rounds, term] = call;
    return std::tie(intrinsic, axes, operands, result, initializes, starts, rounds, term);
}

// The fields without the children, and without the hash, which is made of the others.
template <FieldsOf<TreeNode> T> auto fields(T& node) {
    auto& [kind, id, variable, extent, begin, loop_kind, binding, numbers, persistent, reduction,
           init, tails, prefetches, tensor, region, types, scope, is_output, store_level,
           compute_level, copy_of, rotation, producers, rotates_with, runs, storage_order,
           storage_padding, compute, children, hash] = node;
    return std::tie(kind, id, variable, extent, begin, loop_kind, binding, numbers, persistent,
                    reduction, init, tails, prefetches, tensor, region, types, scope, is_output,
                    store_level, compute_level, copy_of, rotation, producers, rotates_with, runs,
                    storage_order, storage_padding, compute);
}

} // namespace loopscope
