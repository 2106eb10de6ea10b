#include "compiler/codegen/host/host_info.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>

namespace loopscope::codegen {

bool HostInfo::has(const std::string& feature) const {
    return std::binary_search(features.begin(), features.end(), feature);
}

namespace {
HostInfo read_host() {
    HostInfo info;
    info.cpu = llvm::sys::getHostCPUName().str();
    std::vector<std::string> absent;
    for (const auto& entry : llvm::sys::getHostCPUFeatures())
        (entry.second ? info.features : absent).push_back(entry.first().str());
    std::sort(info.features.begin(), info.features.end());
    std::sort(absent.begin(), absent.end());
    // Absent features are spelled out too: a misnamed processor must not bring any along.
    for (const auto& feature : info.features)
        info.feature_string += (info.feature_string.empty() ? "+" : ",+") + feature;
    for (const auto& feature : absent)
        info.feature_string += (info.feature_string.empty() ? "-" : ",-") + feature;
    bool wide = info.has("avx512f") && info.has("avx512vl");
    info.vector_bits = wide ? 512 : info.has("avx2") ? 256 : 128;
    info.vector_registers = wide ? 32 : 16;
    return info;
}
} // namespace

const HostInfo& host_info() {
    static const HostInfo info = read_host();
    return info;
}

} // namespace loopscope::codegen
