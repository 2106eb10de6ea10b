#include "compiler/measure/host_device.h"

#include "compiler/measure/kept_files.h"
#include "compiler/protocol/paths.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>

namespace fs = std::filesystem;

namespace loopscope::measure {

using device::Device;

namespace {

constexpr std::size_t kMaxDeviceFile = 1 << 20; // bytes

} // namespace

std::string host_file(const Device& host) {
    auto folder = cache_folder();
    if (folder.empty())
        return {};
    Hash key = hash_of(host.description);
    for (const auto& feature : host.features)
        key = hash_of(feature, key);
    for (const auto& cache : host.caches)
        key = combine(key, static_cast<std::uint64_t>(cache.bytes));
    key = combine(key, static_cast<std::uint64_t>(host.cores) << 32 |
                           static_cast<std::uint64_t>(host.threads));
    return folder + "/host-" + hash_text(key) + ".json";
}

bool has_figures(const Device& device) {
    return !device.flops_per_second.empty() && device.memory_bytes_per_second.has_value();
}

void copy_figures(const Device& from, Device& to) {
    to.flops_per_second = from.flops_per_second;
    to.flops_per_second_all = from.flops_per_second_all;
    to.memory_bytes_per_second = from.memory_bytes_per_second;
    to.memory_bytes_per_second_all = from.memory_bytes_per_second_all;
    to.parallel_overhead_seconds = from.parallel_overhead_seconds;
    for (auto& cache : to.caches)
        for (const auto& measured : from.caches)
            if (measured.name == cache.name) {
                cache.bytes_per_second = measured.bytes_per_second;
                cache.bytes_per_second_all = measured.bytes_per_second_all;
            }
}

Device host_device() {
    auto host = read_host();
    std::error_code ignored;
    auto path = host_file(host);
    if (path.empty() || !fs::exists(path, ignored))
        return host;
    // A file that is broken, or of another format, is as good as none: the next probe writes it
    // anew.
    if (auto text = read_json_file(path, kMaxDeviceFile, ""))
        if (auto kept = device::from_json(*text, path))
            copy_figures(*kept, host);
    return host;
}

Result<Device> probe_host(WorkerClient& worker, const RequestOptions& options,
                          std::string* not_kept) {
    auto answer = worker.request("probe", nlohmann::json::object(), options);
    if (!answer)
        return answer.errors();
    auto measured = device::from_json(*answer, "the worker's probe");
    if (!measured)
        return measured.errors();
    auto host = read_host();
    copy_figures(*measured, host);
    const auto kept = keep_file(host_file(host), device::to_json(host));
    if (not_kept)
        *not_kept = kept ? "" : kept.errors().front().message;
    return host;
}

namespace {

// Of the devices that a folder describes, behind those of `names` that it does not have.
void add_names(const std::string& folder, std::vector<std::string>& names) {
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed))
        if (entry->path().extension() == ".json")
            names.push_back(entry->path().stem());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

} // namespace

std::vector<std::string> described_devices() {
    std::vector<std::string> names;
    add_names(resource_folder() + "/devices", names);
    return names;
}

std::vector<Device> described_gpus() {
    std::vector<Device> gpus;
    for (const auto& name : described_devices())
        if (auto device = load_device_file(device_file(name)); device && device->gpu)
            gpus.push_back(std::move(*device));
    return gpus;
}

std::vector<std::string> known_devices() {
    auto names = described_devices();
    if (const auto folder = cache_folder(); !folder.empty())
        add_names(folder + "/devices", names);
    return names;
}

std::string kept_device_file(const std::string& name) {
    const auto folder = cache_folder();
    return folder.empty() ? folder : folder + "/devices/" + name + ".json";
}

std::string device_file(const std::string& name) {
    auto described = resource_folder() + "/devices/" + name + ".json";
    std::error_code ignored;
    const auto kept = kept_device_file(name);
    return !kept.empty() && !fs::exists(described, ignored) && fs::exists(kept, ignored)
               ? kept
               : described;
}

Result<Device> load_device_file(const std::string& path, FileKind kind) {
    auto text =
        read_text_file(path, {kMaxDeviceFile, "no description of a device is that long", kind});
    return text ? device::read_device(*text) : text.errors();
}

namespace {

std::string listed(const std::vector<std::string>& names, const std::string& quote,
                   const std::string& before_last) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0                  ? ""
                : i + 1 == names.size() ? before_last
                                        : ", ") +
               quote + names[i] + quote;
    return out;
}

// Who says "a100" may mean either of two that begin so.
std::string meant(const std::string& name, const std::vector<std::string>& names) {
    std::vector<std::string> longer;
    std::copy_if(names.begin(), names.end(), std::back_inserter(longer), [&](const auto& each) {
        return !name.empty() && each.size() >= name.size() &&
               std::equal(name.begin(), name.end(), each.begin(), [](char a, char b) {
                   return std::tolower(static_cast<unsigned char>(a)) ==
                          std::tolower(static_cast<unsigned char>(b));
               });
    });
    if (auto near = nearest_name(name, names); longer.empty() && !near.empty())
        longer.push_back(near);
    return longer.empty() ? "known are: " + listed(names, "", ", ")
                          : "did you mean " + listed(longer, "`", " or ") + "?";
}

} // namespace

Result<Device> find_device(const std::string& name_or_path, FileKind kind) {
    if (name_or_path == "host")
        return host_device();
    if (name_or_path.find('/') != std::string::npos ||
        fs::path(name_or_path).extension() == ".json")
        return load_device_file(name_or_path, kind);
    auto names = known_devices();
    if (std::find(names.begin(), names.end(), name_or_path) != names.end())
        return load_device_file(device_file(name_or_path));
    names.insert(names.begin(), "host");
    return coded_error(kCodeTarget, "no device is called `" + name_or_path + "`",
                       meant(name_or_path, names));
}

Diagnostic only_estimates(const device::Device& device) {
    return coded_error(kCodeTarget,
                       "`" + device.name +
                           "` is a described device, for which only estimates are possible",
                       "`estimate --device " + device.name +
                           "`; without a `target`, or with `target host`, programs run here");
}

} // namespace loopscope::measure
