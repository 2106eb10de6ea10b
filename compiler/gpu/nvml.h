#pragma once
// Clocks, temperature and power by NVIDIA's management library, where it is found
// (libnvidia-ml.so.1, or what LOOPSCOPE_NVML_LIBRARY names). Nothing needs it: without it a
// measurement says that they are not known. Settings are only read.

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace loopscope::gpu {

inline constexpr const char* kNvmlLibraryVariable = "LOOPSCOPE_NVML_LIBRARY";

struct Clocks {
    double multiprocessor_hertz = 0;
    double memory_hertz = 0;
    std::optional<double> temperature_celsius;
    std::optional<double> power_watts;
    // Bits of nvmlDeviceGetCurrentClocksThrottleReasons; 0: nothing holds the clocks back.
    std::optional<unsigned long long> held_back;
};

// The present clocks of the GPU at a PCI address; nothing where they cannot be read.
std::optional<Clocks> read_clocks(const std::string& pci);

nlohmann::json to_json(const std::optional<Clocks>& clocks); // null: not known

} // namespace loopscope::gpu
