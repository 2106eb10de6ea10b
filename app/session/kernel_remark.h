#pragma once
// What the assembler made of kernels, in a line beside their PTX.

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace loopscope::session {

// "ptxas: C takes 54 registers a thread, spills nothing, 24576 bytes of shared memory a block",
// kernel by kernel, of the worker's answer to `emit` of PTX; or why the assembler said nothing.
// Empty: the answer is of no kernels.
std::string kernel_remark(const nlohmann::json& answer);

} // namespace loopscope::session
