// The sizes of panels when the window changes its own (docs/newcomer.md, S21).

#include "tests/gui/gui_support.h"
#include "tests/support/quick_run.h"

#include <QAction>
#include <QDockWidget>
#include <QScreen>
#include <QTest>

#include <map>

namespace loopscope::app::test {

namespace {

constexpr int kFew = 3; // pixels

class Sizes : public WindowTest {
protected:
    // Sizes of the panels that can be seen, by name.
    std::map<std::string, QSize> sizes() const {
        std::map<std::string, QSize> out;
        for (const auto* dock : window_->findChildren<QDockWidget*>())
            if (dock->isVisible() && !dock->isFloating() && dock->geometry().right() > 0)
                out[dock->objectName().toStdString()] = dock->size();
        return out;
    }
    void resize(int width, int height) {
        window_->resize(width, height);
        QTest::qWait(60);
    }
    void expect_same(const std::map<std::string, QSize>& before, const char* after) {
        const auto now = sizes();
        ASSERT_EQ(now.size(), before.size()) << after;
        for (const auto& [name, size] : before) {
            ASSERT_TRUE(now.count(name)) << name << ", " << after;
            EXPECT_NEAR(now.at(name).width(), size.width(), kFew) << name << ", " << after;
            EXPECT_NEAR(now.at(name).height(), size.height(), kFew) << name << ", " << after;
        }
    }
    QRect place(const char* dock) const {
        return window_->findChild<QDockWidget*>(dock)->geometry();
    }
    // Moves what stands between two panels, as the pointer does.
    void drag_separator(const QPoint& from, const QPoint& by) {
        ASSERT_TRUE(window_->isSeparator(from));
        QTest::mousePress(window_.get(), Qt::LeftButton, {}, from);
        for (int step = 1; step <= 4; ++step) {
            QTest::mouseMove(window_.get(), from + by * step / 4);
            QTest::qWait(20);
        }
        QTest::mouseRelease(window_.get(), Qt::LeftButton, {}, from + by);
        QTest::qWait(20);
    }
};

} // namespace

TEST_F(Sizes, TheFirstWindowFitsTheScreen) {
    window_ = std::make_unique<MainWindow>();
    const auto room = window_->screen()->availableSize();
    EXPECT_LE(window_->height(), room.height() - 40) << "with its title";
    EXPECT_LE(window_->width(), std::max(room.width(), window_->minimumSizeHint().width()));
}

TEST_F(Sizes, ANarrowerAndAgainWiderWindowHasItsPanelsBack) {
    LOOPSCOPE_LONG_TEST();
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    const auto before = sizes();
    ASSERT_GE(before.size(), 6u);
    resize(1000, 900);
    resize(1440, 900);
    expect_same(before, "1440 → 1000 → 1440");
    resize(1440, 830);
    resize(1410, 840);
    resize(1440, 900);
    expect_same(before, "1440 × 900 → 1410 × 840 → 1440 × 900");
    resize(1280, 700);
    resize(2000, 1100);
    resize(1440, 900);
    expect_same(before, "through every arrangement");
    for (int width = 1440; width >= 1000; width -= 22)
        resize(width, width * 5 / 8);
    for (int width = 1000; width <= 1440; width += 22)
        resize(width, width * 5 / 8);
    resize(1440, 900);
    expect_same(before, "in small steps");
    keep_picture("sizes");
}

TEST_F(Sizes, PanelsGrowInProportion) {
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    const auto before = sizes();
    resize(1800, 1080);
    const auto now = sizes();
    EXPECT_NEAR(now.at("pipeline").width(), before.at("pipeline").width() * 1.25, 8);
    EXPECT_NEAR(now.at("estimate").width(), before.at("estimate").width() * 1.25, 8);
    EXPECT_NEAR(now.at("inspector").height(), before.at("inspector").height() * 1.2, 20);
    for (const char* name : {"estimate", "roofline", "script"})
        EXPECT_NEAR(now.at(name).height(), before.at(name).height() * 1.2, 20) << name;
}

TEST_F(Sizes, WhatThePersonDraggedStays) {
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    const auto before = sizes();
    const QRect left = place("pipeline"), above = place("estimate");
    drag_separator({left.right() + 4, left.center().y()}, {70, 0});
    drag_separator({above.center().x(), above.bottom() + 4}, {0, -60});
    const auto dragged = sizes();
    ASSERT_NEAR(dragged.at("pipeline").width(), before.at("pipeline").width() + 70, kFew);
    ASSERT_NEAR(dragged.at("estimate").height(), before.at("estimate").height() - 60, kFew);
    resize(1000, 900);
    resize(1440, 900);
    expect_same(dragged, "after 1000");
    resize(1700, 1000);
    resize(1440, 900);
    expect_same(dragged, "after 1700");
    resize(1000, 900);
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    expect_same(dragged, "in a window opened later");
    for (auto* action : window_->findChildren<QAction*>())
        if (action->text() == "&Arrange the panels")
            action->trigger();
    QTest::qWait(60);
    expect_same(before, "arranged anew");
}

// A panel that is closed gives its place to others; that is wanted too, and an own wish of the rest
// stays.
TEST_F(Sizes, AClosedPanelGivesItsPlaceToOthers) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    resize(1410, 840);
    window.findChild<QDockWidget*>("roofline")->close();
    QTest::qWait(60);
    const auto closed = sizes();
    EXPECT_FALSE(closed.count("roofline"));
    resize(1000, 840);
    resize(1410, 840);
    expect_same(closed, "without the roofline");
    window.findChild<QDockWidget*>("roofline")->show();
    QTest::qWait(60);
    EXPECT_GE(place("roofline").height(), 100);
}

} // namespace loopscope::app::test
