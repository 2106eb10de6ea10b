#include "app/session/document.h"

#include "app/session/statement.h"
#include "core/base/hash.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace loopscope::session {

namespace fs = std::filesystem;

namespace {

constexpr int kApplicationId = 0x4c6f6f70; // "Loop": tells our files from other SQLite databases
constexpr const char* kInUse = "document-in-use";
constexpr int kMaxText = 64 << 20; // bytes of one value in a file from a stranger

const char* const kSchema = R"(
    CREATE TABLE source(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE revisions(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, script TEXT NOT NULL,
                           name TEXT NOT NULL, selection TEXT NOT NULL, time REAL NOT NULL);
    CREATE TABLE measurements(id INTEGER PRIMARY KEY, key TEXT NOT NULL, revision INTEGER NOT NULL,
                              device TEXT NOT NULL, json TEXT NOT NULL, time REAL NOT NULL);
    CREATE INDEX measurements_by_key ON measurements(key);
    CREATE TABLE state(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
)";

double now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::int64_t pragma(sqlite3* database, const char* sql) {
    Statement s(database, sql);
    return s.step() ? s.integer(0) : -1;
}

// Makes a rename durable: the folder's entry is data too.
void sync_folder(const fs::path& file) {
    auto folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
    int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        ::fsync(fd);
        ::close(fd);
    }
}

} // namespace

Diagnostic Document::failure(const std::string& what) const {
    std::string reason = database_ ? sqlite3_errmsg(database_) : "out of memory";
    return error("cannot " + what + " " + path_ + ": " + reason,
                 "check that the disk has room and the file is not in use");
}

Status Document::run(const char* sql) {
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        return failure("write to");
    return success();
}

Status Document::transaction(const std::function<Status()>& body) {
    if (auto status = run("BEGIN IMMEDIATE"); !status)
        return status;
    if (auto status = body(); !status) {
        sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
        return status;
    }
    if (auto status = run("COMMIT"); !status) {
        sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
        return status;
    }
    return success();
}

Result<std::unique_ptr<Document>> Document::create(const std::string& path,
                                                   const DocumentSource& source) {
    // Built beside its place and renamed: a half-made document never stands under the name that was
    // asked for.
    auto making = path + ".new-" + std::to_string(::getpid());
    std::error_code ignored;
    fs::remove(making, ignored);
    {
        Document d;
        d.path_ = making;
        if (sqlite3_open_v2(making.c_str(), &d.database_,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) != SQLITE_OK)
            return d.failure("create");
        auto status = d.transaction([&]() -> Status {
            if (auto s = d.run(kSchema); !s)
                return s;
            auto put = [&](const char* key, const std::string& value) {
                Statement s(d.database_, "INSERT INTO source VALUES(?, ?)");
                s.bind(1, key).bind(2, value).step();
                return !s.failed();
            };
            nlohmann::json params = source.params;
            if (!put("pipeline_text", source.pipeline_text) ||
                !put("pipeline_file", source.pipeline_file) || !put("params", params.dump()) ||
                !put("device", source.device))
                return d.failure("write to");
            Statement first(d.database_, "INSERT INTO revisions VALUES(1, 0, ?, ?, '', ?)");
            first.bind(1, source.script).bind(2, source.script_name).bind(3, now()).step();
            Statement cursor(d.database_, "INSERT INTO state VALUES('current', '1')");
            cursor.step();
            if (first.failed() || cursor.failed())
                return d.failure("write to");
            auto marks = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                         "; PRAGMA user_version = " + std::to_string(kDocumentFormat);
            return d.run(marks.c_str());
        });
        if (!status) {
            fs::remove(making, ignored);
            return status.errors();
        }
    }
    std::error_code failed;
    fs::rename(making, path, failed);
    if (failed) {
        fs::remove(making, ignored);
        return error("cannot create " + path + ": " + failed.message(),
                     "choose a folder that can be written");
    }
    sync_folder(path);
    return open(path);
}

