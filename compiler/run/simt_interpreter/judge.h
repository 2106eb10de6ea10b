#pragma once
// Judges accesses to memory that threads share: races, reads of what nobody has written, and copies
// that are under way.
//
// What it finds does not depend on the order in which warps take their turns. So the same fault
// must get the same kind whichever access came first:
// - An element that nobody has written yet when it is read is a suspect until the block's next
//   barrier (between blocks: the launch's end). If it turns out that a write races with the read,
//   the race is what is reported.
// - A copy that is under way, and an access of another thread that no barrier orders with its
//   beginning or its arrival: where that thread had waited for copies as often as the copy's own
//   when it arrived, what is missing is the barrier behind the wait, and the two race. Where it had
//   not, it came too early. (All threads of a block take part in all waits.)

#include "compiler/run/simt_interpreter/code.h"
#include "compiler/run/simt_interpreter/findings.h"
#include "compiler/run/simt_interpreter/memory.h"

#include <utility>
#include <vector>

namespace loopscope::simt_interpreter {

class Handovers;

class Judge {
public:
    Judge(Memory& memory, Findings& findings) : memory_(memory), findings_(findings) {}

    void begin_launch(const LaunchCode& code, std::uint32_t number);
    void use(const Handovers* handovers) { handovers_ = handovers; } // of that launch
    void end_launch();

    // Judges accesses of the threads that are on; `act.thread` is the warp's first thread. Elements
    // are inside.
    void read(Store& store, const Places& places, Act act);
    // `repeats`: threads that write bits that are already there. Blocks may do so: all of them
    // leave the same. (A tile that moves inwards at the end of a grid stores points once more.)
    void write(Store& store, const Places& places, Act act, Mask repeats = 0);
    // A read and a write, by an atomic store.
    void update(Store& store, const Places& places, Act act);

    // Begins a copy of one thread; returns its number. It arrives, in the thread's name, when the
    // thread has waited for it.
    std::uint32_t begin_copy(std::uint32_t store, std::int64_t element, const Act& act);
    void arrive(std::uint32_t flight, std::uint32_t store, std::int64_t element, const Act& act);

    // Events of the running block: all its threads pass a barrier; it ends.
    void barrier();
    void end_block();

    // Reports, for any memory, an element that nobody has written, one that is not there, one that
    // an intrinsic cannot take.
    void report_uninitialized(const Store& store, std::int64_t element, const Act& act);
    void report_outside(const Store& store, const std::string& indices, const Act& act);
    void report_operand(SimtFinding::Kind kind, const Store& store, std::int64_t element,
                        const Act& act, const std::string& what);

private:
    struct Flight { // a copy under way to one element
        Act act;    // of its beginning
        Store* store = nullptr;
        std::int64_t element = 0;
        struct Early {
            Store* store = nullptr;
            std::int64_t element = 0;
            Act act;
        };
        std::vector<Early> early; // accesses of others, meanwhile or not ordered with its beginning
        bool used = false;
    };
    struct Suspect {
        const Store* store = nullptr;
        std::int64_t element = 0;
        Act act;
    };

    // An element that an access meets: the same one, or another that lies at the same place.
    struct Spot {
        Store& store;
        std::int64_t element = 0;
        ElementWatch& watch() const { return store.watch[static_cast<std::size_t>(element)]; }
        GlobalWatch& global() const {
            return store.global_watch[static_cast<std::size_t>(element)];
        }
        std::string text() const { return place_text(store, element); }
    };

    template <typename F> void for_aliases(const Spot& spot, F f);
    void read_one(const Spot& spot, const Act& act);
    void write_one(const Spot& spot, const Act& act, bool repeats = false);
    // Judges what the act at `mine` meets at `theirs`.
    void check(const Spot& mine, const Spot& theirs, const Act& act, bool writes);
    void check_blocks(const Spot& spot, const Act& act, bool writes, bool repeats = false);
    void check_written(Store& store, const Places& places, const Act& act);
    void suspect(const Store& store, std::int64_t element, const Act& act);
    // Two accesses, at least one of which writes, that no barrier orders.
    void meet(const Spot& mine, const Spot& theirs, const Act& act, const Party& other);
    void meet_flight(const Spot& mine, const Spot& theirs, const Act& act);
    void add_early(Flight& flight, const Spot& spot, const Act& act);
    void add_early(Flight& flight, const Spot& spot);
    void report_early(const Flight& flight, const Flight::Early& early);
    void land(std::uint32_t flight);

    void race(std::pair<Spot, Party> one, std::pair<Spot, Party> other);
    void report_early(const Spot& copied, const Party& copy, const Spot& accessed,
                      const Party& access);
    const Site& site(std::uint32_t number) const { return code_->sites[number]; }
    std::string block_of(const Act& act) const { return block_text(code_->shape, act.block); }

    Memory& memory_;
    Findings& findings_;
    const LaunchCode* code_ = nullptr;
    const Handovers* handovers_ = nullptr;
    std::uint32_t launch_ = 0;
    std::vector<Flight> flights_{1}; // number 0 is none
    std::vector<std::uint32_t> free_flights_;
    std::vector<Suspect> suspects_, global_suspects_;
};

} // namespace loopscope::simt_interpreter
