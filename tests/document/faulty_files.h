#pragma once
// The system's calls on files, as this program and its libraries make them: recorded, and made to
// fail. This program defines them in place of the C library's (faulty_files.cpp).

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope::session::test {

// A call that changes what a disk holds, or says that it must be there by now.
struct FileCall {
    enum class Kind { Write, Truncate, Sync, SyncFolder, Create, Rename, Remove } kind;
    std::string path, to;   // `to`: of Rename
    std::size_t offset = 0; // of Write; the size of Truncate
    std::string bytes;      // of Write
};

// While it lives, calls below `folder` are recorded, and the one with number `fails` (from 1, of
// those that are) fails with `error`, and, if `for_good`, all after it, as on a disk that is full.
// Of a write that fails half the bytes are there. One at a time.
class FaultyFiles {
public:
    explicit FaultyFiles(std::string folder, std::size_t fails = 0, int error = 0,
                         bool for_good = false);
    ~FaultyFiles();
    FaultyFiles(const FaultyFiles&) = delete;
    FaultyFiles& operator=(const FaultyFiles&) = delete;

    const std::vector<FileCall>& calls() const;
    bool failed() const; // did the call that fails come?
};

} // namespace loopscope::session::test
