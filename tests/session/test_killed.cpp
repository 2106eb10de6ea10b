// A program that edits and measures is killed at random moments: every document opens, and no
// finished edit and no measurement is lost.

#include "tests/session/session_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <random>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace loopscope::session::test {

namespace {

struct Child {
    pid_t id = -1;
    FILE* out = nullptr;
};

Child start_editing(const std::string& folder, int seed) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return {};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::string program = "/proc/self/exe", file = bundled("blur.loop"),
                number = std::to_string(seed), verb = "--edit", at = folder;
    char* arguments[] = {program.data(), verb.data(),   file.data(),
                         at.data(),      number.data(), nullptr};
    Child child;
    if (posix_spawn(&child.id, program.c_str(), &actions, nullptr, arguments, environ) != 0)
        child.id = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    child.out = fdopen(ends[0], "r");
    return child;
}

// What the child said: the script and the draft after its last finished edit, and whether another
// was under way.
struct Report {
    std::string script, draft;
    bool under_way = false;
    int edits = 0;
    std::size_t measurements = 0;
};

bool read_line(FILE* in, Report& report) {
    char line[256];
    if (!std::fgets(line, sizeof line, in))
        return false;
    const std::string text = line;
    const auto space = text.find(' '), end = text.find('\n');
    // cut off by the kill: that edit was not finished
    if (end == std::string::npos)
        return false;
    const std::string measured = "measured ";
    if (text.rfind(measured, 0) == 0) {
        report.measurements = std::stoul(text.substr(measured.size()));
        return true;
    }
    report.under_way = space == std::string::npos;
    if (report.under_way)
        return true;
    report.script = text.substr(0, space);
    report.draft = text.substr(space + 1, end - space - 1);
    ++report.edits;
    return true;
}

} // namespace

TEST(Session, KilledTwoHundredTimesLosesNothing) {
    LOOPSCOPE_LONG_TEST();
    use_known_host();
    std::mt19937 random(20261120);
    int edits = 0, exact = 0;
    std::size_t measurements = 0;
    for (int round = 0; round < 200; ++round) {
        SCOPED_TRACE(round);
        const auto folder = loopscope::test::scratch_folder();
        auto child = start_editing(folder, round);
        ASSERT_GT(child.id, 0);
        Report report;
        while (report.edits == 0)
            ASSERT_TRUE(read_line(child.out, report)) << "the child did not start";
        // Most are killed early, some after the worker has started and measured.
        usleep(static_cast<useconds_t>(random() % (round % 4 == 0 ? 1000000 : 150000)));
        kill(child.id, SIGKILL);
        int status = 0;
        waitpid(child.id, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status));
        while (read_line(child.out, report)) {
        }
        std::fclose(child.out);
        edits += report.edits;
        measurements += report.measurements;

        Session session(nullptr, folder);
        auto found = session.recovery().documents();
        ASSERT_LE(found.size(), 1u);
        // nothing but refused gestures so far, or a draft that was dropped again
        if (found.empty()) {
            EXPECT_TRUE(report.under_way || report.script == report.draft);
            continue;
        }
        EXPECT_FALSE(found[0].closed);
        auto opened = session.open(found[0].path);
        ASSERT_TRUE(opened.ok()) << format(opened.errors());
        // The edit that was under way may be in or not; every one before it is.
        EXPECT_GE(session.document()->measurements().size(), report.measurements);
        const auto& revisions = session.document()->revisions();
        bool known = false;
        for (const auto& revision : revisions)
            known = known || script_hash(revision.script) == report.script;
        EXPECT_TRUE(known) << "the script of the last finished edit is in no revision";
        if (report.under_way)
            continue;
        EXPECT_EQ(script_hash(session.script()), report.script);
        EXPECT_EQ(script_hash(session.draft()), report.draft) << "the unfinished script is lost";
        exact += 1;
    }
    // The test is worth its time only when there was something to lose.
    EXPECT_GE(edits, 200);
    EXPECT_GE(measurements, 10u);
    std::printf("%d edits and %zu measurements before the kills; %d kills between two edits\n",
                edits, measurements, exact);
}

} // namespace loopscope::session::test
