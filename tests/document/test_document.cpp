#include "app/document/document.h"
#include "tests/document/document_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <sqlite3.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

using namespace loopscope;
using namespace loopscope::session;
using loopscope::session::test::example_source;

namespace {

std::string fresh_path() { return loopscope::test::scratch_folder() + "/d.loopscope"; }

} // namespace

TEST(Document, KeepsWhatItWasMadeFrom) {
    auto path = fresh_path();
    {
        auto made = Document::create(path, example_source());
        ASSERT_TRUE(made.ok()) << format(made.errors());
    }
    auto opened = Document::open(path);
    ASSERT_TRUE(opened.ok()) << format(opened.errors());
    EXPECT_EQ(*(*opened)->source().program, *example_source().program);
    EXPECT_EQ((*opened)->current().script, "schedule for p\n");
    EXPECT_EQ((*opened)->revisions().size(), 1u);
}

TEST(Document, EditingAfterUndoMakesABranchAndLosesNothing) {
    auto path = fresh_path();
    {
        auto made = Document::create(path, example_source());
        ASSERT_TRUE(made.ok());
        auto& d = **made;
        auto a = d.add_revision("A", "a", "s/x");
        ASSERT_TRUE(a.ok());
        ASSERT_TRUE(d.go_to(1).ok());
        auto b = d.add_revision("B", "b", "");
        ASSERT_TRUE(b.ok());
        EXPECT_EQ(d.find(*a)->parent, 1);
        EXPECT_EQ(d.find(*b)->parent, 1);
        ASSERT_TRUE(d.rename(*a, "first try").ok());
        ASSERT_TRUE(d.set_state("pin", "2").ok());
        Measurement m;
        m.key = "k";
        m.json = "{}";
        ASSERT_TRUE(d.add_measurement(m).ok());
    }
    auto opened = Document::open(path);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ((*opened)->revisions().size(), 3u);
    EXPECT_EQ((*opened)->current().script, "B");
    EXPECT_EQ((*opened)->find(2)->name, "first try");
    EXPECT_EQ((*opened)->find(2)->selection, "s/x");
    EXPECT_EQ((*opened)->state("pin"), "2");
    EXPECT_EQ((*opened)->measurements().size(), 1u);
    EXPECT_FALSE((*opened)->go_to(99).ok());
}

TEST(Document, SaveAsContinuesInTheCopy) {
    auto path = fresh_path(), other = fresh_path();
    auto made = Document::create(path, example_source());
    ASSERT_TRUE(made.ok());
    auto status = (*made)->save_as(other);
    ASSERT_TRUE(status.ok()) << format(status.errors());
    EXPECT_EQ((*made)->path(), other);
    ASSERT_TRUE((*made)->add_revision("later", "later", "").ok());
    made = Result<std::unique_ptr<Document>>(Diagnostics{});
    auto original = Document::open(path), copy = Document::open(other);
    ASSERT_TRUE(original.ok());
    ASSERT_TRUE(copy.ok()) << format(copy.errors());
    EXPECT_EQ((*original)->revisions().size(), 1u);
    EXPECT_EQ((*copy)->current().script, "later");
}

