#include "core/base/text_file.h"

#include "core/base/descriptor.h"
#include "core/base/system_error.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

std::string size_text(std::size_t bytes) {
    return bytes >> 20 ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes) + " bytes";
}

// Up to `most` bytes; false: errno says why. Grows with what is there, for nobody knows the size of
// a pipe.
bool read_up_to(int descriptor, std::size_t expected, std::size_t most, std::string& text) {
    constexpr std::size_t kLeast = 1 << 16;
    std::size_t size = 0;
    text.resize(std::min(std::max(expected, kLeast), most));
    while (size < most) {
        if (size == text.size())
            text.resize(std::min(2 * text.size(), most));
        const auto n = ::read(descriptor, text.data() + size, text.size() - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        size += static_cast<std::size_t>(n);
    }
    text.resize(size);
    return true;
}

} // namespace

Result<SourceFilePtr> read_text_file(const std::string& path, const TextFileLimits& limits) {
    const bool regular_alone = limits.kind == FileKind::Regular;
    // Without O_NONBLOCK opening a pipe that nobody writes waits for ever.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (regular_alone ? O_NONBLOCK : 0)));
    if (file.get() < 0)
        return system_error("open", path, errno);
    struct stat info;
    if (::fstat(file.get(), &info) != 0)
        return system_error("read", path, errno);
    if (S_ISDIR(info.st_mode))
        return error("'" + path + "' is a folder", "name a file");
    const bool regular = S_ISREG(info.st_mode);
    if (regular_alone && !regular)
        return error("cannot read '" + path + "': it is not a regular file", "name a file");
    const auto too_long = [&] {
        return error("'" + path + "' is larger than " + size_text(limits.bytes), limits.remedy);
    };
    const auto size = regular ? static_cast<std::size_t>(info.st_size) : 0;
    if (size > limits.bytes)
        return too_long();
    std::string text;
    if (!read_up_to(file.get(), size + 1, limits.bytes + 1, text))
        return system_error("read", path, errno);
    if (text.size() > limits.bytes)
        return too_long();
    if (size > 0 && text.size() > size)
        return error("'" + path + "' changed while it was read", "try again");
    return SourceFilePtr(std::make_shared<SourceFile>(path, std::move(text)));
}

} // namespace loopscope
