#include "tests/device/example.h"

namespace loopscope::test {

using namespace device;

Device example() {
    Device d;
    d.name = "example";
    d.description = "a processor of four cores";
    d.cores = 4;
    d.threads = 8;
    d.vector_bits = 256;
    d.features = {"avx2", "fma"};
    d.levels = {"lane"};
    d.scopes = {"scratchpad"};
    d.memory_bytes = std::int64_t(16) << 30;
    CacheLevel l1{"L1",         32768,  64, 8, 1, Figure{1e11, "measured 2026-11-20"},
                  std::nullopt, "hwloc"};
    CacheLevel l2{"L2", 262144, 64, 0, 2, std::nullopt, Figure{4e11, "datasheet: X"}, "hwloc"};
    d.caches = {l1, l2};
    d.memory_bytes_per_second = Figure{1.5e10, "measured 2026-11-20"};
    d.flops_per_second[ScalarType::F32] = Figure{1e11, "measured 2026-11-20"};
    d.flops_per_second_all[ScalarType::F64] = Figure{2e11, "measured 2026-11-20"};
    d.parallel_overhead_seconds = Figure{3e-6, "measured 2026-11-20"};
    return d;
}

std::string errors_of(const nlohmann::json& value) {
    auto device = from_json(value, "d.json");
    return device ? "no error" : format(device.errors());
}

} // namespace loopscope::test
