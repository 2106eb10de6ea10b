// A document whose disk fails, fills up or loses its power: nothing that was committed is lost, and
// nothing opens as something else.
#include "tests/document/afternoon.h"
#include "tests/document/document_support.h"
#include "tests/document/faulty_files.h"
#include "tests/document/simulated_disk.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <map>

namespace loopscope::session::test {
namespace {

namespace fs = std::filesystem;

// The work after each step, and how many calls had been made by then.
struct Committed {
    std::vector<std::string> work;
    std::vector<std::size_t> calls;
};

TEST(Faults, PowerCutsLoseNothingThatWasCommitted) {
    const auto folder = loopscope::test::scratch_folder();
    const auto path = folder + "/d.loopscope";
    Committed committed;
    std::vector<FileCall> calls;
    {
        const FaultyFiles recording(folder);
        auto made = Document::create(path, example_source());
        ASSERT_TRUE(made) << format(made.errors());
        const auto note = [&] {
            committed.work.push_back(work_in(**made));
            committed.calls.push_back(recording.calls().size());
        };
        note();
        for (const auto& step : afternoon()) {
            auto status = step(**made);
            ASSERT_TRUE(status) << format(status.errors());
            note();
        }
        calls = recording.calls();
    }
    ASSERT_GT(calls.size(), 100u);
    std::mt19937 random(20261128);
    int before_any = 0, previous = 0, next = 0;
    for (int round = 0; round < 1000; ++round) {
        const auto count = random() % (calls.size() + 1);
        const auto left = loopscope::test::scratch_folder();
        leave_after_cut(calls, count, folder, left, random);
        // The last step that had returned by then.
        std::size_t done = 0;
        while (done < committed.calls.size() && committed.calls[done] <= count)
            ++done;
        auto opened = Document::open(left + "/d.loopscope");
        if (done == 0) { // it was being made
            before_any += 1;
            if (!opened) {
                EXPECT_FALSE(fs::exists(left + "/d.loopscope")) << format(opened.errors());
                continue;
            }
        }
        ASSERT_TRUE(opened) << "after " << count << " of " << calls.size()
                            << " calls: " << format(opened.errors());
        const auto work = work_in(**opened);
        const bool is_next = done < committed.work.size() && work == committed.work[done];
        const bool is_previous = done > 0 && work == committed.work[done - 1];
        ASSERT_TRUE(is_next || is_previous)
            << "after " << count << " calls, step " << done << ": " << work.substr(0, 300);
        previous += is_previous;
        next += is_next && !is_previous;
        fs::remove_all(left);
    }
    EXPECT_GT(before_any, 0);
    EXPECT_GT(previous, 100);
    EXPECT_GT(next, 0);
}

// Saving under the name of another document: that one, or this one, and never neither.
TEST(Faults, PowerCutsInASaveLeaveOneOrTheOther) {
    const auto folder = loopscope::test::scratch_folder();
    std::string older, newer, afterwards;
    std::size_t begin = 0, end = 0;
    std::vector<FileCall> calls;
    {
        const FaultyFiles recording(folder);
        {
            auto there = Document::create(folder + "/other.loopscope", example_source());
            ASSERT_TRUE(there && (*there)->add_revision("older", "older", ""));
            older = work_in(**there);
        }
        auto made = Document::create(folder + "/d.loopscope", example_source());
        ASSERT_TRUE(made && (*made)->add_revision(std::string(9000, 'n'), "newer", ""));
        newer = work_in(**made);
        begin = recording.calls().size();
        ASSERT_TRUE((*made)->save_as(folder + "/other.loopscope"));
        end = recording.calls().size();
        ASSERT_TRUE((*made)->add_revision("afterwards", "afterwards", ""));
        afterwards = work_in(**made);
        calls = recording.calls();
    }
    std::mt19937 random(20261128);
    std::map<std::string, int> seen;
    for (int round = 0; round < 500; ++round) {
        const auto count = begin + random() % (calls.size() - begin + 1);
        const auto left = loopscope::test::scratch_folder();
        leave_after_cut(calls, count, folder, left, random);
        auto source = Document::open(left + "/d.loopscope");
        ASSERT_TRUE(source) << "after " << count << " calls: " << format(source.errors());
        EXPECT_EQ(work_in(**source), newer);
        auto target = Document::open(left + "/other.loopscope");
        ASSERT_TRUE(target) << "after " << count << " calls: " << format(target.errors());
        const auto work = work_in(**target);
        ASSERT_TRUE(work == newer || work == (count < end ? older : afterwards))
            << "after " << count << " of " << end << " calls: " << work.substr(0, 300);
        ++seen[work];
        fs::remove_all(left);
    }
    for (const auto& work : {older, newer, afterwards})
        EXPECT_GT(seen[work], 0);
}

// Does one step of the work with a call that fails; false: no call of it failed.
bool fail_a_step(std::size_t number, int error, bool for_good) {
    const auto folder = loopscope::test::scratch_folder();
    const auto path = folder + "/d.loopscope";
    auto made = Document::create(path, example_source());
    EXPECT_TRUE(made);
    bool failed = false;
    std::string work = work_in(**made);
    {
        FaultyFiles files(folder, number, error, for_good);
        for (const auto& step : afternoon()) {
            const auto status = step(**made);
            EXPECT_TRUE(status || files.failed()) << format(status.errors());
            if (!status) {
                EXPECT_EQ(work_in(**made), work) << "in memory as on the disk";
            }
            work = work_in(**made);
        }
        failed = files.failed();
    }
    // The disk works again, and so does the document.
    auto after = (*made)->add_revision("afterwards", "afterwards", "");
    EXPECT_TRUE(after) << number << ": " << format(after.errors());
    work = work_in(**made);
    made = Diagnostics{};
    auto opened = Document::open(path);
    EXPECT_TRUE(opened) << number << ": " << format(opened.errors());
    if (opened) {
        EXPECT_EQ(work_in(**opened), work) << "call " << number << " failed";
    }
    return failed;
}

TEST(Faults, ACallThatFailsLosesNothing) {
    for (const auto& [error, for_good] : {std::pair(ENOSPC, false), std::pair(ENOSPC, true),
                                          std::pair(EIO, false), std::pair(EIO, true)}) {
        // A disk that gives errors is tried again and again, which takes long.
        const std::size_t step = error == EIO && for_good ? 5 : 1;
        std::size_t number = 1;
        while (fail_a_step(number, error, for_good) && !testing::Test::HasFailure())
            number += step;
        EXPECT_GT(number, 50u);
    }
}

// A name keeps what it had until the new document is complete.
TEST(Faults, AFailedSaveLeavesWhatWasThere) {
    const auto folder = loopscope::test::scratch_folder();
    const auto path = folder + "/d.loopscope", other = folder + "/other.loopscope";
    std::size_t number = 1;
    for (bool failed = true; failed && !testing::Test::HasFailure(); ++number) {
        fs::remove(other);
        std::string before;
        {
            auto there = Document::create(other, example_source());
            ASSERT_TRUE(there);
            ASSERT_TRUE((*there)->add_revision("older", "older", ""));
            before = work_in(**there);
        }
        auto made = Document::create(path, example_source());
        ASSERT_TRUE(made);
        ASSERT_TRUE((*made)->add_revision("newer", "newer", ""));
        bool saved = false;
        {
            FaultyFiles files(folder, number, ENOSPC, true);
            saved = (*made)->save_as(other).ok();
            failed = files.failed();
        }
        const auto work = work_in(**made);
        EXPECT_TRUE((*made)->add_revision("afterwards", "afterwards", ""));
        made = Diagnostics{};
        auto found = Document::open(other);
        ASSERT_TRUE(found) << number << ": " << format(found.errors());
        if (saved) {
            EXPECT_EQ((*found)->current().script, "afterwards");
        } else {
            EXPECT_TRUE(work_in(**found) == before || work_in(**found) == work) << number;
        }
        found = Diagnostics{};
        for (const auto& entry : fs::directory_iterator(folder))
            EXPECT_TRUE(entry.path().extension() == ".loopscope" ||
                        entry.path().extension() == ".loopscope-journal") // until the next opening
                << number << ": " << entry.path() << " is left over";
    }
    EXPECT_GT(number, 10u);
}

// Others' words for what has happened, and what helps.
TEST(Faults, MessagesSayWhatHappened) {
    const auto folder = loopscope::test::scratch_folder();
    const auto path = folder + "/d.loopscope";
    auto made = Document::create(path, example_source());
    ASSERT_TRUE(made);
    {
        FaultyFiles files(folder, 2, ENOSPC, true); // the journal is there, and takes nothing
        auto status = (*made)->add_revision("A", "a", "");
        ASSERT_FALSE(status);
        EXPECT_THAT(format(status.errors()), testing::HasSubstr("the disk is full"));
    }
    fs::rename(path, path + ".elsewhere");
    auto status = (*made)->add_revision("A", "a", "");
    ASSERT_FALSE(status);
    EXPECT_THAT(format(status.errors()),
                testing::HasSubstr("was moved or removed while it was open"));
    EXPECT_THAT(format(status.errors()), testing::Not(testing::HasSubstr("disk")));
    // A folder that has gone takes nothing away: the work is in memory.
    auto saved = (*made)->save_as(path);
    EXPECT_TRUE(saved) << format(saved.errors());
    ASSERT_TRUE((*made)->add_revision("B", "b", ""));
}

} // namespace
} // namespace loopscope::session::test
