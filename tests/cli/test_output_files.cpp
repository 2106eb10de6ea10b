// Files that the command line writes: never over what it reads, whole or not at all, and refused
// before anything is compiled where they cannot be written.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include "compiler/run/array_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace loopscope {
namespace test_output_files {

namespace fs = std::filesystem;
using test::pipeline;
using test::run_cli;
using testing::HasSubstr;

const char* const kCopy = "pipeline p\nparam N = 4\ninput a[i]: f32[N]\ninput b[i]: f32[N]\n"
                          "stage s[i] = a[i] + b[i]\nstage t[y, x] = u8(0)\n"
                          "output s: [N]\noutput t: [2, 3]\n";

std::string array_in(const std::string& path) {
    auto done = write_array(path, make_buffer(ScalarType::F32, {4}).value());
    EXPECT_TRUE(done) << (done ? "" : format(done.errors()));
    return path;
}

// The status, the parts of the message, and nothing changed: `folder` has the same files with the
// same bytes.
void refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts,
             const std::string& folder, const std::string& before = "", int status = 2) {
    auto state = [&] {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            files[entry.path()] = entry.is_regular_file() ? test::read_file(entry.path()) : "";
        return files;
    };
    auto files = state();
    auto outcome = run_cli(arguments, "", before);
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "");
    for (const auto& part : parts)
        EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_EQ(state(), files);
}

TEST(OutputFiles, EmitWritesOverNothingThatItReads) {
    auto program = test::write_file("p.loop", kCopy);
    auto folder = fs::path(program).parent_path().string();
    auto script = folder + "/p.sched";
    std::ofstream(script) << "schedule for p\n";
    refused({"emit", program, "-o", program},
            {"`-o " + program + "` would overwrite the pipeline " + program +
             ", which is read; "
             "name another file to write"},
            folder);
    refused({"emit", program, "-s", script, "-o", script}, {"would overwrite the schedule "},
            folder);
    // By other names: another spelling, a link, a second name of the same bytes.
    fs::create_directory(folder + "/in");
    fs::create_symlink(program, folder + "/link.c");
    fs::create_hard_link(script, folder + "/second.c");
    refused({"emit", program, "-o", folder + "/in/../p.loop"}, {"the pipeline"}, folder);
    refused({"emit", program, "-o", folder + "/link.c"}, {"link.c` would overwrite the pipeline"},
            folder);
    refused({"emit", program, "-s", script, "--json", "-o", folder + "/second.c"},
            {"would overwrite the schedule " + script}, folder);
    EXPECT_EQ(run_cli({"emit", program, "-s", script, "-o", folder + "/p.c"}).status, 0);
}

TEST(OutputFiles, EmitWritesNotOverTheTargetsDescription) {
    auto folder = test::scratch_folder() + "/resources";
    fs::create_directories(folder + "/devices");
    auto device = folder + "/devices/mine.json";
    auto text = test::read_file(test::source_path("resources/devices/i7-6700.json"));
    std::ofstream(device) << text;
    auto script = test::write_file("p.sched", "schedule for blur\ntarget mine\n");
    auto with_resources = "export LOOPSCOPE_RESOURCES='" + folder + "'";
    refused({"emit", pipeline("blur"), "-s", script, "-o", device},
            {"would overwrite the device description "}, folder, with_resources);
}

TEST(OutputFiles, RunWritesOverNothingThatItReads) {
    auto program = test::write_file("p.loop", kCopy);
    auto folder = fs::path(program).parent_path().string();
    auto a = array_in(folder + "/a.npy"), b = array_in(folder + "/b.npy");
    fs::create_symlink("b.npy", folder + "/link.npy");
    std::vector<std::string> line{"run",     program,  "--input", "a=" + a,
                                  "--input", "b=" + b, "--output"};
    auto to = [&](const std::string& output) {
        auto all = line;
        all.push_back(output);
        return all;
    };
    refused(to("s=" + folder + "/./a.npy"),
            {"`--output s=" + folder + "/./a.npy` would overwrite the array of the input `a`, " +
             a + ", which is read"},
            folder);
    refused(to("s=" + folder + "/link.npy"), {"the array of the input `b`, " + b}, folder);
    fs::copy_file(program, folder + "/program.npy");
    line[1] = folder + "/program.npy";
    refused(to("s=" + folder + "/program.npy"), {"would overwrite the pipeline"}, folder);
}

