#include "app/session/kernel_remark.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace loopscope::session {

std::string kernel_remark(const nlohmann::json& answer) {
    std::string out;
    auto kernels = answer.find("kernels");
    if (kernels == answer.end() || !kernels->is_array())
        return out;
    for (const auto& kernel : *kernels) {
        if (!kernel.contains("registers"))
            continue;
        const auto spilled = kernel.value("spill_bytes", std::int64_t{0});
        out += (out.empty() ? "ptxas: " : "; ") + kernel.value("name", "") + " takes " +
               std::to_string(kernel.value("registers", 0)) + " registers a thread, " +
               (spilled > 0 ? "spills " + std::to_string(spilled) + " bytes" : "spills nothing") +
               ", " +
               std::to_string(kernel.value("shared_bytes", std::int64_t{0})) + // dynamic ones too
               " bytes of shared memory a block";
    }
    if (auto why = answer.find("ptxas"); out.empty() && why != answer.end() && why->is_string()) {
        out = why->get<std::string>();
        out = "Registers are not known: " + out.substr(0, out.find('\n'));
    }
    return out;
}

} // namespace loopscope::session
