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

// What a level numbers on the target; threads of a block, for a level that no GPU describes.
device::Numbering numbered_by(const std::string& level, const ApplyContext& context);
// The scope of that name on the target; a thread's, for one that no GPU describes.
device::MemoryScope scope_named(const std::string& scope, const ApplyContext& context);

// Errors: an unknown name, with the nearest known one.
Status check_level(const std::string& level, const ApplyContext& context);
Status check_scope(const std::string& scope, const ApplyContext& context);

// The GPU whose instructions a schedule may name: the device, or one of compute capability 8.0
// where no device is named or it is a CPU; and what messages call it.
const device::Gpu& target_gpu(const ApplyContext& context);
std::string target_gpu_name(const ApplyContext& context);
// Why a schedule cannot ask for tensor cores; empty: the target has some.
std::string no_tensor_cores(const ApplyContext& context);

} // namespace loopscope
