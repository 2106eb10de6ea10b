#pragma once
// The memory of a run: one store per buffer, with what the checks need of every element.

#include "compiler/lower/gpu/launch.h"
#include "compiler/run/buffer.h"
#include "compiler/run/loop_interpreter/arithmetic.h"
#include "compiler/run/simt_interpreter/access_sets.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"

#include <array>
#include <bit>
#include <deque>
#include <string>
#include <vector>

namespace loopscope::simt_interpreter {

using loop_interpreter::Cell;

constexpr std::uint32_t kWarp = lower::kWarp;
using Mask = std::uint32_t; // a bit for each thread of a warp

template <typename F> void for_threads(Mask mask, F f) {
    for (; mask; mask &= mask - 1)
        f(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

// Ends a run early; simt_interpreter.cpp turns it into a failed result.
struct Stop {
    Diagnostic diagnostic;
};

// The elements that the threads of a warp access with one lane of theirs.
struct Places {
    std::array<std::int64_t, kWarp> element{};
    Mask on = 0;
    bool same = false; // all threads the same one
};

enum class Space : std::uint8_t {
    Global,  // of the whole device
    Shared,  // of a block
    Private, // of a thread
};

struct Store {
    std::string name;
    ScalarType type = ScalarType::F32;
    Space space = Space::Global;
    std::vector<std::int64_t> extents, strides; // strides in elements
    std::int64_t count = 0;
    std::int64_t element_bytes = 4;

    // Global, Shared: elements as in a Buffer.
    std::byte* data = nullptr;
    AlignedBytes owned;
    bool input = false;                 // of the program: always written, never written to
    std::uint32_t stamp = 1;            // Shared: grows with every block
    std::vector<std::uint32_t> written; // the stamp where an element has been; empty for inputs
    bool watched = false;               // somebody writes it in this launch: races are possible
    std::vector<ElementWatch> watch;
    std::vector<GlobalWatch> global_watch; // Global: between blocks
    // Others of which bytes lie at the same place. Each has data of its own: a write to one makes
    // those of the others unwritten.
    std::int64_t offset = -1;   // Shared: in the block's memory, in bytes; below 0: a place alone
    std::int64_t alignment = 1; // Shared: in bytes
    std::vector<std::uint32_t> aliases; // Shared
    // Shared: one more than the token whose copies, by producer warpgroups, fill it; 0: none does.
    // Then, by element, the group that was last asked to fill it, in the block of that stamp.
    struct Group {
        std::uint32_t stamp = 0, number = 0;
    };
    std::uint32_t handover = 0;
    std::vector<Group> groups;
    std::string overwritten_by; // Global: the buffer that took its place last

    // Private: elements as cells, [warp][element][thread].
    std::vector<Cell> cells;
    std::vector<Mask> written_by; // [warp][element]: the threads that have written theirs

    std::size_t row(std::uint32_t warp, std::int64_t element) const {
        return static_cast<std::size_t>(static_cast<std::int64_t>(warp) * count + element);
    }
};

class Memory {
public:
    explicit Memory(std::int64_t limit) : limit_(limit) {}

    std::uint32_t add(const std::string& name, ScalarType type, Space space,
                      std::vector<std::int64_t> extents);
    Store& operator[](std::uint32_t store) { return stores_[store]; }
    const Store& operator[](std::uint32_t store) const { return stores_[store]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(stores_.size()); }

    void use_input(std::uint32_t store, const Buffer& buffer);
    void make_global(std::uint32_t store);
    void make_shared(std::uint32_t store);
    void find_aliases(const std::vector<std::uint32_t>& stores); // among shared ones
    void make_private(std::uint32_t store, std::uint32_t warps);
    void release(std::uint32_t store); // of Shared and Private
    void watch(std::uint32_t store);   // from now on
    // Bytes more in use; stops the run at the limit.
    void reserve(std::int64_t bytes);

private:
    std::deque<Store> stores_; // findings keep the address of a name
    std::int64_t limit_, used_ = 0;
};

// One element of Global or Shared memory; no checks.
Cell load_element(const Store& store, std::int64_t element);
void store_element(Store& store, std::int64_t element, Cell value);
// Gathers the elements of the threads that are on, each into its own cell.
void gather(const Store& store, const Places& places, Cell* out);
// A value of `type` out of its bytes, as cells hold it.
Cell cell_of_bytes(ScalarType type, const std::byte* bytes);

// The elements of `other` that have bytes in common with one of `store`: from the first one to
// behind the last one.
struct Overlap {
    std::int64_t begin = 0, end = 0;
};
Overlap overlap(const Store& store, std::int64_t element, const Store& other);

std::string place_text(const Store& store, std::int64_t element); // "As[3, 4]"

} // namespace loopscope::simt_interpreter
