#include "compiler/worker/working_sets.h"

#include <algorithm>

namespace loopscope::worker {

namespace {

constexpr std::int64_t kMinProbed = 8 << 10;
constexpr std::int64_t kMaxProbed = 1 << 30; // of all threads together

} // namespace

WorkingSets working_sets(const device::Device& host, int threads, std::int64_t available) {
    available /= 4;
    const auto most = std::max(std::min(kMaxProbed, available) / threads, kMinProbed);
    WorkingSets sets;
    bool shrunk = false;
    const auto add = [&](std::int64_t wanted) {
        shrunk |= wanted > most && available < kMaxProbed;
        sets.bytes.push_back(std::min(wanted, most));
    };
    std::int64_t inner = 0, largest = 0;
    for (const auto& cache : host.caches) {
        const int sharing =
            threads == 1
                ? 1
                : std::min(threads, cache.shared_by_cores * std::max(1, host.threads / host.cores));
        const auto half = cache.bytes / 2 / sharing;
        add(std::max({half, inner + inner / 2, kMinProbed}));
        inner = cache.bytes / sharing;
        largest = std::max(largest, cache.bytes);
    }
    // Four times the last cache, as STREAM has it; of one of hundreds of megabytes twice.
    const auto far = std::max(std::min(4 * largest, kMaxProbed), 2 * largest);
    add(std::max<std::int64_t>(std::max<std::int64_t>(far, 64 << 20) / threads, 32 << 20));
    if (shrunk)
        sets.remark =
            ", on at most " + std::to_string(most >> 10) + " KiB a thread, for memory is short";
    return sets;
}

} // namespace loopscope::worker
