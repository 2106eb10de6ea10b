#include "compiler/gpu/nvml.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

#include <dlfcn.h>

struct nvmlDevice_st; // NVIDIA's name: sanitizers compare the types of what is called

namespace loopscope::gpu {

namespace {

using NvmlResult = int;
using NvmlDevice = nvmlDevice_st*;

constexpr int kMultiprocessorClock = 1, kMemoryClock = 2; // nvmlClockType_t
constexpr int kGpuTemperature = 0;                        // nvmlTemperatureSensors_t

struct Nvml {
    NvmlResult (*init)() = nullptr;
    NvmlResult (*device_by_pci)(const char* id, NvmlDevice* device) = nullptr;
    NvmlResult (*clock)(NvmlDevice device, int type, unsigned* megahertz) = nullptr;
    NvmlResult (*temperature)(NvmlDevice device, int sensor, unsigned* celsius) = nullptr;
    NvmlResult (*power)(NvmlDevice device, unsigned* milliwatts) = nullptr;
    NvmlResult (*held_back)(NvmlDevice device, unsigned long long* reasons) = nullptr;
    bool ready = false;
};

Nvml load_nvml() {
    const char* named = std::getenv(kNvmlLibraryVariable);
    void* library = ::dlopen(named && *named ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    Nvml nvml;
    if (!library)
        return nvml;
    auto look_up = [&](auto*& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    };
    look_up(nvml.init, "nvmlInit_v2");
    look_up(nvml.device_by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    look_up(nvml.clock, "nvmlDeviceGetClockInfo");
    look_up(nvml.temperature, "nvmlDeviceGetTemperature");
    look_up(nvml.power, "nvmlDeviceGetPowerUsage");
    look_up(nvml.held_back, "nvmlDeviceGetCurrentClocksThrottleReasons");
    nvml.ready = nvml.init && nvml.device_by_pci && nvml.clock && nvml.init() == 0;
    return nvml;
}

} // namespace

std::optional<Clocks> read_clocks(const std::string& pci) {
    static const Nvml nvml = load_nvml();
    NvmlDevice device = nullptr;
    unsigned multiprocessor = 0, memory = 0;
    if (!nvml.ready || nvml.device_by_pci(pci.c_str(), &device) != 0 ||
        nvml.clock(device, kMultiprocessorClock, &multiprocessor) != 0 ||
        nvml.clock(device, kMemoryClock, &memory) != 0)
        return std::nullopt;
    Clocks clocks;
    clocks.multiprocessor_hertz = 1e6 * multiprocessor;
    clocks.memory_hertz = 1e6 * memory;
    unsigned value = 0;
    if (nvml.temperature && nvml.temperature(device, kGpuTemperature, &value) == 0)
        clocks.temperature_celsius = value;
    if (nvml.power && nvml.power(device, &value) == 0)
        clocks.power_watts = 1e-3 * value;
    if (unsigned long long reasons = 0; nvml.held_back && nvml.held_back(device, &reasons) == 0)
        clocks.held_back = reasons;
    return clocks;
}

nlohmann::json to_json(const std::optional<Clocks>& clocks) {
    if (!clocks)
        return nullptr;
    nlohmann::json out{{"multiprocessor_hertz", clocks->multiprocessor_hertz},
                       {"memory_hertz", clocks->memory_hertz}};
    if (clocks->temperature_celsius)
        out["temperature_celsius"] = *clocks->temperature_celsius;
    if (clocks->power_watts)
        out["power_watts"] = *clocks->power_watts;
    if (clocks->held_back)
        out["held_back"] = *clocks->held_back;
    return out;
}

} // namespace loopscope::gpu
