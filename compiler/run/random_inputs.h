#pragma once
// Random arrays for checks: the same on every machine for the same seed.

#include "compiler/run/buffer.h"
#include "core/base/hash.h"

namespace loopscope {

enum class RandomMode {
    // Floats of both signs, magnitudes from 2^-8 to 2^8, of f16 from 2^-4 to 2^2, so that sums of
    // thousands of products stay below its 65504; integers up to 2^16 and within their type
    Reals,
    // as Reals and FullRange, with zeros of both signs, infinities, NaN, denormals, least and
    // greatest values
    Hostile,
    // whole numbers from -8 to 8 (unsigned: 0 to 8), floats too: sums of up to 2^20 of them are
    // exact in f32
    SmallWhole,
    // whole numbers from -1 to 1 (unsigned: 0 to 1): long products of them are exact, and sums in
    // bf16
    TinyWhole,
    FullRange, // integers of any bits; floats of any finite bits
};

// Booleans are 0 or 1 in every mode. Errors: those of make_buffer.
Result<Buffer> random_buffer(ScalarType type, std::vector<std::int64_t> extents, std::uint64_t seed,
                             RandomMode mode);

} // namespace loopscope
