#pragma once
// All that a document holds, in memory and in its tables.

#include "app/document/database.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::session {

// What is scheduled.
struct Program {
    std::string text;                           // `.loop`
    std::map<std::string, std::int64_t> params; // those that have another value than the text says
    bool operator==(const Program&) const = default;
};
using ProgramPtr = std::shared_ptr<const Program>;

struct Revision {
    std::int64_t id = 0;     // 1, 2, 3, …: revisions are never discarded
    std::int64_t parent = 0; // an earlier one; 0: none
    std::string script;      // the whole `.sched` text, comments included
    std::string name;        // what made it ("split C.k by 32"), or the name a person gave
    std::string selection;   // NodeId text
    double time = 0;         // seconds since the epoch
};

struct Measurement {
    std::int64_t id = 0;       // 1, 2, 3, …
    std::string key;           // stable hash of canonical pipeline text, schedule text and device
    std::int64_t revision = 0; // 0: none
    std::string device;
    std::string json; // the worker's answer
    double time = 0;
};

// What a document starts from.
struct DocumentSource {
    ProgramPtr program = std::make_shared<const Program>(); // of the first revision; never null
    std::string pipeline_file;                              // name shown in messages; may be empty
    std::string device = "host";
    std::map<std::string, std::string> other;     // what later versions of the format keep here
    std::string script;                           // the first revision,
    std::string script_name = "default schedule"; // and what it is called
};

struct DocumentContents {
    DocumentSource source;
    std::vector<Revision> revisions; // at least one, by id, ascending
    // By the revision that changed it. Others have their parent's.
    std::map<std::int64_t, ProgramPtr> programs;
    std::vector<Measurement> measurements;
    std::map<std::string, std::string> state; // "current" is a revision's id
};

constexpr std::size_t kMaxName = 200;        // characters of a revision's name
constexpr std::size_t kMaxPrograms = 10'000; // of a document, beside its first

// Seconds since the epoch that a calendar has a date for; 0 for any other.
double time_within_reason(double seconds);

std::size_t bytes_of(const Program& program);
std::size_t bytes_of(const Revision& revision);
std::size_t bytes_of(const Measurement& measurement);

// Errors: damaged, in what; more than a document may hold.
Result<DocumentContents> read_contents(const Database& database, const std::string& path,
                                       const ReadLimits& limits);

// A new document at `path`, complete and durable when this returns; a file that is there is
// replaced whole, and only then.
Status write_document(const std::string& path, const DocumentContents& contents);

// Within a transaction: all tables are as `contents` has them.
Status rewrite(Database& database, const DocumentContents& contents);

// One row, within a transaction.
Status insert(const Database& database, const Revision& revision);
Status insert(const Database& database, const Measurement& measurement);
Status insert(const Database& database, std::int64_t revision, const Program& program);
Status put_source(const Database& database, const std::string& key, const std::string& value);
Status put_state(const Database& database, const std::string& key, const std::string& value);

} // namespace loopscope::session
