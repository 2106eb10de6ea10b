// A program that edits, measures and saves is killed at random moments: every document opens, and
// no finished edit and no measurement is lost. LOOPSCOPE_KILLS asks for more.

#include "tests/session/session_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
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
    std::string first; // script
    std::string script, draft;
    bool under_way = false;
    std::string saved; // where, below the folder; empty: nowhere yet
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
    if (text.rfind("saved ", 0) == 0) {
        report.saved = text.substr(space + 1, end - space - 1);
        return true;
    }
    report.under_way = space == std::string::npos;
    if (report.under_way)
        return true;
    report.script = text.substr(0, space);
    if (report.first.empty())
        report.first = report.script;
    report.draft = text.substr(space + 1, end - space - 1);
    ++report.edits;
    return true;
}

} // namespace

// What of the finished work the document at `path` lacks; empty: nothing. The edit that was under
// way may be in or not.
std::string lost(const std::string& folder, const std::string& path, const Report& report) {
    Session session(nullptr, folder);
    if (auto opened = session.open(path); !opened.ok())
        return format(opened.errors());
    if (session.document()->measurements().size() < report.measurements)
        return "a measurement is lost";
    const auto& revisions = session.document()->revisions();
    if (std::none_of(revisions.begin(), revisions.end(),
                     [&](const auto& r) { return script_hash(r.script) == report.script; }))
        return "the script of the last finished edit is in no revision";
    if (!report.under_way && script_hash(session.script()) != report.script)
        return "it is at another revision";
    if (!report.under_way && script_hash(session.draft()) != report.draft)
        return "the unfinished script is lost";
    return {};
}

// Where the work may be: in the recovery folder, or where it was saved.
std::vector<std::string> places_of(const std::string& folder, bool& closed) {
    std::vector<std::string> places;
    for (const auto& found : RecoveryFolder(folder).documents()) {
        places.push_back(found.path);
        closed = closed || found.closed;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/saved"))
        if (entry.path().extension() == ".loopscope")
            places.push_back(entry.path());
    return places;
}

TEST(Session, KilledAtAnyMomentLosesNothing) {
    LOOPSCOPE_LONG_TEST();
    use_known_host();
    std::mt19937 random(20261120);
    const int kills = static_cast<int>(loopscope::test::setting("LOOPSCOPE_KILLS", 120));
    int edits = 0, exact = 0, saves = 0;
    std::size_t measurements = 0;
    for (int round = 0; round < kills; ++round) {
        SCOPED_TRACE(round);
        const auto folder = loopscope::test::scratch_folder();
        std::filesystem::create_directory(folder + "/saved");
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

        bool closed = false;
        auto places = places_of(folder, closed);
        EXPECT_FALSE(closed);
        // Nothing but refused gestures so far, or a draft that was dropped again.
        if (places.empty()) {
            EXPECT_EQ(report.script, report.first);
            EXPECT_TRUE(report.under_way || report.script == report.draft);
            EXPECT_TRUE(report.saved.empty() && report.measurements == 0);
            continue;
        }
        // What was under way may have been saving elsewhere.
        if (!report.under_way && !report.saved.empty())
            places = {folder + report.saved};
        std::string what;
        for (const auto& place : places)
            if (what = lost(folder, place, report); what.empty())
                break;
        EXPECT_EQ(what, "") << places.size() << " documents, saved at " << report.saved;
        saves += !report.saved.empty();
        exact += !report.under_way;
    }
    // The test is worth its time only when there was something to lose.
    EXPECT_GE(edits, 200);
    EXPECT_GE(measurements, 10u);
    EXPECT_GE(saves, 10);
    std::printf("%d kills after %d edits and %zu measurements; %d of them between two edits, %d of "
                "documents that had been saved\n",
                kills, edits, measurements, exact, saves);
}

} // namespace loopscope::session::test
