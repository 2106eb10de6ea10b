#pragma once
// Stages in fragments: the lanes of a warp, or of four, hold such a stage together, each lane some
// elements in registers of its own. The tensor instruction that takes the stage says which
// (Intrinsic, layouts). All other work on the stage is the warp's as well: each lane does what
// concerns the elements that it holds. This finds which elements those are, and why a schedule
// cannot have them so.

#include "core/schedule/gpu/runnable.h"
#include "core/schedule/gpu/shared_matrix.h"
#include "core/schedule/intrinsics.h"
#include "core/schedule/tree.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

bool is_in_fragments(const TreeNode& storage);

// Which element of an operand each lane's registers hold: element[lane][r][index] of the operand.
// An opaque operand has some assignment, so that whole fragments can be counted.
using RegisterElements = std::vector<std::vector<std::vector<std::int64_t>>>;
RegisterElements register_elements(const Intrinsic& intrinsic, const IntrinsicOperand& operand);

// How a matrix lies in memory: do elements of a row follow one another, or those of a column?
enum class MatrixOrder : std::uint8_t { Rows, Columns };

// How a stage lies in the lanes' registers: as operands of one kind, side by side, each of which
// covers a tile of the stage.
struct FragmentLayout {
    std::shared_ptr<const Intrinsic> intrinsic;
    const IntrinsicOperand* operand = nullptr; // of it
    std::vector<int> axes; // per dimension of the stage: which index of the operand; -1: none
    std::vector<std::int64_t> tile; // per dimension: elements of an operand along it; 1: none
    // per dimension: values of that index that are one element along it (AxisPart)
    std::vector<std::int64_t> steps;
    std::vector<std::int64_t> tiles;  // per dimension: operands along it
    RegisterElements elements;        // where the operand is opaque: some that each lane may have
    std::optional<MatrixOrder> order; // of an opaque factor: how it lay in memory

    bool opaque() const { return operand->opaque(); }
    // The element of its tile, along a dimension, that has that value of the operand's index.
    std::int64_t within(std::size_t dimension, std::int64_t index) const {
        return index / steps[dimension] % tile[dimension];
    }
    bool same_layout(const FragmentLayout& other) const;
    // The number of the tile, the last dimension fastest.
    std::int64_t number(const std::vector<std::int64_t>& tile_at) const;
};

// A part of a definition's nest that a warp's lanes do together: its loops from one on, which run
// over whole tiles of a fragment. Point e of a lane, of points() in the order of tiles and of the
// registers in them, is at the same element for all fragments that take part.
struct LaneWork {
    NodeId from;          // the outermost of the loops
    std::string fragment; // whose layout decides which lane does what
    // The variables of those loops that follow from the lane and e; other loops remain. A variable
    // is offset/step % extent, where the offset counts elements along a dimension of the fragment
    // from the first one.
    struct Digit {
        std::string variable;
        int dimension = 0;
        std::int64_t step = 1, extent = 1;
    };
    std::vector<Digit> digits;
    std::vector<std::vector<std::vector<std::int64_t>>> values; // [e][digit][lane]
    // Per fragment: where point e is, counted from the tile in which the loops begin.
    struct Place {
        std::vector<std::int64_t> tile;
        int r = 0;
        bool operator==(const Place&) const = default;
    };
    std::map<std::string, std::vector<Place>> places;
    // What lanes do with opaque fragments (opaque_fragments.h): each does something to all of its
    // elements, or whole fragments are loaded from memory or stored to memory, which lies so.
    enum class Whole : std::uint8_t { None, Registers, Load, Store } whole = Whole::None;
    MatrixOrder order = MatrixOrder::Rows;

    std::size_t points() const { return values.size(); }
};

struct Fragments {
    std::map<std::string, FragmentLayout> layouts;        // by stage
    std::map<std::pair<std::string, int>, LaneWork> work; // by definition
    // By definition: how operands that its instruction reads out of shared memory lie there, by
    // name.
    std::map<std::pair<std::string, int>, std::map<std::string, SharedMatrix>> matrices;
    // By definition: how its instruction's opaque operands lie in memory, where they are no
    // fragments.
    std::map<std::pair<std::string, int>, std::map<std::string, MatrixOrder>> orders;
    std::vector<NotRunnable> problems; // where there are some, layouts and work are not complete

    bool empty() const { return layouts.empty() && work.empty() && problems.empty(); }
};

// Finds the fragments of a tree as it stands; on a CPU fragments are plain memory.
Fragments find_fragments(const ScheduleTree& tree);

} // namespace loopscope
