#pragma once
// emit --as ptx: kernels as PTX, with their launches, and with what NVIDIA's assembler says of them
// where it is found.

#include "compiler/worker/program.h"

namespace loopscope::worker {

// Keys: "arch" (absent: the device's). -> "text", "lines", "kernels": [{"name", "grid", "block",
// "cluster", "shared_bytes", "dynamic_bytes", "arguments", and with ptxas "registers",
// "spill_bytes"}], "ptxas" (why it said nothing, if it did not), "warnings" (its own, and what it
// says of performance, as of wgmma that it lets run one after the other; where there are some)
Result<nlohmann::json> emit_ptx(const LoadedProgram& loaded, const nlohmann::json& arguments);

// emit --as sass: the machine code of the same, as nvdisasm shows it: "text", "kernels" as above.
// No line says where it comes from. Errors: there is no ptxas or nvdisasm (code "no-toolkit"), or
// what they say.
Result<nlohmann::json> emit_sass(const LoadedProgram& loaded, const nlohmann::json& arguments);

} // namespace loopscope::worker
