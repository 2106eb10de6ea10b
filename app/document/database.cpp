#include "app/document/database.h"

#include "app/document/statement.h"
#include "core/base/number_text.h"
#include "core/base/system_error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

namespace loopscope::session {

std::string sqlite_version() { return sqlite3_libversion(); }

namespace fs = std::filesystem;

namespace {

constexpr int kApplicationId = 0x4c6f6f70; // "Loop": tells our files from other SQLite databases
constexpr int kMaxText = 64 << 20;         // bytes of one value in a file from a stranger
constexpr std::size_t kMaxSchema = 64;     // entries of a schema that is looked at
constexpr int kMaxStatement = 64 << 10;    // bytes of an entry, as of any statement
constexpr int kStepsBetweenLooks = 10'000; // of SQLite's machine

const char* const kSchema = R"(
    CREATE TABLE source(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE revisions(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, script TEXT NOT NULL,
                           name TEXT NOT NULL, selection TEXT NOT NULL, time REAL NOT NULL);
    CREATE TABLE measurements(id INTEGER PRIMARY KEY, key TEXT NOT NULL, revision INTEGER NOT NULL,
                              device TEXT NOT NULL, json TEXT NOT NULL, time REAL NOT NULL);
    CREATE INDEX measurements_by_key ON measurements(key);
    CREATE TABLE state(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
)";

// The entries of a database's schema, without white space: how ours is laid out may change.
std::optional<std::vector<std::string>> schema_of(sqlite3* handle) {
    std::vector<std::string> entries;
    Statement all(handle, "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema "
                          "ORDER BY type, name");
    while (entries.size() < kMaxSchema && all.step()) {
        auto entry = all.text(0) + "/" + all.text(1) + "/" + all.text(2) + "/" + all.text(3);
        std::erase_if(entry, [](unsigned char c) { return std::isspace(c); });
        entries.push_back(std::move(entry));
    }
    if (all.failed())
        return std::nullopt;
    return entries;
}

const std::vector<std::string>& our_schema() {
    static const auto schema = [] {
        sqlite3* memory = nullptr;
        const bool opened =
            sqlite3_open_v2(":memory:", &memory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                            nullptr) == SQLITE_OK;
        const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closes(memory, sqlite3_close);
        const bool made =
            opened && sqlite3_exec(memory, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK;
        auto entries = made ? schema_of(memory) : std::nullopt;
        if (!entries)
            throw std::bad_alloc(); // it asks for nothing but memory; the next call tries again
        return std::move(*entries);
    }();
    return schema;
}

// What SQLite takes neither for a URI ("file:…") nor for a database in memory (":memory:"), and the
// file itself where `path` is a link to it: journals stand beside that.
std::string plain_name(const std::string& path) {
    std::error_code failed;
    const auto whole = fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed || whole.empty() ? fs::absolute(path, failed).string() : whole.string();
}

// SQLite deletes a file that a journal names as the one of several databases, waits for ever at a
// pipe, and plays back a journal of any length. We never write such, and a stranger's may name any
// file. `file`: as plain_name has it.
bool has_strange_journal(const std::string& file, std::uintmax_t max_bytes) {
    constexpr std::array<unsigned char, 8> kMark{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    for (const auto* ending : {"-journal", "-wal", "-shm"}) {
        std::error_code failed;
        const auto kind = fs::symlink_status(file + ending, failed);
        if (fs::exists(kind) && !fs::is_regular_file(kind))
            return true;
        if (const auto bytes = fs::file_size(file + ending, failed); !failed && bytes > max_bytes)
            return true;
    }
    std::ifstream journal(file + "-journal", std::ios::binary);
    std::array<char, 8> end{};
    return journal.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end) &&
           journal.read(end.data(), end.size()) && !std::memcmp(end.data(), kMark.data(), 8);
}

} // namespace

struct Database::Deadline {
    explicit Deadline(std::chrono::milliseconds time)
        : time(time), until(std::chrono::steady_clock::now() + time) {}
    std::chrono::milliseconds time;
    std::chrono::steady_clock::time_point until;
    static int is_over(void* self) {
        return std::chrono::steady_clock::now() >= static_cast<Deadline*>(self)->until;
    }
};

// What of a transaction was not committed when this ends.
struct Database::RollBack {
    Database& database;
    ~RollBack() {
        if (!sqlite3_get_autocommit(database.handle_))
            sqlite3_exec(database.handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
};

// What was written until this ends is from here.
struct Database::Stamping {
    Database& database;
    ~Stamping() {
        if (database.stamp_)
            database.stamp_ = FileStamp::of(database.handle_, database.path_);
    }
};

Diagnostic more_than_a_document_may(const std::string& path, const ReadLimits& limits) {
    return error(path + " holds more than a document may: " + std::to_string(limits.rows) +
                     " revisions and measurements, " + std::to_string(limits.bytes >> 20) +
                     " MiB of texts",
                 "restore an earlier copy of it");
}

Diagnostic out_of_memory(const std::string& doing, const std::string& path) {
    return error("cannot " + doing + " " + path + ": out of memory",
                 "close other programs, and try again");
}

Database::Database(std::string path) : path_(std::move(path)) {}

Database::~Database() { sqlite3_close(handle_); }

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)),
      handle_(std::exchange(other.handle_, nullptr)),
      deadline_(std::move(other.deadline_)),
      uncertain_(other.uncertain_),
      stamp_(other.stamp_),
      overwritten_(other.overwritten_) {}

Database& Database::operator=(Database&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(handle_, other.handle_);
    std::swap(deadline_, other.deadline_);
    std::swap(uncertain_, other.uncertain_);
    std::swap(stamp_, other.stamp_);
    std::swap(overwritten_, other.overwritten_);
    return *this;
}

void Database::end_time_limit() {
    sqlite3_progress_handler(handle_, 0, nullptr, nullptr);
    deadline_.reset();
}

// By its first page: a file that lost its end is still known as ours.
bool Database::begins_as_ours() const {
    constexpr std::size_t kIdPlace = 68; // of SQLite's format, section 1.3
    std::array<unsigned char, 100> header{};
    auto* file = file_of(handle_);
    sqlite3_int64 size = 0;
    if (!file || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
        return false;
    // What is missing of a short file reads as zeros.
    file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);
    if (std::memcmp(header.data(), "SQLite format 3", 16) != 0)
        return false;
    if (size < static_cast<sqlite3_int64>(header.size())) // nobody knows whose it was
        return true;
    const auto* id = header.data() + kIdPlace;
    return (id[0] << 24 | id[1] << 16 | id[2] << 8 | id[3]) == kApplicationId;
}

Diagnostic Database::not_a_document() const {
    return begins_as_ours() ? error(path_ + " is damaged", "restore it from a copy")
                            : error(path_ + " is not a Loopscope document",
                                    "open a .loopscope, .loop or .sched file");
}

Result<std::int64_t> Database::pragma(const char* sql) const {
    Statement s(handle_, sql);
    if (s.step())
        return s.integer(0);
    return failure("read");
}

bool Database::has_moved() const {
    int moved = 0;
    return handle_ &&
           sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved;
}

bool Database::is_overwritten() const {
    overwritten_ = overwritten_ || (stamp_ && stamp_->is_other(handle_, path_));
    return overwritten_;
}

bool Database::found_damage() const {
    const int code = sqlite3_errcode(handle_) & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

Diagnostic Database::failure(const std::string& doing) const {
    if (!handle_)
        return out_of_memory(doing, path_);
    if (has_moved())
        return error(path_ + " was moved or removed while it was open",
                     "save the work under another name");
    if (overwritten_)
        return error(path_ + " was written to by another program while it was open",
                     "save the work under another name");
    const int code = sqlite3_errcode(handle_);
    const auto what = "cannot " + doing + " " + path_ + ": ";
    switch (code & 0xff) {
    case SQLITE_FULL:
        return coded_error(kCodeDiskFull, what + "the disk is full",
                           "make room there, or save the work elsewhere");
    case SQLITE_READONLY:
    case SQLITE_PERM: return error(what + "it may not be written", "save it under another name");
    case SQLITE_BUSY:
        return coded_error(kDocumentInUse, path_ + " is open in another window",
                           "close it there first");
    case SQLITE_INTERRUPT:
        return error(path_ + " could not be looked through within " +
                         general_text(std::chrono::duration<double>(deadline_->time).count(), 6) +
                         " s",
                     "copy it to a disk that is quicker");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return not_a_document();
    case SQLITE_NOMEM: return out_of_memory(doing, path_);
    default: break;
    }
    std::string reason = sqlite3_errmsg(handle_);
    const int system = sqlite3_system_errno(handle_);
    if ((code & 0xff) == SQLITE_IOERR && (system == EDQUOT || system == EFBIG))
        return system_error(doing, path_, system);
    if (system)
        reason += std::string(" (") + std::strerror(system) + ")";
    return error(what + reason, "save the work under another name");
}

Status Database::run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return failure("write to");
    return success();
}

Status Database::transaction(const std::function<Status()>& body) {
    // A file without a name takes writes as any other, and nobody finds them again. One that others
    // have written to would hold a mixture of both.
    if (has_moved() || is_overwritten())
        return failure("write to");
    const Stamping stamping{*this};
    // One that was not rolled back when it ended: there was no memory for that.
    if (!sqlite3_get_autocommit(handle_)) {
        uncertain_ = true;
        if (auto status = run("ROLLBACK"); !status)
            return status;
    }
    if (auto status = run("BEGIN IMMEDIATE"); !status)
        return status;
    const RollBack roll_back{*this};
    auto status = body();
    if (!status)
        return status;
    uncertain_ = true; // until it is known to be done
    if (status = run("COMMIT"); status)
        uncertain_ = false;
    return status;
}

Status Database::open_file(int flags) {
    if (sqlite3_open_v2(plain_name(path_).c_str(), &handle_, flags, nullptr) != SQLITE_OK)
        return failure("open");
    sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kMaxText);
    sqlite3_limit(handle_, SQLITE_LIMIT_SQL_LENGTH, kMaxStatement);
    sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
    for (const auto& [option, value] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0)})
        sqlite3_db_config(handle_, option, value, nullptr);
    // Sorting and checking need no file elsewhere, whose disk may be full.
    return run("PRAGMA temp_store = MEMORY");
}

