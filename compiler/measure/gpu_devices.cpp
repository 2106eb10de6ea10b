#include "compiler/measure/gpu_devices.h"

#include "compiler/measure/host_device.h"
#include "compiler/measure/kept_files.h"
#include "compiler/measure/targets.h"
#include "compiler/protocol/paths.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <tuple>

namespace loopscope::measure {

using device::Device;
using device::Figure;
using device::Gpu;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxKept = 1 << 20; // bytes of a GPU's figures
constexpr const char* kDriver = "the driver";

bool is_of_model(const Device& described, const std::string& driver_name) {
    const auto& names = described.gpu->driver_names;
    return std::find(names.begin(), names.end(), driver_name) != names.end();
}

// How far a description is from what the driver says: the first that differs decides.
auto distance(const Device& described, device::ComputeCapability capability, const json& gpu) {
    return std::tuple(
        capability.minor - described.gpu->capability().minor,
        std::abs(described.gpu->multiprocessors - gpu.at("multiprocessors").get<int>()),
        std::abs(described.memory_bytes - gpu.at("memory_bytes").get<std::int64_t>()));
}

// Null: none is of its generation, or all of that are newer.
const Device* nearest(const std::vector<Device>& described, device::ComputeCapability capability,
                      const json& gpu) {
    const Device* best = nullptr;
    for (const auto& device : described) {
        const auto of = device.gpu->capability();
        if (of.major != capability.major || of.minor > capability.minor)
            continue;
        if (!best || distance(device, capability, gpu) < distance(*best, capability, gpu))
            best = &device;
    }
    return best;
}

// The sizes that shared memory may take end with all that there is.
void set_shared_bytes(device::GpuLimits& limits, std::int64_t bytes) {
    auto& sizes = limits.shared_carveouts_bytes;
    limits.shared_bytes_per_multiprocessor = bytes;
    std::erase_if(sizes, [&](std::int64_t size) { return size >= bytes; });
    sizes.push_back(bytes);
}

void take_limits(const json& said, device::GpuLimits& limits, int warp_threads) {
    limits.source += "; what the driver says: its own";
    said.at("threads_per_block").get_to(limits.threads_per_block);
    said.at("threads_per_multiprocessor").get_to(limits.threads_per_multiprocessor);
    limits.warps_per_multiprocessor = limits.threads_per_multiprocessor / warp_threads;
    if (const int blocks = said.at("blocks_per_multiprocessor"); blocks > 0)
        limits.blocks_per_multiprocessor = blocks; // 0: an older driver does not say
    said.at("registers_per_block").get_to(limits.registers_per_block);
    said.at("registers_per_multiprocessor").get_to(limits.registers_per_multiprocessor);
    said.at("shared_bytes_per_block").get_to(limits.shared_bytes_per_block);
    said.at("shared_bytes_per_block_static").get_to(limits.shared_bytes_per_block_static);
    said.at("shared_bytes_reserved_per_block").get_to(limits.shared_bytes_reserved_per_block);
    said.at("grid_extents").get_to(limits.grid_extents);
    said.at("block_extents").get_to(limits.block_extents);
    set_shared_bytes(limits, said.at("shared_bytes_per_multiprocessor"));
}

// Read + written: both edges of the memory's clock carry a bit a line.
std::optional<Figure> memory_rate(const json& gpu) {
    const double rate = 2 * gpu.at("memory_clock_hertz").get<double>() *
                        gpu.at("memory_bus_bits").get<double>() / 8;
    if (rate <= 0)
        return std::nullopt;
    return Figure{rate, "the driver: the memory's clock and width"};
}

void scale(Figure& figure, double factor, const std::string& of) {
    figure.value *= factor;
    figure.source = "that of " + of + ", by multiprocessors and clock";
}

// What another model's figures are here.
void scale_figures(const json& said, const std::string& of, const std::optional<Figure>& clock,
                   int multiprocessors, Gpu& gpu) {
    const double clocks =
        clock && gpu.boost_clock_hertz ? gpu.boost_clock_hertz->value / clock->value : 1;
    const double factor = clocks * gpu.multiprocessors / multiprocessors;
    for (auto& [type, figure] : gpu.flops_per_second)
        scale(figure, factor, of);
    for (auto& [type, figure] : gpu.tensor_flops_per_second)
        scale(figure, factor, of);
    if (gpu.l2_bytes_per_second)
        scale(*gpu.l2_bytes_per_second, factor, of);
    if (auto rate = memory_rate(said))
        gpu.dram_bytes_per_second = rate;
}

void take_ceilings(const json& ceilings, Gpu& gpu) {
    const auto source = "measured " + ceilings.value("date", "here");
    if (const double copy = ceilings.at("copy_bytes_per_second"); copy > 0)
        gpu.dram_bytes_per_second = Figure{copy, source};
    for (auto& [type, figure] : gpu.flops_per_second)
        if (auto rate = ceilings.at("flops_per_second").find(std::string(name(type)));
            rate != ceilings.at("flops_per_second").end())
            figure = {rate->get<double>(), source};
    for (auto& [type, figure] : gpu.tensor_flops_per_second)
        if (auto rate = ceilings.at("tensor_flops_per_second").find(type);
            rate != ceilings.at("tensor_flops_per_second").end())
            figure = {rate->get<double>(), source};
}

// `base`: the description that it is made of.
Device made_of(const Device& base, bool same_model, const json& said) {
    Device device = base;
    auto& gpu = *device.gpu;
    device.target =
        text_or(said, "target", "cuda:" + std::to_string(said.at("ordinal").get<int>()));
    device.memory_bytes = said.at("memory_bytes");
    said.at("multiprocessors").get_to(gpu.multiprocessors);
    take_limits(said.at("limits"), gpu.limits, gpu.warp_threads);
    if (const double clock = said.at("clock_hertz"); clock > 0)
        gpu.boost_clock_hertz = Figure{clock, kDriver};
    if (const double bytes = said.at("l2_bytes"); bytes > 0)
        gpu.l2_bytes = Figure{bytes, kDriver};
    if (!same_model) {
        const auto driver_name = said.at("name").get<std::string>();
        device.name = device_name_of(driver_name);
        device.file = kept_device_file(device.name);
        device.description = driver_name + ", " + std::to_string(gpu.multiprocessors) +
                             " multiprocessors; what its driver does not say is taken from " +
                             base.name;
        gpu.driver_names = {driver_name};
        if (gpu.capability() != *device::compute_capability(said.at("architecture")))
            gpu.architecture = said.at("architecture"); // with the instructions of an earlier one
        scale_figures(said, base.name, base.gpu->boost_clock_hertz, base.gpu->multiprocessors, gpu);
    }
    if (gpu.base_clock_hertz && gpu.boost_clock_hertz &&
        gpu.base_clock_hertz->value > gpu.boost_clock_hertz->value)
        gpu.base_clock_hertz.reset();
    return device;
}

bool are_rates(const json& ceilings, const char* key) {
    const auto rates = ceilings.find(key);
    return rates != ceilings.end() && rates->is_object() &&
           std::all_of(rates->begin(), rates->end(),
                       [](const json& rate) { return rate.is_number(); });
}

// Another driver or another card gets other figures.
std::string ceilings_file(const json& gpu) {
    const auto folder = cache_folder();
    if (folder.empty())
        return {};
    return folder + "/gpu-" +
           hash_text(hash_of(
               gpu.at("name").get<std::string>() + "/" + gpu.at("pci").get<std::string>() + "/" +
               std::to_string(gpu.at("driver_version").get<int>()) + text_or(gpu, "place", ""))) +
           ".json";
}

// Of a GPU whose model the resources do not describe.
Status keep_description(const Device& device) {
    return device.file == kept_device_file(device.name)
               ? keep_file(device.file, device::to_json(device))
               : success();
}

} // namespace

