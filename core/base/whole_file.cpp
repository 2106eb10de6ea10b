#include "core/base/whole_file.h"
#include "core/base/descriptor.h"
#include "core/base/system_error.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

namespace fs = std::filesystem;

// A file that grows beyond the limit of the process (ulimit -f) must be an error of write(), not
// the end of the process, which would leave a part of the file. For the calling thread, which is
// the one that such a signal goes to.
class SizeLimitAsError {
public:
    SizeLimitAsError() {
        ::sigemptyset(&signal_);
        ::sigaddset(&signal_, SIGXFSZ);
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~SizeLimitAsError() {
        const timespec at_once{};
        // takes the signal if there was one
        if (!::sigismember(&before_, SIGXFSZ))
            ::sigtimedwait(&signal_, nullptr, &at_once);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SizeLimitAsError(const SizeLimitAsError&) = delete;
    SizeLimitAsError& operator=(const SizeLimitAsError&) = delete;

private:
    sigset_t signal_, before_;
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

// In the same folder, so that it can be renamed; no longer than names may be, however long the
// file's own is.
std::string unused_name_beside(const std::string& path) {
    static std::atomic<unsigned> count{0};
    const fs::path file(path);
    auto name = file.filename().string().substr(0, 200) + "." + std::to_string(::getpid()) + "-" +
                std::to_string(count++) + ".part";
    return (file.parent_path() / name).string();
}

int open_new(const std::string& path) {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

Status replace(const std::string& path, const std::vector<std::string_view>& parts) {
    SizeLimitAsError size_limit;
    auto part_name = unused_name_beside(path);
    Descriptor file(open_new(part_name));
    if (file.get() < 0)
        return system_error("write", path, errno);
    struct stat old;
    // who may read it stays as it was
    if (::stat(path.c_str(), &old) == 0)
        ::fchmod(file.get(), old.st_mode & 0777);
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

// What stands in the way before anything is opened.
Status check_place(const std::string& path) {
    std::error_code ignored; // what else is wrong with the path shows when the file is opened
    if (fs::is_directory(path, ignored))
        return error("cannot write '" + path + "': it is a folder", "name a file");
    auto folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::exists(folder, ignored))
        return error("cannot write '" + path + "': its folder is not there",
                     "create the folder, or name another");
    // Also of a file that is there and write-protected: a new one could take its place, which is
    // not what its owner wants.
    if (::access(path.c_str(), W_OK) != 0 && errno != ENOENT)
        return system_error("write", path, errno);
    return success();
}

// A device or a pipe, which no new file can take the place of.
bool is_written_directly(const std::string& path) {
    std::error_code ignored;
    auto status = fs::status(path, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
}

// The file itself where `path` is a link to it.
std::string followed(const std::string& path) {
    std::error_code ignored;
    auto file = fs::is_symlink(fs::symlink_status(path, ignored))
                    ? fs::weakly_canonical(path, ignored).string()
                    : path;
    return file.empty() ? path : file;
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

Status check_writable(const std::string& path) {
    if (auto place = check_place(path); !place || is_written_directly(path))
        return place;
    // The folder's permissions, a file system that is read only: opening tells.
    auto part_name = unused_name_beside(followed(path));
    Descriptor file(open_new(part_name));
    if (file.get() < 0)
        return system_error("write", path, errno);
    ::unlink(part_name.c_str());
    return success();
}

Status write_whole(const std::string& path, const std::vector<std::string_view>& parts) {
    if (auto place = check_place(path); !place)
        return place;
    if (!is_written_directly(path))
        return replace(followed(path), parts);
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    int number = file.get() < 0 ? errno : write_parts(file.get(), parts);
    return number ? Status(system_error("write", path, number)) : success();
}

} // namespace loopscope
