// devices: this machine, its GPUs, and what the resources describe.
#include "app/cli/command.h"
#include "app/cli/gpus.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include "compiler/measure/host_device.h"
#include "compiler/opencl/client.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

using device::Device;
using nlohmann::json;

namespace {

constexpr double kOpenclSeconds = 30; // to load a platform and ask it

std::string rate(const std::optional<device::Figure>& figure, const char* unit) {
    return figure ? rate_text(figure->value, unit) : "?";
}

std::string peak(const std::map<ScalarType, device::Figure>& figures, ScalarType type) {
    auto found = figures.find(type);
    return found == figures.end() ? "?" : rate_text(found->second.value, "FLOP/s");
}

std::string sharing(const device::CacheLevel& cache) {
    return cache.shared_by_cores == 1 ? "of each core"
                                      : "of " + std::to_string(cache.shared_by_cores) + " cores";
}

// Where the figures come from, in one line: of the peak, which every description has when it has
// any.
std::string figures_source(const Device& device) {
    if (!device.flops_per_second.empty())
        return device.flops_per_second.begin()->second.source;
    return device.flops_per_second_all.empty() ? ""
                                               : device.flops_per_second_all.begin()->second.source;
}

void print_processor(const Device& device, std::ostream& out) {
    out << "  " << device.cores << (device.cores == 1 ? " core, " : " cores, ") << device.threads
        << (device.threads == 1 ? " thread, " : " threads, ") << device.vector_bits
        << "-bit vectors";
    if (device.memory_bytes > 0)
        out << ", " << memory_text(device.memory_bytes) << " of memory";
    out << "\n";
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Right, Align::Left, Align::Right, Align::Right});
    table.header({"", "size", "", "one core", "all cores"});
    for (auto type : {ScalarType::F32, ScalarType::F64})
        table.row({std::string(name(type)) + " peak", "", "", peak(device.flops_per_second, type),
                   peak(device.flops_per_second_all, type)});
    for (const auto& cache : device.caches)
        table.row({cache.name, memory_text(cache.bytes), sharing(cache),
                   rate(cache.bytes_per_second, "B/s"), rate(cache.bytes_per_second_all, "B/s")});
    table.row({"memory", "", "", rate(device.memory_bytes_per_second, "B/s"),
               rate(device.memory_bytes_per_second_all, "B/s")});
    if (device.parallel_overhead_seconds)
        table.row({"parallel loop", "", "to start", "",
                   seconds_text(device.parallel_overhead_seconds->value)});
    out << table.text();
    auto source = figures_source(device);
    if (!source.empty())
        out << "  figures: " << source << "\n";
    else if (device.is_host)
        out << "  figures: not measured yet; `loopscope-cli devices --probe` does, and `estimate` "
               "when it first needs them\n";
}

std::string clocks(const std::optional<device::Figure>& figure) {
    return figure ? significant(figure->value) + " clocks" : "";
}

// The bandwidth of all multiprocessors together, at the clock that the peaks are given for.
std::optional<device::Figure> shared_bytes_per_second(const device::Gpu& gpu) {
    if (!gpu.shared_bytes_per_clock || !gpu.boost_clock_hertz)
        return std::nullopt;
    return device::Figure{gpu.shared_bytes_per_clock->value * gpu.boost_clock_hertz->value *
                              gpu.multiprocessors,
                          gpu.shared_bytes_per_clock->source};
}

void print_gpu_limits(const device::Gpu& gpu, std::ostream& out) {
    const auto& l = gpu.limits;
    out << "  of a block: " << grouped(l.threads_per_block) << " threads, "
        << l.registers_per_thread << " registers a thread, "
        << memory_text(l.shared_bytes_per_block) << " of shared memory ("
        << memory_text(l.shared_bytes_per_block_static) << " without asking)";
    if (l.blocks_per_cluster > 0)
        out << ", clusters of " << l.blocks_per_cluster;
    out << "\n  of a multiprocessor: " << grouped(l.threads_per_multiprocessor) << " threads in "
        << l.warps_per_multiprocessor << " warps, " << l.blocks_per_multiprocessor << " blocks, "
        << grouped(l.registers_per_multiprocessor) << " registers, "
        << memory_text(l.shared_bytes_per_multiprocessor) << " of shared memory\n";
}

void print_gpu_device(const Device& device, std::ostream& out) {
    const auto& gpu = *device.gpu;
    out << "  " << gpu.architecture << ", " << gpu.multiprocessors << " multiprocessors";
    if (gpu.boost_clock_hertz)
        out << ", " << rate_text(gpu.boost_clock_hertz->value, "Hz");
    if (device.memory_bytes > 0)
        out << ", " << memory_text(device.memory_bytes) << " of memory";
    out << "\n";
    print_gpu_limits(gpu, out);
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Right, Align::Right, Align::Right});
    table.header({"", "size", "peak", "latency"});
    for (const auto& [type, figure] : gpu.flops_per_second)
        table.row({std::string(name(type)) + " multiply-adds", "",
                   rate_text(figure.value, is_float(type) ? "FLOP/s" : "OP/s"), ""});
    for (const auto& [type, figure] : gpu.tensor_flops_per_second)
        table.row({type + " tensor cores", "",
                   rate_text(figure.value, type.starts_with("i") ? "OP/s" : "FLOP/s"), ""});
    table.row({"shared memory", "", rate(shared_bytes_per_second(gpu), "B/s"),
               clocks(gpu.shared_latency_clocks)});
    table.row({"L2",
               gpu.l2_bytes ? memory_text(static_cast<std::int64_t>(gpu.l2_bytes->value)) : "?",
               rate(gpu.l2_bytes_per_second, "B/s"), clocks(gpu.l2_latency_clocks)});
    table.row({"memory", device.memory_bytes > 0 ? memory_text(device.memory_bytes) : "?",
               rate(gpu.dram_bytes_per_second, "B/s"), clocks(gpu.dram_latency_clocks)});
    out << table.text();
    if (gpu.dram_bytes_per_second) // one source a figure, of which no two need be the same
        out << "  figures: each has its source in `devices --json`\n";
}

