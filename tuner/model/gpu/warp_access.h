#pragma once
// The cost of an access to the warps of a block, lane by lane: sectors and lines of global memory
// (few where the access is coalesced), passes over the banks of shared memory. The counters of
// compiler/run/simt_interpreter (counters.h) are the judge: where the places of an access follow
// from its loops these figures are the same, but for what is sampled.

#include "core/schedule/gpu/swizzling.h"
#include "tuner/model/gpu/roles.h"

#include <optional>
#include <vector>

namespace loopscope::model::gpu {

constexpr std::int64_t kSectorBytes = 32; // what global memory is asked for at least
// of the first-level cache, which looks up one line of an access after another
constexpr std::int64_t kLineBytes = 128;
constexpr std::int64_t kWidestAccess = 16; // bytes of one thread at once
// Passes where data decide the place: of 32 words anywhere, the fullest of 32 banks has 3.5 on
// average.
constexpr double kScatteredPasses = 3.5;

// The cost of one execution of the access by all threads of a block: sums over its warps.
struct WarpCost {
    double accesses = 0;     // of warps
    double bytes = 0;        // of lanes
    double sectors = 0;      // Memory::Global: distinct ones of each access
    double lines = 0;        // … and distinct lines
    double passes = 0;       // Memory::Shared: each takes one word of every bank
    double passes_least = 0; // … that the bytes would need without conflicts
};

// How the rows of a buffer in shared memory are swizzled; nothing: they are not, or its stage is to
// be swizzled and cannot be.
std::optional<Swizzling> swizzled(const ScheduleTree& tree, const Buffer& buffer);

struct BankLayout {
    int banks = 32;
    int word_bytes = 4;
    std::optional<Swizzling> swizzled; // of the buffer's rows
};

// The one of the point's vector loops whose elements make one wide access of a thread, side by side
// in memory: its position in Point::loops; -1: there is none.
int vector_along(const Work& work, const Point& point, const PointRoles& roles,
                 const Access& access);

// The cost of an access. Each element of a tensor instruction's operands is fetched once an
// instruction, by wide accesses without conflicts (as ldmatrix does with rows of 16 bytes); other
// points access lane by lane.
WarpCost warp_cost(const Work& work, const Point& point, const PointRoles& roles,
                   const Lanes& lanes, const Access& access, Memory memory,
                   const BankLayout& banks);

// The accesses of the lanes of a block's first warp in the first execution, for pictures: the index
// of each lane's first element along every dimension of the buffer; none for a lane that takes no
// part.
struct LaneIndices {
    std::vector<std::vector<std::int64_t>> of_lanes; // one a lane
    std::int64_t width = 0;                          // bytes that each lane asks for
};
// Those accesses; nothing: data decide the places, or lanes execute a tensor instruction together.
std::optional<LaneIndices> lane_indices(const Work& work, const Point& point,
                                        const PointRoles& roles, const Lanes& lanes,
                                        const Access& access, Memory memory,
                                        const BankLayout& banks);

} // namespace loopscope::model::gpu
