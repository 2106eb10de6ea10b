#pragma once
// How much of a sum of products a block and a warp compute at a time, chosen from extents and from
// what the device has: registers for the sums, shared memory for the operands that are on their way
// (Sioutas, section 7.4: sizes of fragments, the grid and the shared memory that is asked for are
// derived; none is an argument).

#include "core/device/gpu.h"
#include "core/schedule/tensor_core/product.h"

#include <optional>

namespace loopscope {

struct ProductTiles {
    std::int64_t rows = 0, columns = 0;           // of a block
    std::int64_t warp_rows = 1, warp_columns = 1; // warps of a block along them
    std::optional<std::size_t> second;            // another axis of rows, of which a warp computes
    std::int64_t seconds = 1;                     // … that many values
    // an axis of the sum whose values share most of the left operand
    std::optional<std::size_t> window;
    std::int64_t steps = 1; // instructions along the terms, for one block of operands
    std::int64_t copies = 1,
                 part_copies = 1; // of blocks in shared memory, and of parts in registers
    // The levels to which blocks along rows, along columns and of batches are bound. A grid is
    // widest along the first.
    std::string column_level = "block.x", row_level = "block.y", batch_level = "block.z";
};

// Errors: no block of operands fits the device's shared memory.
Result<ProductTiles> choose_tiles(const MatrixProduct& product, const device::Gpu& gpu,
                                  const std::string& gpu_name);

// Elements along each index of an operand's source that a block of those sizes takes.
std::vector<std::int64_t> block_extents(const MatrixProduct& product, const ProductTiles& tiles,
                                        const ProductOperand& operand);
// Elements in 16 bytes: what a thread loads at once.
std::int64_t vector_elements(ScalarType type);
// The padding, in elements, of rows of an operand's block in shared memory: rows one below the
// other then lie in different banks, and wmma fragments begin where they can be loaded from.
std::int64_t operand_padding(const MatrixProduct& product, const ProductTiles& tiles,
                             const ProductOperand& operand);
// The same for results on their way through shared memory.
std::int64_t result_padding(const MatrixProduct& product);

} // namespace loopscope
