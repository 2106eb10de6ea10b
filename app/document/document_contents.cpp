#include "app/document/document_contents.h"

#include "app/document/statement.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/base/system_error.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <new>

#include <fcntl.h>
#include <unistd.h>

namespace loopscope::session {

namespace fs = std::filesystem;

namespace {

constexpr double kLastTime = 253402300799; // seconds since the epoch: the end of the year 9999
constexpr std::size_t kMaxStates = 1000;
constexpr const char* kProgramKey = "program:"; // of a source's row, before the revision's number
constexpr std::size_t kMaxNameBytes = 200;      // bytes of a name that others are made of

class Reader {
public:
    Reader(const Database& database, const std::string& path, const ReadLimits& limits)
        : database_(database), path_(path), limits_(limits) {}

    Result<DocumentContents> read() {
        for (auto part : {&Reader::read_source, &Reader::read_revisions, &Reader::check_programs,
                          &Reader::read_measurements, &Reader::read_state})
            if (auto status = (this->*part)(); !status)
                return status.errors();
        return std::move(out_);
    }

private:
    Diagnostic damaged(const std::string& what) const {
        return error(path_ + " is damaged: " + what, "restore it from a copy");
    }

    // False: there is more than a document may hold.
    bool take(std::size_t bytes, std::size_t rows) {
        bytes_ += bytes;
        return bytes_ <= limits_.bytes && rows <= limits_.rows;
    }
    Diagnostic too_much() const { return more_than_a_document_may(path_, limits_); }
    Status end_of(const Statement& rows, const std::string& otherwise) const {
        if (!rows.failed())
            return success();
        return database_.found_damage() ? damaged(otherwise) : database_.failure("read");
    }

    Status read_source() {
        bool has_pipeline = false;
        Program program;
        Statement rows(database_.handle(), "SELECT key, value FROM source");
        std::size_t others = 0;
        while (rows.step()) {
            auto key = rows.text(0), value = rows.text(1);
            const bool is_program = key.starts_with(kProgramKey);
            if ((is_program ? out_.programs.size() >= kMaxPrograms : others++ >= kMaxStates) ||
                !take(key.size() + value.size(), 0))
                return too_much();
            if (key == "pipeline_text") {
                program.text = std::move(value);
                has_pipeline = true;
            } else if (is_program) {
                if (auto status = read_program(key, value); !status)
                    return status;
            } else if (key == "pipeline_file") {
                out_.source.pipeline_file = std::move(value);
            } else if (key == "device") {
                out_.source.device = std::move(value);
            } else if (key == "params") {
                if (auto status = read_params(json_or_null(value), program.params); !status)
                    return status;
            } else {
                out_.source.other[key] = std::move(value);
            }
        }
        if (!has_pipeline && !rows.failed())
            return damaged("the pipeline is missing");
        out_.source.program = std::make_shared<const Program>(std::move(program));
        return end_of(rows, "the pipeline cannot be read");
    }

    Status read_program(const std::string& key, const std::string& value) {
        std::int64_t revision = 0;
        const auto* begin = key.data() + std::string_view(kProgramKey).size();
        const auto* end = key.data() + key.size();
        const auto json = json_or_null(value);
        const auto text = json.is_object() ? json.find("text") : json.end();
        const auto params = json.is_object() ? json.find("params") : json.end();
        // As it is written: no two keys are one revision's.
        if (std::from_chars(begin, end, revision).ptr != end ||
            key != kProgramKey + std::to_string(revision) || text == json.end() ||
            !text->is_string() || params == json.end())
            return damaged("a revision's pipeline cannot be read");
        Program program;
        program.text = text->get<std::string>();
        if (auto status = read_params(*params, program.params); !status)
            return status;
        out_.programs[revision] = std::make_shared<const Program>(std::move(program));
        return success();
    }

    Status check_programs() {
        for (const auto& [revision, program] : out_.programs)
            if (revision < 1 || revision > static_cast<std::int64_t>(out_.revisions.size()))
                return damaged("it has the pipeline of a revision that it does not have");
        return success();
    }

