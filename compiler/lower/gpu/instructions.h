#pragma once
// What the device's instructions do with their operands, as far as passes must know: who reads and
// writes which memory. What they compute, the interpreter and the code generators know.

#include "compiler/lower/program.h"

#include <string>

namespace loopscope::lower {

struct OperandEffect {
    bool reads = true, writes = true;
    // Bytes from the element on that one lane touches; 0: as many as the instruction likes.
    std::int64_t bytes = 0;
};
// The effect on an operand, given by its number; an unknown instruction may do anything. Mbarriers
// are no memory of the program's.
OperandEffect effect_of(const Statement& s, std::size_t operand);

// An instruction that copies memory into the lanes' registers, and does nothing else: the first
// operand from the second.
bool is_copy_instruction(const Statement& s);
// Whole matrices between opaque fragments and memory (matrix_moves.h), of rows or columns of so
// many elements.
bool loads_matrix(const Statement& s);
bool stores_matrix(const Statement& s);
struct MovedMatrix {
    std::size_t first = 0,
                // operands: its first element, which the second row's follows; the lanes' registers
        registers = 0;
    static constexpr std::int64_t lines = 16, elements = 16; // of all shapes that are declared
};
MovedMatrix moved_matrix(const Statement& s);
// A product of matrices by tensor cores.
bool is_tensor_product(const Statement& s);
// One whose sums are floats: which order they are taken in, and where rounded, is the device's.
bool rounds_as_it_likes(const Statement& s);
// A product by the 128 lanes of a warpgroup, which runs beside them; and what stands around several
// (group_products).
bool is_product_of_group(const Statement& s);
// and the number of a lane's sums of one product
inline constexpr const char* kBeginProducts = "wgmma_begin_";
// Ends a group, and waits for those before it alone: its sums stay under way, until an end of
// theirs (overlap_products).
inline constexpr const char* kLeaveProducts = "wgmma_leave_";
inline constexpr const char* kEndProducts = "wgmma_end_";
int sums_of_lane(const Statement& product);
bool begins_products(const Statement& s);
bool leaves_products(const Statement& s);
bool ends_products(const Statement& s);
// Are both written as the same place?
bool same_place(const Operand& a, const Operand& b);

// Do threads write, by statements below, what is taken as a matrix in shared memory? Tensor cores
// read that past the path by which threads write. What the copy engine brings goes the way that
// they read.
bool threads_fill_matrices(const StatementPtr& body);

// Does the statement write the buffer, or read it, by an operand?
bool writes_operand(const Statement& s, const std::string& buffer);
bool reads_operand(const Statement& s, const std::string& buffer);

} // namespace loopscope::lower
