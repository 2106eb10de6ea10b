// The part of the time that the timeline shows: zoomed and moved by wheel, drags and keys, with an
// axis of round times.

#include "tests/views/gpu_fixtures.h"
#include "views/geometry/pipeline_timeline.h"
#include "views/geometry/round_ticks.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/widgets/timeline_view.h"

#include <gtest/gtest.h>

#include <QHelpEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace loopscope::views::test {

namespace test_timeline_zoom {

constexpr int kLoads = 16, kWork = 55; // heights at which the two rows are

class TimelineZoom : public testing::Test {
protected:
    void SetUp() override {
        give(3);
        view.resize(640, 300);
        view.show();
        settle();
        ASSERT_TRUE(view.chain() && view.chain()->timed);
    }

    void give(int stages) {
        const auto s = on_gpu("matmul", gpu_matmul(stages));
        view.set_snapshot(s.tree, s.estimate, s.schedule, s.device);
    }

    void turn(const QPoint& at, int angle, Qt::KeyboardModifiers held = Qt::NoModifier) {
        QWheelEvent wheel(at, view.canvas()->mapToGlobal(QPointF(at)), {}, QPoint(0, angle),
                          Qt::NoButton, held, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view.canvas(), &wheel);
    }

    // Along the axis.
    double seconds_at(double x) const {
        const auto ticks = view.ticks();
        if (ticks.size() < 2)
            return -1;
        const TimelineTick &a = ticks.front(), &b = ticks.back();
        return a.seconds + (x - a.x) * (b.seconds - a.seconds) / (b.x - a.x);
    }

    QString tip_at(const QPoint& at) const {
        QHelpEvent help(QEvent::ToolTip, at, view.canvas()->mapToGlobal(at));
        QCoreApplication::sendEvent(view.canvas(), &help);
        return QToolTip::text();
    }

