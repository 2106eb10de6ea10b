#include "core/schedule/levels.h"

#include "core/device/device.h"
#include "core/schedule/nest.h"

#include <algorithm>

namespace loopscope {

namespace {

std::vector<std::string> with(std::vector<std::string> names,
                              const std::vector<std::string>* more) {
    if (more)
        for (const auto& name : *more)
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
    return names;
}

Status check(const char* what, const std::string& name, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end())
        return success();
    auto remedy = did_you_mean(name, known);
    if (remedy.empty())
        for (std::size_t i = 0; i < known.size(); ++i)
            remedy += (i == 0                 ? std::string(what) + "s are "
                       : i + 1 < known.size() ? ", "
                                              : " and ") +
                      known[i];
    return error("there is no " + std::string(what) + " " + name, remedy);
}

// "this machine", "i7-6700": whom a refusal speaks of. A worker, which runs here, knows no name.
std::string target_name(const device::Device& device) {
    return device.is_host || device.name.empty() ? "this machine" : device.name;
}

} // namespace

// Names of its own that a device's file does not describe are a thread's.
std::string unit_of_level(const std::string& level, const ApplyContext&) {
    return level.starts_with("block.") || level.starts_with("cluster.") ? "grid" : "block";
}

std::string sharer_of_scope(const std::string& scope, const ApplyContext&) {
    return scope == "global" ? "grid" : scope == "shared" ? "block" : "thread";
}

bool is_inside(const std::string& inner_unit, const std::string& outer_unit) {
    auto rank = [](const std::string& unit) {
        return unit == "grid" ? 0 : unit == "block" ? 1 : 2;
    };
    return rank(inner_unit) > rank(outer_unit);
}

std::vector<std::string> known_levels(const ApplyContext& context) {
    return with({"block.x", "block.y", "block.z", "thread.x", "thread.y", "thread.z", "warp",
                 "warpgroup", "cluster.x", "cluster.y", "vthread"},
                context.device ? &context.device->levels : nullptr);
}

std::vector<std::string> known_scopes(const ApplyContext& context) {
    return with({"global", "shared", "local", "register"},
                context.device ? &context.device->scopes : nullptr);
}

std::string no_intrinsic(const std::string& intrinsic, const ApplyContext& context) {
    return context.device ? target_name(*context.device) + " declares no intrinsic " + intrinsic
                          : "no target is named that declares an intrinsic " + intrinsic;
}

std::string no_tensor_cores(const ApplyContext& context) {
    return context.device ? target_name(*context.device) + " has no tensor cores"
                          : "no target is named that has tensor cores";
}

Status check_level(const std::string& level, const ApplyContext& context) {
    return check("level", level, known_levels(context));
}

Status check_scope(const std::string& scope, const ApplyContext& context) {
    return check("scope", scope, known_scopes(context));
}

} // namespace loopscope
