#include "compiler/lower/build_reduction.h"

#include "compiler/lower/build_stores.h"
#include "compiler/lower/reduction.h"
#include "compiler/lower/statements.h"
#include "core/schedule/gpu/mapping.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

constexpr std::pair<ReductionOp, const char*> kInstructions[] = {
    {ReductionOp::Sum, "reduce_sum"},       {ReductionOp::Product, "reduce_prod"},
    {ReductionOp::Min, "reduce_min"},       {ReductionOp::Max, "reduce_max"},
    {ReductionOp::Any, "reduce_any"},       {ReductionOp::All, "reduce_all"},
    {ReductionOp::ArgMin, "reduce_argmin"}, {ReductionOp::ArgMax, "reduce_argmax"}};

void collect_levels(const TreeNode& node, const NodeId& nest, std::vector<std::string>& levels) {
    if (node.kind != TreeKind::Loop || node.id.stage != nest.stage ||
        node.id.definition != nest.definition)
        return;
    const auto level = node.numbers.any() ? launch_level(node) : std::string();
    if (node.reduction && !level.empty() &&
        std::find(levels.begin(), levels.end(), level) == levels.end())
        levels.push_back(level);
    for (const auto& child : node.children)
        collect_levels(*child, nest, levels);
}

std::string partial(const std::string& buffer) { return buffer + ".partial"; }

// All accesses of the buffers, which are at one place, go to the partial results.
StatementPtr into_partials(const StatementPtr& nest, const std::vector<std::string>& buffers) {
    auto is_one = [&](const std::string& name) {
        return std::find(buffers.begin(), buffers.end(), name) != buffers.end();
    };
    const auto zero = constant_int(ScalarType::I32, 0);
    return rewrite(
        nest,
        [&](const StatementPtr& s) {
            if (!has_place(*s) || !is_one(s->access->buffer))
                return s;
            return edited(s, [&](Statement& copy) {
                copy.access->buffer = partial(copy.access->buffer);
                copy.access->indices = {zero};
            });
        },
        [&](const ExprPtr& e) {
            return loopscope::rewrite(e, [&](const ExprPtr& x) {
                return x->kind == ExprKind::Load && is_one(x->name)
                           ? load(partial(x->name), x->type, {zero}, 0, x->where)
                           : x;
            });
        });
}

} // namespace

std::string reduce_instruction(ReductionOp op) {
    for (const auto& [known, name] : kInstructions)
        if (known == op)
            return name;
    return {};
}

std::optional<ReductionOp> reduction_of(const std::string& instruction) {
    for (const auto& [op, name] : kInstructions)
        if (instruction == name)
            return op;
    return std::nullopt;
}

std::vector<std::string> reduction_levels(const TreeNode& loop) {
    std::vector<std::string> levels;
    collect_levels(loop, loop.id, levels);
    return levels;
}

bool reduces_across_threads(const TreeNode& loop) {
    return loop.kind == TreeKind::Loop && loop.reduction && !reduction_levels(loop).empty();
}

StatementPtr combine_into(const NodeId& origin, ReductionOp op,
                          const std::vector<std::string>& buffers,
                          const std::vector<ExprPtr>& indices, const std::vector<ExprPtr>& values,
                          const std::string& take) {
    if (is_arg(op)) {
        Selection selection{op, {}, values};
        for (std::size_t c = 0; c < buffers.size(); ++c)
            selection.places.push_back({buffers[c], values[c]->type, indices});
        return selection_step(origin, take, selection);
    }
    const auto old = load(buffers[0], values[0]->type, indices);
    return store(origin, buffers[0], indices, reduction_step(op, {old}, {values[0]})[0]);
}

StatementPtr reduced_across(const NodeId& origin, const DerivedStage& stage, int definition,
                            const std::vector<ExprPtr>& indices, const StatementPtr& nest,
                            const std::vector<std::string>& levels, const ExprPtr& guard) {
    const auto op = stage.stage.definitions[static_cast<std::size_t>(definition)].reduction;
    const auto zero = constant_int(ScalarType::I32, 0);
    const auto identity = reduction_identity(op, stage.stage.types);
    std::vector<std::string> buffers, partials;
    std::vector<Operand> operands;
    std::vector<ExprPtr> results;
    std::vector<StatementPtr> parts;
    for (std::size_t c = 0; c < stage.stage.types.size(); ++c) {
        buffers.push_back(component_buffer(stage.stage, c));
        partials.push_back(partial(buffers.back()));
        operands.push_back({partials.back(), {zero}});
        results.push_back(load(partials.back(), stage.stage.types[c], {zero}));
        parts.push_back(store(origin, partials.back(), {zero}, identity[c]));
    }
    parts.push_back(into_partials(nest, buffers));
    for (const auto& level : levels)
        parts.push_back(edited(intrinsic(origin, reduce_instruction(op), operands),
                               [&](Statement& s) { s.level = level; }));
    auto last =
        combine_into(origin, op, buffers, indices, results, stage.stage.name + ".take.partial");
    parts.push_back(guard ? if_then(origin, guard, last) : last);
    auto body = block(std::move(parts));
    for (std::size_t c = partials.size(); c-- > 0;)
        body = allocate(origin, partials[c], stage.stage.types[c], {Extent(1)}, device::registers(),
                        body);
    return body;
}

} // namespace loopscope::lower
