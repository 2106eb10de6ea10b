#include "compiler/measure/targets.h"

#include "compiler/measure/host_device.h"
#include "compiler/protocol/worker_client.h"

#include <algorithm>

namespace loopscope::measure {

const std::vector<std::string>& targets() {
    static const std::vector<std::string> all{"cpu", "simt", "opencl", "cuda"};
    return all;
}

Status check_target_name(const std::string& target) {
    if (std::find(targets().begin(), targets().end(), target) != targets().end())
        return success();
    if (auto device = find_device(target); device && !device->is_host)
        return only_estimates(*device);
    return coded_error(kCodeTarget, "there is no target `" + target + "`",
                       "this version has `cpu`, `cuda`, `opencl`, and `simt`, the interpreter of "
                       "GPU programs");
}

} // namespace loopscope::measure
