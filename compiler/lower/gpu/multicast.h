#pragma once
// Multicast copies: bulk copies that several blocks of a cluster need alike, and ask for together.
// The tensor memory accelerator (TMA) brings what one of them asks for to all (BulkCopy, `level`).
// Here: what that needs of the program, and which blocks write to which.

#include "compiler/lower/gpu/launch.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::lower {

// The level of a barrier of all threads of a cluster, of a copy that all of its blocks share, and
// of a Release that all of its blocks count.
inline constexpr const char* kClusterLevel = "cluster";

bool shares_copies(const StatementPtr& body); // some copy has such a level

// The dimensions of a cluster along which blocks that share a copy differ: one for "cluster.x", all
// for kClusterLevel, none for other levels.
std::array<bool, 3> shared_along(const std::string& level);
// The number of blocks that share a copy of the level.
std::int64_t sharing_blocks(const LaunchShape& shape, const std::string& level);

// The part of a copy's box that each of the blocks asks for: a part of its outermost dimension of
// several elements. Nothing: the blocks do not divide that dimension.
struct BoxPart {
    std::vector<std::int64_t> box;
    std::size_t dimension = 0; // that is divided
    std::int64_t elements = 1; // of the part
};
std::optional<BoxPart> box_part(const Statement& copy, std::int64_t blocks);

// Finds which copies blocks of a cluster can share: those that do not depend on the launch's
// cluster coordinates. Asked of the body after specialize_warps.
class SharedCopies {
public:
    explicit SharedCopies(const LaunchShape& shape);

    // The level of blocks that make the same request at the same turn; empty: there are none, or
    // the request cannot be divided among them.
    std::string level_of(const Statement& copy) const;
    // May blocks of the cluster wait for each other at the token's steps? Only if all blocks come
    // to them equally often.
    bool in_step(const std::string& token) const { return !apart_.count(token); }

private:
    using Dimensions = std::array<bool, 3>;
    void walk(const Statement& s, Dimensions around);
    Dimensions depends(const ExprPtr& e) const;

    const LaunchShape& shape_;
    std::map<std::string, Dimensions> names_; // that depend on coordinates
    std::map<std::string, ScalarType> types_; // of allocations
    std::map<const Statement*, Dimensions> copies_;
    std::set<std::string> apart_; // tokens some step of which stands in what depends on the block
};

// Checks copies that blocks share. Errors: what no block may rely on, such as a copy that is none
// of theirs, a Release that not all count, a block that begins or ends while others write to its
// memory.
Diagnostics check_multicast(const Launch& launch);

} // namespace loopscope::lower
