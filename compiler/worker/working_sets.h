#pragma once
// What the probe of a machine's peaks reads and writes.

#include "core/device/device.h"

#include <string>
#include <vector>

namespace loopscope::worker {

struct WorkingSets {
    std::vector<std::int64_t> bytes; // a thread's: that fit each level of caches but not the one
                                     // before it, and then one that fits none
    std::string remark;              // ", on at most … KiB a thread, for memory is short", or none
};

// `threads` work at once, and a level that cores share is divided among them. Together they take at
// most a gigabyte, and a quarter of the `available` bytes of memory, but 8 KiB each.
WorkingSets working_sets(const device::Device& host, int threads, std::int64_t available);

} // namespace loopscope::worker
