// Documents from strangers: what is in them is data, or is refused in bounded time and memory.
#include "app/document/document.h"
#include "app/document/recovery_folder.h"
#include "app/document/statement.h"
#include "tests/document/document_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

namespace loopscope::session::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::int64_t kGreatest = INT64_MAX;

TEST(HostileDocuments, ASchemaThatIsNotOursIsRefused) {
    const struct {
        const char* what;
        const char* sql;
    } cases[] = {
        {"a trigger that drops every edit", "CREATE TRIGGER t AFTER INSERT ON revisions BEGIN "
                                            "DELETE FROM revisions WHERE id = new.id; "
                                            "END"},
        {"a view in place of a table, without end",
         "DROP TABLE revisions; CREATE VIEW revisions(id, parent, script, name, selection, time) "
         "AS "
         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 0, 'x', '', "
         "'', "
         "0.0 FROM n"},
        {"a table more", "CREATE TABLE more(x)"},
        {"a column more", "ALTER TABLE revisions ADD COLUMN more"},
        {"an index more", "CREATE INDEX more ON revisions(script)"},
        {"an index less", "DROP INDEX measurements_by_key"},
        {"a virtual table", "CREATE VIRTUAL TABLE v USING fts5(x)"},
        {"a table less", "DROP TABLE measurements"},
    };
    for (const auto& one : cases) {
        const auto path = made_document();
        change(path, one.sql);
        EXPECT_THAT(refusal(path), HasSubstr("its tables are not those that Loopscope writes"))
            << one.what;
        EXPECT_FALSE(Document::summary(path)) << one.what;
    }
}

