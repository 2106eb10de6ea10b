#include "core/schedule/gpu/mapping.h"

#include "core/schedule/tensor_call.h"
#include "core/schedule/tree_search.h"

#include <algorithm>

namespace loopscope {

namespace {

using device::Unit;

LoopRole own_role(const TreeNode& loop) {
    if (loop.numbers.of_blocks())
        return LoopRole::Block;
    if (loop.numbers.of_threads())
        return LoopRole::Thread;
    if (loop.numbers.is_virtual())
        return LoopRole::Virtual;
    switch (loop.loop_kind) {
    case LoopKind::Vectorized: return LoopRole::Vectorized;
    case LoopKind::Unrolled: return LoopRole::Unrolled;
    default: return LoopRole::Serial;
    }
}

// Is a loop of the nest bound, be it that of another stage that shares loops with it
// (compute_with)? What is computed inside of those has a nest of its own.
bool binds_nest(const TreeNode& node, bool in_loops = false) {
    in_loops = in_loops || node.kind == TreeKind::Loop;
    return node.numbers.any() ||
           std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) {
               return !(in_loops && child->kind == TreeKind::Stage) && binds_nest(*child, in_loops);
           });
}

class Mapper {
public:
    explicit Mapper(const ScheduleTree& tree) : tree_(tree) {}

    Mapping run() {
        out_.fragments = find_fragments(tree_);
        for (const auto& [definition, work] : out_.fragments.work)
            of_lanes_.insert(work.from);
        find_empty(*tree_.root);
        for (const auto& child : tree_.root->children)
            if (child->kind == TreeKind::Storage)
                out_.stages[child->id.stage].memory = Unit::Grid;
            else
                at_root(*child);
        launches(*tree_.root);
        return std::move(out_);
    }

private:
    void find_empty(const TreeNode& node) {
        if (node.kind == TreeKind::Storage &&
            std::any_of(node.region.dimensions.begin(), node.region.dimensions.end(),
                        [](const auto& d) { return d.extent.hint() <= 0; }))
            out_.empty.insert(node.id.stage);
        for (const auto& child : node.children)
            find_empty(*child);
    }

    // Stages at root. Beside their loops lies what rotates with the outermost.
    void at_root(const TreeNode& node) {
        if (node.kind != TreeKind::Stage)
            return inside(node, false);
        out_.stages[node.id.stage].memory = Unit::Grid;
        for (const auto& child : node.children)
            at_root(*child);
    }

    void inside(const TreeNode& node, bool together) {
        if (node.kind == TreeKind::Storage)
            out_.stages[node.id.stage].memory = node.scope.shared_by;
        if (node.kind == TreeKind::Stage)
            stage(node);
        if (node.kind == TreeKind::Loop) {
            together = together || node.tensor || of_lanes_.count(node.id) > 0;
            loop(node, together);
        }
        for (const auto& child : node.children)
            inside(*child, together);
    }

    void loop(const TreeNode& node, bool together) {
        auto& mapped = out_.loops[&node];
        mapped.together = together;
        if (mapped.role == LoopRole::Divided) // found with its stage
            return;
        mapped.role = own_role(node);
        mapped.axis =
            mapped.role == LoopRole::Thread ? block_axis(node.numbers) : node.numbers.axis;
    }

    void stage(const TreeNode& node) {
        auto& mapped = out_.stages[node.id.stage];
        const auto* state = tree_.state.find(node.id.stage);
        mapped.of_block = node.scope.shared_by == Unit::Block;
        if (mapped.of_block || (state && !state->scope.name.empty()))
            mapped.scope = node.scope;
        mapped.cooperative = mapped.of_block && !binds_nest(node);
        mapped.loader = node.producers > 0   ? Loader::Producers
                        : mapped.cooperative ? Loader::Block
                                             : Loader::Threads;
        if (mapped.cooperative)
            for (const auto& child : node.children)
                divide(*child);
    }

    // Marks the loops of a cooperative stage that the block's threads divide. Only the pure
    // definition or reduction is divided: updates, whose order counts, run in one thread, and
    // instructions are work of whole warps. A loop that is the only child of a divided one is
    // divided as well, unless it is vectorised. Reduction loops may stand around divided loops but
    // not between them: threads would run their iterations at different times.
    void divide(const TreeNode& nest) {
        if (nest.id.definition > 0 || has_instruction(nest))
            return;
        bool any = false;
        for (const auto* node = &nest; node->kind == TreeKind::Loop;
             node = node->children[0].get()) {
            if (node->loop_kind == LoopKind::Vectorized || (node->reduction && any))
                return;
            if (!node->reduction) {
                out_.loops[node].role = LoopRole::Divided;
                any = true;
            }
            if (node->children.size() != 1 || !node->prefetches.empty())
                return;
        }
    }

