#include "core/schedule/storage.h"

#include "core/schedule/loop_paths.h"
#include "core/schedule/nest.h"
#include "core/schedule/pipelining.h"
#include "core/schedule/placement.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

device::MemoryScope memory_scope(const ScheduleState& state, LoopPaths& paths,
                                 const StageState& stage) {
    if (!stage.scope.name.empty())
        return stage.scope;
    const auto store = storage_place(state, stage);
    if (store.kind != Placement::Kind::At)
        return {"host", device::Unit::Grid};
    device::MemoryScope scope{"host", device::Unit::Thread};
    const auto around = paths.around(stage.name).down_to(store.at);
    if (!around)
        return scope;
    for (const auto* loop : around->states()) {
        if (loop->numbers.of_blocks())
            scope = device::shared_memory();
        else if (loop->numbers.any())
            return {"local", device::Unit::Thread};
    }
    return scope;
}

bool shared_by_block(const ScheduleState& state, LoopPaths& paths, const StageState& stage) {
    return memory_scope(state, paths, stage).shared_by == device::Unit::Block;
}

Status owns_storage(const ScheduleState& state, const DefinitionRef& stage) {
    if (!state.find(stage.stage) && state.pipeline->find(stage.stage))
        return error(stage.stage + " is an input: it lies in memory as the caller has it",
                     "a copy may lie otherwise: B = S.cache_read(" + stage.stage + ", local)");
    auto found = find_definition(state, stage);
    if (!found)
        return found.errors();
    if (state.pipeline->find_output(stage.stage))
        return error(stage.stage + " is an output: it lies in memory as the caller has it",
                     "lay out a stage that it reads, or a copy of one by cache_read");
    if (state.find(stage.stage)->compute.kind == Placement::Kind::Inline)
        return error(stage.stage + " is inlined: it has no storage",
                     stage.stage + ".compute_root() gives it storage again");
    return success();
}

Result<int> find_dimension(const ScheduleState& state, const std::string& stage,
                           const std::string& name) {
    const auto& variables = state.declared(stage).variables;
    auto at = std::find(variables.begin(), variables.end(), name);
    if (at != variables.end())
        return static_cast<int>(at - variables.begin());
    std::string all;
    for (const auto& variable : variables)
        all += (all.empty() ? "" : ", ") + variable;
    return coded_error("unknown-name",
                       stage + " has no index " + name + "; its indices are " +
                           (all.empty() ? "none" : all),
                       did_you_mean(name, variables));
}

std::vector<std::size_t> storage_order(const TreeNode& storage) {
    if (!storage.storage_order.empty())
        return {storage.storage_order.begin(), storage.storage_order.end()};
    std::vector<std::size_t> order(storage.region.dimensions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

std::vector<std::int64_t> storage_extents(const TreeNode& storage) {
    std::vector<std::int64_t> extents;
    for (const auto& d : storage.region.dimensions)
        extents.push_back(d.extent.hint());
    for (std::size_t d = 0; d < storage.storage_padding.size(); ++d)
        extents[d] += storage.storage_padding[d];
    return extents;
}

double storage_bytes(const TreeNode& storage) {
    double size = 0;
    for (auto type : storage.types)
        size += bytes(type);
    size *= static_cast<double>(storage.rotation);
    for (auto extent : storage_extents(storage))
        size *= static_cast<double>(extent);
    return size;
}

std::string layout_text(const TreeNode& storage) {
    if (storage.storage_order.empty() && storage.storage_padding.empty())
        return "";
    std::string out;
    for (auto d : storage_order(storage)) {
        out += (out.empty() ? "" : ", ") + storage.region.dimensions[d].index;
        if (!storage.storage_padding.empty() && storage.storage_padding[d] > 0)
            out += " + " + std::to_string(storage.storage_padding[d]);
    }
    return out;
}

} // namespace loopscope