TEST(HostileDocuments, NumbersAreThoseThatWeWrite) {
    const auto greatest = std::to_string(kGreatest);
    const std::string cases[] = {
        "UPDATE revisions SET id = " + greatest,
        "UPDATE revisions SET id = -1",
        "UPDATE revisions SET parent = 1", // its own
        "UPDATE revisions SET parent = -5",
        "UPDATE revisions SET parent = " + greatest,
        "INSERT INTO revisions VALUES(3, 1, 'x', '', '', 0.0)", // one is left out
        "INSERT INTO revisions VALUES(" + greatest + ", 1, 'x', '', '', 0.0)",
        "INSERT INTO measurements VALUES(" + greatest + ", 'k', 1, 'd', '{}', 0.0)",
        "INSERT INTO measurements VALUES(1, 'k', 77, 'd', '{}', 0.0)",
        "UPDATE state SET value = '" + greatest + "' WHERE key = 'current'",
        "UPDATE state SET value = '1x' WHERE key = 'current'",
        "UPDATE state SET value = '' WHERE key = 'current'",
        "UPDATE source SET value = '{\"N\": 9223372036854775808}' WHERE key = 'params'",
        "UPDATE source SET value = '{\"N\": 1.5}' WHERE key = 'params'",
        "UPDATE source SET value = '" + std::string(100'000, '[') + "' WHERE key = 'params'",
    };
    for (const auto& sql : cases) {
        const auto path = made_document();
        change(path, sql);
        EXPECT_THAT(refusal(path), HasSubstr("is damaged")) << sql.substr(0, 100);
    }
}

// Times that no calendar has, a name that fills the screen: opened, and made harmless.
TEST(HostileDocuments, WhatIsOnlyOddOpens) {
    const auto path = made_document();
    change(path, "UPDATE revisions SET time = 9e999, name = '" + std::string(1 << 20, 'n') + "'");
    change(path, "INSERT INTO measurements VALUES(1, 'k', 1, 'd', '" + std::string(50'000, '[') +
                     "', -1e300)");
    auto opened = Document::open(path);
    ASSERT_TRUE(opened) << format(opened.errors());
    EXPECT_EQ((*opened)->current().time, 0);
    EXPECT_EQ((*opened)->current().name.size(), kMaxName);
    EXPECT_EQ((*opened)->measurements().at(0).time, 0);
    ASSERT_TRUE((*opened)->rename(1, std::string(1 << 20, 'm')));
    EXPECT_EQ((*opened)->current().name.size(), kMaxName);
}

TEST(HostileDocuments, WhatIsReadHasBounds) {
    ReadLimits small;
    small.rows = 2;
    small.bytes = 1500;
    const std::string text(2000, 'x');
    const std::string cases[] = {
        "INSERT INTO revisions VALUES(2, 1, 'x', '', '', 0.0), (3, 1, 'x', '', '', 0.0)",
        "INSERT INTO measurements VALUES(1, 'k', 1, 'd', '{}', 0), (2, 'k', 1, 'd', '{}', 0), "
        "(3, 'k', 1, 'd', '{}', 0)",
        "UPDATE revisions SET script = '" + text + "'",
        "UPDATE revisions SET name = '" + text + "'",
        "INSERT INTO measurements VALUES(1, '" + text + "', 1, 'd', '{}', 0.0)",
        "UPDATE source SET value = '" + text + "' WHERE key = 'pipeline_text'",
        "INSERT INTO source VALUES('" + text + "', '')",
        "INSERT INTO state VALUES('" + text + "', '')",
    };
    ASSERT_TRUE(Document::open(made_document(), small));
    for (const auto& sql : cases) {
        const auto path = made_document();
        change(path, sql);
        auto opened = Document::open(path, small);
        ASSERT_FALSE(opened) << sql.substr(0, 100);
        EXPECT_THAT(format(opened.errors()),
                    HasSubstr("holds more than a document may: 2 revisions and measurements"));
        EXPECT_TRUE(Document::open(path)) << sql.substr(0, 100);
    }
    for (const auto* table : {"source", "state"}) {
        const auto path = made_document();
        change(path, "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 1000) "
                     "INSERT INTO " +
                         std::string(table) + " SELECT 'k' || i, '' FROM n");
        EXPECT_THAT(refusal(path), HasSubstr("holds more than a document may")) << table;
    }
}

// Files that cost their writer nothing, for they have no bytes but at their ends.
TEST(HostileDocuments, FilesAndJournalsOfAnyLengthAreNotLookedThrough) {
    for (const char* ending : {"", "-journal", "-wal"}) {
        const auto path = made_document();
        std::ofstream(path + ending, std::ios::app).close();
        fs::resize_file(path + ending, ReadLimits().file_bytes + 1);
        EXPECT_THAT(refusal(path), HasSubstr(*ending ? "that Loopscope did not write"
                                                     : "holds more than a document may"));
        EXPECT_FALSE(Document::summary(path));
    }
}

TEST(HostileDocuments, LookingThroughEndsInTime) {
    const auto path = made_document();
    change(path, "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n LIMIT 20000) "
                 "INSERT INTO revisions SELECT i, 1, 'x', '', '', 0.0 FROM n");
    ReadLimits no_time;
    no_time.time = std::chrono::milliseconds(0);
    auto opened = Document::open(path, no_time);
    ASSERT_FALSE(opened);
    EXPECT_THAT(format(opened.errors()), HasSubstr("could not be looked through within 0 s"));
    EXPECT_TRUE(Document::open(path));
}

TEST(HostileDocuments, ASchemaOfAnyLengthIsNotRead) {
    const auto path = made_document();
    change(path, "CREATE TABLE more(x " + std::string(100'000, ' ') + ", y)");
    EXPECT_THAT(refusal(path), HasSubstr("is damaged"));
}

TEST(HostileDocuments, OnlyRegularFilesAreOpened) {
    const auto pipe = loopscope::test::scratch_folder() + "/pipe.loopscope";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(refusal(pipe), HasSubstr("not a regular file"));
    EXPECT_THAT(refusal(loopscope::test::scratch_folder()), HasSubstr("not a regular file"));
    EXPECT_THAT(refusal("/dev/zero"), HasSubstr("not a regular file"));
}

TEST(HostileDocuments, NamesAreNoUris) {
    const auto folder = loopscope::test::scratch_folder();
    const auto before = fs::current_path();
    fs::current_path(folder);
    for (const std::string name : {"file:d.loopscope?mode=memory", ":memory:", "file:x"}) {
        auto made = Document::create(name, example_source());
        ASSERT_TRUE(made) << format(made.errors());
        ASSERT_TRUE((*made)->add_revision("A", "a", ""));
        made = Diagnostics{};
        EXPECT_TRUE(fs::is_regular_file(folder + "/" + name)) << name;
        auto opened = Document::open(name);
        ASSERT_TRUE(opened) << format(opened.errors());
        EXPECT_EQ((*opened)->current().script, "A");
    }
    fs::current_path(before);
}

TEST(HostileDocuments, WithoutItsEndItIsDamaged) {
    const auto whole = loopscope::test::read_file(made_document());
    for (const std::size_t size : {std::size_t(20), std::size_t(100), std::size_t(4096),
                                   whole.size() / 2, whole.size() - 1}) {
        const auto path = loopscope::test::scratch_folder() + "/short.loopscope";
        std::ofstream(path, std::ios::binary) << whole.substr(0, size);
        EXPECT_THAT(refusal(path), HasSubstr("is damaged")) << size;
    }
    const auto empty = loopscope::test::scratch_folder() + "/empty.loopscope";
    std::ofstream(empty) << "";
    EXPECT_THAT(refusal(empty), HasSubstr("is not a Loopscope document"));
}

// Whatever a bit that flipped does: it opens and takes an edit, or is refused. (Within a text it is
// another text: SQLite's pages have no sums.)
TEST(HostileDocuments, CorruptedPagesOpenOrAreRefused) {
    const auto whole = loopscope::test::read_file(made_document());
    std::mt19937 random(20261128);
    int refused = 0;
    for (int round = 0; round < 300; ++round) {
        auto bytes = whole;
        for (int n = 0; n < 1 + round % 5; ++n)
            bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
        const auto path = loopscope::test::scratch_folder() + "/flipped.loopscope";
        std::ofstream(path, std::ios::binary) << bytes;
        auto opened = Document::open(path);
        refused += !opened;
        if (!opened)
            continue;
        // The damage may be where the edit goes.
        const auto edit = (*opened)->add_revision("A", "a", "");
        EXPECT_THAT(edit ? "is damaged" : format(edit.errors()), HasSubstr("is damaged"));
    }
    EXPECT_GT(refused, 10);
}

// SQLite removes the file that a journal names as the one of several databases.
TEST(HostileDocuments, AJournalRemovesNoOtherFile) {
    const auto path = made_document();
    const auto victim = loopscope::test::scratch_folder() + "/work.txt";
    std::ofstream(victim) << "a person's";
    write_journal_naming(path, victim);
    EXPECT_THAT(refusal(path), HasSubstr("journal beside it that Loopscope did not write"));
    EXPECT_TRUE(fs::exists(victim));
    // The journal stands beside the file itself, whatever links to it.
    const auto link = loopscope::test::scratch_folder() + "/link.loopscope";
    fs::create_symlink(path, link);
    EXPECT_THAT(refusal(link), HasSubstr("journal beside it that Loopscope did not write"));
    EXPECT_TRUE(fs::exists(victim));
}

TEST(HostileDocuments, AJournalThatIsAPipeIsNotWaitedFor) {
    for (const char* ending : {"-journal", "-wal"}) {
        const auto path = made_document();
        ASSERT_EQ(::mkfifo((path + ending).c_str(), 0600), 0);
        EXPECT_THAT(refusal(path), HasSubstr("did not write")) << ending;
        EXPECT_FALSE(Document::summary(path)) << ending;
    }
}

// To close any descriptor of a file drops all locks that the process has on it.
TEST(HostileDocuments, LookingAtADocumentInUseLeavesItsLock) {
    const auto path = made_document();
    auto mine = Document::open(path);
    ASSERT_TRUE(mine);
    EXPECT_FALSE(Document::summary(path));
    EXPECT_FALSE(Document::open(path));
    const pid_t other = fork(); // locks are a process's
    ASSERT_GE(other, 0);
    if (other == 0)
        _exit(Document::open(path) ? 1 : 0);
    int status = 0;
    waitpid(other, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "two processes edit it";
}

// A crash leaves a journal, and a person removes the document alone.
TEST(HostileDocuments, AnOldJournalIsNotRolledBackIntoANewDocument) {
    const auto place = loopscope::test::scratch_folder() + "/n.loopscope";
    write_hot_journal(place);
    auto made = Document::open(made_document());
    ASSERT_TRUE(made);
    ASSERT_TRUE((*made)->add_revision("newer", "newer", ""));
    auto saved = (*made)->save_as(place);
    ASSERT_TRUE(saved) << format(saved.errors());
    made = Diagnostics{};
    auto opened = Document::open(place);
    ASSERT_TRUE(opened) << format(opened.errors());
    EXPECT_EQ((*opened)->current().script, "newer");
}

} // namespace
} // namespace loopscope::session::test
