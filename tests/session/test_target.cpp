// The device of a document: the script's `target`, else the document's own.

#include "app/session/document_device.h"
#include "app/session/script_target.h"
#include "tests/session/session_fixture.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace loopscope::session::test {

TEST(ScriptTarget, IsReadAndWrittenBesideComments) {
    EXPECT_EQ(target_of("schedule for a\n"), "");
    EXPECT_EQ(target_of("schedule for a # target x\n"), "");
    EXPECT_EQ(target_of("schedule for a\ntarget h200 # mine\nC.parallel(i)\n"), "h200");
    EXPECT_EQ(with_target("schedule for a # first\nC.parallel(i)\n", "h200"),
              "schedule for a # first\ntarget h200\nC.parallel(i)\n");
    EXPECT_EQ(with_target("schedule for a", "h200"), "schedule for a\ntarget h200\n");
    EXPECT_EQ(with_target("schedule for a\ntarget v100 # old\nb.x()\n", "h200"),
              "schedule for a\ntarget h200 # old\nb.x()\n");
    EXPECT_EQ(with_target("schedule for a\ntarget v100\nb.x()\n", ""), "schedule for a\nb.x()\n");
    EXPECT_EQ(with_target("schedule for a\n", ""), "schedule for a\n");
}

// A document names its device, which is a path to whatever its maker liked.
TEST(DocumentDevice, APipeIsNotWaitedFor) {
    const auto pipe = loopscope::test::scratch_folder() + "/device.json";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    DocumentDevice devices;
    auto found = devices.find(pipe);
    ASSERT_FALSE(found);
    EXPECT_THAT(format(found.errors()), testing::HasSubstr("not a regular file"));
}

class TargetTest : public SessionTest {
protected:
    std::string script_file(const std::string& text) {
        const auto path = folder_ + "/test.sched";
        std::ofstream(path) << text;
        return path;
    }
};

// A recipe's lines take its place as one step, and mean what it meant.
TEST_F(TargetTest, ARecipeIsWrittenOutAndComesBack) {
    OpenOptions options;
    options.schedule_file =
        script_file("schedule for matmul_f16\ntarget h200\nC.tensor_core()  # whole\n");
    auto& s = open("matmul_f16.loop", options);
    const auto hash = s.tree()->root->hash;
    EXPECT_EQ(recipe_lines(s.schedule()), (std::vector<int>{3}));
    EXPECT_EQ(s.lines_about({"C_sums", 0, "k_step"}), (std::vector<int>{3}));
    EXPECT_FALSE(s.write_recipe_out(2).ok());
    ASSERT_TRUE(s.write_recipe_out(3).ok());
    EXPECT_TRUE(recipe_lines(s.schedule()).empty());
    EXPECT_NE(s.script().find("# C.tensor_core(): whole\nC_sums = C.cache_write(fragment)\n"),
              std::string::npos);
    EXPECT_EQ(s.tree()->root->hash, hash);
    EXPECT_EQ(s.undo_text().toStdString(), "write out C.tensor_core()");
    EXPECT_FALSE(s.write_recipe_out(3).ok());
    s.undo();
    EXPECT_EQ(recipe_lines(s.schedule()), (std::vector<int>{3}));
    s.redo();
    EXPECT_TRUE(recipe_lines(s.schedule()).empty());
}

TEST_F(TargetTest, AScheduleOpensOnItsOwnDevice) {
    OpenOptions options;
    options.schedule_file = script_file("schedule for matmul\ntarget a100-sxm-40gb\n");
    auto& s = open("matmul.loop", options);
    EXPECT_EQ(s.device()->name, "a100-sxm-40gb");
    ASSERT_TRUE(wait_until([&] { return s.estimates().current(); }));
    ASSERT_TRUE(s.estimates().now()->seconds);
    EXPECT_TRUE(s.estimates().now()->kernels.front().gpu) << "the model is one of GPUs";
    options.device = "h200";
    auto& other = open("matmul.loop", options);
    EXPECT_EQ(other.device()->name, "h200") << "what is asked for wins";
    EXPECT_EQ(target_of(other.script()), "h200");
    options.device = "host";
    EXPECT_TRUE(open("matmul.loop", options).device()->is_host);
    options.schedule_file = script_file("schedule for matmul\ntarget nothere\n");
    options.device.clear();
    EXPECT_FALSE(session_->open(bundled("matmul.loop"), options).ok());
}