    QImage saved() {
        const Picture picture = view.picture().value();
        QImage image(picture.size, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        picture.paint(painter);
        return image;
    }

    TimelineView view;
};

TEST(RoundTicks, AreOneTwoAndFiveTimesPowersOfTen) {
    EXPECT_DOUBLE_EQ(round_step(0.3e-6), 0.5e-6);
    EXPECT_DOUBLE_EQ(round_step(1e-7), 1e-7);
    EXPECT_DOUBLE_EQ(round_step(11), 20);
    EXPECT_DOUBLE_EQ(round_step(5.1), 10);
    EXPECT_EQ(round_step(0), 0);
    EXPECT_EQ(round_step(std::numeric_limits<double>::infinity()), 0);
    EXPECT_EQ(round_ticks(0, 1, 0.5), (std::vector<double>{0, 0.5, 1}));
    EXPECT_EQ(round_ticks(0.1, 0.9, 0.5), (std::vector<double>{0.5}));
    EXPECT_TRUE(round_ticks(0.1, 0.4, 0.5).empty());
    EXPECT_TRUE(round_ticks(0, 1, 0).empty());
}

TEST(RoundTicks, AreWrittenInOneUnitAndToldApart) {
    auto text = [](double seconds, double step, double greatest) {
        return format_tick_seconds(seconds, step, greatest).replace(QChar(0x202f), ' ');
    };
    EXPECT_EQ(text(0, 1e-7, 1e-6), "0");
    EXPECT_EQ(text(2e-7, 2e-7, 9e-7), "200 ns");
    EXPECT_EQ(text(2e-7, 2e-7, 1.2e-6), "0.2 µs");
    EXPECT_EQ(text(1e-6, 2e-7, 1.2e-6), "1.0 µs");
    EXPECT_EQ(text(1.153e-6, 1e-9, 1.2e-6), "1.153 µs");
    EXPECT_EQ(text(3, 1, 5), "3 s");
}

TEST(TimelineWindow, ZoomsAroundAPlaceAndStaysWithinTheTime) {
    const TimeWindow half = zoomed({}, 2, 0.25);
    EXPECT_DOUBLE_EQ(half.length, 0.5);
    EXPECT_DOUBLE_EQ(half.from + 0.25 * half.length, 0.25) << "it stays where it was";
    EXPECT_TRUE(zoomed(half, 0.1, 0.9).whole());
    EXPECT_EQ(zoomed(half, 0.1, 0.9).from, 0);
    EXPECT_DOUBLE_EQ(moved(half, 100).from, 0.5);
    EXPECT_EQ(moved(half, -100).from, 0);
    EXPECT_EQ(moved({}, 1), TimeWindow());
    EXPECT_GT(zoomed({}, 1e9, 0.5).length, 0);
}

TEST(TimelineWindow, OnlyThePartThatIsShownIsLaidOut) {
    const auto t = simulate_timeline({{{2, 8, 1, 0}, {2, 4, 0.2, 0}}, 0.5, 1}, 8);
    const TimelineMetrics metrics;
    const auto whole = layout_timeline(t, 2, 600, metrics),
               part = layout_timeline(t, 2, 600, metrics, {0.5, 0.1});
    EXPECT_NEAR(part.scale, 10 * whole.scale, 1e-6 * part.scale);
    EXPECT_DOUBLE_EQ(part.first, 0.5 * t.end);
    EXPECT_FALSE(part.bars.empty());
    EXPECT_LT(part.bars.size(), whole.bars.size());
    for (const TimelineBar& bar : part.bars) {
        EXPECT_GE(bar.where.x, part.left);
        EXPECT_LE(bar.where.right(), 600 - metrics.right_margin + 1e-6);
        EXPECT_LE(bar.event.begin, part.last + 1e-9);
        EXPECT_GE(bar.event.end, part.first - 1e-9);
    }
}

TEST_F(TimelineZoom, TheWheelZoomsAtThePointer) {
    const QPoint at(400, kWork);
    const double before = seconds_at(at.x());
    ASSERT_GT(before, 0);
    turn(at, 480);
    EXPECT_NEAR(view.window_shown().length, 1 / std::pow(1.0015, 480), 1e-9);
    EXPECT_NEAR(seconds_at(at.x()), before, 1e-6 * view.timeline().end);
    for (int notch = 0; notch < 20; ++notch)
        turn(QPoint(200, kWork), -120);
    EXPECT_TRUE(view.window_shown().whole());
}

TEST_F(TimelineZoom, ShiftAndADragBesideTheLoadsMove) {
    QSignalSpy edits(&view, &TimelineView::editsRequested),
        selected(&view, &TimelineView::nodeSelected);
    turn(QPoint(400, kWork), 960);
    const TimeWindow before = view.window_shown();
    turn(QPoint(400, kWork), -120, Qt::ShiftModifier);
    EXPECT_GT(view.window_shown().from, before.from) << "towards what comes later";
    EXPECT_EQ(view.window_shown().length, before.length);
    const QPoint from(450, kWork), to(400, kWork);
    const double held = seconds_at(from.x());
    QTest::mousePress(view.canvas(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.canvas(), (from + to) / 2);
    QTest::mouseMove(view.canvas(), to);
    QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, to);
    EXPECT_NEAR(seconds_at(to.x()), held, 1e-6 * view.timeline().end);
    const TimeWindow there = view.window_shown();
    QTest::mouseMove(view.canvas(), from);
    EXPECT_EQ(view.window_shown(), there) << "it was let go";
    EXPECT_EQ(edits.count() + selected.count(), 0);
    EXPECT_EQ(view.copies(0), 3);
}

TEST_F(TimelineZoom, AReleaseThatNobodyHeardEndsThePanAndTheDrag) {
    QSignalSpy edits(&view, &TimelineView::editsRequested);
    turn(QPoint(400, kWork), 960);
    const QPoint from(450, kWork), to(400, kWork);
    QTest::mousePress(view.canvas(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.canvas(), to);
    const TimeWindow there = view.window_shown();
    for (const int x : {380, 300, 200})
        move_unpressed(*view.canvas(), QPoint(x, kWork));
    EXPECT_EQ(view.window_shown(), there) << "it does not stick to the pointer";
    QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, to);
    const int copies = view.copies(0);
    QTest::mousePress(view.canvas(), Qt::LeftButton, {}, QPoint(200, kLoads));
    QTest::mouseMove(view.canvas(), QPoint(400, kLoads));
    EXPECT_NE(view.copies(0), copies);
    move_unpressed(*view.canvas(), QPoint(500, kLoads));
    EXPECT_EQ(view.copies(0), copies) << "nothing is tried any more";
    QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, QPoint(500, kLoads));
    EXPECT_EQ(edits.count(), 0);
}

TEST_F(TimelineZoom, KeysZoomMoveAndShowTheWhole) {
    QTest::keyClick(view.canvas(), Qt::Key_Plus);
    EXPECT_NEAR(view.window_shown().length, 1 / 1.5, 1e-9);
    EXPECT_EQ(view.copies(0), 3) << "it tries no other number of copies";
    QTest::keyClick(view.canvas(), Qt::Key_Plus);
    const TimeWindow before = view.window_shown();
    QTest::keyClick(view.canvas(), Qt::Key_Right, Qt::ControlModifier);
    EXPECT_GT(view.window_shown().from, before.from);
    QTest::keyClick(view.canvas(), Qt::Key_Left, Qt::ControlModifier);
    EXPECT_NEAR(view.window_shown().from, before.from, 1e-9);
    QTest::keyClick(view.canvas(), Qt::Key_End);
    EXPECT_NEAR(view.window_shown().from + view.window_shown().length, 1, 1e-9);
    QTest::keyClick(view.canvas(), Qt::Key_Home);
    EXPECT_EQ(view.window_shown().from, 0);
    EXPECT_TRUE(view.canvas()->accessibleDescription().contains("shown from 0"))
        << view.canvas()->accessibleDescription().toStdString();
    QTest::keyClick(view.canvas(), Qt::Key_Minus);
    QTest::keyClick(view.canvas(), Qt::Key_0);
    EXPECT_TRUE(view.window_shown().whole());
    EXPECT_FALSE(view.canvas()->accessibleDescription().contains("shown from"));
    QTest::keyClick(view.canvas(), Qt::Key_Right);
    EXPECT_EQ(view.copies(0), 4) << "without Ctrl the arrow is the row's";
}

TEST_F(TimelineZoom, ADoubleClickShowsTheWhole) {
    turn(QPoint(400, kWork), 960);
    ASSERT_FALSE(view.window_shown().whole());
    QTest::mouseDClick(view.canvas(), Qt::LeftButton, {}, QPoint(300, kWork));
    EXPECT_TRUE(view.window_shown().whole());
}

TEST_F(TimelineZoom, StaysWhileTheScheduleChangesAndNotWithAnotherProgram) {
    turn(QPoint(400, kWork), 960);
    const TimeWindow before = view.window_shown();
    give(2);
    EXPECT_EQ(view.window_shown(), before);
    give(4);
    EXPECT_EQ(view.window_shown(), before);
    view.set_snapshot(default_tree("blur"), nullptr, nullptr, described_device());
    give(3);
    EXPECT_TRUE(view.window_shown().whole());
}

TEST_F(TimelineZoom, ASavedPictureIsOfTheWholeTime) {
    const QImage before = saved();
    const QImage shown = view.canvas()->grab().toImage();
    turn(QPoint(400, kWork), 960);
    EXPECT_NE(view.canvas()->grab().toImage(), shown);
    EXPECT_EQ(saved(), before);
}

TEST_F(TimelineZoom, ClicksAndTipsAreOfWhatIsShown) {
    const QPoint at(480, kWork); // behind the prologue
    const QString tip = tip_at(at);
    EXPECT_FALSE(tip.isEmpty());
    turn(at, 480);
    EXPECT_EQ(tip_at(at), tip);
    QSignalSpy selected(&view, &TimelineView::nodeSelected),
        edits(&view, &TimelineView::editsRequested);
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, QPoint(300, kLoads));
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].value<NodeId>(), (NodeId{"CL", 0, "ko"}));
    // A stage is as far as a load is long, also where that is longer on the screen.
    turn(at, 720);
    const auto& load = view.chain()->levels.front().times.transfer;
    const auto ticks = view.ticks();
    ASSERT_GE(ticks.size(), 2u);
    const double scale =
        (ticks[1].x - ticks[0].x) / (ticks[1].seconds - ticks[0].seconds); // pixels of one second
    const int pixels = static_cast<int>(std::lround(std::max(14.0, load * scale)));
    QTest::mousePress(view.canvas(), Qt::LeftButton, {}, QPoint(200, kLoads));
    QTest::mouseMove(view.canvas(), QPoint(200 + pixels, kLoads));
    EXPECT_EQ(view.copies(0), 4);
    QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, QPoint(200 + pixels, kLoads));
    EXPECT_EQ(edits.count(), 1);
}