TEST(Document, RefusesANewerFormatAndForeignFiles) {
    auto path = fresh_path();
    ASSERT_TRUE(Document::create(path, example_source()).ok());
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(raw, "PRAGMA user_version = 7", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
    auto newer = Document::open(path);
    ASSERT_FALSE(newer.ok());
    EXPECT_NE(format(newer.errors()).find("format 7"), std::string::npos);

    auto text = loopscope::test::scratch_folder() + "/t.loopscope";
    std::ofstream(text)
        << "this is no database, whatever its name says; it is longer than a header page would be";
    auto foreign = Document::open(text);
    ASSERT_FALSE(foreign.ok());
    EXPECT_NE(format(foreign.errors()).find("not a Loopscope document"), std::string::npos);
    EXPECT_FALSE(Document::open(text + ".missing").ok());

    auto empty = fresh_path();
    ASSERT_EQ(sqlite3_open(empty.c_str(), &raw), SQLITE_OK);
    sqlite3_exec(raw, "CREATE TABLE source(key, value)", nullptr, nullptr, nullptr);
    sqlite3_close(raw);
    EXPECT_FALSE(Document::open(empty).ok());
}

TEST(Document, DamageIsReportedNotObeyed) {
    auto path = fresh_path();
    ASSERT_TRUE(Document::create(path, example_source()).ok());
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    sqlite3_exec(raw, "DELETE FROM revisions", nullptr, nullptr, nullptr);
    sqlite3_close(raw);
    auto opened = Document::open(path);
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(format(opened.errors()).find("damaged"), std::string::npos);
}

TEST(Document, ACopyIsOpenedOfWhatIsOnlyRead) {
    const auto path = fresh_path(), place = fresh_path();
    const auto bytes = [&path] {
        std::ifstream in(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    {
        auto made = Document::create(path, example_source());
        ASSERT_TRUE(made.ok());
        ASSERT_TRUE((*made)->add_revision("A", "a", "").ok());
        auto refused = Document::open_copy(path, place);
        ASSERT_FALSE(refused.ok()) << "it is being edited";
        EXPECT_EQ(refused.errors()[0].code, kDocumentInUse);
    }
    const auto before = bytes();
    auto copy = Document::open_copy(path, place);
    ASSERT_TRUE(copy.ok()) << format(copy.errors());
    EXPECT_EQ((*copy)->path(), place);
    EXPECT_EQ((*copy)->current().script, "A");
    ASSERT_TRUE((*copy)->add_revision("B", "b", "").ok());
    EXPECT_EQ(bytes(), before);
    auto original = Document::open(path);
    ASSERT_TRUE(original.ok()) << "nobody holds it";
    EXPECT_EQ((*original)->revisions().size(), 2u);
}

TEST(Document, OneProcessAtATime) {
    auto path = fresh_path();
    auto first = Document::create(path, example_source());
    ASSERT_TRUE(first.ok());
    auto second = Document::open(path);
    ASSERT_FALSE(second.ok());
    EXPECT_NE(format(second.errors()).find("another window"), std::string::npos);
    auto summary = Document::summary(path);
    ASSERT_FALSE(summary.ok());
    EXPECT_NE(format(summary.errors()).find("another window"), std::string::npos);
}

TEST(Document, SavingOntoItsOwnFileKeepsIt) {
    auto path = fresh_path();
    auto made = Document::create(path, example_source());
    ASSERT_TRUE(made.ok());
    ASSERT_TRUE((*made)->add_revision("A", "a", "").ok());
    ASSERT_TRUE((*made)->save_as(path).ok());
    ASSERT_TRUE((*made)->add_revision("B", "b", "").ok());
    made = Result<std::unique_ptr<Document>>(Diagnostics{});
    auto opened = Document::open(path);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ((*opened)->current().script, "B");
}

TEST(Document, SavingOntoAnOpenDocumentIsRefused) {
    auto path = fresh_path(), other = fresh_path();
    auto mine = Document::create(path, example_source()),
         theirs = Document::create(other, example_source());
    ASSERT_TRUE(mine.ok());
    ASSERT_TRUE(theirs.ok());
    auto status = (*mine)->save_as(other);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(format(status.errors()).find("another window"), std::string::npos);
    EXPECT_EQ((*mine)->path(), path);
    ASSERT_TRUE((*theirs)->add_revision("still here", "edit", "").ok());
}

// Other programs need not know of SQLite's locks. The file stays under its name and in its place.
TEST(Document, NoticesWhatAnotherProgramWritesIntoItsFile) {
    using loopscope::test::read_file;
    const auto overwrite = [](const std::string& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    };
    for (const char* what : {"an older copy", "another size", "a byte", "nothing but a new time"}) {
        SCOPED_TRACE(what);
        const auto path = fresh_path();
        auto made = Document::create(path, example_source());
        ASSERT_TRUE(made.ok());
        const auto older = read_file(path);
        for (const char* script : {"A", "B", "C"}) {
            ASSERT_TRUE((*made)->add_revision(script, "edit", "").ok());
            EXPECT_TRUE((*made)->check_place().ok()) << "what is written from here is no news";
        }
        ASSERT_TRUE((*made)->set_state("a", "b").ok());
        ASSERT_TRUE((*made)->go_to(2).ok());
        auto bytes = read_file(path);
        const auto written = std::filesystem::last_write_time(path);
        if (what == std::string("an older copy"))
            bytes = older + std::string(bytes.size() - older.size(), '\0');
        else if (what == std::string("another size"))
            bytes = "of another program";
        else if (what == std::string("a byte"))
            bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
        overwrite(path, bytes);
        std::filesystem::last_write_time(path, written + std::chrono::seconds(2));
        if (what == std::string("nothing but a new time")) {
            EXPECT_TRUE((*made)->check_place().ok());
            EXPECT_TRUE((*made)->add_revision("D", "edit", "").ok());
            continue;
        }
        const auto place = (*made)->check_place();
        ASSERT_FALSE(place.ok());
        EXPECT_NE(format(place.errors()).find("was written to by another program"),
                  std::string::npos)
            << format(place.errors());
        EXPECT_FALSE((*made)->add_revision("D", "edit", "").ok()) << "it would be a mixture";
        EXPECT_FALSE((*made)->save_as(path).ok());
        EXPECT_EQ(read_file(path), bytes) << "what the other program wrote stays";
        const auto saved = fresh_path();
        ASSERT_TRUE((*made)->save_as(saved).ok());
        EXPECT_TRUE((*made)->add_revision("D", "edit", "").ok());
        made = Result<std::unique_ptr<Document>>(Diagnostics{});
        auto opened = Document::open(saved);
        ASSERT_TRUE(opened.ok()) << format(opened.errors());
        EXPECT_EQ((*opened)->revisions().size(), 5u);
        EXPECT_EQ((*opened)->current().script, "D");
    }
}

// A log beside the file, which a stranger's tools may have asked for, would be written into
// whatever the file holds when it closes.
TEST(Document, HasNoLogBesideIt) {
    using loopscope::test::read_file;
    const auto path = fresh_path();
    ASSERT_TRUE(Document::create(path, example_source()).ok());
    sqlite3* strange = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &strange), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(strange, "PRAGMA journal_mode = WAL; PRAGMA user_version", nullptr,
                           nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(strange);
    ASSERT_EQ(read_file(path)[18], 2) << "no log was asked for: the test is of nothing";
    auto opened = Document::open(path);
    ASSERT_TRUE(opened.ok()) << format(opened.errors());
    ASSERT_TRUE((*opened)->add_revision("A", "edit", "").ok());
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    const auto bytes = std::string(read_file(path).size(), 'x');
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    EXPECT_FALSE((*opened)->check_place().ok());
    opened = Result<std::unique_ptr<Document>>(Diagnostics{});
    EXPECT_EQ(read_file(path), bytes) << "what the other program wrote stays";
}

// A child edits as fast as it can and reports each finished edit through a pipe; it is killed at a
// random moment. Every edit that was reported must be in the file afterwards.
TEST(Document, SurvivesBeingKilled) {
    for (int round = 0; round < 50; ++round) {
        auto path = fresh_path();
        ASSERT_TRUE(Document::create(path, example_source()).ok());
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            auto d = Document::open(path);
            for (int i = 0; d.ok() && i < 100000; ++i) {
                if (!(*d)->add_revision("script " + std::to_string(i), "edit", "").ok())
                    break;
                if (write(ends[1], &i, sizeof i) != sizeof i)
                    break;
            }
            _exit(0);
        }
        close(ends[1]);
        int first = -1;
        ASSERT_EQ(read(ends[0], &first, sizeof first), static_cast<ssize_t>(sizeof first));
        usleep(static_cast<useconds_t>(500 + 37 * round % 4000 + round * 300));
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        int last = first, next = 0;
        while (read(ends[0], &next, sizeof next) == static_cast<ssize_t>(sizeof next))
            last = next;
        close(ends[0]);
        auto opened = Document::open(path);
        ASSERT_TRUE(opened.ok()) << format(opened.errors());
        EXPECT_GE((*opened)->revisions().size(), static_cast<std::size_t>(last) + 2);
        EXPECT_EQ((*opened)->current().id, (*opened)->revisions().back().id);
    }
}
