// devices: this machine and those that the resources describe.
#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include "compiler/measure/host_device.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

using device::Device;
using nlohmann::json;

namespace {

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

// Where the figures come from, in one line: of the peak, which every description has when it has any.
std::string figures_source(const Device& device) {
    if (!device.flops_per_second.empty())
        return device.flops_per_second.begin()->second.source;
    return device.flops_per_second_all.empty() ? ""
                                               : device.flops_per_second_all.begin()->second.source;
}

void print_device(const Device& device, std::ostream& out) {
    out << device.name << ": " << device.description << "\n";
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
    if (!device.file.empty())
        out << "  file: " << device.file << "\n";
}

json to_json(const std::vector<Device>& devices) {
    json list = json::array();
    for (const auto& device : devices) {
        auto one = device::to_json(device);
        if (!device.file.empty())
            one["file"] = device.file;
        list.push_back(std::move(one));
    }
    return {{"devices", std::move(list)}};
}

} // namespace

int run_devices(const Options& options, const Console& console) {
    std::vector<Device> devices;
    if (options.probe) {
        auto host = probe_with_progress(console);
        if (!host)
            return console.fail(host.errors());
        devices.push_back(*host);
    } else {
        devices.push_back(measure::host_device());
    }
    int status = kRight;
    for (const auto& name : measure::described_devices()) {
        auto described = measure::find_device(name);
        if (described)
            devices.push_back(*described);
        else
            status = console.fail(described.errors()); // the others are still listed
    }
    if (options.json) {
        console.print(to_json(devices));
        return status;
    }
    for (const auto& device : devices) {
        console.out << (&device == &devices.front() ? "" : "\n");
        print_device(device, console.out);
    }
    return status;
}

} // namespace loopscope::cli