Result<Database> Database::create(const std::string& path) {
    Database made(path);
    if (auto status = made.open_file(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE); !status)
        return status.errors();
    const auto marks = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                       "; PRAGMA user_version = " + std::to_string(kDocumentFormat);
    auto status = made.transaction([&]() -> Status {
        if (auto tables = made.run(kSchema); !tables)
            return tables;
        return made.run(marks.c_str());
    });
    if (!status)
        return status.errors();
    return made;
}

Status Database::check_is_ours(Use use) {
    const auto application = pragma("PRAGMA application_id");
    if (!application)
        return application.errors();
    if (*application != kApplicationId)
        return not_a_document();
    const auto format = pragma("PRAGMA user_version");
    if (!format)
        return format.errors();
    if (*format > kDocumentFormat)
        return error(path_ + " has format " + std::to_string(*format) +
                         "; this version reads up to " + std::to_string(kDocumentFormat),
                     "open it with a newer Loopscope");
    if (*format < 1)
        return error(path_ + " has the unknown format " + std::to_string(*format));
    const auto schema = schema_of(handle_);
    if (!schema)
        return failure("read");
    if (*schema != our_schema())
        return error(path_ + " is damaged: its tables are not those that Loopscope writes",
                     "restore it from a copy");
    if (use == Use::Look)
        return success();
    Statement check(handle_, "PRAGMA quick_check(1)");
    if (!check.step())
        return failure("read");
    if (check.text(0) != "ok")
        return error(path_ + " is damaged", "restore it from a copy");
    return success();
}

