#pragma once
// The document: a `.loopscope` file, which is an SQLite database. An edit is one transaction, so
// that a crash at any moment leaves a file that opens with everything older than that edit.
// Revisions are never discarded: undoing and editing on makes a branch; only the newest, while it
// is being typed, may still change. No Qt here.

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace loopscope::session {

constexpr int kDocumentFormat = 1;

struct Revision {
    std::int64_t id = 0;
    std::int64_t parent = 0; // 0: none
    std::string script;      // the whole `.sched` text, comments included
    std::string name;        // what made it ("split C.k by 32"), or the name a person gave
    std::string selection;   // NodeId text
    double time = 0;         // seconds since the epoch
};

struct Measurement {
    std::int64_t id = 0;
    std::string key; // stable hash of canonical pipeline text, schedule text and device
    std::int64_t revision = 0;
    std::string device;
    std::string json; // the worker's answer
    double time = 0;
};

// What a document starts from.
struct DocumentSource {
    std::string pipeline_text;
    std::string pipeline_file; // name shown in messages; may be empty
    std::map<std::string, std::int64_t> params;
    std::string device = "host";
    std::string script;                           // the first revision,
    std::string script_name = "default schedule"; // and what it is called
};

// What can be said of a document without taking it over.
struct DocumentSummary {
    std::string path;
    std::string pipeline_file;
    std::size_t revisions = 0, measurements = 0;
    bool has_draft = false; // a script with errors that was being written
    bool closed = false;    // by the program; false: the process that edited it ended otherwise
    double time = 0;        // of the newest revision, seconds since the epoch
};

class Document {
public:
    // A new document at `path`; an existing file is replaced whole, and only once the new one is
    // complete.
    static Result<std::unique_ptr<Document>> create(const std::string& path,
                                                    const DocumentSource& source);
    // Opens for editing. Errors: not a Loopscope document, damaged, a newer format (refused), in
    // use by another process.
    static Result<std::unique_ptr<Document>> open(const std::string& path);
    // Errors as above; a document that another process edits is in use. Changes nothing.
    static Result<DocumentSummary> summary(const std::string& path);
    ~Document();
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    const std::string& path() const { return path_; }
    const DocumentSource& source() const { return source_; }
    const std::vector<Revision>& revisions() const { return revisions_; } // by id, ascending
    const Revision* find(std::int64_t id) const;
    const Revision& current() const;

    // Each of these is one transaction, durable when it returns.
    Result<std::int64_t> add_revision(const std::string& script, const std::string& name,
                                      const std::string& selection);
    // The script of the newest revision becomes another one, under the same id: a step that is
    // still being typed. Errors: it is not the newest, or something was measured of it.
    Status amend_revision(std::int64_t revision, const std::string& script);
    Status go_to(std::int64_t revision);
    Status rename(std::int64_t revision, const std::string& name);
    Status set_device(const std::string& device);
    Result<std::int64_t> add_measurement(Measurement measurement); // id and time are filled in
    const std::vector<Measurement>& measurements() const { return measurements_; }
    // Small named values: the baseline's revision, a draft with errors, whether the document was
    // closed.
    Status set_state(const std::string& key, const std::string& value);
    std::string state(const std::string& key) const; // empty if unknown

    // A complete copy at `path` (written beside it and renamed), which this document then continues
    // in.
    Status save_as(const std::string& path);

private:
    Document() = default;
    Status load();
    Status run(const char* sql);
    Status transaction(const std::function<Status()>& body);
    Diagnostic failure(const std::string& what) const;

    std::string path_;
    sqlite3* database_ = nullptr;
    DocumentSource source_;
    std::vector<Revision> revisions_;
    std::vector<Measurement> measurements_;
    std::map<std::string, std::string> state_;
    std::int64_t current_ = 0;
};

// The stable, versioned key by which measurements are found again.
std::string measurement_key(const std::string& canonical_pipeline,
                            const std::string& canonical_schedule, const std::string& device);

} // namespace loopscope::session
