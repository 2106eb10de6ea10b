#pragma once
// Documents for tests, and what strangers do to them.

#include "app/document/document.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <random>
#include <string>

namespace loopscope::session::test {

DocumentSource example_source();
std::string made_document(); // a new one's path

// By SQLite itself, as anybody may.
void change(const std::string& path, const std::string& sql);
// Why it does not open; empty: it does.
std::string refusal(const std::string& path);
// A journal beside the document, to be rolled back, with the name of a file that is its own
// journal's list.
void write_journal_naming(const std::string& path, const std::string& other);
// The journal that a crash within an edit leaves beside `path`: the document itself is not there.
void write_hot_journal(const std::string& path);

} // namespace loopscope::session::test