    Status read_params(const nlohmann::json& json, std::map<std::string, std::int64_t>& params) {
        if (!json.is_object())
            return damaged("the parameters cannot be read");
        for (const auto& [name, value] : json.items()) {
            const auto n = whole_number(value);
            if (!n)
                return damaged("parameter " + printable_text(name, kMaxName) + " is no integer");
            params[name] = *n;
        }
        return success();
    }

    Status read_revisions() {
        auto& list = out_.revisions;
        Statement rows(
            database_.handle(),
            "SELECT id, parent, script, name, selection, time FROM revisions ORDER BY id");
        while (rows.step()) {
            Revision r{rows.integer(0), rows.integer(1), rows.text(2),
                       rows.text(3),    rows.text(4),    time_within_reason(rows.real(5))};
            const auto next = static_cast<std::int64_t>(list.size()) + 1;
            if (r.id != next || r.parent < 0 || r.parent >= next)
                return damaged("its revisions are not numbered as Loopscope numbers them");
            if (!take(bytes_of(r), list.size() + 1))
                return too_much();
            r.name = printable_text(r.name, kMaxName);
            list.push_back(std::move(r));
        }
        if (list.empty() && !rows.failed())
            return damaged("it holds no revision");
        return end_of(rows, "its revisions cannot be read");
    }

    Status read_measurements() {
        auto& list = out_.measurements;
        Statement rows(database_.handle(), "SELECT id, key, revision, device, json, time FROM "
                                           "measurements ORDER BY id");
        while (rows.step()) {
            Measurement m{rows.integer(0), rows.text(1), rows.integer(2),
                          rows.text(3),    rows.text(4), time_within_reason(rows.real(5))};
            if (m.id != static_cast<std::int64_t>(list.size()) + 1 || m.revision < 0 ||
                m.revision > static_cast<std::int64_t>(out_.revisions.size()))
                return damaged("its measurements are not numbered as Loopscope numbers them");
            if (!take(bytes_of(m), list.size() + 1))
                return too_much();
            list.push_back(std::move(m));
        }
        return end_of(rows, "its measurements cannot be read");
    }

    Status read_state() {
        Statement rows(database_.handle(), "SELECT key, value FROM state");
        while (rows.step()) {
            auto key = rows.text(0), value = rows.text(1);
            if (out_.state.size() >= kMaxStates || !take(key.size() + value.size(), 0))
                return too_much();
            out_.state[std::move(key)] = std::move(value);
        }
        const auto& current = out_.state["current"];
        std::int64_t id = 0;
        const auto* end = current.data() + current.size();
        const bool whole = std::from_chars(current.data(), end, id).ptr == end;
        if (!rows.failed() &&
            (!whole || id < 1 || id > static_cast<std::int64_t>(out_.revisions.size())))
            return damaged("the current revision is missing");
        return end_of(rows, "its state cannot be read");
    }

    const Database& database_;
    const std::string& path_;
    const ReadLimits& limits_;
    DocumentContents out_;
    std::size_t bytes_ = 0;
};

Status put(const Database& database, const char* sql, const std::string& key,
           const std::string& value) {
    Statement s(database.handle(), sql);
    s.bind(1, key).bind(2, value).step();
    return s.failed() ? Status(database.failure("write to")) : success();
}

Status write_all(const Database& database, const DocumentContents& contents) {
    const auto& source = contents.source;
    nlohmann::json params = source.program->params;
    for (const auto& [key, value] :
         {std::pair<const char*, std::string>{"pipeline_text", source.program->text},
          {"pipeline_file", source.pipeline_file},
          {"params", params.dump()},
          {"device", source.device}})
        if (auto status = put_source(database, key, value); !status)
            return status;
    for (const auto& [key, value] : source.other)
        if (auto status = put_source(database, key, value); !status)
            return status;
    for (const auto& revision : contents.revisions)
        if (auto status = insert(database, revision); !status)
            return status;
    for (const auto& [revision, program] : contents.programs)
        if (auto status = insert(database, revision, *program); !status)
            return status;
    for (const auto& measurement : contents.measurements)
        if (auto status = insert(database, measurement); !status)
            return status;
    for (const auto& [key, value] : contents.state)
        if (auto status = put_state(database, key, value); !status)
            return status;
    return success();
}

// A document that is being made is gone with this, unless it has got its name.
struct Making {
    std::string path, journal; // which a commit that failed leaves
    bool done = false;
    ~Making() {
        if (done)
            return;
        ::unlink(path.c_str());
        ::unlink(journal.c_str());
    }
};

// Makes a rename durable: the folder's entry is data too.
void sync_folder(const std::string& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        ::fsync(fd);
        ::close(fd);
    }
}

} // namespace

