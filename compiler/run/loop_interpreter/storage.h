#pragma once
// The memory of a run: one store per buffer, with what the checks and counters need of every
// element.

#include "compiler/run/buffer.h"
#include "compiler/run/loop_interpreter/arithmetic.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace loopscope::loop_interpreter {

// Ends a run early; loop_interpreter.cpp turns it into a failed result.
struct Stop {
    Diagnostic diagnostic;
};

// A running parallel or vectorised loop.
struct Level {
    std::uint32_t execution = 0; // unique in the run
    std::uint32_t iteration = 0;
    bool vectorized = false;
    const NodeId* origin = nullptr;
};

// Numbers of combining operations: those of Op, then one for argmin and argmax, then those of
// atomic stores.
constexpr std::uint32_t kFirstSelection = 128, kFirstAtomic = 256;

// One place in the program that loads or stores.
struct Site {
    std::uint32_t store = 0; // its buffer
    bool writes = false;
    const NodeId* origin = nullptr;
    // above 0: load and store of a combining statement; the number is its operation's
    std::uint32_t reduction = 0;
    // in the expression as text; a shared node runs once and counts for all
    std::uint64_t occurrences = 1;
    std::uint64_t elements = 0; // accessed so far, times occurrences
};

struct Store {
    std::string name;
    ScalarType type = ScalarType::F32;
    std::vector<std::int64_t> extents;
    std::int64_t count = 0;
    std::byte* data = nullptr;
    AlignedBytes owned;
    bool input = false;
    // Each iteration of the levels that enclose the allocation sees a memory of its own
    std::size_t first_level = 0;

    std::uint32_t epoch = 1;               // grows with every allocation
    std::vector<std::uint32_t> written;    // epoch of the last write; empty for inputs
    std::vector<std::uint8_t> touched;     // bit 0: read, bit 1: written, in any epoch
    std::vector<std::uint32_t> lane_store; // the vector store that wrote last

    struct Shadow { // who wrote and who read last, in the running execution of a loop
        struct Last {
            std::uint32_t execution = 0, iteration = 0, reduction = 0;
        } write, read;
    };
    std::vector<std::vector<Shadow>> shadows; // per level from first_level
    struct Stamp {
        std::uint32_t read = 0, write = 0; // execution of the loop that did so last
    };
    std::vector<std::vector<Stamp>> stamps;  // per footprint
    std::vector<DistinctBytes> in_execution; // per footprint: of the running execution
};

// A loop whose footprint is asked for.
struct FootprintLoop {
    LoopFootprint result;
    std::uint32_t execution = 0;
    bool running = false;
};

class Memory {
public:
    explicit Memory(const LoopInterpreterOptions& options);

    std::uint32_t add_store(const std::string& name, ScalarType type,
                            std::vector<std::int64_t> extents, std::size_t first_level);
    void use_input(std::uint32_t store, const Buffer& buffer);
    // Fresh, uninitialised contents.
    void allocate(std::uint32_t store);

    Store& store(std::uint32_t number) { return stores_[number]; }
    std::vector<Store>& stores() { return stores_; }

    // Loads one element; `index` has been checked.
    Cell load(Site& site, std::int64_t index);
    void write(Site& site, std::int64_t index, Cell value);
    // An atomic store: `step` gives the new value of the old one.
    template <typename Step> void combine(Site& site, std::int64_t index, Step step) {
        write(site, index, step(old_value(site, index)));
        stores_[site.store].touched[static_cast<std::size_t>(index)] |= 1; // it reads as well
    }
    // Call before the lanes of a vector store.
    void begin_vector_store() { ++vector_store_; }
    void check_lanes(Site& site, std::int64_t index);

    // The message is made for the first occurrence only.
    template <typename Message>
    void report(LoopFinding::Kind kind, const NodeId& origin, const std::string& buffer,
                Message message) {
        auto [found, added] =
            known_.try_emplace({static_cast<int>(kind), origin, buffer}, findings.size());
        if (added)
            findings.push_back({kind, origin, buffer, message(), 0});
        ++findings[found->second].count;
    }
    std::vector<LoopFinding> findings;
    std::vector<Level> levels;
    std::uint32_t next_execution = 1;
    std::vector<FootprintLoop> footprints;

    // Bytes more in use; stops the run at the limit.
    void reserve(std::int64_t bytes);
    std::string place(const Store& store, std::int64_t index) const; // "tmp[3, 4]"

private:
    Cell old_value(const Site& site, std::int64_t index);
    void note(Store& store, Site& site, std::int64_t index);
    void check_conflicts(Store& store, const Site& site, std::int64_t index);
    void conflict(const Store& store, const Site& site, std::int64_t index, const Level& level,
                  bool other_wrote);
    void note_footprints(Store& store, bool writes, std::int64_t index);

    const LoopInterpreterOptions& options_;
    std::vector<Store> stores_;
    std::map<std::tuple<int, NodeId, std::string>, std::size_t> known_;
    std::int64_t used_ = 0;
    std::uint32_t vector_store_ = 0;
};

} // namespace loopscope::loop_interpreter
