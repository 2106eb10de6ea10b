#pragma once
// How an operand of a warpgroup's instruction lies in shared memory. The instruction takes it by a
// matrix descriptor, which knows one form: rows of 128, 64 or 32 bytes whose chunks have changed
// places (core/schedule/gpu/swizzling.h), eight of them one behind the other, and again eight
// behind those; where a row is not enough, panels of such rows at a constant distance (PTX ISA,
// "Asynchronous Warpgroup Level Matrix Shared Memory Layout").

#include <cstdint>

namespace loopscope {

struct SharedMatrix {
    // The operand's axis that goes along rows of memory, 0 or 1; the other goes from row to row.
    int along = 1;
    std::int64_t columns = 0;   // elements along rows
    std::int64_t rows = 0;      // from row to row
    std::int64_t row_bytes = 0; // 128, 64, 32: of a row, or of a panel's where rows are longer
    // Bytes from one panel to the next, where the columns are in several; 0: they are in one.
    std::int64_t panel_bytes = 0;

    // rows that lie one behind the other whatever the strides
    static constexpr std::int64_t kUnit = 8;
    std::int64_t unit_bytes() const { return kUnit * row_bytes; }
    // The place of an element, in bytes from the first one on, before chunks have changed places;
    // `size`: an element's.
    std::int64_t place(std::int64_t row, std::int64_t column, std::int64_t size) const {
        const auto byte = column * size;
        return byte / row_bytes * panel_bytes + row * row_bytes + byte % row_bytes;
    }
    friend bool operator==(const SharedMatrix&, const SharedMatrix&) = default;
};

} // namespace loopscope
