#pragma once
// How the device's instructions use their operands, as far as passes must know: who reads and
// writes which memory. What they compute, the interpreter and the code generators know.

#include "compiler/lower/program.h"

#include <string>

namespace loopscope::lower {

struct OperandEffect {
    bool reads = true, writes = true;
    // Bytes from the element on that one lane touches; 0: any number.
    std::int64_t bytes = 0;
};
// The effect on an operand, given by its number; an unknown instruction may do anything. Mbarriers
// are no memory of the program's.
OperandEffect effect_of(const Statement& s, std::size_t operand);

// Does the instruction copy memory into the lanes' registers, the first operand from the second,
// and nothing else?
bool is_copy_instruction(const Statement& s);
// Moves of whole matrices between opaque (wmma) fragments and memory (matrix_moves.h), of rows or
// columns of so many elements.
bool loads_matrix(const Statement& s);
bool stores_matrix(const Statement& s);
struct MovedMatrix {
    std::size_t first = 0,
                // operands: its first element, which the second row's follows; the lanes' registers
        registers = 0;
    static constexpr std::int64_t lines = 16, elements = 16; // of all shapes that are declared
};
MovedMatrix moved_matrix(const Statement& s);
// Is it a product of matrices by tensor cores?
bool is_tensor_product(const Statement& s);
// Is it a product whose sums are floats? The device decides in which order they are taken, and
// where rounded.
bool rounds_as_it_likes(const Statement& s);
// Is it a product by the 128 lanes of a warpgroup, which runs beside them? Below: the steps around
// several of those (group_products).
bool is_product_of_group(const Statement& s);
// Names of these steps; the number of a lane's sums of one product follows.
inline constexpr const char* kBeginProducts = "wgmma_begin_";
// Ends a group but awaits only those before it: its sums stay under way until they are awaited
// (overlap_products).
inline constexpr const char* kLeaveProducts = "wgmma_leave_";
inline constexpr const char* kEndProducts = "wgmma_end_";
int sums_of_lane(const Statement& product);
bool begins_products(const Statement& s);
bool leaves_products(const Statement& s);
bool ends_products(const Statement& s);
// Do the two operands name the same place by the same text?
bool same_place(const Operand& a, const Operand& b);

// Do threads write, by statements below, what tensor cores read as a matrix in shared memory?
// Tensor cores read past the path by which threads write; boxes of the tensor memory accelerator
// (TMA) come by the path that they read.
bool threads_fill_matrices(const StatementPtr& body);

// Does the statement have an operand by which it writes the buffer, or reads it?
bool writes_operand(const Statement& s, const std::string& buffer);
bool reads_operand(const Statement& s, const std::string& buffer);

} // namespace loopscope::lower
