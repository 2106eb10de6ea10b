// Work that nobody waits for leaves the processor to what is waited for.

#include "views/jobs/latest_job.h"
#include "views/jobs/queue_job.h"

#include <gtest/gtest.h>

#include <QTest>

#include <optional>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace loopscope::views::test {

#ifdef __linux__

namespace {

int own_niceness() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }

std::optional<int> niceness_of_latest(bool gives_way) {
    std::optional<int> found;
    LatestJob<int, int> job([](const int&, const CancelToken&) { return own_niceness(); },
                            [&](const int&, const int& niceness) { found = niceness; });
    if (gives_way)
        job.give_way();
    job.request(1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return found.has_value(); }));
    return found;
}

std::optional<int> niceness_of_queue(bool gives_way) {
    std::optional<int> found;
    QueueJob<int, int> job([](const int&) { return own_niceness(); });
    if (gives_way)
        job.give_way();
    job.ask({1}, [&](const int&, const int& niceness) { found = niceness; });
    EXPECT_TRUE(QTest::qWaitFor([&] { return found.has_value(); }));
    return found;
}

} // namespace

TEST(Background, OnlyThreadsThatGiveWayStepBack) {
    const int before = own_niceness();
    if (before >= 10)
        GTEST_SKIP() << "the tests themselves run as far back as background work";
    for (auto niceness_of : {niceness_of_latest, niceness_of_queue}) {
        EXPECT_EQ(niceness_of(false), before);
        EXPECT_GT(niceness_of(true), before);
        EXPECT_EQ(own_niceness(), before);
    }
}

#endif

} // namespace loopscope::views::test
