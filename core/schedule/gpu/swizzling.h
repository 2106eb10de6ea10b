#pragma once
// How S.swizzle() lays out shared memory: along each row (the innermost dimension as it lies, with
// padding) chunks of 16 bytes change places, so that chunks that lie one below the other are in
// different banks. Chunk c of row r lies where chunk c XOR (r / rows % chunks) would:
//
//   rows of      chunks    rows    repeats after
//   128 bytes         8       1    1024 bytes       bits 4-6 of the address XOR its bits 7-9
//   64 bytes          4       2     512 bytes       bits 4-5                XOR      bits 7-8
//   32 bytes          2       4     256 bytes       bit 4                   XOR      bit 7
//
// In memory aligned to what a pattern repeats after, the rows lie as bulk tensor copies and
// warpgroup instructions of the hardware take them (PTX ISA, "Tensor Swizzling Modes": 128B, 64B
// and 32B). The hardware knows no longer rows: rows of 128*n bytes are cut into n panels of 128;
// all rows of the first panel lie before those of the second. Rows are numbered through all
// dimensions further out; the slots of a pipelined stage are one more, so that the pattern is one
// of addresses alone.

#include "core/schedule/tree.h"

#include <cstdint>
#include <optional>
#include <string>

namespace loopscope {

constexpr std::int64_t kSwizzledChunk = 16; // bytes, which stay together

struct Swizzling {
    std::int64_t row_bytes = 0;
    std::int64_t all_rows = 1; // of the buffer
    std::int64_t chunks = 0;   // of a row that change places among each other: 2, 4, 8
    std::int64_t rows = 1;     // that have theirs at the same places
    // 32, 64, 128: the pattern's name. Of a row of a panel
    std::int64_t bytes() const { return chunks * kSwizzledChunk; }
    std::int64_t panels() const { return row_bytes / bytes(); }
    std::int64_t alignment() const { return 8 * bytes(); }
    // Where the byte at an offset in the buffer lies, and which byte lies at an offset.
    std::int64_t place(std::int64_t byte) const;
    std::int64_t origin(std::int64_t place) const;
};

// The pattern of so many rows of so many bytes; nothing: they have none.
std::optional<Swizzling> swizzling(std::int64_t row_bytes, std::int64_t all_rows);

// The pattern of a storage node of the tree, whether its stage is swizzled or not, by the type of
// one of its components; nothing: its rows have none.
std::optional<Swizzling> swizzling(const TreeNode& storage, ScalarType component);

struct SwizzleProblem {
    std::string message, remedy;
};
// Why a swizzled stage cannot be laid out on the GPU; nothing: it can.
std::optional<SwizzleProblem> swizzle_problem(const TreeNode& storage);

} // namespace loopscope
