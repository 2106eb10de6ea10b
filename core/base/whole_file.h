#pragma once
// Files read within a limit, and written whole or not at all.

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

// Errors: what the system says; not a regular file. The name of the file is in the message.
Result<std::int64_t> file_size(const std::string& path);

// What of write_whole's errors can be known before there is anything to write: `path` is a folder;
// its folder is not there; no file can be opened there. Creates nothing that stays.
Status check_writable(const std::string& path);

// The parts, one after the other, into a new file beside `path` that then takes its place: a reader
// sees the old file or the whole new one, and a failure leaves the old one. A link is followed; a
// device or a pipe is written directly.
Status write_whole(const std::string& path, const std::vector<std::string_view>& parts);

} // namespace loopscope
