#include "core/schedule/gpu/shared_copies.h"

#include <algorithm>
#include <set>
#include <vector>

namespace loopscope {

namespace {

// What a block's part is a multiple of (compiler/lower/gpu/multicast.cpp): rows of swizzled ones,
// bytes of others.
constexpr std::int64_t kPatternRows = 8, kPartBytes = 128;

// From the root to the node, without it; false: it is elsewhere.
bool path_below(const TreeNode& from, const NodeId& id, std::vector<const TreeNode*>& path) {
    for (const auto& child : from.children) {
        path.push_back(child.get());
        if (child->id == id || path_below(*child, id, path))
            return true;
        path.pop_back();
    }
    return false;
}

bool uses(const ExprPtr& e, const std::set<std::string>& names) {
    return any_node(
        e, [&](const Expr& x) { return x.kind == ExprKind::Variable && names.count(x.name); });
}

// Does where the last one's region begins depend on the loop? Each region may refer to those
// around.
bool moves_with(const TreeNode& loop, const std::vector<const TreeNode*>& path) {
    std::set<std::string> moving{loop.variable};
    bool moves = false;
    for (const auto* node : path) {
        moves = false;
        for (const auto& d : node->region.dimensions)
            if (node->kind == TreeKind::Stage && d.min && uses(d.min, moving)) {
                moving.insert(d.variable);
                moves = true;
            }
    }
    return moves;
}

// Whether the blocks divide what one iteration copies, along its outermost dimension of several
// elements.
bool is_divided(const TreeNode& stage, std::int64_t blocks, bool swizzled) {
    std::int64_t outermost = 1, elements = 1, row = 1;
    for (const auto& d : stage.region.dimensions) {
        row = d.extent.hint();
        outermost = outermost > 1 ? outermost : row;
        elements *= row;
    }
    if (outermost < 2 || outermost % blocks != 0 || stage.types.empty())
        return false;
    const auto part = elements / blocks;
    return swizzled ? part / row % kPatternRows == 0
                    : part * bytes(stage.types[0]) % kPartBytes == 0;
}

// A pipeline of one iteration loads nothing ahead, by no warps of their own.
bool is_repeated(const TreeNode& stage) {
    return std::none_of(stage.runs.begin(), stage.runs.end(),
                        [](const PartialRun& run) { return run.ahead > 0 && run.count <= 1; });
}

} // namespace

std::int64_t blocks_that_share(const ScheduleTree& tree, const std::string& stage) {
    const auto* state = tree.state.find(stage);
    std::vector<const TreeNode*> path;
    if (!state || state->producer_warpgroups == 0 ||
        !path_below(*tree.root, {stage, -1, "@stage"}, path))
        return 1;
    std::int64_t blocks = 1;
    for (const auto* loop : path)
        if (loop->numbers.unit == device::Unit::Cluster && !moves_with(*loop, path))
            blocks *= std::max<std::int64_t>(loop->extent.hint(), 1);
    return is_repeated(*path.back()) && is_divided(*path.back(), blocks, state->swizzled) ? blocks
                                                                                          : 1;
}

} // namespace loopscope
