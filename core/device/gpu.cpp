#include "core/device/gpu.h"

#include <algorithm>
#include <stdexcept>

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

// The last digit is the minor number, those before it the major one; a letter behind them names a variant.
std::optional<ComputeCapability> compute_capability(const std::string& architecture) {
    constexpr std::size_t kPrefix = 3, kMostDigits = 3;
    if (!architecture.starts_with("sm_"))
        return std::nullopt;
    auto end = architecture.find_first_not_of("0123456789", kPrefix);
    if (end == std::string::npos)
        end = architecture.size();
    const auto digits = end - kPrefix, behind = architecture.size() - end;
    if (digits < 2 || digits > kMostDigits || architecture[kPrefix] == '0' || behind > 1 ||
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

bool Gpu::has_intrinsic(const std::string& intrinsic) const {
    return contains(tensor_intrinsics, intrinsic);
}

const Level* Gpu::level(const std::string& name) const { return find_named(levels, name); }
const Scope* Gpu::scope(const std::string& name) const { return find_named(scopes, name); }

} // namespace loopscope::device
