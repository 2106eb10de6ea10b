#include "core/schedule/tree_hash.h"

#include "core/schedule/tensor_call.h"

namespace loopscope {

namespace {

Hash hash_region(const Region& region, Hash h) {
    for (const auto& d : region.dimensions)
        h = combine(combine(combine(h, d.min->hash), d.extent.hash()),
                    static_cast<std::uint64_t>(d.unfolded));
    return h;
}

Hash hash_operand(const TensorCall::Operand& operand, Hash h) {
    h = combine(hash_of(operand.source, h), static_cast<std::uint64_t>(operand.component));
    for (const auto& parts : operand.parts)
        for (const auto& part : parts)
            h = combine(combine(h, static_cast<std::uint64_t>(part.dimension)),
                        static_cast<std::uint64_t>(part.step));
    return h;
}

// Where operands begin follows from the values of axes at the points inside.
Hash hash_call(const TensorCall& call, Hash h) {
    h = hash_of(call.intrinsic->name, h);
    for (const auto& axis : call.axes)
        h = hash_of(axis.axis, h);
    for (const auto& operand : call.operands)
        h = hash_operand(operand, h);
    return hash_operand(call.result, h);
}

} // namespace

Hash own_hash(const TreeNode& n) {
    Hash h = combine(n.id.hash(), static_cast<std::uint64_t>(n.kind));
    h = combine(combine(h, n.extent.hash()), static_cast<std::uint64_t>(n.loop_kind));
    h = combine(hash_of(n.binding, h), static_cast<std::uint64_t>(n.reduction));
    if (n.persistent)
        h = combine(h, 1);
    h = hash_of(n.scope, hash_region(n.region, h));
    for (const auto& tail : n.tails)
        h = combine(hash_of(tail.reason, h), static_cast<std::uint64_t>(tail.asked));
    for (const auto& prefetch : n.prefetches) {
        h = combine(hash_of(prefetch.source, hash_region(prefetch.region, h)),
                    static_cast<std::uint64_t>(prefetch.ahead));
        h = combine(h, static_cast<std::uint64_t>(prefetch.lines));
    }
    if (n.tensor)
        h = hash_call(*n.tensor, h);
    for (auto dimension : n.storage_order)
        h = combine(h, static_cast<std::uint64_t>(dimension) + 1);
    for (auto elements : n.storage_padding)
        h = combine(h, static_cast<std::uint64_t>(elements));
    h = combine(combine(h, n.store_level.hash()), n.compute_level.hash());
    h = combine(h, static_cast<std::uint64_t>(n.begin));
    h = combine(h, static_cast<std::uint64_t>(n.rotation));
    h = combine(h, static_cast<std::uint64_t>(n.producers));
    for (const auto& run : n.runs) {
        h = combine(hash_of(run.variable, h), static_cast<std::uint64_t>(run.first));
        h = combine(h, static_cast<std::uint64_t>(run.ahead));
        if (run.moved)
            h = combine(h, run.moved->hash);
    }
    if (n.kind == TreeKind::Compute) {
        h = combine(h, static_cast<std::uint64_t>(n.compute.role));
        h = combine(h, static_cast<std::uint64_t>(n.compute.atomic));
        h = combine(h, static_cast<std::uint64_t>(n.compute.non_temporal));
        for (const auto& axis : n.compute.axes)
            h = combine(hash_of(axis.first, h), axis.second->hash);
        for (const auto& guard : n.compute.guards)
            h = combine(h, guard->hash);
    }
    return h;
}

} // namespace loopscope
