// Device descriptions as JSON.
#include "core/device/device.h"

#include <nlohmann/json.hpp>

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

} // namespace

json to_json(const Device& device) {
    json object{{"format", kDeviceFormat},
                {"name", device.name},
                {"description", device.description},
                {"kind", device.kind},
                {"cores", device.cores},
                {"threads", device.threads},
                {"vector_bits", device.vector_bits},
                {"features", device.features}};
    if (device.memory_bytes > 0)
        object["memory_bytes"] = device.memory_bytes;
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

} // namespace loopscope::device