    // Is something of it needed, or do others compute in its loops?
    bool computes(const TreeNode& node) const {
        return any_node(node, [this](const TreeNode& each) {
            return each.kind == TreeKind::Compute && out_.empty.count(each.id.stage) == 0;
        });
    }

    // One for each definition, or for those that share loops.
    void launches(const TreeNode& parent) {
        const auto& nodes = parent.children;
        for (std::size_t i = 0; i < nodes.size();) {
            const auto& node = *nodes[i];
            if (node.kind == TreeKind::Storage || node.kind == TreeKind::Stage) {
                if (node.kind == TreeKind::Stage &&
                    (!out_.empty.count(node.id.stage) || computes(node)))
                    launches(node);
                ++i;
                continue;
            }
            LaunchMapping launch;
            launch.name = definition_name(node.id.stage, node.id.definition);
            launch.stage = &parent;
            for (; i < nodes.size() && nodes[i]->kind != TreeKind::Stage &&
                   nodes[i]->kind != TreeKind::Storage &&
                   nodes[i]->id.definition == node.id.definition;
                 ++i) {
                launch.nodes.push_back(nodes[i].get());
                measure(*nodes[i], launch);
            }
            launch.threads = block_threads(launch.extents, launch.lanes, kWarp);
            out_.launches.push_back(std::move(launch));
        }
    }

    void measure(const TreeNode& node, LaunchMapping& launch) const {
        if (node.kind == TreeKind::Loop && node.numbers.any())
            bound(node, launch);
        if (node.tensor)
            launch.lanes = std::max(launch.lanes, node.tensor->intrinsic->lanes);
        if (node.kind == TreeKind::Stage) {
            if (const auto held = out_.fragments.layouts.find(node.id.stage);
                held != out_.fragments.layouts.end())
                launch.lanes = std::max(launch.lanes, held->second.intrinsic->lanes);
            if (node.producers > launch.producers) {
                launch.producers = node.producers;
                launch.produced = node.id.stage;
            }
        }
        for (const auto& child : node.children)
            measure(*child, launch);
    }

    static void bound(const TreeNode& loop, LaunchMapping& launch) {
        if (loop.numbers.is_virtual())
            return;
        const auto extent = std::max<std::int64_t>(loop.extent.hint(), 1);
        const auto level = launch_level(loop);
        auto& greatest = launch.extents[level];
        auto& longest = launch.longest[level];
        if (extent > greatest || (extent == greatest && longest->init))
            longest = &loop;
        greatest = std::max(greatest, extent);
        if (loop.numbers.unit == Unit::Warp)
            launch.lanes = std::max(launch.lanes, kWarp);
        if (loop.persistent)
            launch.persistent.push_back(&loop);
        if (!loop.numbers.of_blocks())
            return;
        auto& along = (loop.numbers.unit == Unit::Grid
                           ? launch.blocks
                           : launch.cluster)[static_cast<std::size_t>(loop.numbers.axis)];
        along = std::max(along, extent);
    }

    const ScheduleTree& tree_;
    Mapping out_;
    std::set<NodeId> of_lanes_; // loops that lanes divide, with all inside
};

} // namespace

const LoopMapping& Mapping::of(const TreeNode& loop) const { return loops.at(&loop); }

const StageMapping& Mapping::of(const std::string& stage) const {
    static const StageMapping own;
    const auto found = stages.find(stage);
    return found == stages.end() ? own : found->second;
}

Mapping map_to_gpu(const ScheduleTree& tree) { return Mapper(tree).run(); }

bool has_instruction(const TreeNode& node) {
    return any_node(node, [](const TreeNode& each) { return each.tensor != nullptr; });
}

int block_axis(const device::Numbering& numbers) {
    switch (numbers.members) {
    case Unit::WarpGroup: return 2;
    case Unit::Warp: return 1 + numbers.axis;
    default: return numbers.axis;
    }
}

std::string launch_level(const TreeNode& loop) {
    auto numbers = loop.numbers;
    if (numbers.unit == Unit::Warp)
        return kLaneLevel;
    if (numbers.unit == Unit::WarpGroup) // its warps are those of a block that has one
        numbers.unit = Unit::Block;
    const auto& levels = device::default_levels();
    auto found = std::find_if(levels.begin(), levels.end(), [&](const auto& level) {
        return level.name == loop.binding && level.numbers == numbers;
    });
    if (found == levels.end())
        found = std::find_if(levels.begin(), levels.end(),
                             [&](const auto& level) { return level.numbers == numbers; });
    return found == levels.end() ? std::string() : found->name;
}

} // namespace loopscope
