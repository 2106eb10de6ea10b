#include "tests/bench/streaming_copy.h"

#include "compiler/codegen/host/runtime.h"

#include <oneapi/tbb/parallel_for.h>

#include <cstring>
#include <stdexcept>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace loopscope::bench {

namespace {

constexpr std::int64_t kPiece = std::int64_t{1} << 20;

void copy_piece(const std::byte* from, std::byte* to, std::int64_t bytes) {
#if defined(__SSE2__)
    auto* source = reinterpret_cast<const __m128i*>(from);
    auto* target = reinterpret_cast<__m128i*>(to);
    for (std::int64_t i = 0; i < bytes / 16; i += 4) { // a line
        __m128i a = _mm_load_si128(source + i), b = _mm_load_si128(source + i + 1),
                c = _mm_load_si128(source + i + 2), d = _mm_load_si128(source + i + 3);
        _mm_stream_si128(target + i, a);
        _mm_stream_si128(target + i + 1, b);
        _mm_stream_si128(target + i + 2, c);
        _mm_stream_si128(target + i + 3, d);
    }
    _mm_sfence();
#else
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

Buffer array_of(std::int64_t bytes) {
    auto made = make_buffer(ScalarType::F32, {bytes / 4});
    if (!made)
        throw std::runtime_error(format(made.errors()));
    // Lines of zeros travel faster than others on some machines.
    for (std::int64_t i = 0; i < bytes / 4; ++i)
        made->as<float>()[i] = 1 + static_cast<float>(i % 251) / 256;
    return std::move(*made);
}

} // namespace

StreamingCopy::StreamingCopy(std::int64_t bytes)
    : from_(array_of(bytes / kPiece * kPiece)), to_(array_of(bytes / kPiece * kPiece)) {}

double StreamingCopy::bytes() const { return 2.0 * static_cast<double>(from_.data.size()); }

void StreamingCopy::run(int threads) {
    const auto pieces = static_cast<std::int64_t>(from_.data.size()) / kPiece;
    codegen::run_with_threads(threads, [&] {
        tbb::parallel_for(std::int64_t{0}, pieces, [&](std::int64_t piece) {
            copy_piece(from_.data.data() + piece * kPiece, to_.data.data() + piece * kPiece,
                       kPiece);
        });
    });
}

} // namespace loopscope::bench
