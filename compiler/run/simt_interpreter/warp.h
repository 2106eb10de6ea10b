#pragma once
// A running warp: 32 threads, of which those that are on take every step together. It can stop
// behind any step and go on later: all that it needs stands here.

#include "compiler/run/simt_interpreter/code.h"

#include <array>
#include <vector>

namespace loopscope::simt_interpreter {

// A loop that runs, or a branch whose sides are taken one after the other.
struct Frame {
    Mask around = 0;  // who was on outside
    Mask pending = 0; // Branch: who takes the other side, at
    std::uint32_t pending_step = 0;
    std::int64_t iteration = 0, begin = 0, extent = 0; // Loop; where they are the same for all
};

// A copy of one thread to one element, from its issue until it arrives.
struct PendingCopy {
    std::uint8_t thread = 0; // in the warp
    std::uint32_t group = 0; // how often the thread had committed before
    std::uint32_t store = 0, site = 0, flight = 0;
    std::int64_t element = 0;
    Cell value = 0;
};

// The copies of one token.
struct TokenQueue {
    std::array<std::uint32_t, kWarp> commits{}; // groups that each thread has closed
    std::vector<PendingCopy> pending;           // in order
};

// One value of each thread.
using Lanes = std::array<Cell, kWarp>;

// What the instructions of a warpgroup add up beside its warps, for registers from an element on.
struct HeldSums {
    std::uint32_t store = 0;
    std::int64_t element = 0;
    std::vector<Lanes> sums;
};

// A slot of a token that is handed over, which products under way may still read: it holds what the
// group of that number brought.
struct SlotRead {
    std::uint32_t token = 0, group = 0, store = 0;
    bool left = false; // by products of a group that has ended, and which nobody has awaited
};

struct Warp {
    enum class State : std::uint8_t {
        Ready,
        AtBarrier,
        AtObject, // of copies that are handed over: it waits for others of the block
        Ended
    };

    std::uint32_t number = 0;
    Mask live = 0;   // threads that exist
    Mask active = 0; // that take the next step
    State state = State::Ready;
    std::uint32_t next = 0;  // step
    std::uint32_t epoch = 0; // barriers of the warp so far
    std::uint32_t waits = 0; // for copies of any token
    std::vector<Frame> frames;
    std::vector<Cell> cells;
    std::vector<TokenQueue> tokens;
    std::vector<HeldSums> held;
    std::vector<SlotRead> reads; // of products under way
    // by site: how often it came to a collective step of the block
    std::vector<std::uint32_t> meetings;

    std::uint32_t first_thread() const { return number * kWarp; }
};

// Random numbers that are the same on every machine (SplitMix64).
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t n) {
        state_ += 0x9e3779b97f4a7c15ull;
        return mix_bits(state_) % n;
    }

private:
    std::uint64_t state_;
};

} // namespace loopscope::simt_interpreter
