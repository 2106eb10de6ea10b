#include "tests/document/document_support.h"

#include "tests/support/journal.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <fstream>

namespace loopscope::session::test {

DocumentSource example_source() {
    DocumentSource s;
    s.program = std::make_shared<const Program>(
        Program{"pipeline p\ninput a: f32[4]\nstage s[x] = a[x]\noutput s: [4]\n", {{"N", 4}}});
    s.pipeline_file = "p.loop";
    s.script = "schedule for p\n";
    return s;
}

std::string made_document() {
    const auto path = loopscope::test::scratch_folder() + "/d.loopscope";
    auto made = Document::create(path, example_source());
    EXPECT_TRUE(made) << format(made.errors());
    return path;
}

void change(const std::string& path, const std::string& sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    char* reason = nullptr;
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, &reason), SQLITE_OK)
        << sql.substr(0, 100) << ": " << (reason ? reason : "");
    sqlite3_free(reason);
    sqlite3_close(raw);
}

std::string refusal(const std::string& path) {
    auto opened = Document::open(path);
    return opened ? "" : format(opened.errors());
}

// SQLite's format, section 3: a header of one sector, no pages, and behind them what names a file.
void write_journal_naming(const std::string& path, const std::string& other) {
    using loopscope::test::big_endian;
    const auto document = loopscope::test::read_file(path);
    std::string journal = loopscope::test::journal_mark() + big_endian(0) + big_endian(0) +
                          big_endian(static_cast<std::uint32_t>(document.size() / 4096)) +
                          big_endian(512) + big_endian(4096);
    journal.resize(512);
    journal += big_endian(0x40000000 / 4096 + 1) + loopscope::test::journal_end_naming(other);
    std::ofstream(path + "-journal", std::ios::binary) << journal;
}

void write_hot_journal(const std::string& path) {
    const auto old = made_document();
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(old.c_str(), &raw), SQLITE_OK);
    // More pages than the cache holds, so that the journal is on the disk before the commit.
    for (const char* sql :
         {"PRAGMA cache_size = 1", "BEGIN",
          "INSERT INTO state SELECT 'k' || value, hex(zeroblob(3000)) FROM "
          "(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 100) "
          "SELECT value FROM n)"})
        ASSERT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    const auto journal = loopscope::test::read_file(old + "-journal");
    EXPECT_GT(journal.size(), 512u);
    std::ofstream(path + "-journal", std::ios::binary) << journal;
    sqlite3_close(raw);
}

} // namespace loopscope::session::test
