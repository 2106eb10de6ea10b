#pragma once
// The processor that host code is generated for.

#include <string>
#include <vector>

namespace loopscope::codegen {

struct HostInfo {
    std::string cpu; // LLVM's name, for tuning only: newer processors are sometimes misnamed
    // names without sign of all features the processor has: "avx2", "fma"
    std::vector<std::string> features;
    std::string feature_string; // "+avx2,-avx512f,...": what a target machine is created with
    int vector_bits = 128;      // native vector width: 512, 256 or 128
    int vector_registers = 16;  // of that width
    bool has(const std::string& feature) const;
};

// Read once from the processor; the features, not the name, decide.
const HostInfo& host_info();
// The same without some features and those that need them.
HostInfo host_info_without(const std::vector<std::string>& features);
// Of the LLVM that is linked: "19.1.4".
std::string llvm_version();

} // namespace loopscope::codegen
