// Device descriptions as JSON.
#include "core/device/device.h"
#include "core/device/figure_json.h"
#include "core/device/gpu_json.h"

namespace loopscope::device {

using nlohmann::json;

namespace {

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

void put_processor(json& object, const Device& device) {
    object["cores"] = device.cores;
    object["threads"] = device.threads;
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
}

} // namespace

json to_json(const Device& device) {
    json object{{"format", kDeviceFormat},           {"name", device.name},
                {"description", device.description}, {"kind", device.kind},
                {"vector_bits", device.vector_bits}, {"features", device.features}};
    if (device.memory_bytes > 0)
        object["memory_bytes"] = device.memory_bytes;
    if (!device.levels.empty())
        object["levels"] = device.gpu ? own_levels_json(device) : json(device.levels);
    if (!device.scopes.empty())
        object["scopes"] = device.gpu ? own_scopes_json(device) : json(device.scopes);
    if (device.gpu)
        object["gpu"] = gpu_json(*device.gpu);
    else
        put_processor(object, device);
    return object;
}

} // namespace loopscope::device
