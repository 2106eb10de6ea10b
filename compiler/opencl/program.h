#pragma once
// Kernels in OpenCL C with all that their runner must know, and the form in which they travel
// between two processes.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::opencl {

struct Launch {
    std::string kernel;                            // its name in the source
    std::array<std::int64_t, 3> groups{}, items{}; // of the grid; of a group
    std::vector<std::size_t> arguments;            // indices of Program::memories
    std::int64_t local_bytes = 0;                  // of a group
};

struct Program {
    std::string source;
    std::vector<Launch> launches;       // in order
    std::vector<std::int64_t> memories; // their sizes in bytes
    bool needs_doubles = false;         // f64 in kernels
    bool needs_long_atomics = false;    // atomic steps on elements of 64 bits
};

nlohmann::json to_json(const Program& program);
// Throws what nlohmann::json throws where keys are missing; an index beyond the memories is an
// exception too.
Program program_from_json(const nlohmann::json& json);

} // namespace loopscope::opencl