Result<std::unique_ptr<Document>> Document::open(const std::string& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
        return error("cannot open " + path + ": no such file");
    std::unique_ptr<Document> d(new Document);
    d->path_ = path;
    if (sqlite3_open_v2(path.c_str(), &d->database_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
        return d->failure("open");
    sqlite3_limit(d->database_, SQLITE_LIMIT_LENGTH, kMaxText);
    sqlite3_db_config(d->database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(d->database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_busy_timeout(d->database_, 200);
    // One process edits a document at a time; the lock dies with the process.
    if (auto status = d->run(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT");
        !status) {
        int code = sqlite3_errcode(d->database_);
        if (code == SQLITE_BUSY) {
            return coded_error(kInUse, path + " is open in another window", "close it there first");
        }
        if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
            return error(path + " is not a Loopscope document",
                         "open a .loopscope, .loop or .sched file");
        return status.errors();
    }
    if (pragma(d->database_, "PRAGMA application_id") != kApplicationId)
        return error(path + " is not a Loopscope document",
                     "open a .loopscope, .loop or .sched file");
    auto format = pragma(d->database_, "PRAGMA user_version");
    if (format > kDocumentFormat)
        return error(path + " has format " + std::to_string(format) +
                         "; this version reads up to " + std::to_string(kDocumentFormat),
                     "open it with a newer Loopscope");
    if (format < 1)
        return error(path + " has the unknown format " + std::to_string(format));
    {
        Statement check(d->database_, "PRAGMA quick_check(1)");
        if (!check.step() || check.text(0) != "ok")
            return error(path + " is damaged", "restore it from a copy");
    }
    if (auto status = d->load(); !status)
        return status.errors();
    return d;
}

Result<DocumentSummary> Document::summary(const std::string& path) {
    Document d;
    d.path_ = path;
    if (sqlite3_open_v2(path.c_str(), &d.database_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
        return d.failure("open");
    sqlite3_limit(d.database_, SQLITE_LIMIT_LENGTH, kMaxText);
    sqlite3_db_config(d.database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(d.database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    if (pragma(d.database_, "PRAGMA application_id") != kApplicationId)
        return d.failure("open");
    DocumentSummary out;
    out.path = path;
    Statement counts(
        d.database_,
        "SELECT (SELECT count(*) FROM revisions), (SELECT count(*) FROM measurements), "
        "(SELECT max(time) FROM revisions), "
        "(SELECT value FROM source WHERE key = 'pipeline_file'), "
        "(SELECT value FROM state WHERE key = 'closed'), "
        "(SELECT value FROM state WHERE key = 'draft')");
    if (!counts.step())
        return d.failure("read");
    out.revisions = static_cast<std::size_t>(counts.integer(0));
    out.measurements = static_cast<std::size_t>(counts.integer(1));
    out.time = counts.real(2);
    out.pipeline_file = counts.text(3);
    out.closed = !counts.text(4).empty();
    out.has_draft = !counts.text(5).empty();
    return out;
}

Status Document::load() {
    auto damaged = [&](const std::string& what) {
        return error(path_ + " is damaged: " + what, "restore it from a copy");
    };
    bool has_pipeline = false;
    Statement source(database_, "SELECT key, value FROM source");
    while (source.step()) {
        auto key = source.text(0), value = source.text(1);
        if (key == "pipeline_text") {
            source_.pipeline_text = value;
            has_pipeline = true;
        } else if (key == "pipeline_file") {
            source_.pipeline_file = value;
        } else if (key == "device") {
            source_.device = value;
        } else if (key == "params") {
            auto json = nlohmann::json::parse(value, nullptr, false);
            if (!json.is_object())
                return damaged("the parameters cannot be read");
            for (auto& [name, v] : json.items()) {
                if (!v.is_number_integer())
                    return damaged("parameter " + name + " is no integer");
                source_.params[name] = v.get<std::int64_t>();
            }
        }
    }
    if (source.failed() || !has_pipeline)
        return damaged("the pipeline is missing");
    Statement revisions(
        database_, "SELECT id, parent, script, name, selection, time FROM revisions ORDER BY id");
    while (revisions.step())
        revisions_.push_back({revisions.integer(0), revisions.integer(1), revisions.text(2),
                              revisions.text(3), revisions.text(4), revisions.real(5)});
    if (revisions.failed() || revisions_.empty())
        return damaged("it holds no revision");
    Statement measurements(
        database_, "SELECT id, key, revision, device, json, time FROM measurements ORDER BY id");
    while (measurements.step())
        measurements_.push_back({measurements.integer(0), measurements.text(1),
                                 measurements.integer(2), measurements.text(3),
                                 measurements.text(4), measurements.real(5)});
    Statement state(database_, "SELECT key, value FROM state");
    while (state.step())
        state_[state.text(0)] = state.text(1);
    if (measurements.failed() || state.failed())
        return damaged("a table is missing");
    current_ = std::atoll(state_["current"].c_str());
    if (!find(current_))
        return damaged("the current revision is missing");
    return success();
}

Document::~Document() { sqlite3_close(database_); }

const Revision* Document::find(std::int64_t id) const {
    auto it = std::lower_bound(revisions_.begin(), revisions_.end(), id,
                               [](const Revision& r, std::int64_t key) { return r.id < key; });
    return it != revisions_.end() && it->id == id ? &*it : nullptr;
}

const Revision& Document::current() const { return *find(current_); }

Result<std::int64_t> Document::add_revision(const std::string& script, const std::string& name,
                                            const std::string& selection) {
    Revision r{revisions_.back().id + 1, current_, script, name, selection, now()};
    auto status = transaction([&]() -> Status {
        Statement s(database_, "INSERT INTO revisions VALUES(?, ?, ?, ?, ?, ?)");
        s.bind(1, r.id)
            .bind(2, r.parent)
            .bind(3, r.script)
            .bind(4, r.name)
            .bind(5, r.selection)
            .bind(6, r.time)
            .step();
        Statement cursor(database_, "UPDATE state SET value = ? WHERE key = 'current'");
        cursor.bind(1, std::to_string(r.id)).step();
        if (s.failed() || cursor.failed())
            return failure("write to");
        return success();
    });
    if (!status)
        return status.errors();
    current_ = r.id;
    revisions_.push_back(std::move(r));
    return current_;
}

Status Document::amend_revision(std::int64_t revision, const std::string& script) {
    if (revision != revisions_.back().id || revision != current_ || revisions_.size() == 1)
        return error("revision " + std::to_string(revision) + " is not the newest");
    for (const auto& m : measurements_)
        if (m.revision == revision)
            return error("revision " + std::to_string(revision) + " was measured");
    const double time = now();
    Statement s(database_, "UPDATE revisions SET script = ?, time = ? WHERE id = ?");
    s.bind(1, script).bind(2, time).bind(3, revision).step();
    if (s.failed())
        return failure("write to");
    revisions_.back().script = script;
    revisions_.back().time = time;
    return success();
}

Status Document::go_to(std::int64_t revision) {
    if (!find(revision))
        return error("there is no revision " + std::to_string(revision));
    if (auto status = set_state("current", std::to_string(revision)); !status)
        return status;
    current_ = revision;
    return success();
}

Status Document::rename(std::int64_t revision, const std::string& name) {
    auto it = std::find_if(revisions_.begin(), revisions_.end(),
                           [&](const Revision& r) { return r.id == revision; });
    if (it == revisions_.end())
        return error("there is no revision " + std::to_string(revision));
    Statement s(database_, "UPDATE revisions SET name = ? WHERE id = ?");
    s.bind(1, name).bind(2, revision).step();
    if (s.failed())
        return failure("write to");
    it->name = name;
    return success();
}

Status Document::set_device(const std::string& device) {
    Statement s(database_, "INSERT OR REPLACE INTO source VALUES('device', ?)");
    s.bind(1, device).step();
    if (s.failed())
        return failure("write to");
    source_.device = device;
    return success();
}

Result<std::int64_t> Document::add_measurement(Measurement m) {
    m.id = measurements_.empty() ? 1 : measurements_.back().id + 1;
    m.time = now();
    Statement s(database_, "INSERT INTO measurements VALUES(?, ?, ?, ?, ?, ?)");
    s.bind(1, m.id)
        .bind(2, m.key)
        .bind(3, m.revision)
        .bind(4, m.device)
        .bind(5, m.json)
        .bind(6, m.time)
        .step();
    if (s.failed())
        return failure("write to");
    measurements_.push_back(std::move(m));
    return measurements_.back().id;
}

Status Document::set_state(const std::string& key, const std::string& value) {
    Statement s(database_, "INSERT OR REPLACE INTO state VALUES(?, ?)");
    s.bind(1, key).bind(2, value).step();
    if (s.failed())
        return failure("write to");
    state_[key] = value;
    return success();
}

std::string Document::state(const std::string& key) const {
    auto it = state_.find(key);
    return it == state_.end() ? std::string() : it->second;
}

Status Document::save_as(const std::string& path) {
    auto making = path + ".new-" + std::to_string(::getpid());
    std::error_code failed;
    if (fs::exists(path, failed)) {
        // every edit is in this file already
        if (fs::equivalent(path, path_, failed))
            return success();
        // Replacing a document that another process edits would send its later edits nowhere.
        if (auto other = open(path); !other && other.errors()[0].code == kInUse)
            return other.errors();
    }
    fs::remove(making, failed);
    {
        Statement copy(database_, "VACUUM INTO ?");
        copy.bind(1, making).step();
        if (copy.failed()) {
            auto reason = failure("save");
            fs::remove(making, failed);
            return reason;
        }
    }
    int fd = ::open(making.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ::fsync(fd);
        ::close(fd);
    }
    fs::rename(making, path, failed);
    if (failed) {
        auto reason = failed.message();
        fs::remove(making, failed);
        return error("cannot save " + path + ": " + reason, "choose a folder that can be written");
    }
    sync_folder(path);
    auto reopened = open(path);
    if (!reopened)
        return reopened.errors();
    std::swap(database_, (*reopened)->database_);
    path_ = path;
    return success();
}

std::string measurement_key(const std::string& canonical_pipeline,
                            const std::string& canonical_schedule, const std::string& device) {
    Hash h = combine(kHashSeed, 1); // the key's version
    h = hash_of(device, hash_of(canonical_schedule, hash_of(canonical_pipeline, h)));
    char text[24];
    std::snprintf(text, sizeof text, "1-%016llx", static_cast<unsigned long long>(h));
    return text;
}

} // namespace loopscope::session
