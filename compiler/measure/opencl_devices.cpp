#include "compiler/measure/opencl_devices.h"

#include "compiler/measure/gpu_devices.h"
#include "compiler/measure/host_device.h"
#include "compiler/measure/kept_files.h"
#include "compiler/measure/targets.h"
#include "compiler/protocol/paths.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/device/generic_gpu.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace loopscope::measure {

using device::Device;
using device::Figure;
using device::Gpu;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxPeaksFile = 1 << 16; // bytes
constexpr const char* kOpenclSays = "OpenCL";
constexpr const char* kGuess = "a guess: that of ";
constexpr std::int64_t kRegistersOfThread = 256; // room for as many as any thread has

const Device* of_model(const std::vector<Device>& described, const opencl::Device& said) {
    const auto found = std::find_if(described.begin(), described.end(), [&](const Device& device) {
        const auto& names = device.gpu->driver_names;
        return std::find(names.begin(), names.end(), said.name) != names.end();
    });
    return found == described.end() ? nullptr : &*found;
}

const Device* nearest_by_size(const std::vector<Device>& described, const opencl::Device& said) {
    auto distance = [&](const Device& device) {
        return std::tuple(std::abs(device.gpu->multiprocessors - said.units),
                          std::abs(device.memory_bytes - said.memory_bytes));
    };
    const auto found =
        std::min_element(described.begin(), described.end(), [&](const Device& a, const Device& b) {
            return distance(a) < distance(b);
        });
    return found == described.end() ? nullptr : &*found;
}

void take_limits_of(const opencl::Device& said, int warp_threads, device::GpuLimits& limits) {
    limits.source += "; threads and shared memory of a block: OpenCL";
    limits.threads_per_block = static_cast<int>(said.most_items);
    limits.block_extents = said.item_extents;
    const auto warps = (said.most_items + warp_threads - 1) / warp_threads;
    limits.warps_per_multiprocessor =
        std::max(limits.warps_per_multiprocessor, static_cast<int>(warps));
    limits.threads_per_multiprocessor = limits.warps_per_multiprocessor * warp_threads;
    limits.shared_bytes_per_multiprocessor = limits.shared_bytes_per_block = said.local_bytes;
    limits.shared_bytes_per_block_static =
        std::min(limits.shared_bytes_per_block_static, said.local_bytes);
    limits.shared_bytes_reserved_per_block = 0;
    limits.shared_carveouts_bytes = {said.local_bytes};
}

// OpenCL does not say how many there are: they limit nothing.
void leave_registers_open(device::GpuLimits& limits) {
    const auto all = kRegistersOfThread * limits.threads_per_multiprocessor;
    limits.registers_per_multiprocessor = limits.registers_per_block =
        std::max(limits.registers_per_block, static_cast<int>(all));
}

void guess(Figure& figure, double factor, const std::string& of) {
    figure = {figure.value * factor, kGuess + of + ", by units and clock"};
}

// The rates of another device, for one that OpenCL says no more of than its units and clock.
void guess_figures(const Device& nearest, const opencl::Device& said, Gpu& gpu) {
    const auto& other = *nearest.gpu;
    const double clocks = said.clock_hertz > 0 && other.boost_clock_hertz
                              ? said.clock_hertz / other.boost_clock_hertz->value
                              : 1;
    const double factor = clocks * static_cast<double>(said.units) / other.multiprocessors;
    gpu.flops_per_second = other.flops_per_second;
    for (auto& [type, figure] : gpu.flops_per_second)
        guess(figure, factor, nearest.name);
    gpu.dram_bytes_per_second = other.dram_bytes_per_second;
    if (gpu.dram_bytes_per_second)
        gpu.dram_bytes_per_second->source = kGuess + nearest.name;
}

void take_peaks(const opencl::Peaks& peaks, Gpu& gpu) {
    const auto source = "measured " + (peaks.date.empty() ? "here" : peaks.date);
    gpu.dram_bytes_per_second = Figure{peaks.copy_bytes_per_second, source};
    std::erase_if(gpu.flops_per_second, [](const auto& figure) {
        return figure.second.source.starts_with(kGuess); // beside a measured one it says nothing
    });
    gpu.flops_per_second[ScalarType::F32] = {peaks.floats_per_second, source};
    if (peaks.doubles_per_second)
        gpu.flops_per_second[ScalarType::F64] = {*peaks.doubles_per_second, source};
}

// Rates that no device has were kept by a program that went wrong: they count as none.
Device with_peaks(Device device, const opencl::Peaks& peaks) {
    auto measured = device;
    take_peaks(peaks, *measured.gpu);
    measured.description =
        device.description.substr(0, device.description.rfind(';')) + "; its peaks are measured";
    return device::from_json(device::to_json(measured), measured.name) ? measured : device;
}

// "a GPU through OpenCL (NVIDIA CUDA)"
std::string kind_text(const opencl::Device& said) {
    const auto kind = said.kind == "gpu"           ? std::string("a GPU")
                      : said.kind == "accelerator" ? std::string("an accelerator")
                                                   : "a " + said.kind;
    return kind + " through OpenCL (" + said.platform + ")";
}

