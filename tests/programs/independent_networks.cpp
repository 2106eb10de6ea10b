// Linear algebra beyond matmul, and operators of neural networks, as plain loops (independent.h).
#include "independent.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace independent {
namespace {

float accumulate(float sum, float a, float b, Accumulation accumulation) {
    return accumulation == Accumulation::fused ? std::fma(a, b, sum) : sum + a * b;
}

} // namespace

std::vector<float> gemm(int m, int n, int k, float alpha, float beta, const std::vector<float>& a,
                        const std::vector<float>& b, const std::vector<float>& c,
                        Accumulation accumulation) {
    auto result = matmul(m, n, k, a, b, accumulation);
    for (std::size_t e = 0; e < result.size(); ++e) {
        float scaled = alpha * result[e];
        float added = beta * c[e];
        result[e] = scaled + added;
    }
    return result;
}

std::vector<float> three_matmul(int n, const std::vector<float>& a, const std::vector<float>& b,
                                const std::vector<float>& c, const std::vector<float>& d,
                                Accumulation accumulation) {
    return matmul(n, n, n, matmul(n, n, n, a, b, accumulation), matmul(n, n, n, c, d, accumulation),
                  accumulation);
}

std::vector<double> softmax(int n, int d, const std::vector<float>& x) {
    std::vector<double> result(x.size());
    for (int i = 0; i < n; ++i) {
        const float* row = &x[std::size_t(i) * std::size_t(d)];
        double greatest = *std::max_element(row, row + d);
        double total = 0;
        for (int k = 0; k < d; ++k)
            total += std::exp(row[k] - greatest);
        for (int k = 0; k < d; ++k)
            result[std::size_t(i) * std::size_t(d) + std::size_t(k)] =
                std::exp(row[k] - greatest) / total;
    }
    return result;
}

std::vector<double> layer_norm(int n, int d, const std::vector<float>& x,
                               const std::vector<float>& gain, const std::vector<float>& bias) {
    std::vector<double> result(x.size());
    for (int i = 0; i < n; ++i) {
        const float* row = &x[std::size_t(i) * std::size_t(d)];
        double mean = 0, variance = 0;
        for (int k = 0; k < d; ++k)
            mean += row[k] / double(d);
        for (int k = 0; k < d; ++k)
            variance += (row[k] - mean) * (row[k] - mean) / double(d);
        for (int k = 0; k < d; ++k)
            result[std::size_t(i) * std::size_t(d) + std::size_t(k)] =
                (row[k] - mean) / std::sqrt(variance + 1e-5) * gain[std::size_t(k)] +
                bias[std::size_t(k)];
    }
    return result;
}

ArgmaxResult argmax(int n, int d, const std::vector<float>& x) {
    ArgmaxResult result;
    for (int i = 0; i < n; ++i) {
        auto row = x.begin() + std::ptrdiff_t(i) * d;
        auto best = std::max_element(row, row + d); // the first of equals
        result.value.push_back(*best);
        result.place.push_back(std::int32_t(best - row));
    }
    return result;
}

std::vector<float> cumulative_sum(int n, int d, const std::vector<float>& x) {
    std::vector<float> result;
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = 0; k < d; ++k) {
            // The first value as it is: 0 + -0 would be 0.
            const float value = x[std::size_t(i) * std::size_t(d) + std::size_t(k)];
            sum = k == 0 ? value : sum + value;
            result.push_back(sum);
        }
    }
    return result;
}

std::vector<float> depthwise_separable(const ConvSizes& s, const std::vector<float>& src,
                                       const std::vector<float>& filter,
                                       const std::vector<float>& mix,
                                       const std::vector<float>& bias, Accumulation accumulation) {
    std::vector<float> result, filtered(std::size_t(s.ci));
    for (int n = 0; n < s.n; ++n)
        for (int y = 0; y < s.h; ++y)
            for (int x = 0; x < s.w; ++x) {
                for (int ci = 0; ci < s.ci; ++ci) {
                    float sum = 0;
                    for (int ky = 0; ky < 3; ++ky)
                        for (int kx = 0; kx < 3; ++kx) {
                            int v = y + ky - 1, u = x + kx - 1;
                            bool inside = v >= 0 && v < s.h && u >= 0 && u < s.w;
                            auto place = ((std::size_t(n) * std::size_t(s.h) + std::size_t(v)) *
                                              std::size_t(s.w) +
                                          std::size_t(u)) *
                                             std::size_t(s.ci) +
                                         std::size_t(ci);
                            sum = accumulate(sum, inside ? src[place] : 0.0f,
                                             filter[std::size_t((ky * 3 + kx) * s.ci + ci)],
                                             accumulation);
                        }
                    filtered[std::size_t(ci)] = sum;
                }
                for (int co = 0; co < s.co; ++co) {
                    float sum = 0;
                    for (int ci = 0; ci < s.ci; ++ci)
                        sum = accumulate(sum, filtered[std::size_t(ci)],
                                         mix[std::size_t(ci * s.co + co)], accumulation);
                    result.push_back(std::max(sum + bias[std::size_t(co)], 0.0f));
                }
            }
    return result;
}

} // namespace independent
