#include "core/schedule/levels.h"

#include "core/base/foreign_words.h"
#include "core/base/listed.h"
#include "core/device/device.h"
#include "core/device/generic_gpu.h"
#include "core/schedule/nest.h"

#include <algorithm>

namespace loopscope {

namespace {

template <typename Table> std::vector<std::string> names_of(const Table& table) {
    std::vector<std::string> names;
    for (const auto& entry : table)
        names.push_back(entry.name);
    return names;
}

std::vector<std::string> with(std::vector<std::string> names,
                              const std::vector<std::string>* more) {
    if (more)
        for (const auto& name : *more)
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
    return names;
}

Status check(const char* what, ForeignPlace place, const std::string& name,
             const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end())
        return success();
    auto remedy = foreign_remedy(place, name);
    if (remedy.empty())
        remedy = did_you_mean(name, known);
    if (remedy.empty())
        remedy = std::string(what) + "s are " + listed(known);
    return error("there is no " + std::string(what) + " " + name, remedy);
}

const device::Gpu* gpu_of(const ApplyContext& context) {
    return context.device && context.device->gpu ? &*context.device->gpu : nullptr;
}

template <typename Table>
const typename Table::value_type* entry_of(const Table& table, const std::string& name) {
    auto found = std::find_if(table.begin(), table.end(),
                              [&](const auto& entry) { return entry.name == name; });
    return found == table.end() ? nullptr : &*found;
}

} // namespace

device::Numbering numbered_by(const std::string& level, const ApplyContext& context) {
    const auto* gpu = gpu_of(context);
    const auto* known = entry_of(gpu ? gpu->levels : device::default_levels(), level);
    return (known ? *known : device::own_level(level, device::Unit::Block)).numbers;
}

device::MemoryScope scope_named(const std::string& scope, const ApplyContext& context) {
    const auto* gpu = gpu_of(context);
    const auto* known = entry_of(gpu ? gpu->scopes : device::default_scopes(), scope);
    return known ? *known : device::MemoryScope{scope, device::Unit::Thread};
}

std::vector<std::string> known_levels(const ApplyContext& context) {
    return with(names_of(device::default_levels()),
                context.device ? &context.device->levels : nullptr);
}

std::vector<std::string> known_scopes(const ApplyContext& context) {
    return with(names_of(device::default_scopes()),
                context.device ? &context.device->scopes : nullptr);
}

const device::Gpu& target_gpu(const ApplyContext& context) {
    const auto* gpu = gpu_of(context);
    return gpu ? *gpu : *device::generic_gpu().gpu;
}

std::string target_gpu_name(const ApplyContext& context) {
    const auto& generic = device::generic_gpu().name;
    return gpu_of(context) && context.device->name != generic ? context.device->name
                                                              : "a GPU of compute capability 8.0";
}

std::string no_tensor_cores(const ApplyContext& context) {
    if (!context.device)
        return "no target is named that has tensor cores";
    if (const auto* gpu = gpu_of(context))
        return gpu->tensor_intrinsics.empty() ? target_gpu_name(context) + " has no tensor cores"
                                              : "";
    // A worker, which runs here, knows no name of its device.
    const bool here = context.device->is_host || context.device->name.empty();
    return (here ? "this machine" : context.device->name) + " has no tensor cores";
}

Status check_level(const std::string& level, const ApplyContext& context) {
    return check("level", ForeignPlace::Level, level, known_levels(context));
}

Status check_scope(const std::string& scope, const ApplyContext& context) {
    return check("scope", ForeignPlace::Scope, scope, known_scopes(context));
}

} // namespace loopscope
