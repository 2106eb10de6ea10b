// attention.loop as plain loops in double precision (see independent.h).
#pragma once

#include <vector>

namespace independent {

struct AttentionSizes {
    int heads;
    int length;
    int depth;
};

// q, k, v, result: [heads, length, depth].
std::vector<double> attention(const AttentionSizes& sizes, const std::vector<float>& q,
                              const std::vector<float>& k, const std::vector<float>& v);

} // namespace independent
