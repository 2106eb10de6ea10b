// What the counts of a GPU schedule suggest: sentences that name a directive.

#include "tuner/model/gpu/analysis.h"

#include <algorithm>

namespace loopscope::model::gpu {

namespace {

constexpr double kConflicting = 0.5; // passes too many, of the least

// The first definition of the launch, whose loops may be bound.
const TreeNode* outermost_loop(const Analysis& a, const Kernel& kernel) {
    for (int n : kernel.launch.nodes)
        if (a.work.tree_node(n).kind == TreeKind::Loop)
            return &a.work.tree_node(n);
    return nullptr;
}

std::string bind_loops(const Analysis& a, const Kernel& kernel) {
    const auto* loop = outermost_loop(a, kernel);
    if (!loop)
        return "";
    const auto* state = a.work.tree->state.find(loop->id.stage);
    const auto& loops = state->definitions[static_cast<std::size_t>(loop->id.definition)].loops;
    const auto first =
        std::find_if(loops.begin(), loops.end(), [](const LoopState& l) { return l.reduction; });
    const auto free = static_cast<std::size_t>(first - loops.begin());
    const auto& name = kernel.launch.name;
    auto sentence = "`" + name + "` binds no loop and runs in one thread";
    if (free == 0)
        return sentence + ": its outermost loop is a reduction; `" + name + ".rfactor(" +
               loop->id.name + ")` makes a part of it independent";
    if (free == 1)
        return sentence + "; `" + name + ".split(" + loops[0].name + ", " + loops[0].name + "o, " +
               loops[0].name + "i, 256)`, then `bind` them to block.x and thread.x";
    const auto &y = loops[free - 2].name, &x = loops[free - 1].name;
    return sentence + "; `" + name + ".gpu_tile(" + y + ", " + x + ", " + y + "o, " + x + "o, " +
           y + "i, " + x + "i, 8, 32)` gives it blocks of 256";
}

void add_conflicts(const Analysis& a, const Kernel& kernel, std::vector<std::string>& out) {
    for (const auto& buffer : kernel.work.buffers) {
        if (buffer.row_conflicts <= kConflicting * buffer.passes_least)
            continue;
        const auto& name = a.work.buffers[static_cast<std::size_t>(buffer.buffer)].name;
        const auto* stage = a.work.tree->find_stage(name);
        const auto* state = a.work.tree->state.find(name);
        if (!stage || !state || stage->stage.variables.empty())
            continue;
        const auto innermost = state->storage_order.empty()
                                   ? stage->stage.variables.size() - 1
                                   : static_cast<std::size_t>(state->storage_order.back());
        out.push_back(
            "accesses of `" + name + "` take " + number(buffer.passes / buffer.passes_least) +
            " times the passes over the banks that their bytes need; `" + name + ".pad_storage(" +
            stage->stage.variables[innermost] + ", 1)` lets rows begin at other banks");
    }
}

} // namespace

std::vector<std::string> advice_of(const Analysis& a) {
    std::vector<std::string> out;
    for (const auto& kernel : a.kernels) {
        if (!kernel.shape.bound)
            if (auto sentence = bind_loops(a, kernel); !sentence.empty())
                out.push_back(std::move(sentence));
        add_conflicts(a, kernel, out);
        if (kernel.shape.registers_spilled > 0)
            out.push_back("`" + kernel.launch.name + "` holds about " +
                          std::to_string(kernel.shape.registers + kernel.shape.registers_spilled) +
                          " registers a thread, of which it may have " +
                          std::to_string(kernel.shape.registers) +
                          ": smaller tiles of a thread, or fewer threads of a block, spill none");
    }
    return out;
}

} // namespace loopscope::model::gpu
