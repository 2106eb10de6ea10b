#pragma once
// The devices of OpenCL on this machine, with the properties that our kernels need.

#include "compiler/opencl/api.h"
#include "compiler/opencl/program.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string>
#include <vector>

namespace loopscope::opencl {

struct Device {
    std::string name, platform, version;
    std::string kind; // "gpu", "processor", "accelerator"
    std::int64_t units = 0;
    double clock_hertz = 0;                     // of the units, at most; 0: it does not say
    std::int64_t most_items = 0;                // of a group
    std::array<std::int64_t, 3> item_extents{}; // of a group, along each axis
    std::int64_t local_bytes = 0;               // of a group
    std::int64_t memory_bytes = 0;
    std::int64_t largest_memory = 0; // of one array, in bytes
    bool doubles = false, long_atomics = false;
    bool rounds = false;    // quotients and roots of f32 to the nearest, when asked to
    bool denormals = false; // of f32

    // Does it compute as the specification of pipelines says, to the bit?
    bool exact() const { return rounds && denormals; }
    // The properties that it lacks for that: "does not round quotients and roots to the nearest,
    // has no denormals"; empty: none.
    std::string inexact_text() const;
};

nlohmann::json to_json(const Device& device);
Device device_from_json(const nlohmann::json& json); // throws where keys are missing

// The device as its platform describes it, less what LOOPSCOPE_OPENCL_WITHOUT names.
struct FoundDevice {
    Handle handle;
    Device device;
};
// All of them, GPUs first: a target counts them so ("opencl:1"). Errors (kCodeTarget): there is
// none, and what to install.
Result<std::vector<FoundDevice>> find_devices(const Api& api);

// All that the program asks for and the device does not have: a type (kCodeTarget), the size of a
// group ("not-runnable"), memory (kCodeMemoryLimit).
Diagnostics lacks(const Device& device, const Program& program);

} // namespace loopscope::opencl
