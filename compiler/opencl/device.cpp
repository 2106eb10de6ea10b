#include "compiler/opencl/device.h"

#include "compiler/protocol/worker_client.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace loopscope::opencl {

using nlohmann::json;

namespace {

// Parameters of clGetPlatformInfo and clGetDeviceInfo.
enum : std::uint32_t {
    kPlatformName = 0x0902,
    kDeviceType = 0x1000,
    kDeviceUnits = 0x1002,
    kDeviceMostAxes = 0x1003,
    kDeviceMostItems = 0x1004,
    kDeviceItemExtents = 0x1005,
    kDeviceClock = 0x100C, // in megahertz
    kDeviceLargestMemory = 0x1010,
    kDeviceSingleFloats = 0x101B,
    kDeviceMemoryBytes = 0x101F,
    kDeviceLocalBytes = 0x1023,
    kDeviceName = 0x102B,
    kDeviceVersion = 0x102F,
    kDeviceExtensions = 0x1030,
    kDeviceDoubleFloats = 0x1032,
};
constexpr std::uint64_t kAnyType = 0xFFFFFFFF, kProcessor = 2, kGpu = 4;
constexpr std::uint64_t kHasDenormals = 1, kRoundsQuotients = 128; // of cl_device_fp_config
constexpr std::uint32_t kMaxDevices = 64;                          // platforms, and devices of each

template <typename Ask> std::string text_of(Ask ask) {
    std::size_t size = 0;
    if (ask(0, nullptr, &size) != kSuccess || size == 0)
        return {};
    std::string text(size, '\0');
    if (ask(size, text.data(), nullptr) != kSuccess)
        return {};
    return text.substr(0, text.find('\0'));
}

std::string device_text(const Api& api, Handle device, std::uint32_t what) {
    return text_of([&](std::size_t size, void* to, std::size_t* needed) {
        return api.get_device_info(device, what, size, to, needed);
    });
}

template <typename T = std::uint64_t>
std::int64_t device_number(const Api& api, Handle device, std::uint32_t what) {
    T value = 0;
    if (api.get_device_info(device, what, sizeof value, &value, nullptr) != kSuccess)
        return 0;
    return static_cast<std::int64_t>(value);
}

// Of the first three axes of a group. One that a device does not tell is as long as the group.
std::array<std::int64_t, 3> item_extents(const Api& api, Handle device, std::int64_t most_items) {
    std::array<std::int64_t, 3> extents{most_items, most_items, most_items};
    std::vector<std::size_t> said(
        static_cast<std::size_t>(device_number<std::uint32_t>(api, device, kDeviceMostAxes)));
    if (said.size() < extents.size() ||
        api.get_device_info(device, kDeviceItemExtents, said.size() * sizeof said[0], said.data(),
                            nullptr) != kSuccess)
        return extents;
    std::transform(said.begin(), said.begin() + extents.size(), extents.begin(),
                   [](std::size_t extent) { return static_cast<std::int64_t>(extent); });
    return extents;
}

// LOOPSCOPE_OPENCL_WITHOUT names what devices are taken not to have, as "doubles,rounds": what a
// lesser device would say is tested on those that there are.
void take_away(Device& d) {
    const char* names = std::getenv("LOOPSCOPE_OPENCL_WITHOUT");
    if (!names)
        return;
    const auto without = "," + std::string(names) + ",";
    const std::pair<const char*, bool&> all[] = {{"doubles", d.doubles},
                                                 {"long_atomics", d.long_atomics},
                                                 {"rounds", d.rounds},
                                                 {"denormals", d.denormals}};
    for (const auto& [name, has] : all)
        if (without.find("," + std::string(name) + ",") != std::string::npos)
            has = false;
}

Device described(const Api& api, Handle platform, Handle handle) {
    Device d;
    d.name = device_text(api, handle, kDeviceName);
    d.version = device_text(api, handle, kDeviceVersion);
    d.platform = text_of([&](std::size_t size, void* to, std::size_t* needed) {
        return api.get_platform_info(platform, kPlatformName, size, to, needed);
    });
    const auto type = static_cast<std::uint64_t>(device_number(api, handle, kDeviceType));
    d.kind = type & kGpu ? "gpu" : type & kProcessor ? "processor" : "accelerator";
    d.units = device_number<std::uint32_t>(api, handle, kDeviceUnits);
    d.clock_hertz =
        1e6 * static_cast<double>(device_number<std::uint32_t>(api, handle, kDeviceClock));
    d.most_items = device_number<std::size_t>(api, handle, kDeviceMostItems);
    d.item_extents = item_extents(api, handle, d.most_items);
    d.local_bytes = device_number(api, handle, kDeviceLocalBytes);
    d.memory_bytes = device_number(api, handle, kDeviceMemoryBytes);
    d.largest_memory = device_number(api, handle, kDeviceLargestMemory);
    d.doubles = device_number(api, handle, kDeviceDoubleFloats) != 0;
    d.long_atomics =
        device_text(api, handle, kDeviceExtensions).find("cl_khr_int64_base_atomics") !=
        std::string::npos;
    const auto floats = static_cast<std::uint64_t>(device_number(api, handle, kDeviceSingleFloats));
    d.rounds = floats & kRoundsQuotients;
    d.denormals = floats & kHasDenormals;
    take_away(d);
    return d;
}

} // namespace

