// read_host(): hwloc's view of cores and caches, and the processor's features.
#include "compiler/measure/host_device.h"

#include <hwloc.h>

#include <unistd.h>

namespace loopscope::measure {

namespace {

class Topology {
public:
    Topology() {
        loaded_ = hwloc_topology_init(&topology_) == 0 && hwloc_topology_load(topology_) == 0;
        if (!loaded_)
            return;
        // Only the processors that this process may use: taskset and containers narrow them.
        hwloc_bitmap_t usable = hwloc_bitmap_alloc();
        if (hwloc_get_cpubind(topology_, usable, HWLOC_CPUBIND_PROCESS) == 0 &&
            !hwloc_bitmap_iszero(usable))
            hwloc_topology_restrict(topology_, usable, 0);
        hwloc_bitmap_free(usable);
    }
    ~Topology() { hwloc_topology_destroy(topology_); }
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;

    bool loaded() const { return loaded_; }
    hwloc_topology_t get() const { return topology_; }
    int count(hwloc_obj_type_t type) const { return hwloc_get_nbobjs_by_type(topology_, type); }
    std::string info(const char* key) const {
        auto package = hwloc_get_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, 0);
        const char* value = package ? hwloc_obj_get_info_by_name(package, key) : nullptr;
        return value ? value : "";
    }

private:
    hwloc_topology_t topology_ = nullptr;
    bool loaded_ = false;
};

std::vector<device::CacheLevel> read_caches(const Topology& topology) {
    std::vector<device::CacheLevel> caches;
    const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                       HWLOC_OBJ_L4CACHE};
    for (int level = 0; level < 4; ++level) {
        auto object = hwloc_get_obj_by_type(topology.get(), levels[level], 0);
        if (!object || object->attr->cache.size == 0)
            continue;
        device::CacheLevel cache;
        cache.name = "L" + std::to_string(level + 1);
        cache.bytes = static_cast<std::int64_t>(object->attr->cache.size);
        cache.line_bytes =
            object->attr->cache.linesize > 0 ? static_cast<int>(object->attr->cache.linesize) : 64;
        cache.ways = std::max(0, object->attr->cache.associativity);
        int cores =
            hwloc_get_nbobjs_inside_cpuset_by_type(topology.get(), object->cpuset, HWLOC_OBJ_CORE);
        cache.shared_by_cores = std::max(1, cores);
        cache.source = "hwloc";
        caches.push_back(cache);
    }
    return caches;
}

std::vector<std::string> read_features() {
    std::vector<std::string> features;
#if defined(__x86_64__)
    __builtin_cpu_init();
#define LOOPSCOPE_FEATURE(NAME)                                                                    \
    if (__builtin_cpu_supports(NAME))                                                              \
    features.push_back(NAME)
    LOOPSCOPE_FEATURE("sse4.2");
    LOOPSCOPE_FEATURE("avx");
    LOOPSCOPE_FEATURE("avx2");
    LOOPSCOPE_FEATURE("fma");
    LOOPSCOPE_FEATURE("avx512f");
    LOOPSCOPE_FEATURE("avx512bw");
    LOOPSCOPE_FEATURE("avx512dq");
    LOOPSCOPE_FEATURE("avx512vl");
    LOOPSCOPE_FEATURE("avx512vnni");
    LOOPSCOPE_FEATURE("avx512bf16");
#undef LOOPSCOPE_FEATURE
#elif defined(__aarch64__)
    features.push_back("neon");
#endif
    return features;
}

std::string describe(const std::string& processor, const device::Device& host) {
    return (processor.empty() ? "this machine" : processor) + ", " + std::to_string(host.cores) +
           (host.cores == 1 ? " core, " : " cores, ") + std::to_string(host.vector_bits) +
           "-bit vectors";
}

} // namespace

int host_vector_bits() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return 512;
    return __builtin_cpu_supports("avx2") ? 256 : 128;
#else
    return 128;
#endif
}

device::Device read_host() {
    device::Device host;
    host.name = "host";
    host.is_host = true;
    host.target = "cpu";
    host.vector_bits = host_vector_bits();
    host.features = read_features();
    Topology topology;
    std::string processor;
    if (topology.loaded()) {
        host.threads = std::max(1, topology.count(HWLOC_OBJ_PU));
        host.cores = std::max(1, topology.count(HWLOC_OBJ_CORE));
        host.caches = read_caches(topology);
        processor = topology.info("CPUModel");
    } else {
        host.threads = host.cores = static_cast<int>(std::max(1l, ::sysconf(_SC_NPROCESSORS_ONLN)));
    }
    // Not hwloc's figure, which is the NUMA nodes' present one: a virtual machine's memory may grow
    // on demand.
    host.memory_bytes = std::int64_t(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    host.description = describe(processor, host);
    return host;
}

} // namespace loopscope::measure
