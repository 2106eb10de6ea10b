#include "tests/document/faulty_files.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace loopscope::session::test {

namespace {

using Kind = FileCall::Kind;

struct Recording {
    std::mutex mutex;
    bool on = false;
    std::string folder;
    std::size_t fails = 0, count = 0;
    int error = 0;
    bool for_good = false, failed = false;
    std::vector<FileCall> calls;
};
Recording& recording() {
    static auto* kept = new Recording; // calls are made until the process has ended
    return *kept;
}

std::string path_of(int descriptor) {
    char link[64], target[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const auto n = ::readlink(link, target, sizeof target);
    return n < 0 ? std::string() : std::string(target, static_cast<std::size_t>(n));
}

// 0: the call is to be made; else the error that it fails with.
int note(FileCall call) {
    auto& r = recording();
    const std::lock_guard lock(r.mutex);
    if (!r.on || call.path.rfind(r.folder, 0) != 0)
        return 0;
    const bool takes_room = call.kind != Kind::Remove;
    r.count += takes_room || r.error != ENOSPC;
    if ((takes_room || r.error != ENOSPC) && r.fails != 0 &&
        (r.count == r.fails || (r.for_good && r.count > r.fails))) {
        r.failed = true;
        return r.error;
    }
    r.calls.push_back(std::move(call));
    return 0;
}

bool is_on() { return recording().on; }

// As the C library does it: -1, and errno. `call` is asked for where somebody listens alone: to
// allocate here may fail in other tests, and these functions cannot throw.
template <typename Describe, typename Call>
auto made(const Describe& call, Call system) -> decltype(system()) {
    if (is_on())
        if (const int error = note(call())) {
            errno = error;
            return -1;
        }
    return system();
}

ssize_t written(int descriptor, const void* bytes, std::size_t size, off_t offset) {
    FileCall call{Kind::Write, {}, {}, static_cast<std::size_t>(offset), {}};
    if (is_on()) {
        call.path = path_of(descriptor);
        call.bytes.assign(static_cast<const char*>(bytes), size);
        if (const int error = note(std::move(call))) {
            ::syscall(SYS_pwrite64, descriptor, bytes, size / 2, offset); // what found room
            errno = error;
            return -1;
        }
    }
    return ::syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}

int truncated(int descriptor, off_t size) {
    const auto call = [&]() -> FileCall {
        return {Kind::Truncate, path_of(descriptor), {}, static_cast<std::size_t>(size), {}};
    };
    return made(call, [&] { return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size)); });
}

int synced(int descriptor, long number) {
    const auto call = [&]() -> FileCall {
        struct stat info{};
        const bool folder = ::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode);
        return {folder ? Kind::SyncFolder : Kind::Sync,
                path_of(descriptor) + (folder ? "/" : ""),
                {},
                0,
                {}};
    };
    return made(call, [&] { return static_cast<int>(::syscall(number, descriptor)); });
}

int opened(const char* path, int flags, mode_t mode) {
    const auto open = [&] {
        return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
    };
    struct stat info;
    const bool creates = is_on() && (flags & O_CREAT) && ::stat(path, &info) != 0;
    const auto call = [&]() -> FileCall { return {Kind::Create, path, {}, 0, {}}; };
    return creates ? made(call, open) : open();
}

} // namespace

FaultyFiles::FaultyFiles(std::string folder, std::size_t fails, int error, bool for_good) {
    auto& r = recording();
    const std::lock_guard lock(r.mutex);
    r.folder = std::move(folder);
    r.fails = fails;
    r.error = error;
    r.for_good = for_good;
    r.failed = false;
    r.count = 0;
    r.calls.clear();
    r.on = true;
}

FaultyFiles::~FaultyFiles() { recording().on = false; }

const std::vector<FileCall>& FaultyFiles::calls() const { return recording().calls; }
bool FaultyFiles::failed() const { return recording().failed; }

} // namespace loopscope::session::test

// In place of the C library's, for SQLite and libstdc++ as well.
extern "C" {
using namespace loopscope::session::test;

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
    return written(descriptor, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
    return written(descriptor, bytes, size, offset);
}
ssize_t write(int descriptor, const void* bytes, size_t size) {
    FileCall call{Kind::Write, {}, {}, 0, {}};
    if (is_on()) {
        call.path = path_of(descriptor);
        call.bytes.assign(static_cast<const char*>(bytes), size);
        const auto at = ::lseek(descriptor, 0, SEEK_CUR);
        call.offset = at < 0 ? 0 : static_cast<std::size_t>(at);
    }
    if (const int error = is_on() ? note(std::move(call)) : 0) {
        ::syscall(SYS_write, descriptor, bytes, size / 2); // what found room
        errno = error;
        return -1;
    }
    return ::syscall(SYS_write, descriptor, bytes, size);
}
int ftruncate(int descriptor, off_t size) noexcept { return truncated(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) noexcept { return truncated(descriptor, size); }
int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }
int rename(const char* from, const char* to) noexcept {
    const auto call = [&]() -> FileCall { return {Kind::Rename, from, to, 0, {}}; };
    return made(call, [&] { return static_cast<int>(::syscall(SYS_rename, from, to)); });
}
int unlink(const char* path) noexcept {
    const auto call = [&]() -> FileCall { return {Kind::Remove, path, {}, 0, {}}; };
    return made(call, [&] { return static_cast<int>(::syscall(SYS_unlink, path)); });
}
int remove(const char* path) noexcept {
    struct stat info;
    if (::lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return static_cast<int>(::syscall(SYS_rmdir, path));
    return ::unlink(path);
}
int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const auto mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opened(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const auto mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return opened(path, flags, mode);
}
}
