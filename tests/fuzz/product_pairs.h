#pragma once
// Sums of products as tensor_core() takes them, drawn at random: axes in any order, batches,
// windows that slide, sums that begin above 0, results that are rounded, shifted or transposed on
// the way to memory, extents that tiles do not divide. The schedule is the one word, and sometimes
// lines after it.

#include "tests/fuzz/judge.h"

namespace loopscope::fuzz {

// What decides whether a device's instructions take the sums.
struct ProductFacts {
    std::string type; // of the operands: "f16"
    bool starts_from_values = false;
    std::int64_t rows = 0, columns = 0, terms = 0;
    // Elements of the result, and of each operand, follow one another along one of these.
    bool in_lines = true;
};

struct ProductPair {
    Pair pair;
    ProductFacts facts;
};

ProductPair random_product_pair(std::uint64_t seed);

} // namespace loopscope::fuzz