Result<Database> Database::open(const std::string& path, Use use, const ReadLimits& limits) {
    std::error_code failed;
    const auto kind = fs::status(path, failed);
    if (!fs::exists(kind))
        return error("cannot open " + path + ": no such file");
    if (!fs::is_regular_file(kind))
        return error("cannot open " + path + ": it is not a regular file");
    if (fs::file_size(path, failed) > limits.file_bytes && !failed)
        return more_than_a_document_may(path, limits);
    if (has_strange_journal(plain_name(path), limits.file_bytes))
        return error(path + " has a journal beside it that Loopscope did not write",
                     "look at " + path + "-journal, and remove it");
    Database opened(path);
    if (auto status = opened.open_file(SQLITE_OPEN_READWRITE); !status)
        return status.errors();
    opened.deadline_ = std::make_unique<Deadline>(limits.time);
    sqlite3_progress_handler(opened.handle_, kStepsBetweenLooks, Deadline::is_over,
                             opened.deadline_.get());
    if (use == Use::Edit) {
        sqlite3_busy_timeout(opened.handle_, 200);
        // One process edits a document at a time; the lock dies with the process.
        if (auto status = opened.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; "
                                     "BEGIN EXCLUSIVE; COMMIT");
            !status)
            return status.errors();
    }
    if (use == Use::Read)
        if (auto status = opened.run("BEGIN"); !status) // ends when it is closed
            return status.errors();
    if (auto status = opened.check_is_ours(use); !status)
        return status.errors();
    if (use == Use::Edit) {
        // A stranger's may have a log beside it, which would be written into the file as it closes.
        if (auto status = opened.run("PRAGMA journal_mode = DELETE"); !status)
            return status.errors();
        opened.stamp_ = FileStamp::of(opened.handle_, path);
    }
    return opened;
}

} // namespace loopscope::session
