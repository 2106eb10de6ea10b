#pragma once
// The open names of a target: levels that loops are bound to, scopes that memory lies in. The language knows those that all
// GPUs have; a device's file adds its own. Nothing else lists them.

#include "core/schedule/directive.h"

#include <string>
#include <vector>

namespace loopscope {

namespace device {
struct Gpu;
}

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

// The GPU whose instructions a schedule may name: the device, or one of compute capability 8.0 where none is named or it is
// a CPU; and how messages call it.
const device::Gpu& target_gpu(const ApplyContext& context);
std::string target_gpu_name(const ApplyContext& context);
// Why a schedule cannot ask for tensor cores; empty: the target has some.
std::string no_tensor_cores(const ApplyContext& context);

} // namespace loopscope
