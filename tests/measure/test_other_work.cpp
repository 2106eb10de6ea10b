#include "compiler/measure/other_work.h"

#include "core/base/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace loopscope::measure {
namespace {

void work(double seconds) {
    const auto begin = Clock::now();
    for (volatile double x = 1; seconds_since(begin) < seconds;)
        x = x * 1.0000001;
}

// Another process that works is other work, and this one's own is not.
TEST(OtherWork, IsThatOfOtherProcesses) {
    const pid_t child = ::fork();
    if (child == 0)
        for (;;)
            work(1);
    const OtherWork beside;
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    const auto cores = beside.cores();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_TRUE(cores) << "there is no /proc/stat here";
    // On a machine that is busy anyhow the child has less than a core, and others the rest.
    EXPECT_GT(*cores, kDisturbingCores);
    EXPECT_LT(*cores, std::thread::hardware_concurrency() + 0.5);
}

TEST(OtherWork, OwnWorkIsNone) {
    const OtherWork all;
    const auto usage = [] { return std::clock() / static_cast<double>(CLOCKS_PER_SEC); };
    const double before = usage();
    const auto begin = Clock::now();
    work(0.7);
    const double own = (usage() - before) / seconds_since(begin); // cores that this process had
    ASSERT_TRUE(all.cores());
    // What is left of the machine is the most that others can have had.
    EXPECT_LT(*all.cores(), std::thread::hardware_concurrency() - own + 0.3);
}

TEST(OtherWork, OfAMomentNothingIsSaid) { EXPECT_FALSE(OtherWork().cores()); }

} // namespace
} // namespace loopscope::measure
