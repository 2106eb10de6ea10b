#pragma once
// A launch on a device as verifiers, printers, compilers and interpreters see it: its dimensions,
// and its body inside them.

#include "compiler/lower/program.h"
#include "core/base/diagnostic.h"
#include "core/schedule/gpu/block_threads.h"
#include "core/schedule/gpu/mapping.h" // kLaneLevel

#include <array>
#include <map>
#include <optional>
#include <set>

namespace loopscope::lower {

constexpr int kWarp = static_cast<int>(loopscope::kWarp); // threads of a warp
// The least alignment of shared allocations, in bytes: a line of all banks, which the widest copies
// of any architecture ask for.
constexpr std::int64_t kSharedAlignment = 128;
// The level of loops that all threads of a block divide among themselves, whatever their shape
// (divide_work).
inline constexpr const char* kThreadsLevel = "threads";
// The level of a loop around cooperative work: loops of threads around it number nobody inside of
// it, where other loops may bind the same threads (bind_levels).
inline constexpr const char* kBlockLevel = "block";
// The level of loops whose iterations one thread runs in turn, interleaved (virtual_threads).
inline constexpr const char* kVirtualLevel = "vthread";

// The unit in a level's name, "block", "thread", … of "block.x"; the name itself where it has no
// point.
std::string level_unit(const std::string& level);
// The dimension of a launch along which a level numbers threads: "thread.y" of "warp" and "warp.x",
// "thread.z" of "warp.y" and "warpgroup", "thread.x" of lanes; of others the level itself.
std::string dimension_of_level(const std::string& level);

struct LaunchDimension {
    std::string level;    // "block.x"
    std::string variable; // of the Bound loop; empty: the launch has no such loop, its extent is 1
    std::int64_t extent = 1;
    ScalarType type = ScalarType::I32;
};

struct LaunchShape {
    // block.x, block.y, block.z: of clusters, where there are any
    std::array<LaunchDimension, 3> grid;
    std::array<LaunchDimension, 3> cluster; // cluster.x, cluster.y, cluster.z: blocks
    std::array<LaunchDimension, 3> block;   // thread.x, thread.y, thread.z
    StatementPtr body;                      // inside of all of them
    std::int64_t threads() const { return product(block); }
    std::int64_t blocks() const { return product(grid) * cluster_blocks(); }
    std::int64_t cluster_blocks() const { return product(cluster); }
    // Blocks along x, y and z, as a device numbers them: those of a cluster follow one another
    // along each.
    std::array<std::int64_t, 3> blocks_along() const {
        return {grid[0].extent * cluster[0].extent, grid[1].extent * cluster[1].extent,
                grid[2].extent * cluster[2].extent};
    }
    std::array<std::int64_t, 3> cluster_along() const { return extents(cluster); }
    std::array<std::int64_t, 3> threads_along() const { return extents(block); }

private:
    static std::array<std::int64_t, 3> extents(const std::array<LaunchDimension, 3>& dimensions) {
        return {dimensions[0].extent, dimensions[1].extent, dimensions[2].extent};
    }
    static std::int64_t product(const std::array<LaunchDimension, 3>& dimensions) {
        return dimensions[0].extent * dimensions[1].extent * dimensions[2].extent;
    }
};

// The shape of a launch after `bind_levels`; nothing where the chain is not as program.h says.
// Loops of kThreadsLevel and kVirtualLevel may be inside.
std::optional<LaunchShape> launch_shape(const Launch& launch);
// The launch with its body inside of the dimensions replaced by what `map` gives. The launch must
// have a shape.
template <typename Map> StatementPtr map_inside(const Launch& launch, Map map);

// Tokens whose copies producer warpgroups ask for: their Acquire and Release have mbarriers that
// count readers that are done.
std::set<std::string> handed_over(const StatementPtr& body);

// A launch on the device, with those of the program's arguments and buffers that the body uses.
Launch device_launch(const Program& program, std::string name, StatementPtr body);
bool on_device(const Launch& launch);
bool on_device(const Program& program); // some launch is

// Is the kind (below: is there a statement of a kind) one of Barrier, Acquire, Commit, Wait,
// Release, Intrinsic?
bool is_collective(StatementKind kind);
bool contains_collective(const StatementPtr& s);

// How far a value is the same for all: in the whole block, in each group of four warps, in each
// warp, or for no more than one thread.
enum class Uniformity : std::uint8_t { Block, Group, Warp, Thread };

// Finds what is uniform in a launch. Loads of private storage and of memory that threads write
// count as different for each thread.
class UniformityOf {
public:
    explicit UniformityOf(const LaunchShape& shape);
    // Binds what a loop or a let names; bind the statements around it first.
    void bind(const Statement& s);
    Uniformity operator()(const ExprPtr& e) const;

private:
    std::map<std::string, Uniformity> names_; // others are the same for all
};

// Finds collective statements that, by what is known, not all threads of their level reach. In a
// launch on the host that is any.
Diagnostics check_collectives(const Launch& launch);

// Checks tokens that are handed over. Errors: other numbers of mbarriers on the two sides; memory
// that such copies fill, or an mbarrier, in which something else lies.
Diagnostics check_handovers(const Launch& launch);

// Checks warpgroups' products that an iteration leaves under way (kLeaveProducts). Errors:
// statements that touch their sums, or write what they read, before they are awaited; paths on
// which nothing awaits them.
Diagnostics check_products(const Launch& launch);

std::int64_t bytes_of(const Statement& allocation); // all its elements, symbols at their hints
// The alignment of a shared allocation, in bytes: what it asks for, and no less than
// kSharedAlignment.
std::int64_t shared_alignment(const Statement& allocation);
// The alignment of all of a block's shared memory: the greatest that one of its allocations asks
// for.
std::int64_t shared_alignment(const StatementPtr& body);
inline std::int64_t aligned(std::int64_t bytes, std::int64_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
}
// Bytes of shared memory that a block of this body needs. Allocations that are not planned
// (Storage::offset) lie behind those that are, each at a place of its own.
std::int64_t shared_bytes(const StatementPtr& body);

namespace detail {
StatementPtr around_inside(const StatementPtr& chain, StatementPtr inside);
} // namespace detail

template <typename Map> StatementPtr map_inside(const Launch& launch, Map map) {
    return detail::around_inside(launch.body, map(*launch_shape(launch)));
}

} // namespace loopscope::lower
