#include "core/schedule/gpu/block_threads.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr std::int64_t kUnlimited = std::int64_t{1} << 40;

std::int64_t product(std::int64_t a, std::int64_t b) {
    return a > kUnlimited / b ? kUnlimited : a * b;
}

} // namespace

BlockThreads block_threads(const std::map<std::string, std::int64_t>& extents, std::int64_t lanes,
                           std::int64_t warp) {
    auto along = [&](const char* level) {
        auto found = extents.find(level);
        return found == extents.end() ? 1 : std::max<std::int64_t>(found->second, 1);
    };
    auto is_bound = [&](const char* level) { return extents.count(level) > 0; };
    const bool groups = is_bound("warpgroup") || lanes > warp;
    const bool warps = (lanes > 0 && lanes <= warp) || is_bound("warp") || is_bound("warp.x") ||
                       is_bound("warp.y");
    if (groups && warps)
        return {warp, kWarpsOfGroup, along("warpgroup")};
    if (groups)
        return {kWarpsOfGroup * warp, 1, along("warpgroup")};
    if (warps)
        return {warp, std::max(along("warp"), along("warp.x")), along("warp.y")};
    return {along("thread.x"), along("thread.y"), along("thread.z")};
}

std::int64_t thread_count(const BlockThreads& threads) {
    return product(product(threads[0], threads[1]), threads[2]);
}

std::size_t last_dimension(const BlockThreads& threads) {
    return threads[2] > 1 ? 2 : threads[1] > 1 ? 1 : 0;
}

std::int64_t producer_rows(const BlockThreads& threads, std::int64_t warpgroups,
                           std::int64_t warp) {
    const auto last = last_dimension(threads);
    const auto row = thread_count(threads) / threads[last];
    return (product(warpgroups, kWarpsOfGroup * warp) + row - 1) / row;
}

BlockThreads with_producers(BlockThreads threads, std::int64_t warpgroups, std::int64_t warp) {
    if (warpgroups > 0)
        threads[last_dimension(threads)] += producer_rows(threads, warpgroups, warp);
    return threads;
}

} // namespace loopscope
