#include "core/device/gpu.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace loopscope::device {

namespace {

template <typename Named>
const Named* find_named(const std::vector<Named>& table, const std::string& name) {
    auto found = std::find_if(table.begin(), table.end(),
                              [&](const Named& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

// The last digit is the minor number, those before it the major one; a letter behind them names a
// variant.
std::optional<ComputeCapability> compute_capability(const std::string& architecture) {
    constexpr std::size_t kPrefix = 3, kMaxDigits = 3;
    if (!architecture.starts_with("sm_"))
        return std::nullopt;
    auto end = architecture.find_first_not_of("0123456789", kPrefix);
    if (end == std::string::npos)
        end = architecture.size();
    const auto digits = end - kPrefix, behind = architecture.size() - end;
    if (digits < 2 || digits > kMaxDigits || architecture[kPrefix] == '0' || behind > 1 ||
        (behind == 1 && architecture[end] != 'a' && architecture[end] != 'f'))
        return std::nullopt;
    const int number = std::stoi(architecture.substr(kPrefix, digits));
    return ComputeCapability{number / 10, number % 10};
}

ComputeCapability Gpu::capability() const {
    auto found = compute_capability(architecture);
    if (!found)
        throw std::logic_error("no architecture: " + architecture);
    return *found;
}

bool Gpu::has(const std::string& capability) const { return contains(capabilities, capability); }

// "wgmma_m64nNk16_f16" stands for all that differ in the extent alone.
bool Gpu::has_intrinsic(const std::string& intrinsic) const {
    if (contains(tensor_intrinsics, intrinsic))
        return true;
    constexpr std::string_view kWarpgroups = "wgmma_m64n";
    // of columns, a multiple of the least: PTX ISA, "wgmma.mma_async"
    constexpr std::int64_t kMinExtent = 8, kMaxExtent = 256;
    if (!intrinsic.starts_with(kWarpgroups))
        return false;
    const auto* begin = intrinsic.data() + kWarpgroups.size();
    const auto* end = intrinsic.data() + intrinsic.size();
    std::int64_t extent = 0;
    const auto read = std::from_chars(begin, end, extent);
    return read.ec == std::errc() && extent >= kMinExtent && extent <= kMaxExtent &&
           extent % kMinExtent == 0 &&
           contains(tensor_intrinsics, std::string(kWarpgroups) + "N" + std::string(read.ptr, end));
}

const Level* Gpu::level(const std::string& name) const { return find_named(levels, name); }
const MemoryScope* Gpu::scope(const std::string& name) const { return find_named(scopes, name); }

} // namespace loopscope::device
