#include "tests/programs/independent_attention.h"

#include <cmath>
#include <cstddef>
#include <limits>

namespace independent {

// One query at a time over the keys as they come: the running sums are scaled down when a greater
// score turns up. That gives softmax's weighted mean without a row of scores, and shares no step
// with a softmax in three passes.
std::vector<double> attention(const AttentionSizes& sizes, const std::vector<float>& q,
                              const std::vector<float>& k, const std::vector<float>& v) {
    const auto length = std::size_t(sizes.length), depth = std::size_t(sizes.depth);
    const double root = std::sqrt(double(sizes.depth));
    std::vector<double> result(q.size());
    for (std::size_t query = 0; query < std::size_t(sizes.heads) * length; ++query) {
        const auto first_key = query / length * length;
        double greatest = -std::numeric_limits<double>::infinity(), total = 0;
        std::vector<double> mean(depth, 0.0);
        for (auto key = first_key; key < first_key + length; ++key) {
            double score = 0;
            for (std::size_t d = 0; d < depth; ++d)
                score += double(q[query * depth + d]) * double(k[key * depth + d]);
            score /= root;
            if (score > greatest) {
                double shrink = std::exp(greatest - score);
                total *= shrink;
                for (double& m : mean)
                    m *= shrink;
                greatest = score;
            }
            double weight = std::exp(score - greatest);
            total += weight;
            for (std::size_t d = 0; d < depth; ++d)
                mean[d] += weight * double(v[key * depth + d]);
        }
        for (std::size_t d = 0; d < depth; ++d)
            result[query * depth + d] = mean[d] / total;
    }
    return result;
}

} // namespace independent
