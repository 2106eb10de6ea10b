// Device descriptions read strictly, so that no figure that no machine has reaches a model.
#include "core/base/json_text.h"
#include "core/device/device.h"
#include "core/device/gpu_reader.h"
#include "core/device/json_reader.h"

namespace loopscope::device {

using nlohmann::json;

namespace {

// What a machine may have. The upper ends are far above any that exists, and what is computed from
// them stays finite.
constexpr Range<int> kCores{1, 65536}, kThreads{1, 1 << 20};
constexpr Range<int> kVectorBits{kMinVectorBits, kMaxVectorBits};
constexpr Range<int> kLineBytes{8, 4096}, kWays{1, 65536};
constexpr WholeRange kCacheBytes{64, std::int64_t{1} << 40};
constexpr WholeRange kMemoryBytes{1 << 10, std::int64_t{1} << 50};
constexpr FigureRange kBytesPerSecond{1e3, 1e18}, kFlopsPerSecond{1e3, 1e18};
constexpr FigureRange kOverheadSeconds{1e-12, 100};
constexpr std::size_t kMaxCaches = 8;

CacheLevel read_cache(JsonObject& object) {
    CacheLevel cache;
    cache.name = object.text("name", true);
    cache.bytes = object.whole("bytes", kCacheBytes, true);
    cache.line_bytes = object.power_of_two("line_bytes", kLineBytes, false, 64);
    cache.ways = object.whole("ways", kWays, false);
    cache.shared_by_cores = object.whole("shared_by_cores", kCores, false, 1);
    cache.source = object.text("source", true);
    cache.bytes_per_second = object.figure("bytes_per_second", kBytesPerSecond);
    cache.bytes_per_second_all = object.figure("bytes_per_second_all", kBytesPerSecond);
    object.finish();
    return cache;
}

void read_processor(JsonObject& object, Device& device) {
    device.is_host = object.flag("is_host");
    device.cores = object.whole("cores", kCores, true, 1);
    device.threads = object.whole("threads", kThreads, false, device.cores);
    device.levels = object.texts("levels");
    device.scopes = object.texts("scopes");
    for (auto& cache : object.objects("caches", kMaxCaches))
        device.caches.push_back(read_cache(cache));
    device.memory_bytes_per_second = object.figure("memory_bytes_per_second", kBytesPerSecond);
    device.memory_bytes_per_second_all =
        object.figure("memory_bytes_per_second_all", kBytesPerSecond);
    device.flops_per_second = object.figures_by_type("flops_per_second", kFlopsPerSecond);
    device.flops_per_second_all = object.figures_by_type("flops_per_second_all", kFlopsPerSecond);
    device.parallel_overhead_seconds = object.figure("parallel_overhead_seconds", kOverheadSeconds);
    object.not_here("gpu", "is of devices of kind \"gpu\"", "this one's kind is \"cpu\"");
}

// What a processor's file says of it is said of a GPU inside "gpu", in other words.
void refuse_processor_keys(JsonObject& object) {
    for (auto key : {"is_host", "cores", "threads", "caches", "memory_bytes_per_second",
                     "memory_bytes_per_second_all", "flops_per_second", "flops_per_second_all",
                     "parallel_overhead_seconds"})
        object.not_here(key, "is of devices of kind \"cpu\"",
                        "what is known of a GPU stands in its \"gpu\"");
}

// What no single key shows.
void check_processor(const Device& device, JsonObject& object) {
    if (device.threads < device.cores)
        object.problem("threads", "is below the number of cores, " + std::to_string(device.cores));
    for (std::size_t i = 0; i < device.caches.size(); ++i) {
        const std::vector<std::string> level{"caches", std::to_string(i)};
        const auto& cache = device.caches[i];
        if (cache.shared_by_cores > device.cores)
            object.problem_at(level, "is shared by more cores than there are");
        if (i > 0 && cache.bytes < device.caches[i - 1].bytes)
            object.problem_at(level, "is smaller than the level before it",
                              "caches are listed from the innermost outwards");
    }
}

// What is held against a person only: this machine is as the system says, and is not described by a
// file, which would be taken for what is known of it.
void check_described(const Device& device, JsonObject& object) {
    if (device.name == "host")
        object.problem("name", "is \"host\", which stands for this machine",
                       "call the device otherwise");
    if (device.is_host)
        object.problem("is_host", "is true, and a file describes another machine than this one",
                       "leave it out");
    for (std::size_t i = 0; i < device.caches.size(); ++i) {
        const auto& cache = device.caches[i];
        if (std::int64_t{cache.line_bytes} * std::max(1, cache.ways) > cache.bytes)
            object.problem_at({"caches", std::to_string(i)},
                              "has fewer bytes than a line in each of its ways",
                              "bytes are at least line_bytes * ways");
    }
}

// Who has written a description: this program of the machine that it runs on, or a person of any
// other.
enum class By { Program, Person };

Device device_of(const json& value, By by, std::vector<JsonProblem>& problems) {
    JsonObject object(value, {}, problems);
    Device device;
    if (auto format = object.text("format", true); !format.empty() && format != kDeviceFormat)
        object.problem("format", "is \"" + format + "\"",
                       std::string("this version reads \"") + kDeviceFormat + "\"");
    device.name = object.text("name", true);
    device.description = object.text("description", false);
    device.kind = object.text("kind", true);
    const bool is_gpu = device.kind == "gpu";
    if (!device.kind.empty() && !is_gpu && device.kind != "cpu")
        object.problem("kind", "is \"" + device.kind + "\"",
                       "this version describes devices of the kinds \"cpu\" and \"gpu\"");
    device.vector_bits = object.power_of_two("vector_bits", kVectorBits, !is_gpu, 128);
    device.features = object.texts("features");
    device.memory_bytes = object.whole("memory_bytes", kMemoryBytes, false);
    if (is_gpu) {
        read_gpu(object, device);
        refuse_processor_keys(object);
    } else {
        read_processor(object, device);
    }
    object.finish();
    if (problems.empty() && is_gpu)
        check_gpu(device, object);
    else if (problems.empty())
        check_processor(device, object);
    if (problems.empty() && by == By::Person)
        check_described(device, object);
    return device;
}

} // namespace

Result<Device> from_json(const json& value, const std::string& file) {
    std::vector<JsonProblem> problems;
    auto device = device_of(value, By::Program, problems);
    device.file = file;
    if (problems.empty())
        return device;
    Diagnostics diagnostics;
    for (auto& problem : problems)
        diagnostics.push_back(
            error((file.empty() ? "" : file + ": ") + problem.message, problem.remedy));
    return diagnostics;
}

Result<Device> read_device(const SourceFilePtr& text) {
    auto value = read_json(text, "a device file is a JSON object (resources/devices/README.md)");
    if (!value)
        return value.errors();
    std::vector<JsonProblem> problems;
    auto device = device_of(*value, By::Person, problems);
    device.file = text->name();
    if (problems.empty())
        return device;
    Diagnostics diagnostics;
    for (auto& problem : problems) {
        auto [begin, end] = locate(text->text(), problem.path);
        diagnostics.push_back(
            error(std::move(problem.message), std::move(problem.remedy), {text, begin, end}));
    }
    return diagnostics;
}

} // namespace loopscope::device