double time_within_reason(double seconds) {
    return std::isfinite(seconds) && seconds >= 0 && seconds <= kLastTime ? seconds : 0;
}

std::size_t bytes_of(const Program& program) {
    std::size_t bytes = program.text.size();
    for (const auto& [name, value] : program.params)
        bytes += name.size() + sizeof value;
    return bytes;
}

std::size_t bytes_of(const Revision& r) {
    return r.script.size() + r.name.size() + r.selection.size();
}

std::size_t bytes_of(const Measurement& m) {
    return m.key.size() + m.device.size() + m.json.size();
}

Result<DocumentContents> read_contents(const Database& database, const std::string& path,
                                       const ReadLimits& limits) {
    return Reader(database, path, limits).read();
}

Status insert(const Database& database, const Revision& r) {
    Statement s(database.handle(), "INSERT INTO revisions VALUES(?, ?, ?, ?, ?, ?)");
    s.bind(1, r.id).bind(2, r.parent).bind(3, r.script).bind(4, r.name).bind(5, r.selection);
    s.bind(6, r.time).step();
    return s.failed() ? Status(database.failure("write to")) : success();
}

Status insert(const Database& database, const Measurement& m) {
    Statement s(database.handle(), "INSERT INTO measurements VALUES(?, ?, ?, ?, ?, ?)");
    s.bind(1, m.id).bind(2, m.key).bind(3, m.revision).bind(4, m.device).bind(5, m.json);
    s.bind(6, m.time).step();
    return s.failed() ? Status(database.failure("write to")) : success();
}

Status insert(const Database& database, std::int64_t revision, const Program& program) {
    const nlohmann::json json{{"text", program.text}, {"params", program.params}};
    return put_source(database, kProgramKey + std::to_string(revision),
                      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Status put_source(const Database& database, const std::string& key, const std::string& value) {
    return put(database, "INSERT OR REPLACE INTO source VALUES(?, ?)", key, value);
}

Status put_state(const Database& database, const std::string& key, const std::string& value) {
    return put(database, "INSERT OR REPLACE INTO state VALUES(?, ?)", key, value);
}

Status rewrite(Database& database, const DocumentContents& contents) {
    if (auto emptied = database.run("DELETE FROM source; DELETE FROM revisions; "
                                    "DELETE FROM measurements; DELETE FROM state");
        !emptied)
        return emptied;
    return write_all(database, contents);
}

Status write_document(const std::string& path, const DocumentContents& contents) try {
    // Built beside its place and renamed: a half-made document never stands under the name that was
    // asked for.
    const fs::path place(path);
    const auto folder = place.parent_path().empty() ? "." : place.parent_path().string();
    const auto name = folder + "/" + place.filename().string().substr(0, kMaxNameBytes) + ".new-" +
                      std::to_string(::getpid());
    Making making{name, name + "-journal"};
    std::error_code ignored;
    fs::remove(making.path, ignored);
    {
        auto database = Database::create(making.path);
        if (!database)
            return database.errors();
        auto written = database->transaction([&] { return write_all(*database, contents); });
        if (!written)
            return written;
    }
    // What a crash left of a document that had this name before would be rolled back into this one.
    for (const auto* ending : {"-journal", "-wal", "-shm"})
        fs::remove(path + ending, ignored);
    if (::rename(making.path.c_str(), path.c_str()) != 0)
        return system_error("save", path, errno);
    making.done = true;
    sync_folder(folder);
    return success();
} catch (const std::bad_alloc&) {
    return out_of_memory("save", path);
}

} // namespace loopscope::session
