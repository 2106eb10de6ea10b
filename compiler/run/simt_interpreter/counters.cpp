#include "compiler/run/simt_interpreter/counters.h"

#include <algorithm>

namespace loopscope::simt_interpreter {

namespace {

// May the lanes be one access?
bool joined(std::span<const Places> lanes) {
    const auto width = static_cast<std::int64_t>(lanes.size());
    for (std::size_t l = 1; l < lanes.size(); ++l)
        if (lanes[l].on != lanes[0].on)
            return false;
    bool fine = true;
    for_threads(lanes[0].on, [&](std::uint32_t t) {
        fine = fine && lanes[0].element[t] % width == 0;
        for (std::size_t l = 1; l < lanes.size(); ++l)
            fine =
                fine && lanes[l].element[t] == lanes[0].element[t] + static_cast<std::int64_t>(l);
    });
    return fine;
}

// Calls f with the first lane and the bytes of a thread of each access that hardware makes of the
// lanes.
template <typename F> void for_accesses(const Store& store, std::span<const Places> lanes, F f) {
    while (!lanes.empty()) {
        std::size_t width = 1;
        while (width * 2 <= lanes.size() &&
               static_cast<std::int64_t>(width) * 2 * store.element_bytes <= kWidestAccess)
            width *= 2;
        bool one = width > 1 && joined(lanes.first(width));
        for (std::size_t l = 0; l < width; l += one ? width : 1)
            if (lanes[l].on)
                f(lanes[l], store.element_bytes * static_cast<std::int64_t>(one ? width : 1));
        lanes = lanes.subspan(width);
    }
}

// How many of the sectors differ. Neighbouring threads mostly ask for ascending ones.
std::uint64_t distinct_sectors(const Store& store, const Places& p) {
    std::array<std::int64_t, kWarp> sectors;
    std::size_t count = 0;
    bool ascending = true;
    for_threads(p.on, [&](std::uint32_t t) {
        auto sector = p.element[t] * store.element_bytes / kSectorBytes;
        if (count > 0 && sector == sectors[count - 1])
            return;
        ascending = ascending && (count == 0 || sector > sectors[count - 1]);
        sectors[count++] = sector;
    });
    if (ascending)
        return count;
    auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(sectors.begin(), end);
    return static_cast<std::uint64_t>(std::unique(sectors.begin(), end) - sectors.begin());
}

// Distinct words that the busiest bank has to give.
std::uint64_t busiest_bank(std::span<const std::int64_t> words) {
    constexpr std::uint8_t kNone = 0xff;
    std::array<std::uint8_t, kBanks> first;
    first.fill(kNone);
    std::array<std::uint8_t, kWarp> next;
    std::array<std::uint8_t, kBanks> load{};
    std::uint8_t most = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        auto bank = static_cast<std::size_t>(words[i] % kBanks);
        auto other = first[bank];
        while (other != kNone && words[other] != words[i])
            other = next[other];
        if (other != kNone)
            continue;
        next[i] = first[bank];
        first[bank] = static_cast<std::uint8_t>(i);
        most = std::max(most, ++load[bank]);
    }
    return most;
}

} // namespace

Passes shared_passes(const std::array<std::int64_t, kWarp>& at, Mask on, std::int64_t width) {
    Passes passes;
    const auto words_each = std::max<std::int64_t>(width / kWordBytes, 1);
    const auto turn = static_cast<std::uint32_t>(kBanks / words_each); // threads at once
    for (std::uint32_t begin = 0; begin < kWarp; begin += turn) {
        std::array<std::int64_t, kWarp> words;
        std::size_t count = 0;
        for (auto t = begin; t < begin + turn; ++t)
            if (on >> t & 1)
                for (std::int64_t w = 0; w < words_each; ++w)
                    words[count++] = at[t] / kWordBytes + w;
        passes.needed += busiest_bank(std::span(words).first(count));
        passes.least += count > 0;
    }
    return passes;
}

void count_global(SimtCounts& counts, const Store& store, std::span<const Places> lanes,
                  bool writes) {
    for_accesses(store, lanes, [&](const Places& p, std::int64_t width) {
        auto threads = static_cast<std::uint64_t>(std::popcount(p.on));
        ++(writes ? counts.global_stores : counts.global_loads);
        (writes ? counts.global_store_sectors : counts.global_load_sectors) +=
            p.same ? 1 : distinct_sectors(store, p);
        (writes ? counts.global_store_bytes : counts.global_load_bytes) +=
            threads * static_cast<std::uint64_t>(width);
    });
}

void count_shared(SimtCounts& counts, const Store& store, std::span<const Places> lanes) {
    for_accesses(store, lanes, [&](const Places& p, std::int64_t width) {
        std::array<std::int64_t, kWarp> at;
        for (std::uint32_t t = 0; t < kWarp; ++t)
            at[t] = p.element[t] * store.element_bytes;
        auto passes = shared_passes(at, p.on, width);
        ++counts.shared_accesses;
        counts.shared_passes += passes.needed;
        counts.shared_passes_least += passes.least;
        counts.shared_bytes +=
            static_cast<std::uint64_t>(std::popcount(p.on)) * static_cast<std::uint64_t>(width);
    });
}

} // namespace loopscope::simt_interpreter
