#pragma once
// NVIDIA's architectures, as far as code generation must know them.

#include "core/base/result.h"

#include <string>

namespace loopscope::codegen {

struct Architecture {
    std::string name; // that LLVM knows: "sm_80", "sm_90a"
    int number = 80;
    // version of PTX times 10: the least that has all of the architecture, so that old drivers take
    // it too
    int ptx = 70;
    std::string features() const { return "+ptx" + std::to_string(ptx); }
    bool has_asynchronous_copies() const { return number >= 80; }
    bool has_bulk_tensor_copies() const { return number >= 90; }
    bool has_clusters() const { return number >= 90; }
    bool has_bf16_atomics() const { return number >= 90; }
};

// "sm_80", "sm_90a"; one newer than LLVM's newest gives sm_90, whose PTX it accepts. Errors: what
// is no architecture, or is older than sm_70.
Result<Architecture> architecture_of(const std::string& name);

} // namespace loopscope::codegen
