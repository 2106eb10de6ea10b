// The device of a document: the script's `target`, else the document's own.

#include "app/session/document_device.h"
#include "app/session/script_target.h"
#include "tests/session/session_fixture.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

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
