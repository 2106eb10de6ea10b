#include "compiler/measure/targets.h"

#include "compiler/measure/host_device.h"
#include "compiler/protocol/worker_client.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace loopscope::measure {

// Before the number of a device.
static constexpr std::string_view kCuda = "cuda:", kOpencl = "opencl:";

const std::vector<std::string>& targets() {
    static const std::vector<std::string> all{"cpu", "simt", "opencl", "cuda"};
    return all;
}

namespace {

// Nothing: the text is no number of a GPU.
std::optional<int> gpu_number(const std::string& text) {
    int number = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    const bool whole = read.ec == std::errc() && read.ptr == end;
    return whole && number >= 0 && number < kMaxGpus ? std::optional(number) : std::nullopt;
}

} // namespace

Result<Target> read_target(const std::string& text) {
    if (std::find(targets().begin(), targets().end(), text) != targets().end())
        return Target{text};
    if (text.starts_with(kCuda)) {
        if (const auto number = gpu_number(text.substr(kCuda.size())))
            return Target{"cuda", *number};
        return coded_error(kCodeTarget, "there is no target `" + text + "`",
                           "`cuda:0` is the first GPU; `devices` lists all with their numbers");
    }
    if (text.starts_with(kOpencl)) {
        if (const auto number = gpu_number(text.substr(kOpencl.size())))
            return Target{"opencl", *number};
        return coded_error(kCodeTarget, "there is no target `" + text + "`",
                           "`opencl:0` is the first device; `devices` lists all, in their order");
    }
    if (auto device = find_device(text); device && !device->is_host)
        return only_estimates(*device);
    return coded_error(kCodeTarget, "there is no target `" + text + "`",
                       "this version has `cpu`, `cuda`, `opencl`, and `simt`, the interpreter of "
                       "GPU programs");
}

std::string opencl_target(std::size_t number) {
    return std::string(kOpencl) + std::to_string(number);
}

bool is_opencl(const std::string& target) {
    return target == "opencl" || target.starts_with(kOpencl);
}

} // namespace loopscope::measure
