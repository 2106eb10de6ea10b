#pragma once
// One SQLite file with the tables of a document, opened so that what a stranger wrote into it is
// data and is never obeyed: views and triggers are off, another schema than ours is refused, no
// name is taken as a URI, and looking through it ends within a time. No Qt here.

#include "app/document/file_stamp.h"
#include "core/base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

struct sqlite3;

namespace loopscope::session {

std::string sqlite_version(); // of the library

constexpr int kDocumentFormat = 1;
// What a document may hold, so that one from a stranger is read within bounds. Writing ends earlier
// than reading, so that what was written is read.
constexpr std::size_t kMaxRows = 1'000'000;                    // revisions, and measurements
constexpr std::size_t kMaxWrittenBytes = std::size_t(1) << 30; // of all texts together
constexpr std::size_t kMaxReadBytes = std::size_t(1) << 31;

struct ReadLimits {
    std::size_t rows = kMaxRows;
    std::size_t bytes = kMaxReadBytes; // of all texts together
    // Of the file: pages are half full at worst, and rewriting needs them twice. All of it is read
    // to find damage, which SQLite does not interrupt before its version 3.41.
    std::uintmax_t file_bytes = std::uintmax_t(4) * kMaxReadBytes;
    std::chrono::milliseconds time{30'000};
};
Diagnostic more_than_a_document_may(const std::string& path, const ReadLimits& limits);

// Errors' code: another process edits the file.
inline constexpr const char* kDocumentInUse = "document-in-use";

// Why nothing came of `doing` ("open") with the file at `path`.
Diagnostic out_of_memory(const std::string& doing, const std::string& path);

class Database {
public:
    // An empty one at `path`, where nothing may be, with our tables.
    static Result<Database> create(const std::string& path);
    // Errors: no regular file, not a Loopscope document, damaged, of a newer format, in use by
    // another process, larger than a document, not looked through in time. `Edit` takes it over
    // until it is closed; `Read` and `Look` change nothing: the one has it as it is now, whatever
    // others write meanwhile, the other trusts a file that is one of ours by its schema.
    enum class Use { Edit, Read, Look };
    static Result<Database> open(const std::string& path, Use use, const ReadLimits& limits = {});
    ~Database();
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;

    sqlite3* handle() const { return handle_; }
    // All of `body`, or nothing of it, also where it throws; durable when it returns.
    Status transaction(const std::function<Status()>& body);
    Status run(const char* sql);
    // Why the last call failed: by what SQLite and the system say.
    Diagnostic failure(const std::string& doing) const;
    bool found_damage() const; // the last call failed because the file is not as SQLite writes it
    // Memory does not have what the file may have: a commit failed halfway, or what it committed
    // found no room in memory.
    bool uncertain() const { return uncertain_; }
    void set_uncertain(bool uncertain) { uncertain_ = uncertain; }
    // Another file, or none, has the name under which it was opened.
    bool has_moved() const;
    // Another program has written into the file since it was opened for editing: what is known of
    // its pages may be wrong, and it takes no more from here.
    bool is_overwritten() const;
    // From here on reading may take as long as it takes: what is held against a time is read.
    void end_time_limit();

private:
    explicit Database(std::string path);
    Status open_file(int flags);
    Status check_is_ours(Use use);
    bool begins_as_ours() const;
    Diagnostic not_a_document() const;
    Result<std::int64_t> pragma(const char* sql) const;

    struct Deadline;
    struct RollBack;
    struct Stamping;
    std::string path_; // as messages name it
    sqlite3* handle_ = nullptr;
    std::unique_ptr<Deadline> deadline_; // null: none
    bool uncertain_ = false;
    // Of what was written from here last; nothing: nobody edits it. Asking notes what was found.
    mutable std::optional<FileStamp> stamp_;
    mutable bool overwritten_ = false;
};

} // namespace loopscope::session
