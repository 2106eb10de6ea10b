#include "core/device/device.h"

#include "core/device/json_reader.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace loopscope::device {

using nlohmann::json;

namespace {

json figure_json(const Figure& figure) {
    return {{"value", figure.value}, {"source", figure.source}};
}

void put(json& object, const char* key, const std::optional<Figure>& figure) {
    if (figure)
        object[key] = figure_json(*figure);
}

void put(json& object, const char* key, const std::map<ScalarType, Figure>& figures) {
    for (const auto& [type, figure] : figures)
        object[key][name(type)] = figure_json(figure);
}

json cache_json(const CacheLevel& cache) {
    json object{{"name", cache.name},
                {"bytes", cache.bytes},
                {"line_bytes", cache.line_bytes},
                {"shared_by_cores", cache.shared_by_cores},
                {"source", cache.source}};
    if (cache.ways > 0)
        object["ways"] = cache.ways;
    put(object, "bytes_per_second", cache.bytes_per_second);
    put(object, "bytes_per_second_all", cache.bytes_per_second_all);
    return object;
}

CacheLevel read_cache(JsonObject& object) {
    CacheLevel cache;
    cache.name = object.text("name", true);
    cache.bytes = object.whole("bytes", 1, true);
    cache.line_bytes = static_cast<int>(object.whole("line_bytes", 1, false, 64));
    cache.ways = static_cast<int>(object.whole("ways", 0, false));
    cache.shared_by_cores = static_cast<int>(object.whole("shared_by_cores", 1, false, 1));
    cache.source = object.text("source", true);
    cache.bytes_per_second = object.figure("bytes_per_second");
    cache.bytes_per_second_all = object.figure("bytes_per_second_all");
    object.finish();
    return cache;
}

// What no single key shows.
void check_whole(const Device& device, JsonObject& object) {
    if (device.threads < device.cores)
        object.problem("threads", "is below the number of cores, " + std::to_string(device.cores));
    if (device.vector_bits % 8 != 0)
        object.problem("vector_bits", "must be a multiple of 8");
    for (std::size_t i = 0; i < device.caches.size(); ++i) {
        const std::vector<std::string> level{"caches", std::to_string(i)};
        if (device.caches[i].shared_by_cores > device.cores)
            object.problem_at(level, "is shared by more cores than there are");
        if (i > 0 && device.caches[i].bytes < device.caches[i - 1].bytes)
            object.problem_at(level, "is smaller than the level before it",
                              "caches are listed from the innermost outwards");
    }
}

Device read_device(const json& value, std::vector<JsonProblem>& problems) {
    JsonObject object(value, {}, problems);
    Device device;
    if (auto format = object.text("format", true); !format.empty() && format != kDeviceFormat)
        object.problem("format", "is \"" + format + "\"",
                       std::string("this version reads \"") + kDeviceFormat + "\"");
    device.name = object.text("name", true);
    device.description = object.text("description", false);
    device.kind = object.text("kind", true);
    if (!device.kind.empty() && device.kind != "cpu")
        object.problem("kind", "is \"" + device.kind + "\"",
                       "this version describes devices of kind \"cpu\"");
    device.is_host = object.flag("is_host");
    device.cores = static_cast<int>(object.whole("cores", 1, true, 1));
    device.threads = static_cast<int>(object.whole("threads", 1, false, device.cores));
    device.vector_bits = static_cast<int>(object.whole("vector_bits", 8, true, 128));
    device.features = object.texts("features");
    device.levels = object.texts("levels");
    device.scopes = object.texts("scopes");
    for (auto& cache : object.objects("caches"))
        device.caches.push_back(read_cache(cache));
    device.memory_bytes = object.whole("memory_bytes", 0, false);
    device.memory_bytes_per_second = object.figure("memory_bytes_per_second");
    device.memory_bytes_per_second_all = object.figure("memory_bytes_per_second_all");
    device.flops_per_second = object.figures_by_type("flops_per_second");
    device.flops_per_second_all = object.figures_by_type("flops_per_second_all");
    device.parallel_overhead_seconds = object.figure("parallel_overhead_seconds");
    object.finish();
    if (problems.empty())
        check_whole(device, object);
    return device;
}

} // namespace

json to_json(const Device& device) {
    json object{{"format", kDeviceFormat},
                {"name", device.name},
                {"description", device.description},
                {"kind", device.kind},
                {"cores", device.cores},
                {"threads", device.threads},
                {"vector_bits", device.vector_bits},
                {"features", device.features},
                {"memory_bytes", device.memory_bytes}};
    if (!device.levels.empty())
        object["levels"] = device.levels;
    if (!device.scopes.empty())
        object["scopes"] = device.scopes;
    if (device.is_host)
        object["is_host"] = true;
    object["caches"] = json::array();
    for (const auto& cache : device.caches)
        object["caches"].push_back(cache_json(cache));
    put(object, "memory_bytes_per_second", device.memory_bytes_per_second);
    put(object, "memory_bytes_per_second_all", device.memory_bytes_per_second_all);
    put(object, "flops_per_second", device.flops_per_second);
    put(object, "flops_per_second_all", device.flops_per_second_all);
    put(object, "parallel_overhead_seconds", device.parallel_overhead_seconds);
    return object;
}

Result<Device> from_json(const json& value, const std::string& file) {
    std::vector<JsonProblem> problems;
    auto device = read_device(value, problems);
    device.file = file;
    if (problems.empty())
        return device;
    Diagnostics diagnostics;
    for (auto& problem : problems)
        diagnostics.push_back(
            error((file.empty() ? "" : file + ": ") + problem.message, problem.remedy));
    return diagnostics;
}

Result<Device> load_device_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return error("cannot read the device file " + path + ": " + std::strerror(errno));
    auto source =
        std::make_shared<SourceFile>(path, std::string(std::istreambuf_iterator<char>(in), {}));
    json value;
    try {
        value = json::parse(source->text());
    } catch (const json::parse_error& failure) {
        auto place =
            std::min<std::size_t>(failure.byte > 0 ? failure.byte - 1 : 0, source->text().size());
        return error("not a JSON text",
                     "a device file is a JSON object (resources/devices/README.md)",
                     {source, place, place});
    }
    std::vector<JsonProblem> problems;
    auto device = read_device(value, problems);
    device.file = path;
    if (problems.empty())
        return device;
    Diagnostics diagnostics;
    for (auto& problem : problems) {
        auto [begin, end] = locate(source->text(), problem.path);
        diagnostics.push_back(
            error(std::move(problem.message), std::move(problem.remedy), {source, begin, end}));
    }
    return diagnostics;
}

} // namespace loopscope::device
