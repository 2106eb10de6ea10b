#pragma once
// The meaning of names of levels and scopes on a GPU: an open table, which a device's file may
// extend. Names are read here and where a directive is applied; all decisions go by the units.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::device {

// A unit has members, or memory of its own; outermost first. The members of `Virtual` are one
// thread in turn.
enum class Unit : std::uint8_t { Grid, Cluster, Block, WarpGroup, Warp, Thread, Virtual };

const char* name(Unit unit);                        // "grid", "warpgroup"
std::optional<Unit> unit_named(const std::string&); // nothing: there is none of that name
constexpr bool is_inside(Unit inner, Unit outer) {  // does one of the outer hold many of the inner?
    return inner > outer;
}

// What the iterations of a bound loop number: the members of a unit along an axis (x, y, z), each
// iteration another member. A thread has no members: the default numbers nothing.
struct Numbering {
    Unit unit = Unit::Thread;
    Unit members = Unit::Thread;
    int axis = 0;

    bool any() const { return unit != Unit::Thread; }
    bool of_blocks() const { return unit <= Unit::Cluster; } // of a grid, or of a cluster
    bool of_threads() const { return any() && !of_blocks() && !is_virtual(); } // or of warps
    bool is_virtual() const { return unit == Unit::Virtual; }
    bool operator==(const Numbering&) const = default;
};

// A level that loops are bound to: block.x numbers the blocks of a grid, thread.x the threads of a
// block, warp its warps.
struct Level {
    std::string name;
    Numbering numbers;
};

// A memory that stages lie in, and the unit whose members all see one copy of it. The threads of a
// warp hold a fragment together, in registers: operands and results of tensor instructions.
struct MemoryScope {
    std::string name;
    Unit shared_by = Unit::Thread;
    bool operator==(const MemoryScope&) const = default;
};

// Units that levels may number members of, and that may share a scope; outermost first.
const std::vector<Unit>& level_units();
const std::vector<Unit>& scope_units();

// The levels of the schedule language, which all GPUs have. A cluster is one block where the device
// has none.
const std::vector<Level>& default_levels();
const std::vector<MemoryScope>& default_scopes();
// The language's scope of that name; any other is a thread's.
MemoryScope language_scope(const std::string& name);
// A device's own level of a unit. Members of a grid and of a cluster are blocks, those of a block
// threads, those of a warpgroup warps, and those of a warp threads, its lanes. A name that ends
// with .y or .z numbers blocks or threads along that axis.
Level own_level(const std::string& name, Unit unit);

// The language's scopes in which the compiler itself puts memory, and which recipes name.
const MemoryScope& global_memory();
const MemoryScope& shared_memory(); // of a block
const MemoryScope& registers();     // of a thread
const MemoryScope& fragments();     // of a warp

} // namespace loopscope::device
