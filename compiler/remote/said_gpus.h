#pragma once
// What another machine says of its GPUs, which may be anything.

#include "compiler/remote/place.h"

#include <nlohmann/json.hpp>

namespace loopscope::remote {

// The "gpus" of an answer of `loopscope-agent devices`, read strictly: nothing stays that is not
// what compiler/gpu/device.h and ceilings.h write. Each gets its "place", and as "target" how it is
// asked for (measure/gpu_devices.h). Errors (kCodeProtocol): one is no GPU.
Result<nlohmann::json> said_gpus(const Place& place, const nlohmann::json& answer);

} // namespace loopscope::remote
