#pragma once
// NumPy's .npy files: types are exact and never converted. Elements of either byte order, and
// arrays in C's or in Fortran's order, are read; little-endian ones in C's order are written.
//
// bool is |b1; f16 is f2; bf16 has no name there and is written as u2 (it reads back as u16).
// Versions 1, 2 and 3 are read, 1 is written (2 where the header needs it). Limits: a header of 64
// KiB, 32 dimensions, kMaxBuffer bytes.

#include "compiler/run/buffer.h"

#include <string>

namespace loopscope {

// Errors, each with the file's name and where known a remedy: not an .npy file; damaged or cut
// short (before any memory is taken for what it claims to hold); a type that is not there (complex,
// objects, structures).
Result<Buffer> read_numpy(const std::string& path);
// Written whole or not at all.
Status write_numpy(const std::string& path, const Buffer& buffer);

} // namespace loopscope
