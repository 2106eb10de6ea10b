#include "views/jobs/latest_job.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace loopscope::views {

namespace {

// Work that waits until it is let go, or cancelled.
struct Gate {
    std::atomic<bool> open{false};
    std::atomic<int> started{0}, cancelled{0};
    int work(int request, const CancelToken& token) {
        ++started;
        while (!open && !token.cancelled())
            std::this_thread::yield();
        if (token.cancelled())
            ++cancelled;
        return request * 10;
    }
};

} // namespace

TEST(LatestJob, ReportsInTheOwnersThread) {
    std::vector<int> results;
    std::thread::id worker, reporter;
    LatestJob<int, int> job(
        [&](const int& request, const CancelToken&) {
            worker = std::this_thread::get_id();
            return request + 1;
        },
        [&](const int&, const int& result) {
            reporter = std::this_thread::get_id();
            results.push_back(result);
        });
    QSignalSpy busy(&job, &LatestJobBase::busyChanged);
    EXPECT_FALSE(job.busy());
    job.request(41);
    EXPECT_TRUE(job.busy());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !results.empty(); }));
    EXPECT_EQ(results, std::vector<int>{42});
    EXPECT_EQ(reporter, std::this_thread::get_id());
    EXPECT_NE(worker, reporter);
    EXPECT_FALSE(job.busy());
    ASSERT_EQ(busy.count(), 2);
    EXPECT_TRUE(busy[0][0].toBool());
    EXPECT_FALSE(busy[1][0].toBool());
}

TEST(LatestJob, TheNewestWins) {
    Gate gate;
    std::vector<int> results;
    LatestJob<int, int> job([&](const int& r, const CancelToken& t) { return gate.work(r, t); },
                            [&](const int&, const int& result) { results.push_back(result); });
    job.request(1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return gate.started == 1; }));
    job.request(2); // replaced while it waits
    job.request(3);
    ASSERT_TRUE(QTest::qWaitFor([&] { return gate.cancelled >= 1; }))
        << "the one that runs is told to stop";
    gate.open = true;
    ASSERT_TRUE(QTest::qWaitFor([&] { return !results.empty(); }));
    QTest::qWait(20);
    EXPECT_EQ(results, std::vector<int>{30});
    EXPECT_LE(gate.started.load(), 3);
}

TEST(LatestJob, AResultThatIsOnItsWayIsDroppedToo) {
    std::vector<int> results;
    std::atomic<int> done{0};
    LatestJob<int, int> job(
        [&](const int& r, const CancelToken&) {
            ++done;
            return r;
        },
        [&](const int&, const int& result) { results.push_back(result); });
    job.request(1);
    while (done == 0) // no events are handled here: the report waits in the queue
        std::this_thread::yield();
    job.request(2);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !results.empty(); }));
    EXPECT_EQ(results, std::vector<int>{2});
}

TEST(LatestJob, CancelReportsNothing) {
    Gate gate;
    int reports = 0;
    LatestJob<int, int> job([&](const int& r, const CancelToken& t) { return gate.work(r, t); },
                            [&](const int&, const int&) { ++reports; });
    job.request(1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return gate.started == 1; }));
    job.cancel();
    EXPECT_FALSE(job.busy());
    ASSERT_TRUE(QTest::qWaitFor([&] { return gate.cancelled == 1; }));
    QTest::qWait(20);
    EXPECT_EQ(reports, 0);
    gate.open = true;
    job.request(2);
    ASSERT_TRUE(QTest::qWaitFor([&] { return reports == 1; }))
        << "it works again after a cancellation";
}

TEST(LatestJob, ASettledResultIsReportedWithoutTheEventLoop) {
    std::vector<int> results;
    LatestJob<int, int> job([](const int& request, const CancelToken&) { return request + 1; },
                            [&](const int&, const int& result) { results.push_back(result); });
    job.settle(std::chrono::hours(1)); // nothing was asked for: nothing is waited for
    for (int request = 0; request < 100; ++request) {
        job.request(request);
        job.settle(std::chrono::hours(1));
        ASSERT_EQ(results.size(), static_cast<std::size_t>(request) + 1);
        EXPECT_EQ(results.back(), request + 1);
        EXPECT_FALSE(job.busy());
    }
    QTest::qWait(20); // what was posted for them finds nothing left
    EXPECT_EQ(results.size(), 100u);
}

TEST(LatestJob, WhatTakesLongIsNotWaitedFor) {
    Gate gate;
    std::vector<int> results;
    LatestJob<int, int> job([&](const int& r, const CancelToken& t) { return gate.work(r, t); },
                            [&](const int&, const int& result) { results.push_back(result); });
    job.request(1);
    job.settle(std::chrono::milliseconds(5)); // it is not let go: this would never end
    EXPECT_TRUE(results.empty());
    EXPECT_TRUE(job.busy());
    gate.open = true;
    EXPECT_TRUE(QTest::qWaitFor([&] { return results.size() == 1; }));
}

TEST(LatestJob, AFailureIsToldNotSwallowed) {
    LatestJob<int, int> job(
        [](const int&, const CancelToken&) -> int { throw std::runtime_error("no memory"); },
        [](const int&, const int&) {});
    QSignalSpy failed(&job, &LatestJobBase::failed);
    job.request(1);
    ASSERT_TRUE(failed.wait());
    EXPECT_EQ(failed[0][0].toString(), "no memory");
    EXPECT_FALSE(job.busy());
}

TEST(LatestJob, DestructionStopsTheWork) {
    Gate gate;
    {
        LatestJob<int, int> job([&](const int& r, const CancelToken& t) { return gate.work(r, t); },
                                [](const int&, const int&) { FAIL(); });
        job.request(1);
        ASSERT_TRUE(QTest::qWaitFor([&] { return gate.started == 1; }));
    }
    EXPECT_EQ(gate.cancelled, 1);
    QTest::qWait(10); // a report to a job that is gone would come now
}

} // namespace loopscope::views