TEST_F(TimelineZoom, TicksAreRoundAndTheirTextsApartAtEveryZoom) {
    const TextMetrics small(small_font());
    for (int notch = 0; notch < 40; ++notch) {
        const auto ticks = view.ticks();
        SCOPED_TRACE(view.window_shown().length);
        ASSERT_GE(ticks.size(), 2u);
        for (std::size_t i = 1; i < ticks.size(); ++i) {
            const double apart = ticks[i].x - ticks[i - 1].x;
            EXPECT_GE(apart, (small.width(ticks[i].text) + small.width(ticks[i - 1].text)) / 2);
            EXPECT_NE(ticks[i].text, ticks[i - 1].text);
            if (ticks[i - 1].seconds < view.timeline().break_at &&
                ticks[i].seconds >= view.timeline().break_at)
                continue; // the time makes a leap
            const double step = ticks[i].seconds - ticks[i - 1].seconds,
                         leading = step / std::pow(10, std::floor(std::log10(step) + 1e-6));
            EXPECT_TRUE(std::abs(leading - 1) < 1e-3 || std::abs(leading - 2) < 1e-3 ||
                        std::abs(leading - 5) < 1e-3)
                << leading;
        }
        turn(QPoint(400, kWork), 120);
    }
}

} // namespace test_timeline_zoom
} // namespace loopscope::views::test