bool are_ceilings(const json& kept) {
    return kept.is_object() && are_rates(kept, "flops_per_second") &&
           are_rates(kept, "tensor_flops_per_second") &&
           kept.value("copy_bytes_per_second", json()).is_number() &&
           kept.value("l2_copy_bytes_per_second", json()).is_number() &&
           kept.value("date", json("")).is_string();
}

std::string device_name_of(const std::string& driver_name) {
    std::string name;
    for (char c : driver_name)
        if (std::isalnum(static_cast<unsigned char>(c)))
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    while (!name.empty() && name.back() == '-')
        name.pop_back();
    const auto described = described_devices();
    if (std::find(described.begin(), described.end(), name) != described.end())
        name += "-here"; // it is another one
    return name.empty() ? "gpu" : name;
}

Result<Device> device_of_gpu(const json& said) {
    const auto driver_name = said.at("name").get<std::string>();
    const auto architecture = said.at("architecture").get<std::string>();
    const auto described = described_gpus();
    const auto model = std::find_if(described.begin(), described.end(), [&](const Device& device) {
        return is_of_model(device, driver_name);
    });
    const auto capability = device::compute_capability(architecture);
    const auto* base = model != described.end() ? &*model
                       : capability             ? nearest(described, *capability, said)
                                                : nullptr;
    if (!base)
        return coded_error(kCodeTarget,
                           driver_name + " is of an architecture, " + architecture +
                               ", of which no GPU is described here",
                           "describe it in a file (resources/devices/README.md)");
    auto device = made_of(*base, model != described.end(), said);
    // What the driver said is held to what any description is held to.
    if (auto held = device::from_json(device::to_json(device), driver_name); !held)
        return held.errors();
    if (!said.contains("ceilings"))
        return device;
    auto measured = device;
    take_ceilings(said.at("ceilings"), *measured.gpu);
    // Rates that no GPU has were kept by a program that went wrong: they count as none.
    return device::from_json(device::to_json(measured), driver_name) ? measured : device;
}

