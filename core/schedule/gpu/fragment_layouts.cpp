#include "core/schedule/gpu/fragment_layouts.h"

#include "core/schedule/gpu/block_threads.h"
#include "core/schedule/gpu/opaque_fragments.h"
#include "core/schedule/gpu/shared_matrices.h"
#include "core/schedule/identity.h"
#include "core/schedule/placement.h"
#include "core/schedule/region.h"
#include "core/schedule/stored_forms.h"
#include "core/schedule/tensor_call.h"
#include "core/schedule/tensor_match.h"

#include <memory>
#include <optional>
#include <utility>

namespace loopscope {

namespace {

class LayoutFinder {
public:
    explicit LayoutFinder(const ScheduleTree& tree) : tree_(tree), layout_(*tree.layout) {}

    FoundLayouts run() {
        find_stages(*tree_.root);
        find_calls(*tree_.root);
        for (const auto& [stage, storage] : out_.stages)
            if (!out_.found.layouts.count(stage) && out_.refused.insert(stage).second)
                refuse(stage + " is in fragments, and no tensor instruction takes it: how its "
                               "elements lie in registers is not known",
                       stage + ".scope(register), or tensorize what reads it", {storage->id});
        return std::move(out_);
    }

private:
    void refuse(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        out_.found.problems.push_back({std::move(message), std::move(remedy), std::move(nodes)});
    }

    void find_stages(const TreeNode& node) {
        if (node.kind == TreeKind::Storage && is_in_fragments(node)) {
            out_.stages[node.id.stage] = &node;
            if (node.store_level == NodeId{} && out_.refused.insert(node.id.stage).second)
                refuse(node.id.stage + " is in fragments at root, and registers are a warp's, as "
                                       "long as its kernel runs",
                       (node.compute_level == NodeId{}
                            ? node.id.stage + ".compute_at(…), in a kernel"
                            : "leave out its store_root()") +
                           ", or another scope",
                       {node.id});
        }
        for (const auto& child : node.children)
            find_stages(*child);
    }

    void find_calls(const TreeNode& node) {
        if (node.tensor && !node.tensor->initializes)
            call(node);
        for (const auto& child : node.children)
            find_calls(*child);
    }

    void call(const TreeNode& node) {
        const auto& tensor = *node.tensor;
        const auto& nest = nest_of(tree_.state, {node.id.stage, node.id.definition});
        auto match = match_tensor(*tensor.intrinsic, tree_.state, layout_, node.id.stage,
                                  node.id.definition, nest.tensorized_from());
        if (!match)
            return;
        own_memory(node, tensor.result);
        for (std::size_t o = 0; o < tensor.operands.size(); ++o)
            if (!tensor.intrinsic->operands[o].shared)
                own_memory(node, tensor.operands[o]);
        operand(node, tensor.result, tensor.intrinsic->result, match->result);
        for (std::size_t o = 0; o < tensor.operands.size(); ++o)
            operand(node, tensor.operands[o], tensor.intrinsic->operands[o], match->operands[o]);
    }

    // All lanes must reach what they take together.
    void own_memory(const TreeNode& node, const TensorCall::Operand& call) {
        const auto* storage = tree_.find({call.source, -1, "@storage"});
        if (storage && !(storage->store_level == NodeId{}) &&
            storage->scope.shared_by == device::Unit::Thread &&
            out_.refused.insert(call.source).second)
            refuse(call.source + " is in " + storage->scope.name +
                       " memory, which each thread has for itself, and the lanes of a " +
                       unit_of(*node.tensor->intrinsic) + " take it together for " +
                       node.tensor->intrinsic->name,
                   call.source + ".scope(fragment)", {storage->id, node.id});
    }

    void operand(const TreeNode& node, const TensorCall::Operand& call, const IntrinsicOperand& of,
                 const TensorMatch::Operand& match) {
        if (of.shared)
            return in_shared_memory(node, call, of, match);
        auto stage = out_.stages.find(call.source);
        if (stage == out_.stages.end() && of.opaque())
            return in_memory(node, call, of, match);
        if (stage == out_.stages.end())
            return;
        if (of.registers == 0)
            return refuse(call.source + " is in fragments as operand " + of.name + " of " +
                              node.tensor->intrinsic->name +
                              ", which does not say how they lie in registers",
                          call.source + ".scope(shared), or another instruction",
                          {stage->second->id, node.id});
        const auto made = laid_out(*stage->second, call, of, node.tensor->intrinsic);
        if (!made)
            return;
        auto [known, first] = out_.found.layouts.emplace(call.source, *made);
        if (!first && !known->second.same_layout(*made))
            return refuse(call.source + " is operand " + known->second.operand->name + " of " +
                              known->second.intrinsic->name + " and operand " + of.name + " of " +
                              node.tensor->intrinsic->name + ", which lie in registers differently",
                          "copy it for one of them, by cache_read(" + call.source + ", fragment)",
                          {stage->second->id, node.id});
        for (std::size_t d = 0; d < made->tile.size(); ++d) {
            const auto from = stored_form(layout_, call.source, d, match.base[d]);
            if (from && known_divisor(*from) % made->tile[d] == 0)
                continue;
            return refuse(call.source + " is in fragments of " + times(made->tile) + ", and " +
                              node.id.text() + " begins inside of one along its dimension " +
                              std::to_string(d),
                          "split the loops around it by " + std::to_string(made->tile[d]),
                          {stage->second->id, node.id});
        }
    }

