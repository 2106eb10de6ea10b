// What is kept of an element's accesses is enough: a race is found in every order of the accesses
// exactly when two of them race by the definition, found here by looking at all pairs.
#include "compiler/run/simt_interpreter/access_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace loopscope::simt_interpreter {
namespace {

struct Access {
    Act act;
    bool writes = false;
};

// By the definition.
bool race(const Access& a, const Access& b) {
    const auto &x = a.act, &y = b.act;
    const bool same_thread = x.block == y.block && x.thread == y.thread;
    if (same_thread || !(a.writes || b.writes) ||
        (a.writes && b.writes && combine_alike(x.operation, y.operation)))
        return false;
    if (x.block != y.block)
        return true;
    return x.epoch == y.epoch && (x.warp() != y.warp() || x.warp_epoch == y.warp_epoch);
}

bool race_among(const std::vector<Access>& all) {
    for (const auto& a : all)
        for (const auto& b : all)
            if (race(a, b))
                return true;
    return false;
}

// By the sets, in the order given.
bool found(const std::vector<Access>& all) {
    ElementWatch element;
    GlobalWatch global;
    for (const auto& a : all) {
        if (element.writes.against(a.act) || global.writes.against(a.act))
            return true;
        if (a.writes && (element.reads.against(a.act) || global.reads.against(a.act)))
            return true;
        (a.writes ? element.writes : element.reads).add(a.act);
        (a.writes ? global.writes : global.reads).add(a.act);
    }
    return false;
}

class Generator {
public:
    explicit Generator(unsigned seed) : random_(seed) {}

    // Blocks one after the other, each with some epochs; in an epoch each warp makes accesses with
    // barriers of its own among them. Warps take turns in a random order.
    std::vector<Access> accesses() {
        std::vector<Access> all;
        const auto blocks = 1 + below(2);
        writes_ = below(4);
        operations_ = 1 + below(3);
        for (std::uint32_t block = 0; block < blocks; ++block) {
            const auto epochs = 1 + below(2);
            for (std::uint32_t e = 0; e < epochs; ++e) {
                ++epoch_;
                add_epoch(all, block);
            }
        }
        return all;
    }

private:
    std::uint32_t below(std::uint32_t n) { return random_() % n; }

    void add_epoch(std::vector<Access>& all, std::uint32_t block) {
        std::uint32_t warp_epochs[3] = {epoch_ * 10, epoch_ * 10, epoch_ * 10};
        for (auto left = below(5); left > 0; --left) {
            auto warp = below(3);
            warp_epochs[warp] += below(3) == 0;
            Access a;
            a.act.block = block;
            a.act.epoch = epoch_;
            a.act.launch = 1;
            a.act.warp_epoch = warp_epochs[warp];
            a.act.thread = static_cast<std::uint16_t>(32 * warp + below(3));
            a.writes = below(4) < writes_;
            a.act.operation =
                a.writes ? static_cast<std::uint8_t>(below(operations_ + 1)) : std::uint8_t{0};
            all.push_back(a);
        }
    }

    std::mt19937 random_;
    std::uint32_t epoch_ = 0, writes_ = 0, operations_ = 1;
};

TEST(AccessSets, FindWhatAllPairsShow) {
    std::size_t races = 0;
    constexpr unsigned kCases = 300'000;
    for (unsigned seed = 0; seed < kCases; ++seed) {
        auto all = Generator(seed).accesses();
        const bool expected = race_among(all);
        races += expected;
        ASSERT_EQ(found(all), expected) << "seed " << seed;
    }
    EXPECT_GT(races, kCases / 10); // both answers are common
    EXPECT_LT(races, kCases * 9 / 10);
}

} // namespace
} // namespace loopscope::simt_interpreter
