#pragma once
// Judges accesses to memory that threads share: races, reads of what nobody has written, and copies that are under way.
//
// What it finds does not depend on the order in which warps take their turns. So the same fault must get the same kind whichever
// access came first:
// - An element that nobody has written yet when it is read is a suspect until the block's next barrier (between blocks: the
//   launch's end). If it turns out that a write races with the read, the race is what is reported.
// - A copy that is under way, and an access of another thread that no barrier orders with its beginning or its arrival: where that
//   thread had waited for copies as often as the copy's own when it arrived, what is missing is the barrier behind the wait, and
//   the two race. Where it had not, it came too early. (All threads of a block take part in all waits.)

#include "compiler/run/simt_interpreter/code.h"
#include "compiler/run/simt_interpreter/findings.h"
#include "compiler/run/simt_interpreter/memory.h"

#include <vector>

namespace loopscope::simt_interpreter {

class Judge {
public:
    Judge(Memory& memory, Findings& findings) : memory_(memory), findings_(findings) {}

    void begin_launch(const LaunchCode& code, std::uint32_t number);
    void end_launch();

    // Accesses of the threads that are on; `act.thread` is that of the warp's first thread. Elements are inside.
    void read(Store& store, const Places& places, Act act);
    void write(Store& store, const Places& places, Act act);
    // Both, by an atomic store.
    void update(Store& store, const Places& places, Act act);

    // A copy of one thread begins; gives its number. It arrives, in the thread's name, when the thread has waited for it.
    std::uint32_t begin_copy(std::uint32_t store, std::int64_t element, const Act& act);
    void arrive(std::uint32_t flight, std::uint32_t store, std::int64_t element, const Act& act);

    // Of the running block: all its threads pass a barrier; it ends.
    void barrier();
    void end_block();

    // Of any memory: an element that nobody has written, one that is not there, one that an intrinsic cannot take.
    void report_uninitialised(const Store& store, std::int64_t element, const Act& act);
    void report_outside(const Store& store, const std::string& indices, const Act& act);
    void report_operand(SimtFinding::Kind kind, const Store& store, std::int64_t element,
                        const Act& act, const std::string& what);

private:
    struct Flight { // a copy under way to one element
        Act act;    // of its beginning
        std::uint32_t store = 0;
        std::int64_t element = 0;
        std::vector<Act> early; // accesses of others, meanwhile or not ordered with its beginning
        bool used = false;
    };
    struct Suspect {
        const Store* store = nullptr;
        std::int64_t element = 0;
        Act act;
    };

    void read_one(Store& store, std::int64_t element, const Act& act);
    void write_one(Store& store, std::int64_t element, const Act& act);
    void check_written(Store& store, const Places& places, const Act& act);
    void suspect(const Store& store, std::int64_t element, const Act& act);
    void meet(Store& store, std::int64_t element, const Act& act, const Party& other);
    void race(const Store& store, std::int64_t element, Party one, Party other);
    void meet_flight(Store& store, std::int64_t element, const Act& act);
    void add_early(Flight& flight, const Act& act);
    void report_early(const Store& store, std::int64_t element, const Party& copy,
                      const Party& access);
    void land(std::uint32_t flight);
    const Site& site(std::uint32_t number) const { return code_->sites[number]; }
    std::string block_of(const Act& act) const { return block_text(code_->shape, act.block); }

    Memory& memory_;
    Findings& findings_;
    const LaunchCode* code_ = nullptr;
    std::uint32_t launch_ = 0;
    std::vector<Flight> flights_{1}; // number 0 is none
    std::vector<std::uint32_t> free_flights_;
    std::vector<Suspect> suspects_, global_suspects_;
};

} // namespace loopscope::simt_interpreter
