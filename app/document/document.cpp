#include "app/document/document.h"

#include "app/document/statement.h"
#include "core/base/hash.h"
#include "core/base/printable.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

namespace loopscope::session {

namespace fs = std::filesystem;

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

} // namespace

Document::Document(std::string path, Database database, DocumentContents contents)
    : path_(std::move(path)), database_(std::move(database)), contents_(std::move(contents)) {
    current_ = std::atoll(contents_.state["current"].c_str());
    for (const auto& revision : contents_.revisions)
        bytes_ += bytes_of(revision);
    for (const auto& measurement : contents_.measurements)
        bytes_ += bytes_of(measurement);
    for (const auto& [revision, program] : contents_.programs)
        bytes_ += bytes_of(*program);
    program_of_.reserve(revisions().size());
    for (const auto& revision : revisions()) {
        const auto changed = contents_.programs.find(revision.id);
        program_of_.push_back(changed != contents_.programs.end() ? changed->second
                              : revision.parent > 0               ? program_of(revision.parent)
                                                                  : source().program);
    }
}

Result<std::unique_ptr<Document>> Document::create(const std::string& path,
                                                   const DocumentSource& source) {
    DocumentContents contents;
    contents.source = source;
    contents.revisions.push_back({1, 0, source.script, source.script_name, "", now()});
    contents.state["current"] = "1";
    if (auto status = write_document(path, contents); !status)
        return status.errors();
    return open(path);
}

Result<std::unique_ptr<Document>> Document::open(const std::string& path,
                                                 const ReadLimits& limits) try {
    auto database = Database::open(path, Database::Use::Edit, limits);
    if (!database)
        return database.errors();
    auto contents = read_contents(*database, path, limits);
    if (!contents)
        return contents.errors();
    database->end_time_limit();
    return std::unique_ptr<Document>(
        new Document(path, std::move(*database), std::move(*contents)));
} catch (const std::bad_alloc&) {
    return out_of_memory("open", path);
}

Result<std::unique_ptr<Document>> Document::open_copy(const std::string& path,
                                                      const std::string& place) try {
    const auto database = Database::open(path, Database::Use::Read);
    if (!database)
        return database.errors();
    const auto contents = read_contents(*database, path, {});
    if (!contents)
        return contents.errors();
    if (auto status = write_document(place, *contents); !status)
        return status.errors();
    return open(place);
} catch (const std::bad_alloc&) {
    return out_of_memory("open", path);
}

Result<DocumentSummary> Document::summary(const std::string& path) try {
    auto database = Database::open(path, Database::Use::Look);
    if (!database)
        return database.errors();
    DocumentSummary out;
    out.path = path;
    Statement counts(
        database->handle(),
        "SELECT (SELECT count(*) FROM revisions), (SELECT count(*) FROM measurements), "
        "(SELECT max(time) FROM revisions), "
        "(SELECT value FROM source WHERE key = 'pipeline_file'), "
        "(SELECT value FROM state WHERE key = 'closed'), "
        "(SELECT value FROM state WHERE key IN ('draft', 'pipeline_draft') AND value <> ''), "
        "(SELECT value FROM state WHERE key = 'unsaved')");
    if (!counts.step())
        return database->failure("read");
    out.revisions = static_cast<std::size_t>(counts.integer(0));
    out.measurements = static_cast<std::size_t>(counts.integer(1));
    out.time = time_within_reason(counts.real(2));
    out.pipeline_file = counts.text(3);
    out.closed = !counts.text(4).empty();
    out.has_draft = !counts.text(5).empty();
    out.unsaved = !counts.text(6).empty();
    return out;
} catch (const std::bad_alloc&) {
    return out_of_memory("look at", path);
}

const Revision* Document::find(std::int64_t id) const {
    const bool known = id >= 1 && id <= static_cast<std::int64_t>(revisions().size());
    return known ? &revisions()[static_cast<std::size_t>(id) - 1] : nullptr;
}

const Revision& Document::current() const { return *find(current_); }

std::string Document::pipeline_name() const {
    return source().pipeline_file.empty() ? "pipeline.loop" : source().pipeline_file;
}

