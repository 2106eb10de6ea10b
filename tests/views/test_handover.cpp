// Tasks from other threads: in order, in the owner's thread, and none after its end.
#include "views/jobs/handover.h"

#include <QEventLoop>
#include <QTest>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

namespace loopscope::views::test {

TEST(Handover, TasksRunInOrderInTheOwnersThread) {
    Handover handover;
    std::vector<int> done;
    bool here = true;
    std::thread other([&, owner = std::this_thread::get_id()] {
        for (int i = 0; i < 1000; ++i)
            handover.post([&, i, owner] {
                here = here && std::this_thread::get_id() == owner;
                done.push_back(i);
            });
    });
    EXPECT_TRUE(QTest::qWaitFor([&] { return done.size() == 1000; }));
    other.join();
    EXPECT_TRUE(here);
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(Handover, ATaskThatWaitsLetsTheNextRun) {
    Handover handover;
    std::vector<int> done;
    QEventLoop loop;
    handover.post([&] {
        handover.post([&] {
            done.push_back(2);
            loop.quit();
        });
        loop.exec();
        done.push_back(1);
    });
    EXPECT_TRUE(QTest::qWaitFor([&] { return done.size() == 2; }));
    EXPECT_EQ(done, (std::vector<int>{2, 1}));
}

TEST(Handover, WhatIsDeliveredRunsAtOnceAndOnce) {
    Handover handover;
    std::vector<int> done;
    for (int i = 0; i < 3; ++i)
        handover.post([&, i] { done.push_back(i); });
    handover.deliver();
    EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
    handover.post([&] { done.push_back(3); });
    EXPECT_TRUE(QTest::qWaitFor([&] { return done.size() == 4; }));
    QTest::qWait(20);
    EXPECT_EQ(done.size(), 4u);
}

TEST(Handover, DeliveryStopsAtItsEnd) {
    auto handover = std::make_unique<Handover>();
    int done = 0;
    handover->post([&] {
        ++done;
        handover.reset();
    });
    handover->post([&] { ++done; });
    handover->deliver();
    EXPECT_EQ(done, 1);
}

TEST(Handover, NothingRunsAfterItsEnd) {
    auto handover = std::make_unique<Handover>();
    int done = 0;
    handover->post([&] {
        ++done;
        handover.reset();
    });
    handover->post([&] { ++done; });
    QTest::qWait(20);
    EXPECT_EQ(done, 1);
}

} // namespace loopscope::views::test
