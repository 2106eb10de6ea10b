#pragma once
// What a database's file held when it was last looked at, to find out whether another program has
// written into it since: SQLite's locks are a custom among those who use it, and others overwrite a
// file as it stands, under its name and in its place. No Qt here.

#include "core/base/hash.h"

#include <cstdint>
#include <string>

struct sqlite3;
struct sqlite3_file;

namespace loopscope::session {

// The file that `handle` has open, by SQLite's own descriptor: to close another one of the same
// file would drop all locks of this process on it. Null: it has none.
sqlite3_file* file_of(sqlite3* handle);

class FileStamp {
public:
    // Of the file that `handle` has open, under `path`. Nothing throws, and no memory is asked for.
    static FileStamp of(sqlite3* handle, const std::string& path);
    // The file holds something else than it did. One that was only touched has its new time noted.
    bool is_other(sqlite3* handle, const std::string& path);

private:
    struct Time {
        std::int64_t seconds = 0, nanoseconds = 0; // 0: not known
        bool operator==(const Time&) const = default;
    };
    static Time time_of(const std::string& path);
    static std::int64_t size_of(sqlite3* handle);
    static Hash contents_of(sqlite3* handle, std::int64_t size);

    Time written_;
    std::int64_t size_ = 0;
    Hash contents_ = 0;
};

} // namespace loopscope::session