TEST(OutputFiles, EmitLeavesTheOldFileWhenItFails) {
    auto folder = test::scratch_folder();
    auto old = folder + "/old.c";
    std::ofstream(old) << "precious";
    // A disk that is full, by a limit on the size of files; the signal that goes with it must not
    // end the program either.
    for (auto before : {"ulimit -f 1", "trap '' XFSZ; ulimit -f 1"})
        refused({"emit", pipeline("blur"), "--as", "c", "-o", old},
                {"cannot write '" + old + "': File too large"}, folder, before, 4);
    refused({"emit", pipeline("blur"), "-o", folder}, {"it is a folder; name a file"}, folder);
    refused({"emit", pipeline("blur"), "-o", folder + "/none/p.c"},
            {"its folder is not there; create the folder, or name another"}, folder);
    refused({"emit", pipeline("blur"), "-o", folder + "/" + std::string(256, 'x')},
            {"File name too long"}, folder);
    EXPECT_EQ(run_cli({"emit", pipeline("blur"), "-o", old}).status, 0);
    EXPECT_THAT(test::read_file(old), HasSubstr("for"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST(OutputFiles, EmitGoesThroughLinksAndKeepsModes) {
    auto folder = test::scratch_folder();
    std::ofstream(folder + "/real.c") << "old";
    fs::permissions(folder + "/real.c", fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("real.c", folder + "/link.c");
    EXPECT_EQ(run_cli({"emit", pipeline("blur"), "-o", folder + "/link.c"}).status, 0);
    EXPECT_TRUE(fs::is_symlink(folder + "/link.c"));
    EXPECT_THAT(test::read_file(folder + "/real.c"), HasSubstr("for"));
    EXPECT_EQ(fs::status(folder + "/real.c").permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
    auto longest = folder + "/" + std::string(255, 'x');
    EXPECT_EQ(run_cli({"emit", pipeline("blur"), "-o", longest}).status, 0);
    EXPECT_TRUE(fs::exists(longest));
    EXPECT_THAT(run_cli({"emit", pipeline("blur"), "-o", "/dev/stdout"}).out, HasSubstr("for"));
}

// No output is written where another cannot be, and all that is wrong is told at once.
TEST(OutputFiles, RunRefusesBeforeItComputes) {
    auto program = test::write_file("p.loop", kCopy);
    auto folder = fs::path(program).parent_path().string();
    auto inputs = test::scratch_folder();
    auto a = array_in(inputs + "/a.npy"), b = array_in(inputs + "/b.npy");
    fs::create_directory(folder + "/folder.npy");
    auto refuses = [&](const std::string& s, const std::string& t,
                       const std::vector<std::string>& parts) {
        refused({"run", program, "--input", "a=" + a, "--input", "b=" + b, "--output",
                 "s=" + folder + "/" + s, "--output", "t=" + folder + "/" + t},
                parts, folder);
    };
    refuses("s.npy", "t.txt", {"/t.txt' ends neither in .npy nor in .png; name a NumPy or PNG"});
    refuses("s.png", "t.npy", {"/s.png': a PNG holds u8 or u16, not f32; cast the output"});
    refuses("s.npy", "none/t.png", {"/none/t.png': its folder is not there; create the folder"});
    refuses("folder.npy", "t.png", {"/folder.npy': it is a folder; name a file"});
    refuses("s.npy", "../" + fs::path(folder).filename().string() + "/s.npy", {"go to one file"});
    refuses("s", "none/t.npy", {"/s' ends neither", "/none/t.npy': its folder is not there"});
    refused({"run", program, "--param", "N=4", "--input", "a=" + a, "--input", "b=" + b, "--output",
             "s=/dev/null/s.npy"},
            {"Not a directory"}, folder);
    auto row = test::write_file("q.loop", "pipeline q\ninput a[i]: f32[4]\nstage s[i] = u8(1)\n"
                                          "output s: [4]\n");
    refused({"run", row, "--input", "a=" + a, "--output", "s=" + folder + "/s.png"},
            {"a PNG has the shape [H, W] or [C, H, W] with C of 2 to 4, not [4]; give the output"},
            folder);
    auto good = run_cli({"run", program, "--input", "a=" + a, "--input", "b=" + b, "--output",
                         "s=" + folder + "/s.npy", "--output", "t=" + folder + "/t.png"});
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_TRUE(fs::exists(folder + "/s.npy") && fs::exists(folder + "/t.png"));
}

} // namespace test_output_files
} // namespace loopscope
