#include "compiler/codegen/host/host_info.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>

namespace loopscope::codegen {

bool HostInfo::has(const std::string& feature) const {
    return std::binary_search(features.begin(), features.end(), feature);
}

namespace {
void set_vectors(HostInfo& info) {
    bool wide = info.has("avx512f") && info.has("avx512vl");
    info.vector_bits = wide ? 512 : info.has("avx2") ? 256 : 128;
    info.vector_registers = wide ? 32 : 16;
}

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
    set_vectors(info);
    return info;
}
} // namespace

const HostInfo& host_info() {
    static const HostInfo info = read_host();
    return info;
}

HostInfo host_info_without(const std::vector<std::string>& features) {
    HostInfo info = host_info();
    // LLVM takes what needs a feature away with it, if the feature's own entry comes last. Here
    // only the names that decide about vectors are followed.
    const std::vector<std::vector<std::string>> chain{{"sse4.1"}, {"avx"},     {"avx2", "fma"},
                                                      {"f16c"},   {"avx512f"}, {"avx512vl"}};
    for (const auto& feature : features) {
        info.feature_string += ",-" + feature;
        std::erase(info.features, feature);
        auto level = std::find_if(chain.begin(), chain.end(),
                                  [&](const auto& names) { return names[0] == feature; });
        for (; level != chain.end(); ++level)
            for (const auto& name : *level)
                std::erase(info.features, name);
    }
    set_vectors(info);
    return info;
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

} // namespace loopscope::codegen
