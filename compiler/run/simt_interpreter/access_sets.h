#pragma once
// The threads that have accessed an element of memory that threads share, as far as races need
// them. Two accesses race when two threads make them, one writes, and no barrier that both took
// part in lies between. That is known without their order: a set keeps what any later access may
// race with. All of a block's threads pass its barriers together, and all of a warp's its own, so
// that accesses before the last barrier are forgotten; of those since, two threads in two warps are
// enough, for each later thread differs from one of them.

#include <array>
#include <cstdint>
#include <optional>

namespace loopscope::simt_interpreter {

// One access of one thread.
struct Act {
    std::uint32_t site = 0;
    std::uint32_t block = 0;
    std::uint32_t epoch = 0;      // barriers of blocks so far, over the whole run
    std::uint32_t warp_epoch = 0; // barriers of its warp so far
    std::uint32_t waits = 0;      // its warp's waits for copies so far
    std::uint32_t launch = 0;
    std::uint16_t thread = 0;   // in the block
    std::uint8_t operation = 0; // an atomic store's; 0: a plain access
    std::uint32_t warp() const { return thread / 32u; }
};

// The thread that an access meets. It may have made several accesses, of which the first one's
// waits and the last one's are known.
struct Party {
    std::uint32_t site = 0;
    std::uint32_t block = 0;
    std::uint32_t first_waits = 0, last_waits = 0;
    std::uint16_t thread = 0;
};

// Atomic stores of one operation do not race with each other.
inline bool combine_alike(std::uint8_t a, std::uint8_t b) { return a != 0 && a == b; }

// The threads of one block, since its last barrier.
class ThreadSet {
public:
    // A thread in the set, not behind a barrier, with which the access would race if one of both
    // writes. Where that thread, or several, made atomic stores of several operations, the
    // operation named may be the act's own.
    std::optional<Party> against(const Act& act) const {
        if (epoch_ != act.epoch)
            return std::nullopt;
        const bool own_warp = thread_[0] / 32u == act.warp();
        if (spread_ == Spread::Block || !own_warp) {
            if (combine_alike(operation_, act.operation))
                return std::nullopt;
            return party(own_warp ? 1 : 0, act);
        }
        if (warp_epoch_ != act.warp_epoch || combine_alike(operation_now_, act.operation))
            return std::nullopt;
        if (thread_[0] != act.thread)
            return party(0, act);
        return spread_ == Spread::Warp ? std::optional(party(1, act)) : std::nullopt;
    }

    void add(const Act& act) {
        if (epoch_ != act.epoch) {
            epoch_ = act.epoch;
            operation_ = act.operation;
            begin_warp_epoch(act);
            return;
        }
        if (operation_ != act.operation)
            operation_ = 0;
        const bool own_warp = thread_[0] / 32u == act.warp();
        if (spread_ != Spread::Block && own_warp && warp_epoch_ != act.warp_epoch)
            return begin_warp_epoch(act);
        if (operation_now_ != act.operation)
            operation_now_ = 0;
        if (thread_[0] == act.thread) {
            last_waits_[0] = act.waits;
        } else if (spread_ != Spread::Thread && thread_[1] == act.thread) {
            last_waits_[1] = act.waits;
        } else if (spread_ != Spread::Block && !own_warp) {
            spread_ = Spread::Block;
            put(1, act);
        } else if (spread_ == Spread::Thread) {
            spread_ = Spread::Warp;
            put(1, act);
        }
    }

    std::uint32_t epoch() const { return epoch_; }

private:
    enum class Spread : std::uint8_t {
        Thread, // one since its warp's last barrier
        Warp,   // two of one warp since its last barrier
        Block,  // two of two warps
    };

    void begin_warp_epoch(const Act& act) {
        warp_epoch_ = act.warp_epoch;
        operation_now_ = act.operation;
        spread_ = Spread::Thread;
        put(0, act);
    }
    void put(std::size_t i, const Act& act) {
        thread_[i] = act.thread;
        site_[i] = act.site;
        first_waits_[i] = last_waits_[i] = act.waits;
    }
    Party party(std::size_t i, const Act& act) const {
        return {site_[i], act.block, first_waits_[i], last_waits_[i], thread_[i]};
    }

    std::uint32_t epoch_ = 0, warp_epoch_ = 0;
    std::array<std::uint32_t, 2> site_{}, first_waits_{}, last_waits_{};
    std::array<std::uint16_t, 2> thread_{};
    Spread spread_ = Spread::Thread;
    std::uint8_t operation_ = 0;     // of all since the block's barrier; 0: there are others
    std::uint8_t operation_now_ = 0; // of all since the warp's barrier
};

// The blocks of one launch, which nothing orders.
class BlockSet {
public:
    std::optional<Party> against(const Act& act) const {
        if (launch_ != act.launch || combine_alike(operation_, act.operation))
            return std::nullopt;
        if (block_[0] != act.block)
            return party(0);
        return several_ ? std::optional(party(1)) : std::nullopt;
    }

    void add(const Act& act) {
        if (launch_ != act.launch) {
            *this = {};
            launch_ = act.launch;
            operation_ = act.operation;
            put(0, act);
            return;
        }
        if (operation_ != act.operation)
            operation_ = 0;
        if (!several_ && block_[0] != act.block) {
            several_ = true;
            put(1, act);
        }
    }

private:
    void put(std::size_t i, const Act& act) {
        block_[i] = act.block;
        site_[i] = act.site;
        thread_[i] = act.thread;
    }
    Party party(std::size_t i) const { return {site_[i], block_[i], 0, 0, thread_[i]}; }

    std::uint32_t launch_ = 0;
    std::array<std::uint32_t, 2> block_{}, site_{};
    std::array<std::uint16_t, 2> thread_{};
    bool several_ = false;
    std::uint8_t operation_ = 0;
};

struct ElementWatch {
    ThreadSet reads, writes;
    std::uint32_t raced = 0;  // the last epoch in which a race was found here
    std::uint32_t flight = 0; // number of the copy that is under way to it; 0: none
};

struct GlobalWatch {
    BlockSet reads, writes;
    std::uint32_t raced = 0; // the last launch in which blocks were found to race here
};

} // namespace loopscope::simt_interpreter