void print_device(const Device& device, std::ostream& out) {
    out << device.name << ": " << device.description << "\n";
    if (device.gpu)
        print_gpu_device(device, out);
    else
        print_processor(device, out);
    if (!device.file.empty())
        out << "  file: " << device.file << "\n";
}

// What `--target opencl` can run on, GPUs first.
struct OpenclDevices {
    std::vector<opencl::Device> list;
    std::string none; // why the list is empty
};

// That this machine has no OpenCL, or this installation no program that asks it, is an answer:
// nothing of what was asked has failed.
Result<OpenclDevices> opencl_devices() {
    opencl::Client client;
    measure::RequestOptions options;
    options.timeout_seconds = kOpenclSeconds;
    auto devices = client.devices(options);
    if (devices)
        return OpenclDevices{std::move(*devices), {}};
    if (exit_status(devices.errors()) != kNoTarget)
        return devices.errors();
    const auto& reason = devices.errors().front();
    return OpenclDevices{{}, reason.message + (reason.remedy.empty() ? "" : "; " + reason.remedy)};
}

void print_opencl(const OpenclDevices& devices, std::ostream& out) {
    if (!devices.none.empty())
        out << "\nno OpenCL device to run on (--target opencl): " << devices.none << "\n";
    for (const auto& d : devices.list)
        out << "\nopencl: " << d.name << ", a " << d.kind << " of " << d.platform << "\n  "
            << d.units << (d.units == 1 ? " unit" : " units") << ", of a block "
            << grouped(d.most_items) << " threads, " << memory_text(d.local_bytes)
            << " of shared memory; " << memory_text(d.memory_bytes) << " of memory, one array "
            << memory_text(d.largest_memory) << " at most\n"
            << (d.doubles ? "" : "  has no f64\n")
            << (d.long_atomics ? "" : "  has no atomic steps on elements of 64 bits\n")
            << (d.exact() ? "" : "  " + d.inexact_text() + "\n");
}

json devices_json(const std::vector<Device>& devices, const json& gpus,
                  const OpenclDevices& of_opencl) {
    json list = json::array();
    for (const auto& device : devices) {
        auto one = device::to_json(device);
        if (!device.file.empty())
            one["file"] = device.file;
        list.push_back(std::move(one));
    }
    json through_opencl = json::array();
    for (const auto& device : of_opencl.list)
        through_opencl.push_back(opencl::to_json(device));
    json all{{"devices", std::move(list)}, {"gpus", gpus}, {"opencl", std::move(through_opencl)}};
    if (!of_opencl.none.empty())
        all["opencl_none"] = of_opencl.none;
    return all;
}

// What was found, and behind it what could not be found out: one failure takes no other answer
// away.
struct FoundDevices {
    std::vector<Device> devices;
    AttachedGpus gpus;
    OpenclDevices of_opencl;
    Diagnostics failures;

    void failed(const Diagnostics& errors) {
        failures.insert(failures.end(), errors.begin(), errors.end());
    }
};

// Those of another machine alone.
int devices_elsewhere(const Options& options, const Console& console) {
    auto gpus = gpus_elsewhere(options, console);
    if (!gpus)
        return console.fail(gpus.errors());
    if (options.json)
        return console.print({{"gpus", gpus->list}});
    print_gpus(*gpus, console.out);
    return kRight;
}

void print_devices(const FoundDevices& found, std::ostream& out) {
    for (const auto& device : found.devices) {
        const bool first = &device == &found.devices.front();
        out << (first ? "" : "\n");
        print_device(device, out);
        if (first)
            print_gpus(found.gpus, out);
    }
    print_opencl(found.of_opencl, out);
}

} // namespace

int run_devices(const Options& options, const Console& console) {
    if (!options.on.empty())
        return devices_elsewhere(options, console);
    FoundDevices found;
    if (options.probe) {
        auto host = probe_with_progress(console);
        if (!host)
            return console.fail(host.errors());
        found.devices.push_back(*host);
    } else {
        found.devices.push_back(measure::host_device());
    }
    if (auto gpus = attached_gpus(options, console))
        found.gpus = std::move(*gpus);
    else
        found.failed(gpus.errors());
    for (const auto& name : measure::described_devices())
        if (auto described = measure::find_device(name))
            found.devices.push_back(std::move(*described));
        else
            found.failed(described.errors());
    if (auto of_opencl = opencl_devices())
        found.of_opencl = std::move(*of_opencl);
    else
        found.failed(of_opencl.errors());
    if (options.json)
        console.print(devices_json(found.devices, found.gpus.list, found.of_opencl));
    else
        print_devices(found, console.out);
    console.out << std::flush;
    return found.failures.empty() ? kRight : console.fail(found.failures);
}

} // namespace loopscope::cli
