#pragma once
// A GPU whose scopes and levels have names of its own, and scripts that say those: they mean what
// the language's do, so that everything must be as under those.

#include "core/device/device.h"

#include <regex>
#include <string>

namespace loopscope::test {

// "own_shared" for "shared", "own_thread.x" for "thread.x"; "own_warpgroup" for "warpgroup", too,
// whose numbering a device's file has no words for.
inline device::Device with_own_names(device::Device device) {
    auto& gpu = *device.gpu;
    for (const auto& scope : device::default_scopes()) {
        gpu.scopes.push_back({"own_" + scope.name, scope.shared_by});
        device.scopes.push_back(gpu.scopes.back().name);
    }
    for (const auto& level : device::default_levels()) {
        gpu.levels.push_back({"own_" + level.name, level.numbers});
        device.levels.push_back(gpu.levels.back().name);
    }
    return device;
}

// A word alone between parentheses or commas.
inline std::string in_own_names(const std::string& script) {
    static const std::regex names("([(,] *)((global|shared|local|register|fragment)|"
                                  "(block|thread)\\.[xyz]|cluster\\.[xy]|vthread|"
                                  "warp(group|\\.[xy])?)(?=[),])");
    return std::regex_replace(script, names, "$1own_$2");
}

// A loop program's text with the language's words for them.
inline std::string in_common_names(const std::string& program) {
    static const std::regex names(" in own_(\\w+)( of \\w+)?");
    return std::regex_replace(program, names, " in $1");
}

} // namespace loopscope::test
