#pragma once
// Device descriptions: what models and limits know of a machine. Every figure names its source:
// "hwloc", "measured" (with date), a datasheet. A described device is a JSON file; the host is read
// from the system and measured once.

#include "core/base/result.h"
#include "core/device/figure.h"
#include "core/device/gpu.h"
#include "core/ir/type.h"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::device {

struct CacheLevel {
    std::string name; // "L1", "L2", "L3"
    std::int64_t bytes = 0;
    int line_bytes = 64;
    int ways = 0; // 0: unknown
    int shared_by_cores = 1;
    std::optional<Figure> bytes_per_second;     // one core, read stream that fits this level
    std::optional<Figure> bytes_per_second_all; // all cores together
    std::string source;
};

// The widest are those of the Scalable Vector Extension.
constexpr int kMinVectorBits = 64, kMaxVectorBits = 2048;

struct Device {
    std::string name;        // "host", "i7-6700"
    std::string description; // "AMD EPYC, 2 cores, AVX-512"
    // Or "gpu", for which cores, caches and figures of a processor say nothing
    std::string kind = "cpu";
    bool is_host = false;
    // The target of requests that run programs on it: "cpu" of this machine, "cuda:0" of a GPU that
    // is attached to it, "ssh:gpu1" of one elsewhere; empty: it is only described.
    std::string target;
    int cores = 1;                     // physical
    int threads = 1;                   // hardware threads
    int vector_bits = 128;             // of a GPU: what one thread loads at once
    std::vector<std::string> features; // "avx2", "fma", "avx512f"
    // Names of its own, beside those that the schedule language knows (core/schedule/levels.h).
    std::vector<std::string> levels; // that loops are bound to
    std::vector<std::string> scopes; // of memory
    std::vector<CacheLevel> caches;  // innermost first
    std::int64_t memory_bytes = 0;
    std::optional<Figure> memory_bytes_per_second; // one core, copy traffic counted read + write
    std::optional<Figure> memory_bytes_per_second_all;
    // Peak floating-point rate by type, fused multiply-adds counted as two: one core, and all
    // cores.
    std::map<ScalarType, Figure> flops_per_second;
    std::map<ScalarType, Figure> flops_per_second_all;
    std::optional<Figure> parallel_overhead_seconds; // starting one parallel loop
    std::optional<Gpu> gpu;                          // of kind "gpu", and of no other
    std::string file;                                // where it was read from; empty for the host

    // Can programs be run on it, or is it only described?
    bool is_here() const { return is_host || !target.empty(); }
    int lanes(ScalarType type) const { return std::max(1, vector_bits / bits(type)); }
};

inline constexpr const char* kDeviceFormat = "loopscope-device/1";

// The form of resources/devices/NAME.json (resources/devices/README.md). Figures that are unknown
// have no key.
nlohmann::json to_json(const Device& device);
// Strict: an unknown, missing or misformed key, or a value that no machine has, is an error that
// names it by its path ("caches[1].bytes"); all errors at once. `file` is the name by which they
// speak of it.
Result<Device> from_json(const nlohmann::json& json, const std::string& file);
// The same of the text of a person's file, with places in it. Errors also: it describes this
// machine, which no file does.
Result<Device> read_device(const SourceFilePtr& text);

} // namespace loopscope::device
