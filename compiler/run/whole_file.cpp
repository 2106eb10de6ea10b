#include "compiler/run/whole_file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

Diagnostic system_error(const std::string& doing, const std::string& path, int number) {
    return error("cannot " + doing + " '" + path + "': " + std::strerror(number));
}

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0)
            ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    // Closing can report what writing did not.
    bool close() {
        int fd = fd_;
        fd_ = -1;
        return ::close(fd) == 0;
    }

private:
    int fd_;
};

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        auto written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// 0, or the error's number.
int write_parts(int fd, const std::vector<std::string_view>& parts) {
    for (auto part : parts)
        if (!write_all(fd, part))
            return errno;
    return 0;
}

std::string unused_name_beside(const std::string& path) {
    static std::atomic<unsigned> count{0};
    return path + "." + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".part";
}

Status replace(const std::string& path, const std::vector<std::string_view>& parts) {
    auto part_name = unused_name_beside(path);
    Descriptor file(::open(part_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0)
        return system_error("write", path, errno);
    int failure = write_parts(file.get(), parts);
    if (!failure && ::fsync(file.get()) != 0 &&
        errno != EINVAL) // EINVAL: a file system that has no such thing
        failure = errno;
    if (!file.close() && !failure)
        failure = errno;
    if (!failure && ::rename(part_name.c_str(), path.c_str()) != 0)
        failure = errno;
    if (!failure)
        return success();
    ::unlink(part_name.c_str());
    return system_error("write", path, failure);
}

} // namespace

Result<std::int64_t> file_size(const std::string& path) {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0)
        return system_error("read", path, errno);
    if (!S_ISREG(info.st_mode))
        return error("cannot read '" + path + "': it is not a regular file");
    return static_cast<std::int64_t>(info.st_size);
}

Status write_whole(const std::string& path, const std::vector<std::string_view>& parts) {
    std::error_code failure;
    auto status = fs::status(path, failure);
    if (fs::is_directory(status))
        return error("cannot write '" + path + "': it is a folder");
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        int number = file.get() < 0 ? errno : write_parts(file.get(), parts);
        return number ? Status(system_error("write", path, number)) : success();
    }
    auto target = fs::is_symlink(fs::symlink_status(path, failure))
                      ? fs::weakly_canonical(path, failure)
                      : fs::path(path);
    return replace(target.empty() ? path : target.string(), parts);
}

} // namespace loopscope
