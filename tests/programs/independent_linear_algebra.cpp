#include "tests/programs/independent_linear_algebra.h"

#include <cmath>
#include <cstddef>

namespace independent {
namespace {

void accumulate(float& sum, float a, float b, Accumulation accumulation) {
    sum = accumulation == Accumulation::fused ? std::fma(a, b, sum) : sum + a * b;
}

// Rows of a matrix by pointer.
struct Rows {
    const float* first;
    int length;
    const float* operator[](int row) const {
        return first + std::ptrdiff_t(row) * std::ptrdiff_t(length);
    }
};

// The sum and what was there before, each with its factor.
float blend(float alpha, float sum, float beta, float before) {
    float scaled = alpha * sum;
    float kept = beta * before;
    return scaled + kept;
}

} // namespace

std::vector<float> trmm(int m, int n, float alpha, const std::vector<float>& a,
                        std::vector<float> b, Accumulation accumulation) {
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float& element = b[std::size_t(i) * std::size_t(n) + std::size_t(j)];
            for (int k = i + 1; k < m; ++k)
                accumulate(element, a[std::size_t(k) * std::size_t(m) + std::size_t(i)],
                           b[std::size_t(k) * std::size_t(n) + std::size_t(j)], accumulation);
            element *= alpha;
        }
    return b;
}

std::vector<float> syrk(int n, int k, float alpha, float beta, const std::vector<float>& a,
                        std::vector<float> c, Accumulation accumulation) {
    Rows rows{a.data(), k};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            float sum = 0;
            for (int t = 0; t < k; ++t)
                accumulate(sum, rows[i][t], rows[j][t], accumulation);
            float& element = c[std::size_t(i) * std::size_t(n) + std::size_t(j)];
            element = blend(alpha, sum, beta, element);
        }
    return c;
}

std::vector<float> syr2k(int n, int k, float alpha, float beta, const std::vector<float>& a,
                         const std::vector<float>& b, std::vector<float> c,
                         Accumulation accumulation) {
    Rows of_a{a.data(), k}, of_b{b.data(), k};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            float sum = 0;
            for (int t = 0; t < k; ++t)
                accumulate(sum, of_a[i][t], of_b[j][t], accumulation);
            for (int t = 0; t < k; ++t)
                accumulate(sum, of_b[i][t], of_a[j][t], accumulation);
            float& element = c[std::size_t(i) * std::size_t(n) + std::size_t(j)];
            element = blend(alpha, sum, beta, element);
        }
    return c;
}

std::vector<float> doitgen(int r, int q, int p, std::vector<float> a, const std::vector<float>& c4,
                           Accumulation accumulation) {
    std::vector<float> product(static_cast<std::size_t>(p));
    Rows matrix{c4.data(), p};
    float* vector = a.data();
    for (int v = 0; v < r * q; ++v, vector += p) {
        for (int column = 0; column < p; ++column) {
            float sum = 0;
            for (int s = 0; s < p; ++s)
                accumulate(sum, vector[s], matrix[s][column], accumulation);
            product[std::size_t(column)] = sum;
        }
        for (int column = 0; column < p; ++column)
            vector[column] = product[std::size_t(column)];
    }
    return a;
}

} // namespace independent
