#pragma once
// The open names of a target: levels that loops are bound to, scopes that memory lies in. The
// language knows those that all GPUs have; a device's file adds its own. Nothing else lists them.

#include "core/device/hierarchy.h"
#include "core/schedule/directive.h"

#include <string>
#include <vector>

namespace loopscope {

namespace device {
struct Gpu;
}

// "block.x", "thread.y", "warp", …
std::vector<std::string> known_levels(const ApplyContext& context);
// "global", "shared", "local", "register", …
std::vector<std::string> known_scopes(const ApplyContext& context);

// What a level numbers on the target. Of a level that no GPU describes: threads of a block.
device::Numbering numbered_by(const std::string& level, const ApplyContext& context);
// The scope of that name on the target. One that no GPU describes is a thread's.
device::MemoryScope scope_named(const std::string& scope, const ApplyContext& context);

// Errors: a name that is none of them, with the nearest.
Status check_level(const std::string& level, const ApplyContext& context);
Status check_scope(const std::string& scope, const ApplyContext& context);

// The GPU whose instructions a schedule may name: the device, or one of compute capability 8.0
// where none is named or it is a CPU; and how messages call it.
const device::Gpu& target_gpu(const ApplyContext& context);
std::string target_gpu_name(const ApplyContext& context);
// Why a schedule cannot ask for tensor cores; empty: the target has some.
std::string no_tensor_cores(const ApplyContext& context);

} // namespace loopscope
