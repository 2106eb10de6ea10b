#pragma once
// Shared memory as rows of words, a column for each bank, and what an access of a warp does to it:
// which lanes meet which words, and in how many passes. No widgets.
//
// A pass takes one word of every bank; lanes that ask for one word share it. Lanes of 8 bytes take
// turns by halves of the warp, those of 16 by quarters (CUDA C++ Programming Guide, on shared
// memory).

#include "views/geometry/shapes.h"

#include <cstdint>
#include <vector>

namespace loopscope::views {

struct BankShape {
    int banks = 32;
    int word_bytes = 4;
};

// A buffer as it lies: element (i, j, …) at i * pitch[0] + j * pitch[1] + …; the last dimension is
// contiguous, but for what swizzling permutes.
struct BankedBuffer {
    std::int64_t element_bytes = 4;
    std::vector<std::int64_t> extents, pitch;
    // Chunks of 16 bytes change places along its rows (S.swizzle()); rows of other lengths than a
    // pattern asks for stay.
    bool swizzled = false;
    std::int64_t bytes() const; // of one copy, with what padding adds between rows
};
bool has_pattern(const BankedBuffer& buffer); // that its rows may be swizzled by
// The place of a byte, given as if nothing were swizzled; and of a place that byte.
std::int64_t swizzled_place(const BankedBuffer& buffer, std::int64_t byte);
std::int64_t swizzled_origin(const BankedBuffer& buffer, std::int64_t place);
// The same with `elements` added behind each row of the contiguous dimension, in place of what was
// added before.
BankedBuffer padded(const BankedBuffer& buffer, std::int64_t elements);
std::int64_t padding(const BankedBuffer& buffer); // elements behind each row

// Does the word hold elements, or only what padding added? `row`: the number of the contiguous row
// that it is of.
struct WordUse {
    bool data = false;
    std::int64_t row = 0;
};
WordUse word_use(const BankedBuffer& buffer, std::int64_t word, const BankShape& shape);

// What a warp asks for: of each lane the indices of its first element, none where it takes no part.
struct WarpLanes {
    std::vector<std::vector<std::int64_t>> of_lanes;
    std::int64_t width = 4; // bytes of each
};

struct WordHit {
    std::int64_t word = 0;
    int bank = 0;
    int pass = 0;           // that takes it, from 0
    std::vector<int> lanes; // that ask for it in this turn
};
struct BankAccess {
    std::vector<WordHit> hits;      // by pass, then by bank
    int passes = 0, least = 0;      // least: turns, which no layout could do with fewer
    std::vector<int> words_of_bank; // distinct ones, of all turns
    int lanes = 0;                  // that take part
};
BankAccess bank_access(const BankedBuffer& buffer, const WarpLanes& warp, const BankShape& shape);

// Passes of the access where the buffer lies so. Rows that no longer begin at multiples of what a
// lane asks for make it ask for less at a time, more often.
int passes_with(const BankedBuffer& buffer, const WarpLanes& warp, const BankShape& shape);

struct BankGrid {
    double left = 0, top = 0; // of the first cell
    double cell_width = 0, cell_height = 0;
    int banks = 32;
    std::int64_t rows = 0;
    Rectangle cell(std::int64_t word) const;
    Rectangle header(int bank) const;
    double bottom() const { return top + static_cast<double>(rows) * cell_height; }
    std::int64_t word_at(Point p) const; // -1: none
};
// As many rows as the buffer has, at most `most`.
BankGrid bank_grid(const BankedBuffer& buffer, const BankShape& shape, double width, double left,
                   double top, double cell_height, std::int64_t most);

} // namespace loopscope::views
