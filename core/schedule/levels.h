#pragma once
// The open names of a target: levels that loops are bound to, scopes that memory lies in. The language knows those that all
// GPUs have; a device's file adds its own. Nothing else lists them.

#include "core/schedule/directive.h"

#include <string>
#include <vector>

namespace loopscope {

std::vector<std::string>
known_levels(const ApplyContext& context); // "block.x", "thread.y", "warp", …
std::vector<std::string>
known_scopes(const ApplyContext& context); // "global", "shared", "local", "register", …

// The unit whose members a level numbers: "grid" for block.x, "block" for thread.x and warp (core/device/hierarchy.h).
std::string unit_of_level(const std::string& level, const ApplyContext& context);
// The unit whose members share memory of a scope: "grid", "block", "thread" …
std::string sharer_of_scope(const std::string& scope, const ApplyContext& context);
// Does one member of the outer unit hold many of the inner: a grid blocks, a block threads?
bool is_inside(const std::string& inner_unit, const std::string& outer_unit);

// Errors: a name that is none of them, with the nearest.
Status check_level(const std::string& level, const ApplyContext& context);
Status check_scope(const std::string& scope, const ApplyContext& context);

// Why there is no intrinsic of that name, and why there are no tensor cores: no described target declares any so far.
std::string no_intrinsic(const std::string& intrinsic, const ApplyContext& context);
std::string no_tensor_cores(const ApplyContext& context);

} // namespace loopscope
