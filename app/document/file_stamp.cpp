#include "app/document/file_stamp.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>

#include <sys/stat.h>

namespace loopscope::session {

namespace {

using Block = std::array<std::uint64_t, 512>;
constexpr std::int64_t kBlockBytes = sizeof(Block);
constexpr std::int64_t kMostBlocks = 1024; // of a larger file so many, evenly spread: an edit waits

} // namespace

sqlite3_file* file_of(sqlite3* handle) {
    sqlite3_file* file = nullptr;
    const bool found = handle && sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER,
                                                      &file) == SQLITE_OK;
    return found && file && file->pMethods ? file : nullptr;
}

FileStamp::Time FileStamp::time_of(const std::string& path) {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0)
        return {};
    return {info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

std::int64_t FileStamp::size_of(sqlite3* handle) {
    sqlite3_int64 size = 0;
    auto* file = file_of(handle);
    return file && file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : 0;
}

Hash FileStamp::contents_of(sqlite3* handle, std::int64_t size) {
    auto* file = file_of(handle);
    Hash contents = kHashSeed;
    Block block{};
    const auto step = std::max(kBlockBytes, size / kMostBlocks);
    for (std::int64_t at = 0; file && at < size; at += step) {
        // What is missing of the last one reads as zeros.
        file->pMethods->xRead(file, block.data(), static_cast<int>(kBlockBytes), at);
        for (const auto word : block)
            contents = combine(contents, word);
    }
    return contents;
}

FileStamp FileStamp::of(sqlite3* handle, const std::string& path) {
    FileStamp stamp;
    stamp.written_ = time_of(path);
    stamp.size_ = size_of(handle);
    stamp.contents_ = contents_of(handle, stamp.size_);
    return stamp;
}

bool FileStamp::is_other(sqlite3* handle, const std::string& path) {
    const auto written = time_of(path);
    if (written == written_ && size_of(handle) == size_)
        return false;
    const auto now = of(handle, path);
    if (now.size_ != size_ || now.contents_ != contents_)
        return true;
    written_ = now.written_;
    return false;
}

} // namespace loopscope::session
