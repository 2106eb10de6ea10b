// Any bytes as a document, as the journal beside one, and as SQL that somebody ran on one: it opens
// or is refused; what opens takes an edit, and opens again with all that it held and with the edit.
#include "app/document/document.h"
#include "tests/fuzz_formats/format.h"
#include "tests/support/journal.h"

#include <sqlite3.h>

#include <algorithm>
#include <new>

#include <unistd.h>

namespace loopscope::fuzz {
namespace {

using session::Document;
using session::Measurement;
using session::Revision;

constexpr const char* kScript = "schedule for p\n";

bool same(const Revision& a, const Revision& b) {
    return a.id == b.id && a.parent == b.parent && a.script == b.script && a.name == b.name &&
           a.selection == b.selection;
}

bool same(const Measurement& a, const Measurement& b) {
    return a.id == b.id && a.key == b.key && a.revision == b.revision && a.device == b.device &&
           a.json == b.json;
}

template <typename Row> bool begins_with(const std::vector<Row>& list, const std::vector<Row>& b) {
    return list.size() >= b.size() &&
           std::equal(b.begin(), b.end(), list.begin(),
                      [](const Row& x, const Row& y) { return same(x, y); });
}

bool same_source(const session::DocumentSource& a, const session::DocumentSource& b) {
    return *a.program == *b.program && a.pipeline_file == b.pipeline_file && a.device == b.device &&
           a.other == b.other;
}

void judge_numbers(const Document& document) {
    std::int64_t id = 0;
    for (const auto& revision : document.revisions())
        if (revision.id != ++id || revision.parent < 0 || revision.parent >= id)
            throw Wrong("a revision has the number " + std::to_string(revision.id) +
                        " and the parent " + std::to_string(revision.parent));
    id = 0;
    for (const auto& measurement : document.measurements())
        if (measurement.id != ++id ||
            (measurement.revision && !document.find(measurement.revision)))
            throw Wrong("a measurement has the number " + std::to_string(measurement.id) +
                        " and the revision " + std::to_string(measurement.revision));
    if (document.find(document.current().id) != &document.current())
        throw Wrong("the current revision is none of the document");
}

void judge_open(const std::string& path) {
    if (auto summary = Document::summary(path); !summary)
        judge_refusal(summary.errors());
    auto opened = Document::open(path);
    if (!opened)
        return judge_refusal(opened.errors());
    auto& document = **opened;
    judge_numbers(document);
    const auto source = document.source();
    const auto revisions = document.revisions();
    const auto measurements = document.measurements();
    const auto draft = document.state("draft");

    const auto edit = document.add_revision(kScript, "an edit", "");
    if (!edit) { // what is damaged may show so late
        judge_refusal(edit.errors());
        if (edit.errors().front().message.find("is damaged") == std::string::npos)
            throw Wrong("it opened, and takes no edit\n" + format(edit.errors()));
    }
    opened = Diagnostics{}; // closed
    auto again = Document::open(path);
    if (!again)
        throw Wrong("it opened, and does not open again\n" + format(again.errors()));
    const auto& now = **again;
    judge_numbers(now);
    if (!same_source(now.source(), source) || !begins_with(now.revisions(), revisions) ||
        !begins_with(now.measurements(), measurements) || now.state("draft") != draft)
        throw Wrong("what it held is lost or changed");
    if (now.revisions().size() != revisions.size() + (edit ? 1 : 0))
        throw Wrong(edit ? "an edit is lost" : "an edit that failed is there");
    if (edit && (now.current().id != *edit || now.current().script != kScript))
        throw Wrong("an edit is another");
}

// A document, with nothing beside it that an earlier one left.
std::string as_document(std::string_view bytes) {
    auto path = as_file(bytes, "d.loopscope");
    for (const auto* ending : {"-journal", "-wal", "-shm"})
        ::unlink((path + ending).c_str());
    return path;
}

void judge_document(std::string_view bytes) { judge_open(as_document(bytes)); }

// A document as we write it.
const std::string& whole() {
    static const std::string bytes = [] {
        const auto path = as_file("", "made.loopscope");
        session::DocumentSource source;
        const std::string text = "pipeline p\ninput a: f32[4]\nstage s[x] = a[x]\noutput s: [4]\n";
        source.program = std::make_shared<const session::Program>(session::Program{text, {}});
        source.script = kScript;
        auto made = Document::create(path, source);
        if (!made)
            throw Wrong(format(made.errors()));
        const auto other =
            std::make_shared<const session::Program>(session::Program{text + "# two\n", {}});
        if (auto added = (*made)->add_revision(kScript, "another", "", other); !added)
            throw Wrong(format(added.errors()));
        return bytes_in(path);
    }();
    return bytes;
}

// A document with `bytes` as its journal. Where they begin with 'S', what follows ends as a journal
// does that names another file, `other`, as the one of several databases.
std::string with_journal(std::string_view bytes, const std::string& other) {
    auto path = as_document(whole());
    as_file(bytes.starts_with('S') ? std::string(bytes.substr(1)) + test::journal_end_naming(other)
                                   : std::string(bytes),
            "d.loopscope-journal");
    return path;
}

void judge_journal(std::string_view bytes) {
    const auto others = as_file("a person's", "work.txt");
    judge_open(with_journal(bytes, others));
    if (bytes_in(others) != "a person's")
        throw Wrong("another file was changed");
}

// A document on which the statements of `sql` were run, as far as SQLite takes them.
std::string after_sql(std::string_view sql) {
    auto path = as_document(whole());
    sqlite3* raw = nullptr;
    if (sqlite3_open(path.c_str(), &raw) != SQLITE_OK)
        throw std::bad_alloc();
    sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0); // no other file is written
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(
        raw, 100'000, [](void*) { return 1; }, nullptr); // no statement runs on and on
    std::string statement;
    for (char c : std::string(sql) + ';') {
        statement += c;
        if (c == ';') {
            if (sqlite3_exec(raw, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_NOMEM)
                throw std::bad_alloc();
            statement.clear();
        }
    }
    sqlite3_close(raw);
    return path;
}

void judge_sql(std::string_view bytes) { judge_open(after_sql(bytes)); }

std::string work_in(const std::string& path) {
    const auto opened = Document::open(path);
    if (!opened)
        return format(opened.errors());
    std::string text = (*opened)->program()->text;
    for (const auto& revision : (*opened)->revisions())
        text += "|" + revision.name + "," + revision.script;
    for (const auto& measurement : (*opened)->measurements())
        text += "|" + measurement.json;
    return text;
}

std::string read_document(std::string_view bytes) { return work_in(as_document(bytes)); }

std::string read_after_sql(std::string_view bytes) { return work_in(after_sql(bytes)); }

std::string read_with_journal(std::string_view bytes) {
    return work_in(with_journal(bytes, as_file("a person's", "work.txt")));
}

const AddFormat kDocument("document", judge_document, read_document);
const AddFormat kJournal("journal", judge_journal, read_with_journal);
const AddFormat kSql("sql", judge_sql, read_after_sql);

} // namespace
} // namespace loopscope::fuzz
