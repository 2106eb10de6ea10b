#pragma once
// PNG images as arrays: grey is [H, W]; grey with alpha, RGB and RGBA are planar, [2|3|4, H, W].
// Samples of 8 bits are u8, of 16 bits u16, exactly as stored: no gamma, no premultiplied alpha, no
// conversion.

#include "compiler/run/buffer.h"

#include <string>

namespace loopscope {

// Limits of an image: pixels a side, and bytes when decoded.
constexpr std::int64_t kMaxPngSide = 1'000'000;
constexpr std::int64_t kMaxPng = std::int64_t{1} << 30;

// Errors, each with the file's name: no PNG; damaged or cut short; beyond the limits; a palette, or
// grey of less than 8 bits, which would have to be converted.
Result<Buffer> read_png(const std::string& path);
// Bytes that its pixels take in memory, by its header alone: the limit of bytes is not asked for.
// Errors: no PNG; a palette, or grey of less than 8 bits.
Result<std::int64_t> png_size(const std::string& path);
// Errors: an array that write_png refuses.
Status check_png(const std::string& path, ScalarType type,
                 const std::vector<std::int64_t>& extents);
// Written whole or not at all. Errors: a type other than u8 and u16; another shape; an empty image;
// beyond the limits.
Status write_png(const std::string& path, const Buffer& buffer);

} // namespace loopscope
