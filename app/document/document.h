#pragma once
// The document: a `.loopscope` file, which is an SQLite database. An edit is one transaction, so
// that a crash at any moment leaves a file that opens with everything older than that edit.
// Revisions are never discarded: undoing and editing on makes a branch; only the newest, while it
// is being typed, may still change. No Qt here.

#include "app/document/document_contents.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::session {

// What can be said of a document without taking it over.
struct DocumentSummary {
    std::string path;
    std::string pipeline_file;
    std::size_t revisions = 0, measurements = 0;
    bool has_draft = false; // a script with errors that was being written
    bool unsaved = false;   // a copy of one whose file did not take the last of the work
    bool closed = false;    // by the program; false: the process that edited it ended otherwise
    double time = 0;        // of the newest revision, seconds since the epoch
};

class Document {
public:
    // A new document at `path`; an existing file is replaced whole, and only once the new one is
    // complete.
    static Result<std::unique_ptr<Document>> create(const std::string& path,
                                                    const DocumentSource& source);
    // Opens for editing. Errors: those of Database::open and of read_contents.
    static Result<std::unique_ptr<Document>> open(const std::string& path,
                                                  const ReadLimits& limits = {});
    // A complete copy at `place` of the document at `path`, which is only read. Errors as above,
    // and those of writing.
    static Result<std::unique_ptr<Document>> open_copy(const std::string& path,
                                                       const std::string& place);
    // Errors as above; a document that another process edits is in use. Changes nothing.
    static Result<DocumentSummary> summary(const std::string& path);
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    const std::string& path() const { return path_; }
    const DocumentSource& source() const { return contents_.source; }
    std::string pipeline_name() const; // of the pipeline's file, as messages name it
    const std::vector<Revision>& revisions() const { return contents_.revisions; }
    const Revision* find(std::int64_t id) const;
    const Revision& current() const;
    // What a revision schedules: the pipeline's text and params that it was made with.
    ProgramPtr program_of(std::int64_t revision) const;
    ProgramPtr program() const { return program_of(current().id); }
    bool has_program_of_now(std::int64_t revision) const;

    // Each of these is one transaction, durable when it returns.
    // `program`: null where it is that of the revision from which this one comes.
    Result<std::int64_t> add_revision(const std::string& script, const std::string& name,
                                      const std::string& selection,
                                      const ProgramPtr& program = nullptr);
    // The script of the newest revision becomes another one, under the same id: a step that is
    // still being typed, or an opened schedule whose device is found out later. `program`: null
    // where it stays. Errors: it is not the newest, or something was measured of it.
    Status amend_revision(std::int64_t revision, const std::string& script,
                          const ProgramPtr& program = nullptr);
    Status go_to(std::int64_t revision);
    Status rename(std::int64_t revision, const std::string& name);
    Status set_device(const std::string& device);
    Result<std::int64_t> add_measurement(Measurement measurement); // id and time are filled in
    const std::vector<Measurement>& measurements() const { return contents_.measurements; }
    // Small named values: the baseline's revision, a draft with errors, whether the document was
    // closed.
    Status set_state(const std::string& key, const std::string& value);
    std::string state(const std::string& key) const; // empty if unknown

    // Errors: another file, or none, has this document's name; another program wrote into its file.
    Status check_place() const;
    // A complete copy at `path`, which this document then continues in. It is made of what is in
    // memory: also where this document's own file has gone.
    Status save_as(const std::string& path);
    // A complete copy at `path` that says another source of the same program; this document stays
    // where it is. Errors: `path` is this document, or one that another process edits.
    Status write_copy(const std::string& path, const DocumentSource& source) const;
    // A complete copy, of its own from then on.
    Result<std::unique_ptr<Document>> copy(const std::string& path) const;

private:
    Document(std::string path, Database database, DocumentContents contents);
    // `write` in a transaction, and then the same in memory by `keep`, which does all of it or
    // throws. What memory holds is the truth: what the file may have beyond it, the next commit
    // takes back. Errors: also that memory ran out.
    Status commit(const std::function<Status()>& write, const std::function<void()>& keep);
    // Room for so many more bytes.
    Status check_room(std::size_t bytes, std::size_t rows) const;
    Status check_programs() const; // room for one more
    // Replacing a document that is being edited would send its later edits nowhere.
    static Status check_nobody_edits(const std::string& path);

    std::string path_;
    Database database_;
    DocumentContents contents_;
    std::int64_t current_ = 0;
    std::vector<ProgramPtr> program_of_; // by revision
    std::size_t bytes_ = 0;              // of revisions, their programs and measurements
};

// The stable, versioned key by which measurements are found again.
std::string measurement_key(const std::string& canonical_pipeline,
                            const std::string& canonical_schedule, const std::string& device);

} // namespace loopscope::session