ProgramPtr Document::program_of(std::int64_t revision) const {
    return find(revision) ? program_of_[static_cast<std::size_t>(revision) - 1] : source().program;
}

bool Document::has_program_of_now(std::int64_t revision) const {
    const auto of_it = program_of(revision), of_now = program();
    return of_it == of_now || *of_it == *of_now;
}

Status Document::commit(const std::function<Status()>& write,
                        const std::function<void()>& keep) try {
    auto status = database_.transaction([&]() -> Status {
        if (database_.uncertain())
            if (auto restored = rewrite(database_, contents_); !restored)
                return restored;
        return write();
    });
    if (!status)
        return status;
    database_.set_uncertain(true); // until `keep` has not thrown
    keep();
    database_.set_uncertain(false);
    return success();
} catch (const std::bad_alloc&) {
    return out_of_memory("write to", path_);
}

Status Document::check_room(std::size_t bytes, std::size_t rows) const {
    if (bytes_ + bytes <= kMaxWrittenBytes && rows < kMaxRows)
        return success();
    return error(path_ + " holds as much as a document may: " + std::to_string(kMaxRows) +
                     " revisions and measurements, " + std::to_string(kMaxWrittenBytes >> 20) +
                     " MiB of texts",
                 "save the schedule (.sched), and open it with its pipeline anew");
}

Status Document::check_programs() const {
    if (contents_.programs.size() < kMaxPrograms)
        return success();
    return error(path_ + " holds " + std::to_string(kMaxPrograms) +
                     " changes of its pipeline, as many as a document may",
                 "save the pipeline (.loop) and the schedule (.sched), and open them anew");
}

Result<std::int64_t> Document::add_revision(const std::string& script, const std::string& name,
                                            const std::string& selection,
                                            const ProgramPtr& program) {
    const auto program_bytes = program ? bytes_of(*program) : 0;
    if (program)
        if (auto room = check_programs(); !room)
            return room.errors();
    Revision r;
    std::string id;
    const auto write = [&]() -> Status {
        r = {revisions().back().id + 1,      current_,  script,
             printable_text(name, kMaxName), selection, now()};
        id = std::to_string(r.id);
        if (auto room = check_room(bytes_of(r) + program_bytes, revisions().size()); !room)
            return room;
        if (auto added = insert(database_, r); !added)
            return added;
        if (program)
            if (auto added = insert(database_, r.id, *program); !added)
                return added;
        return put_state(database_, "current", id);
    };
    auto status = commit(write, [&] {
        auto& current = contents_.state["current"];
        const auto bytes = bytes_of(r) + program_bytes;
        std::map<std::int64_t, ProgramPtr> changed;
        if (program)
            changed.emplace(r.id, program);
        program_of_.resize(contents_.revisions.size()); // more is of one that found no room
        program_of_.push_back(program ? program : this->program());
        contents_.revisions.push_back(std::move(r)); // from here on nothing throws
        contents_.programs.merge(changed);
        current.swap(id);
        bytes_ += bytes;
        current_ = revisions().back().id;
    });
    if (!status)
        return status.errors();
    return current_;
}

Status Document::amend_revision(std::int64_t revision, const std::string& script,
                                const ProgramPtr& program) {
    if (revision != revisions().back().id || revision != current_)
        return error("revision " + std::to_string(revision) + " is not the newest");
    for (const auto& m : measurements())
        if (m.revision == revision)
            return error("revision " + std::to_string(revision) + " was measured");
    auto& r = contents_.revisions.back();
    const auto kept = contents_.programs.find(revision);
    if (program && kept == contents_.programs.end())
        if (auto room = check_programs(); !room)
            return room;
    const auto before = r.script.size() +
                        (program && kept != contents_.programs.end() ? bytes_of(*kept->second) : 0);
    const auto after = script.size() + (program ? bytes_of(*program) : 0);
    if (auto room = check_room(after - std::min(after, before), 0); !room)
        return room;
    const double time = now();
    const auto write = [&]() -> Status {
        Statement s(database_.handle(), "UPDATE revisions SET script = ?, time = ? WHERE id = ?");
        s.bind(1, script).bind(2, time).bind(3, revision).step();
        if (s.failed())
            return database_.failure("write to");
        return program ? insert(database_, revision, *program) : success();
    };
    return commit(write, [&] {
        auto text = script;
        if (program) {
            contents_.programs.insert_or_assign(revision, program);
            program_of_[static_cast<std::size_t>(revision) - 1] = program;
        }
        r.script.swap(text); // from here on nothing throws
        r.time = time;
        bytes_ += after;
        bytes_ -= before;
    });
}