    // Whole fragments come from there, or go there.
    void in_memory(const TreeNode& node, const TensorCall::Operand& call,
                   const IntrinsicOperand& of, const TensorMatch::Operand& match) {
        MatrixInMemory matrix{call.source, {}, {}, {}};
        for (const auto& parts : call.parts) // of instructions that read registers: one each
            matrix.dimensions.push_back(parts.front().dimension);
        for (std::size_t d = 0; d < match.base.size(); ++d)
            matrix.base.push_back(stored_form(layout_, call.source, d, match.base[d]));
        matrix.steps.assign(match.base.size(), 0);
        const auto order = order_in_memory(tree_, *node.tensor->intrinsic, of, matrix);
        if (!order) {
            const auto& reason = order.errors().front();
            return refuse(reason.message, reason.remedy, {node.id});
        }
        out_.found.orders[{node.id.stage, node.id.definition}][of.name] = *order;
    }

    void in_shared_memory(const TreeNode& node, const TensorCall::Operand& call,
                          const IntrinsicOperand& of, const TensorMatch::Operand& match) {
        const auto& intrinsic = *node.tensor->intrinsic;
        const auto* storage = tree_.find({call.source, -1, "@storage"});
        const auto* state = tree_.state.find(call.source);
        if (!storage || !state)
            return refuse(call.source + " is operand " + of.name + " of " + intrinsic.name +
                              ", which reads it out of memory that the block shares",
                          "a copy there: " + node.id.stage + ".cache_read(" + call.source +
                              ", shared)",
                          {node.id});
        const auto operand = shared_operand(*storage, state->swizzled, intrinsic, of, call);
        if (!operand) {
            const auto& reason = operand.errors().front();
            return refuse(reason.message, reason.remedy, {storage->id, node.id});
        }
        for (std::size_t d = 0; d < operand->granule.size(); ++d) {
            const auto from = stored_form(layout_, call.source, d, match.base[d]);
            if (from && known_divisor(*from) % operand->granule[d] == 0)
                continue;
            return refuse(call.source + " is operand " + of.name + " of " + intrinsic.name +
                              ", which takes it from a multiple of " +
                              std::to_string(operand->granule[d]) + " along " +
                              storage->region.dimensions[d].index + " on, and " + node.id.text() +
                              " begins between",
                          "split the loops around it by a multiple of " +
                              std::to_string(operand->granule[d]) +
                              ", of an extent that is one: shifted tiles begin anywhere",
                          {storage->id, node.id});
        }
        out_.found.matrices[{node.id.stage, node.id.definition}][of.name] = operand->matrix;
    }

    std::optional<FragmentLayout> laid_out(const TreeNode& storage, const TensorCall::Operand& call,
                                           const IntrinsicOperand& of,
                                           const std::shared_ptr<const Intrinsic>& intrinsic) {
        FragmentLayout made;
        made.intrinsic = intrinsic;
        made.operand = &of;
        made.elements = register_elements(*intrinsic, of);
        const auto rank = storage.region.dimensions.size();
        made.axes.assign(rank, -1);
        made.tile.assign(rank, 1);
        made.steps.assign(rank, 1);
        for (std::size_t a = 0; a < call.parts.size(); ++a)
            for (const auto& part : call.parts[a]) {
                const auto d = static_cast<std::size_t>(part.dimension);
                made.axes[d] = static_cast<int>(a);
                made.tile[d] = part.extent;
                made.steps[d] = part.step;
            }
        std::vector<std::int64_t> extents;
        for (const auto& dimension : storage.region.dimensions) {
            if (dimension.unfolded > 0) {
                refuse(storage.id.stage + " is in fragments and slides: registers have no "
                                          "addresses that could wrap around",
                       "store it where it is computed", {storage.id});
                return std::nullopt;
            }
            extents.push_back(dimension.extent.hint());
        }
        if (storage.types.size() > 1) {
            refuse(storage.id.stage + " is in fragments and has several components",
                   "another scope", {storage.id});
            return std::nullopt;
        }
        for (std::size_t d = 0; d < rank; ++d) {
            if (extents[d] % made.tile[d] != 0) {
                if (out_.refused.insert(storage.id.stage).second)
                    refuse(storage.id.stage + " has " + times(extents) +
                               " elements for a warp, which are no whole fragments of " +
                               times(made.tile),
                           "compute it where a whole number of them is needed", {storage.id});
                return std::nullopt;
            }
            made.tiles.push_back(extents[d] / made.tile[d]);
        }
        return made;
    }

    const ScheduleTree& tree_;
    const Layout& layout_;
    FoundLayouts out_;
};

} // namespace

std::string times(const std::vector<std::int64_t>& extents) {
    std::string out;
    for (auto extent : extents)
        out += (out.empty() ? "" : " x ") + std::to_string(extent);
    return out;
}

std::string unit_of(const Intrinsic& intrinsic) {
    return intrinsic.lanes == kWarp ? "warp" : "warpgroup";
}

FoundLayouts find_layouts(const ScheduleTree& tree) { return LayoutFinder(tree).run(); }

} // namespace loopscope