TEST_F(TargetTest, AGpuThatIsChosenIsALineOfTheScript) {
    auto& s = open("matmul.loop");
    ASSERT_TRUE(s.set_device("h200").ok());
    EXPECT_EQ(s.device()->name, "h200");
    EXPECT_EQ(target_of(s.script()), "h200");
    s.undo();
    EXPECT_TRUE(s.device()->is_host) << "undo goes back to the machine before";
    s.redo();
    EXPECT_EQ(s.device()->name, "h200");
    ASSERT_TRUE(s.set_device("v100").ok());
    EXPECT_EQ(target_of(s.script()), "v100");
    ASSERT_TRUE(s.set_device("i7-6700").ok());
    EXPECT_EQ(target_of(s.script()), "");
    EXPECT_EQ(s.device()->name, "i7-6700");
}

// --device beside a document, whose device is another one.
TEST_F(TargetTest, ADocumentIsOpenedForTheDeviceThatIsAskedFor) {
    const auto file = folder_ + "/kept.loopscope";
    {
        auto& s = open("matmul.loop");
        ASSERT_TRUE(s.save_document(file).ok());
        s.close();
    }
    OpenOptions options;
    options.device = "h200";
    ASSERT_TRUE(session_->open(file, options).ok());
    EXPECT_EQ(session_->device()->name, "h200");
    EXPECT_EQ(target_of(session_->script()), "h200");
    session_->undo();
    EXPECT_TRUE(session_->device()->is_host) << "an edit as any other";
    options.device = "nowhere";
    EXPECT_FALSE(session_->open(file, options).ok());
}

// --device without a file, or the device box while nothing is open: what is opened next is for it.
TEST_F(TargetTest, ADeviceThatIsAskedForBeforeAFileIsForTheNextOne) {
    ASSERT_TRUE(session_->set_device("h200").ok());
    EXPECT_FALSE(session_->open(bundled("nothere.loop")).ok());
    auto& s = open("matmul.loop");
    EXPECT_EQ(s.device()->name, "h200");
    EXPECT_EQ(target_of(s.script()), "h200");
}

TEST_F(TargetTest, AScheduleThatNamesItsDeviceIsForItWhateverWasChosen) {
    std::filesystem::copy_file(bundled("matmul.loop"), folder_ + "/matmul.loop",
                               std::filesystem::copy_options::overwrite_existing);
    ASSERT_TRUE(session_->set_device("i7-6700").ok());
    ASSERT_TRUE(session_->open(script_file("schedule for matmul\ntarget h200\n")).ok());
    EXPECT_EQ(session_->device()->name, "h200");
    EXPECT_EQ(target_of(session_->script()), "h200");
    session_->close();
    ASSERT_TRUE(session_->set_device("v100").ok());
    ASSERT_TRUE(session_->open(script_file("schedule for matmul\n")).ok());
    EXPECT_EQ(session_->device()->name, "v100") << "it names none";
    EXPECT_EQ(target_of(session_->script()), "v100");
}

TEST_F(TargetTest, ADocumentThatCannotMoveToTheDeviceIsOpenAllTheSame) {
    const auto file = folder_ + "/kept.loopscope";
    {
        auto& s = open("matmul.loop");
        ASSERT_TRUE(s.save_document(file).ok());
        s.edit_script("schedule for matmul\nC.parallel(\n");
        ASSERT_TRUE(s.has_draft());
        s.close();
    }
    OpenOptions options;
    options.device = "h200";
    messages_.clear();
    ASSERT_TRUE(session_->open(file, options).ok());
    EXPECT_TRUE(session_->is_open());
    EXPECT_TRUE(session_->has_draft());
    EXPECT_TRUE(session_->device()->is_host);
    EXPECT_FALSE(messages_.isEmpty()) << "why it is not for h200";
    EXPECT_FALSE(session_->open(file, options).ok()) << "nothing was opened now";
}

TEST_F(TargetTest, ATypedTargetMovesTheDeviceAndAWrongOneIsMarkedInItsPlace) {
    auto& s = open("matmul.loop");
    s.edit_script("schedule for matmul\ntarget h20\n");
    ASSERT_FALSE(s.diagnostics().empty());
    EXPECT_TRUE(s.device()->is_host);
    const auto& range = s.diagnostics().front().range;
    ASSERT_TRUE(range.file);
    EXPECT_EQ(range.file->position(range.begin).line, 2);
    s.edit_script("schedule for matmul\ntarget h200\n");
    EXPECT_TRUE(s.diagnostics().empty());
    EXPECT_EQ(s.device()->name, "h200");
    ASSERT_TRUE(apply("C.gpu_tile(i, j, io, jo, ii, ji, 16, 16)"));
    ASSERT_TRUE(wait_until([&] { return s.estimates().current(); }));
    EXPECT_EQ(s.estimates().now()->device, "h200");
    EXPECT_EQ(s.estimates().now()->kernels.front().gpu->threads, 256);
}

} // namespace loopscope::session::test
