#pragma once
// Whole text files, read within a limit.

#include "core/base/result.h"

#include <cstddef>
#include <string>

namespace loopscope {

enum class FileKind {
    Any,    // what a person names: also a pipe, which is waited for
    Regular // what a file names, which may be a stranger's: nothing else is even opened for long
};

struct TextFileLimits {
    std::size_t bytes = 16 << 20;
    std::string remedy; // where it is longer
    FileKind kind = FileKind::Any;
};

// The text, under the name `path`. Errors: cannot be read, longer than the limit, a folder, not of
// the kind.
Result<SourceFilePtr> read_text_file(const std::string& path, const TextFileLimits& limits);

} // namespace loopscope
