#include "compiler/remote/place.h"

#include "compiler/remote/shell.h"

#include <gtest/gtest.h>

namespace loopscope::remote {
namespace {

TEST(Places, AreReadAsTheyAreWritten) {
    for (const auto* text :
         {"ssh:gpu1", "ssh:me@gpu1.example.org", "ssh:gpu1/3", "ssh:[::1]", "slurm:gpu",
          "slurm:gpu,ssh:login", "slurm:big_gpu-2,ssh:me@login.example.org"}) {
        const auto place = read_place(text);
        ASSERT_TRUE(place) << text;
        EXPECT_EQ(place->text(), text);
        EXPECT_TRUE(is_place(text));
    }
    const auto third = read_place("ssh:gpu1/3");
    EXPECT_EQ(third->gpu, 3);
    EXPECT_EQ(third->machine(), "ssh:gpu1");
    EXPECT_EQ(read_place("slurm:gpu")->host, "") << "this machine's cluster";
}

// Nothing that ssh, sbatch or a shell could take for something else than a name.
TEST(Places, AreNoOptionsAndNoCommands) {
    for (const auto* text : {"",
                             "ssh",
                             "ssh:",
                             "gpu1",
                             "cuda:1",
                             "ssh:-oProxyCommand=x",
                             "ssh:a b",
                             "ssh:a;b",
                             "ssh:$(x)",
                             "ssh:gpu1/",
                             "ssh:gpu1/x",
                             "ssh:gpu1/-1",
                             "ssh:gpu1/99999",
                             "slurm:",
                             "slurm:-p",
                             "slurm:a b",
                             "slurm:gpu,login",
                             "slurm:gpu,ssh:",
                             "slurm:gpu,ssh:-x",
                             "slurm:gpu,ssh:login/1",
                             "slurm:gpu'"}) {
        const auto place = read_place(text);
        ASSERT_FALSE(place) << text;
        EXPECT_FALSE(place.errors().front().remedy.empty()) << text;
    }
    EXPECT_FALSE(read_place("ssh:" + std::string(1000, 'a')));
}

TEST(Shell, HereIsAShellToo) {
    const Shell here("");
    ShellRun run;
    run.script = "cat; echo wrong >&2; exit 7";
    run.input = "three\nlines\nhere";
    const auto end = here.run(run);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status, 7);
    EXPECT_EQ(end->output, "three\nlines\nhere");
    EXPECT_EQ(end->errors, "wrong\n");
    std::vector<std::string> lines;
    run.on_line = [&](const std::string& line) { lines.push_back(line); };
    ASSERT_TRUE(here.run(run));
    EXPECT_EQ(lines, (std::vector<std::string>{"three", "lines", "here"}));
}

TEST(Shell, EndsWithItsTimeAndWithTheCancelFlag) {
    const Shell here("");
    ShellRun run;
    run.script = "sleep 600";
    run.waiting = {0.2, nullptr};
    auto late = here.run(run);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.errors().front().code, "worker-timeout");
    const std::atomic<bool> cancel = true;
    run.waiting = {600, &cancel};
    auto cancelled = here.run(run);
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.errors().front().code, "cancelled");
}

TEST(Shell, WordsAreQuoted) {
    const Shell here("");
    ShellRun run;
    const std::string word = "a'b \"$HOME\" `x` \\ \\' ; & *";
    run.script = "printf %s " + shell_word(word);
    EXPECT_EQ(here.run(run)->output, word);
}

TEST(Shell, OutputHasABound) {
    const Shell here("");
    ShellRun run;
    run.script = "head -c 100000000 /dev/zero";
    const auto end = here.run(run);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.errors().front().code, "worker-protocol");
}

} // namespace
} // namespace loopscope::remote