std::vector<Device> devices_of_gpus(const json& gpus, Diagnostics& left_out) {
    std::vector<Device> devices;
    for (const auto& said : gpus) {
        auto device = device_of_gpu(said);
        if (!device) {
            left_out.insert(left_out.end(), device.errors().begin(), device.errors().end());
            continue;
        }
        if (auto kept = keep_description(*device); !kept)
            left_out.insert(left_out.end(), kept.errors().begin(), kept.errors().end());
        devices.push_back(std::move(*device));
    }
    return devices;
}

Result<Device> probe_gpu(WorkerClient& worker, const std::string& target,
                         const RequestOptions& options, std::string* not_kept) {
    const auto which = read_target(target);
    if (!which)
        return which.errors();
    auto answer = worker.request("gpus", {{"measure", true}, {"number", which->number}}, options);
    if (!answer)
        return answer.errors();
    for (const auto& gpu : answer->at("gpus")) {
        if (gpu.at("ordinal") != which->number)
            continue;
        auto device = device_of_gpu(gpu);
        if (!device)
            return device;
        auto kept = keep_ceilings(gpu);
        if (kept)
            kept = keep_description(*device);
        if (not_kept)
            *not_kept = kept ? "" : kept.errors().front().message;
        return device;
    }
    return coded_error(kCodeTarget, "there is no GPU " + std::to_string(which->number) + " here");
}

Status keep_ceilings(const json& gpu) {
    auto ceilings = gpu.at("ceilings");
    ceilings["date"] = today();
    return keep_file(ceilings_file(gpu), ceilings);
}

void read_kept_ceilings(json& gpu) {
    // A file that is broken, or of another format, is as good as none: the next probe writes it
    // anew.
    auto ceilings = read_json_file(ceilings_file(gpu), kMaxKept, "");
    if (ceilings && are_ceilings(*ceilings))
        gpu["ceilings"] = std::move(*ceilings);
}

} // namespace loopscope::measure
