#pragma once
// The user's arrays in files: the format follows from the name's end, .npy or .png (in any case).

#include "compiler/run/buffer.h"

#include <string>

namespace loopscope {

bool is_numpy_file(const std::string& path);
// Errors: those of read_numpy and read_png; another ending, with those that are known.
Result<Buffer> read_array(const std::string& path);
// Bytes that it takes in memory, about, and none of its elements are read: what a PNG's header
// says, which is small however many pixels it has; of a .npy file its own. Errors: as above.
Result<std::int64_t> array_size(const std::string& path);
// Errors of write_array that can be known before there is an array: the ending, a PNG's type and
// shape, and those of check_writable.
Status check_array_file(const std::string& path, ScalarType type,
                        const std::vector<std::int64_t>& extents);
// Writes the file whole or not at all.
Status write_array(const std::string& path, const Buffer& buffer);

} // namespace loopscope