std::string figures_text(const opencl::Device& said, const Device* model, const Device* nearest) {
    if (model)
        return "its figures are those of " + model->name;
    if (nearest)
        return "its figures are guessed from " + nearest->name + "'s until its peaks are measured";
    return said.kind == "processor" ? "what it reaches OpenCL does not say, and nothing is "
                                      "estimated until its peaks are "
                                      "measured"
                                    : "nothing is estimated until its peaks are measured";
}

Device described_by_opencl(const opencl::Device& said, const std::vector<Device>& described) {
    const bool is_gpu = said.kind == "gpu";
    const auto* model = is_gpu ? of_model(described, said) : nullptr;
    const auto* nearest = is_gpu && !model ? nearest_by_size(described, said) : nullptr;
    Device device = model ? *model : device::generic_gpu();
    auto& gpu = *device.gpu;
    device.memory_bytes = said.memory_bytes;
    gpu.driver_names = {said.name};
    gpu.multiprocessors = static_cast<int>(said.units);
    gpu.source =
        std::string("units, clock and memory: ") + kOpenclSays + "; all else: " + gpu.source;
    // What OpenCL C does by plain loads and barriers.
    gpu.capabilities = {"asynchronous_copy", "barrier_objects"};
    gpu.tensor_intrinsics.clear();
    gpu.tensor_flops_per_second.clear();
    take_limits_of(said, gpu.warp_threads, gpu.limits);
    if (!model)
        leave_registers_open(gpu.limits);
    if (said.clock_hertz > 0) {
        gpu.base_clock_hertz.reset();
        gpu.boost_clock_hertz = Figure{said.clock_hertz, kOpenclSays};
    }
    if (nearest)
        guess_figures(*nearest, said, gpu);
    if (!said.doubles)
        gpu.flops_per_second.erase(ScalarType::F64);
    device.description = said.name + ", " + kind_text(said) + ", " + std::to_string(said.units) +
                         (said.units == 1 ? " unit; " : " units; ") +
                         figures_text(said, model, nearest);
    return device;
}

// A name that scripts can say. A device that several platforms have is told apart by those behind
// the first.
std::string script_name(const std::vector<OpenclFound>& found, std::size_t number) {
    const auto& said = found[number].device;
    const bool of_another = std::any_of(
        found.begin(), found.begin() + static_cast<std::ptrdiff_t>(number),
        [&](const OpenclFound& before) {
            return before.device.name == said.name && before.device.platform != said.platform;
        });
    return device_name_of("opencl " + said.name + (of_another ? " " + said.platform : ""));
}

std::string peaks_file(const opencl::Device& device) {
    const auto folder = cache_folder();
    if (folder.empty())
        return {};
    return folder + "/opencl-" +
           hash_text(hash_of(device.name + "/" + device.platform + "/" + device.version)) + ".json";
}

} // namespace

std::vector<Device> devices_of_opencl(const std::vector<OpenclFound>& found,
                                      Diagnostics& left_out) {
    const auto described = described_gpus();
    std::vector<Device> devices;
    for (std::size_t number = 0; number < found.size(); ++number) {
        const auto& [said, peaks] = found[number];
        auto device = described_by_opencl(said, described);
        device.name = script_name(found, number);
        device.target = opencl_target(number);
        device.file = kept_device_file(device.name);
        // What OpenCL said is held to what any description is held to.
        if (auto held = device::from_json(device::to_json(device), said.name); !held) {
            left_out.insert(left_out.end(), held.errors().begin(), held.errors().end());
            continue;
        }
        if (peaks)
            device = with_peaks(std::move(device), *peaks);
        if (auto kept = keep_file(device.file, device::to_json(device)); !kept)
            left_out.insert(left_out.end(), kept.errors().begin(), kept.errors().end());
        devices.push_back(std::move(device));
    }
    return devices;
}

Status keep_peaks(const opencl::Device& device, const opencl::Peaks& peaks) {
    json kept{{"copy_bytes_per_second", peaks.copy_bytes_per_second},
              {"floats_per_second", peaks.floats_per_second},
              {"date", peaks.date}};
    if (peaks.doubles_per_second)
        kept["doubles_per_second"] = *peaks.doubles_per_second;
    return keep_file(peaks_file(device), kept);
}

std::optional<opencl::Peaks> kept_peaks(const opencl::Device& device) {
    const auto kept = read_json_file(peaks_file(device), kMaxPeaksFile, "");
    if (!kept)
        return std::nullopt;
    try {
        opencl::Peaks peaks;
        kept->at("copy_bytes_per_second").get_to(peaks.copy_bytes_per_second);
        kept->at("floats_per_second").get_to(peaks.floats_per_second);
        kept->at("date").get_to(peaks.date);
        if (auto doubles = kept->find("doubles_per_second"); doubles != kept->end())
            peaks.doubles_per_second = doubles->get<double>();
        return peaks;
    } catch (const json::exception&) {
        return std::nullopt; // of another format: the next probe writes it anew
    }
}

} // namespace loopscope::measure
