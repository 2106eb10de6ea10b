// What the document's file does not take is kept elsewhere, and goes into it when it does.
#include "tests/document/faulty_files.h"
#include "tests/session/session_fixture.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace loopscope::session::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Unsaved : public SessionTest {
protected:
    // A titled document in a folder of its own.
    Session& titled() {
        place_ = loopscope::test::scratch_folder();
        auto& s = open("blur.loop", {{}, {{"H", 64}, {"W", 96}}, "host"});
        EXPECT_TRUE(s.save_document(place_ + "/mine.loopscope"));
        return s;
    }
    static void type(Session& s, const std::string& line) {
        s.edit_script(QString::fromStdString(s.draft() + line));
    }
    std::string place_;
};

TEST_F(Unsaved, AFullDiskLosesNothingThatWasTyped) {
    auto& s = titled();
    type(s, "out.split(y, yo, yi, 8)\n");
    EXPECT_FALSE(s.unsaved().any());
    std::string kept;
    {
        FaultyFiles full(place_, 1, ENOSPC, true);
        type(s, "out.parallel(yo)\n"); // legal
        EXPECT_TRUE(s.unsaved().any());
        kept = s.unsaved().kept_at();
        ASSERT_FALSE(kept.empty());
        type(s, "out.spl"); // and goes on, with an error
        EXPECT_EQ(s.unsaved().kept_at(), kept) << "one copy";
        EXPECT_FALSE(apply("out.unroll(yi)"));
        // What the next start would find.
        const auto found = RecoveryFolder(folder_).documents();
        ASSERT_EQ(found.size(), 0u) << "it is still being written";
    }
    type(s, "it(x, xo, xi, 8)\n"); // the disk has room again
    EXPECT_FALSE(s.unsaved().any());
    EXPECT_FALSE(fs::exists(kept)) << "the copy is needed no more";
    EXPECT_EQ(s.script(), s.draft());
    const auto script = s.script();
    EXPECT_THAT(script, HasSubstr("parallel"));
    s.close();
    EXPECT_EQ(Document::open(place_ + "/mine.loopscope").value()->current().script, script);
}

TEST_F(Unsaved, ACopyOfTheWorkIsOfferedAtTheNextStart) {
    auto& s = titled();
    std::string draft;
    {
        FaultyFiles full(place_, 1, ENOSPC, true);
        type(s, "out.split(y, yo, yi, 8)\nout.spl");
        draft = s.draft();
        session_.reset();
    }
    const auto found = RecoveryFolder(folder_).documents();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].unsaved);
    EXPECT_FALSE(found[0].closed);
    Session next(nullptr, folder_);
    ASSERT_TRUE(next.open(found[0].path));
    EXPECT_EQ(next.draft(), draft);
    EXPECT_EQ(next.document()->state(kUnsavedState), "") << "it is a document as others";
}

TEST_F(Unsaved, WhereTheRecoveryFolderIsFullTooAnotherPlaceTakesIt) {
    auto& s = open("blur.loop"); // untitled: its file is in the recovery folder
    {
        FaultyFiles full(folder_, 1, ENOSPC, true);
        type(s, "out.spl");
        EXPECT_TRUE(s.unsaved().any());
        EXPECT_THAT(s.unsaved().kept_at(), HasSubstr(std::getenv("XDG_RUNTIME_DIR")));
        session_.reset();
    }
    const auto found = RecoveryFolder(folder_).documents();
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(found[0].has_draft);
    for (const auto& document : found)
        fs::remove(document.path);
}

TEST_F(Unsaved, AFolderThatHasGoneIsSaidAndSaveAsGoesOn) {
    auto& s = titled();
    fs::remove_all(place_);
    type(s, "out.split(y, yo, yi, 8)\n");
    EXPECT_TRUE(s.unsaved().any());
    EXPECT_THAT(messages_.toStdString(), HasSubstr("was moved or removed while it was open"));
    EXPECT_THAT(messages_.toStdString(), testing::Not(HasSubstr("disk")));
    const auto other = loopscope::test::scratch_folder() + "/other.loopscope";
    ASSERT_TRUE(s.save_document(other));
    EXPECT_FALSE(s.unsaved().any());
    EXPECT_THAT(s.script(), HasSubstr("split"));
    s.close();
    EXPECT_THAT(Document::open(other).value()->current().script, HasSubstr("split"));
}

TEST_F(Unsaved, AMeasurementThatTheFileDidNotTakeGoesInLater) {
    auto& s = titled();
    Measurement m;
    m.key = "k";
    m.revision = 1;
    m.json = "{}";
    {
        FaultyFiles full(place_, 1, ENOSPC, true);
        s.add_measurement(m);
        EXPECT_TRUE(s.unsaved().any());
        EXPECT_TRUE(s.document()->measurements().empty());
    }
    m.json = "{\"second\": 2}";
    s.add_measurement(m);
    EXPECT_FALSE(s.unsaved().any());
    ASSERT_EQ(s.document()->measurements().size(), 2u);
    EXPECT_EQ(s.document()->measurements()[0].json, "{}");
}

// Of any length, and of bytes that are no text.
TEST_F(Unsaved, APipelineOfAnyNameOpens) {
    const auto text = loopscope::test::read_file(bundled("blur.loop"));
    for (const auto& name : {std::string(230, 'n'), std::string("odd\xff\xfe"),
                             std::string("ä") + std::string(100, 'x')}) {
        const auto path = loopscope::test::scratch_folder() + "/" + name + ".loop";
        std::ofstream(path) << text;
        auto opened = session_->open(path);
        EXPECT_TRUE(opened) << name << ": " << format(opened.errors());
    }
}

} // namespace
} // namespace loopscope::session::test