Status Document::go_to(std::int64_t revision) {
    if (!find(revision))
        return error("there is no revision " + std::to_string(revision));
    auto status = set_state("current", std::to_string(revision));
    if (status)
        current_ = revision;
    return status;
}

Status Document::rename(std::int64_t revision, const std::string& name) {
    if (!find(revision))
        return error("there is no revision " + std::to_string(revision));
    std::string shown;
    const auto write = [&]() -> Status {
        shown = printable_text(name, kMaxName);
        Statement s(database_.handle(), "UPDATE revisions SET name = ? WHERE id = ?");
        s.bind(1, shown).bind(2, revision).step();
        return s.failed() ? Status(database_.failure("write to")) : success();
    };
    return commit(write, [&] {
        contents_.revisions[static_cast<std::size_t>(revision) - 1].name = std::move(shown);
    });
}

Status Document::set_device(const std::string& device) {
    return commit([&] { return put_source(database_, "device", device); },
                  [&] { contents_.source.device = device; });
}

Result<std::int64_t> Document::add_measurement(Measurement m) {
    m.id = static_cast<std::int64_t>(measurements().size()) + 1;
    m.time = now();
    if (auto room = check_room(bytes_of(m), measurements().size()); !room)
        return room.errors();
    auto status = commit([&] { return insert(database_, m); },
                         [&] {
                             const auto bytes = bytes_of(m);
                             contents_.measurements.push_back(std::move(m));
                             bytes_ += bytes;
                         });
    if (!status)
        return status.errors();
    return measurements().back().id;
}

Status Document::set_state(const std::string& key, const std::string& value) {
    return commit([&] { return put_state(database_, key, value); },
                  [&] { contents_.state.insert_or_assign(key, value); });
}

std::string Document::state(const std::string& key) const {
    auto it = contents_.state.find(key);
    return it == contents_.state.end() ? std::string() : it->second;
}

Result<std::unique_ptr<Document>> Document::copy(const std::string& path) const {
    if (auto status = write_document(path, contents_); !status)
        return status.errors();
    return open(path);
}

Status Document::check_place() const {
    return database_.has_moved() || database_.is_overwritten()
               ? Status(database_.failure("write to"))
               : success();
}

Status Document::check_nobody_edits(const std::string& path) {
    auto other = open(path);
    return !other && other.errors()[0].code == kDocumentInUse ? Status(other.errors()) : success();
}

Status Document::write_copy(const std::string& path, const DocumentSource& source) const try {
    std::error_code failed;
    if (fs::equivalent(path, path_, failed))
        return error(path + " is the document that is open", "choose another name");
    if (fs::exists(path, failed))
        if (auto free = check_nobody_edits(path); !free)
            return free;
    auto contents = contents_;
    contents.source = source;
    contents.state.erase("closed"); // says of this file how it was left
    return write_document(path, contents);
} catch (const std::bad_alloc&) {
    return out_of_memory("save", path);
}

Status Document::save_as(const std::string& path) {
    std::error_code failed;
    if (fs::exists(path, failed)) {
        // Every edit is in this file already, unless others wrote to it.
        if (fs::equivalent(path, path_, failed) && !database_.has_moved())
            return check_place();
        if (auto free = check_nobody_edits(path); !free)
            return free;
    }
    auto moved = copy(path);
    if (!moved)
        return moved.errors();
    auto name = path;
    std::swap(database_, (*moved)->database_);
    path_.swap(name);
    return success();
}

std::string measurement_key(const std::string& canonical_pipeline,
                            const std::string& canonical_schedule, const std::string& device) {
    Hash h = combine(kHashSeed, 1); // the key's version
    h = hash_of(device, hash_of(canonical_schedule, hash_of(canonical_pipeline, h)));
    return "1-" + hash_text(h);
}

} // namespace loopscope::session
