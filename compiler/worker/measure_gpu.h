#pragma once
// measure --target cuda: checked first, then timed by events of the device (compiler/gpu/timing.h).

#include "compiler/worker/context.h"

namespace loopscope::worker {

// Keys: compiler/measure/requests.h, of measure. Of a wrong result there is no time: "median_s" is
// null, and "check" says what is wrong.
Result<nlohmann::json> measure_on_gpu(const nlohmann::json& arguments, const Context& context);

} // namespace loopscope::worker
