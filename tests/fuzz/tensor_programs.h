#pragma once
// Random programs for tensor instructions, as `.loop` text: products of matrices, in batches, of
// operands that lie by rows or by columns, beside each other or apart, read from an offset on or
// beyond a boundary, or computed; convolutions; two products of which one takes the other's result;
// and what is computed of each sum's elements. Sizes are a few tiles, and no multiples of them as
// often.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::fuzz {

// A sum of products that an instruction can compute, in parts.
struct TensorSum {
    struct Axis {
        std::string name;
        int extent = 1;
    };
    std::string stage; // the sum
    // what is computed of it, element by element, of indices with the same names; or the sum itself
    std::string result;
    Axis rows, columns;              // of a tile, as the instruction has them
    Axis depth;                      // summed over by the instruction
    std::vector<Axis> others, terms; // free axes besides, and ones summed over
    std::vector<std::string> operands;
    std::string instruction;
    int step = 16;         // depth of an instruction
    int operand_bytes = 2; // of an element
};

struct TensorProgram {
    std::string text;
    std::vector<TensorSum> sums;        // later ones may read results of earlier ones
    std::vector<std::string> producers; // stages that compute operands, element by element
};

TensorProgram random_tensor_program(std::uint64_t seed);

} // namespace loopscope::fuzz
