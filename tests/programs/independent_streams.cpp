// The streaming programs, the stencil chain and the max filter as plain loops (independent.h).
#include "independent.h"

#include <algorithm>
#include <cstddef>

namespace independent {
namespace {

std::size_t size(int a, int b) { return std::size_t(a) * std::size_t(b); }

// The place of [y, x] in rows of w.
std::size_t at(int y, int x, int w) { return std::size_t(y) * std::size_t(w) + std::size_t(x); }

} // namespace

std::vector<std::int32_t> mask(int h, int w, const std::vector<std::int32_t>& img,
                               const std::vector<std::int32_t>& allowed) {
    std::vector<std::int32_t> result(size(h, w));
    for (std::size_t n = 0; n < result.size(); ++n)
        result[n] = img[n] & allowed[n];
    return result;
}

std::vector<float> transpose(int h, int w, const std::vector<float>& img) {
    std::vector<float> result(size(h, w));
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            result[at(y, x, w)] = img[at(x, y, h)];
    return result;
}

std::vector<std::int32_t> transpose_mask(int h, int w, const std::vector<std::int32_t>& img,
                                         const std::vector<std::int32_t>& allowed) {
    std::vector<std::int32_t> result(size(h, w));
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            result[at(y, x, w)] = img[at(x, y, h)] & allowed[at(y, x, w)];
    return result;
}

// Stage l is needed 2 (32 - l) pixels beyond the picture, so each array is computed on the whole
// plane with that rim, from an input continued by 64 pixels.
std::vector<std::uint16_t> stencil_chain(int h, int w, const std::vector<std::uint16_t>& img) {
    const int stages = 32;
    int rim = 2 * stages;
    int height = h + 2 * rim, width = w + 2 * rim;
    std::vector<std::uint16_t> now(size(height, width));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            now[at(y, x, width)] =
                img[at(std::clamp(y - rim, 0, h - 1), std::clamp(x - rim, 0, w - 1), w)];
    static const unsigned weights[5] = {1, 2, 2, 2, 1};
    for (int stage = 0; stage < stages; ++stage) {
        std::vector<std::uint16_t> next(size(height - 4, width - 4));
        for (int y = 0; y < height - 4; ++y)
            for (int x = 0; x < width - 4; ++x) {
                unsigned sum = 0; // wraps to 16 bits at the end: the same as wrapping at each step
                for (int dy = 0; dy < 5; ++dy)
                    for (int dx = 0; dx < 5; ++dx)
                        sum += weights[dy] * weights[dx] * now[at(y + dy, x + dx, width)];
                next[at(y, x, width - 4)] = std::uint16_t(std::uint16_t(sum) / 64);
            }
        now = std::move(next);
        height -= 4;
        width -= 4;
    }
    return now;
}

std::vector<float> max_filter(int h, int w, const std::vector<float>& img) {
    const int radius = 26;
    std::vector<float> result(img.size());
    for (int c = 0; c < 3; ++c) {
        const float* plane = &img[std::size_t(c) * size(h, w)];
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                float greatest = plane[at(y, x, w)];
                for (int dy = -radius; dy <= radius; ++dy)
                    for (int dx = -radius; dx <= radius; ++dx)
                        if (dx * dx + dy * dy <= radius * radius)
                            greatest =
                                std::max(greatest, plane[at(std::clamp(y + dy, 0, h - 1),
                                                            std::clamp(x + dx, 0, w - 1), w)]);
                result[std::size_t(c) * size(h, w) + at(y, x, w)] = greatest;
            }
    }
    return result;
}

} // namespace independent