std::string Device::inexact_text() const {
    std::string text = rounds ? "" : "does not round quotients and roots to the nearest";
    if (!denormals)
        text += std::string(text.empty() ? "" : ", ") + "has no denormals";
    return text;
}

json to_json(const Device& d) {
    return {{"name", d.name},
            {"platform", d.platform},
            {"version", d.version},
            {"kind", d.kind},
            {"units", d.units},
            {"clock_hertz", d.clock_hertz},
            {"most_items", d.most_items},
            {"item_extents", d.item_extents},
            {"local_bytes", d.local_bytes},
            {"memory_bytes", d.memory_bytes},
            {"largest_memory", d.largest_memory},
            {"doubles", d.doubles},
            {"long_atomics", d.long_atomics},
            {"rounds", d.rounds},
            {"denormals", d.denormals}};
}

Device device_from_json(const json& json) {
    Device d;
    d.name = json.at("name");
    d.platform = json.at("platform");
    d.version = json.at("version");
    d.kind = json.at("kind");
    d.units = json.at("units");
    d.clock_hertz = json.at("clock_hertz");
    d.most_items = json.at("most_items");
    json.at("item_extents").get_to(d.item_extents);
    d.local_bytes = json.at("local_bytes");
    d.memory_bytes = json.at("memory_bytes");
    d.largest_memory = json.at("largest_memory");
    d.doubles = json.at("doubles");
    d.long_atomics = json.at("long_atomics");
    d.rounds = json.at("rounds");
    d.denormals = json.at("denormals");
    return d;
}

Result<std::vector<FoundDevice>> find_devices(const Api& api) {
    Handle platforms[kMaxDevices];
    std::uint32_t count = 0;
    const auto status = api.get_platform_ids(kMaxDevices, platforms, &count);
    if (status != kSuccess)
        count = 0;
    std::vector<FoundDevice> found;
    for (std::uint32_t p = 0; p < std::min(count, kMaxDevices); ++p) {
        Handle devices[kMaxDevices];
        std::uint32_t of_platform = 0;
        if (api.get_device_ids(platforms[p], kAnyType, kMaxDevices, devices, &of_platform) !=
            kSuccess)
            continue; // it has none
        for (std::uint32_t d = 0; d < std::min(of_platform, kMaxDevices); ++d)
            found.push_back({devices[d], described(api, platforms[p], devices[d])});
    }
    if (found.empty())
        return coded_error(measure::kCodeTarget,
                           count == 0 ? "OpenCL has no platform here" +
                                            (status != kSuccess && status != kNoPlatform
                                                 ? ": " + status_text(status)
                                                 : std::string())
                                      : "OpenCL's platforms have no device here",
                           "install one: on Debian pocl-opencl-icd, for the processor");
    std::stable_partition(found.begin(), found.end(),
                          [](const auto& d) { return d.device.kind == "gpu"; });
    return found;
}

Diagnostics lacks(const Device& device, const Program& program) {
    Diagnostics out;
    if (program.needs_doubles && !device.doubles)
        out.push_back(coded_error(measure::kCodeTarget, device.name + " has no f64",
                                  "use f32, or another target"));
    if (program.needs_long_atomics && !device.long_atomics)
        out.push_back(coded_error(measure::kCodeTarget,
                                  device.name + " has no atomic steps on elements of 64 bits",
                                  "use elements of 32 bits, or another target"));
    for (const auto& l : program.launches) {
        const auto items = l.items[0] * l.items[1] * l.items[2];
        if (items > device.most_items)
            out.push_back(coded_error("not-runnable",
                                      "a block of " + l.kernel + " has " + std::to_string(items) +
                                          " threads, and " + device.name + " runs at most " +
                                          std::to_string(device.most_items),
                                      "bind fewer iterations to threads"));
        if (l.local_bytes > device.local_bytes)
            out.push_back(coded_error("not-runnable",
                                      "a block of " + l.kernel + " has " +
                                          std::to_string(l.local_bytes) +
                                          " bytes of shared memory, and " + device.name + " has " +
                                          std::to_string(device.local_bytes),
                                      "make the tiles smaller"));
    }
    std::int64_t all = 0, largest = 0;
    for (auto bytes : program.memories) {
        all += bytes;
        largest = std::max(largest, bytes);
    }
    if (all > device.memory_bytes || largest > device.largest_memory)
        out.push_back(coded_error(measure::kCodeMemoryLimit,
                                  "the arrays take " + std::to_string(all) +
                                      " bytes, the largest " + std::to_string(largest) + ", and " +
                                      device.name + " has " + std::to_string(device.memory_bytes) +
                                      ", of which one array takes " +
                                      std::to_string(device.largest_memory) + " at most",
                                  "make the problem smaller (--param)"));
    return out;
}

} // namespace loopscope::opencl
