// The pipeline timeline: what runs when, where it is drawn, and what a drag makes of the script.

#include "tests/views/gpu_fixtures.h"
#include "views/geometry/pipeline_timeline.h"
#include "views/models/pipeline_levels.h"
#include "views/style/theme.h"
#include "views/widgets/timeline_view.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include <map>
#include <stdexcept>

namespace loopscope::views::test {

namespace {

using Kind = TimelineEvent::Kind;

TimelineSpec one_level(int stages, double transfer, double work, double latency = 0,
                       std::int64_t iterations = 8) {
    return {{{stages, iterations, transfer, latency}}, work, 0};
}

const TimelineEvent& event(const Timeline& t, Kind kind, int level, std::int64_t item) {
    for (const auto& e : t.events)
        if (e.kind == kind && e.level == level && e.item == item)
            return e;
    throw std::logic_error("no such event");
}

// Seconds in which work waits.
double idle(const Timeline& t) {
    double sum = 0;
    for (const auto& e : t.events)
        sum += e.kind == Kind::Idle ? e.end - e.begin : 0;
    return sum;
}

void show(TimelineView& view, const GpuSchedule& s) {
    view.set_snapshot(s.tree, s.estimate, s.schedule, s.device);
    view.resize(640, 260);
    view.show();
    settle();
}

} // namespace

TEST(Timeline, WithOneStageLoadsAndWorkTakeTurns) {
    const auto t = simulate_timeline(one_level(1, 3, 2), 8);
    EXPECT_DOUBLE_EQ(t.prologue, 3);
    EXPECT_DOUBLE_EQ(event(t, Kind::Load, 0, 1).begin, 5) << "its buffer is in use until then";
    EXPECT_DOUBLE_EQ(t.end, 8 * 5);
    EXPECT_DOUBLE_EQ(t.period, 5);
    EXPECT_DOUBLE_EQ(t.spare, -3) << "each iteration waits for its whole load";
    EXPECT_DOUBLE_EQ(idle(t), 7 * 3);
}

TEST(Timeline, TwoStagesHideALoadThatIsShorterThanTheWork) {
    const auto t = simulate_timeline(one_level(2, 2, 3), 8);
    EXPECT_DOUBLE_EQ(t.end, 2 + 8 * 3);
    EXPECT_DOUBLE_EQ(idle(t), 0);
    EXPECT_DOUBLE_EQ(t.busy, 1);
    EXPECT_DOUBLE_EQ(t.spare, 1);
    EXPECT_DOUBLE_EQ(event(t, Kind::Load, 0, 2).begin, 5) << "when its copy is free again";
}

TEST(Timeline, MoreStagesHideLatencyAndNothingHidesASlowTransfer) {
    double before = 1e9;
    for (int stages = 1; stages <= 5; ++stages) {
        const auto t = simulate_timeline(one_level(stages, 1, 2, 5), 8);
        EXPECT_LE(t.end, before) << stages << " stages are no slower";
        before = t.end;
    }
    EXPECT_GT(idle(simulate_timeline(one_level(3, 1, 2, 5), 8)), 0);
    EXPECT_DOUBLE_EQ(idle(simulate_timeline(one_level(4, 1, 2, 5), 8)), 0)
        << "three uses of two seconds cover a load of six";
    const auto slow = simulate_timeline(one_level(8, 4, 2), 8);
    EXPECT_NEAR(slow.period, 4, 1e-9) << "the transfer itself is what takes the time";
    EXPECT_DOUBLE_EQ(slow.spare, -2);
}

TEST(Timeline, TheInnerPrologueStandsInTheOuterPipeline) {
    // ALCOP, Fig. 3 d: registers of the next outer iteration are loaded while this one's work still
    // runs.
    TimelineSpec spec{{{3, 6, 1, 0}, {2, 4, 0.5, 0}}, 1, 2};
    const auto t = simulate_timeline(spec, 6);
    EXPECT_DOUBLE_EQ(t.prologue, 1.5) << "one shared load, one register load";
    EXPECT_DOUBLE_EQ(idle(t), 0);
    const auto& next = event(t, Kind::Load, 1, 4);
    const auto& last = event(t, Kind::Work, 2, 3);
    EXPECT_LT(next.begin, last.end) << "no drain between outer iterations";
    EXPECT_DOUBLE_EQ(t.end, 1.5 + 24 + 2) << "and the store at the end";
    // A buffer is free when the registers have all of it, and not only when the work is done.
    const auto& reload = event(t, Kind::Load, 0, 3);
    EXPECT_DOUBLE_EQ(reload.begin, event(t, Kind::Load, 1, 3).end);
}

TEST(Timeline, NothingOverlapsInARowAndLoopsOfAnyLengthAreDrawn) {
    const auto t = simulate_timeline({{{2, 1'000'000'000, 1, 2}, {2, 1'000'000, 1, 0}}, 3, 1}, 9);
    EXPECT_LE(t.events.size(), 20000u);
    std::map<int, double> until;
    for (const auto& e : t.events) {
        if (e.kind == Kind::Latency)
            continue;
        EXPECT_GE(e.begin, until[e.level] - 1e-9);
        until[e.level] = e.end;
    }
    const auto one = simulate_timeline(one_level(4, 1, 1, 0, 1), 12);
    EXPECT_EQ(one.drawn, 1);
    EXPECT_DOUBLE_EQ(one.end, 2);
}

TEST(Timeline, ItsTimesAreThoseOfAllIterations) {
    const auto all = simulate_timeline(one_level(2, 2, 3, 0, 64), 64),
               some = simulate_timeline(one_level(2, 2, 3, 0, 64), 8);
    EXPECT_EQ(all.left_out, 0);
    EXPECT_DOUBLE_EQ(all.whole_time(all.end), all.end);
    EXPECT_EQ(some.left_out, 56);
    EXPECT_DOUBLE_EQ(some.whole_time(some.prologue), some.prologue) << "before the break";
    EXPECT_DOUBLE_EQ(some.whole_time(some.end), all.end);
    EXPECT_GT(some.break_at, some.prologue);
    EXPECT_LT(some.break_at, some.steady_end);
}

TEST(TimelineLayout, RowsHoldTheirBarsAndTimeFillsTheWidth) {
    const auto t = simulate_timeline({{{2, 8, 1, 0}, {2, 4, 0.2, 0}}, 0.5, 1}, 8);
    const TimelineMetrics metrics;
    const auto at = layout_timeline(t, 2, 600, metrics);
    ASSERT_EQ(at.rows.size(), 3u);
    double right = 0;
    for (const auto& bar : at.bars) {
        const auto& row = at.rows[static_cast<std::size_t>(bar.event.level)];
        EXPECT_GE(bar.where.y, row.y);
        EXPECT_LE(bar.where.bottom(), row.bottom());
        EXPECT_GE(bar.where.x, at.left);
        right = std::max(right, bar.where.right());
    }
    EXPECT_NEAR(right, 600 - metrics.right_margin, 1e-6);
    EXPECT_LT(at.prologue_x, at.steady_x);
    EXPECT_LE(at.steady_x, at.end_x);
}

TEST(TimelineLayout, ADragOfOneLoadIsOneStage) {
    EXPECT_EQ(dragged_stages(3, 0, 10, 4, 8), 3);
    EXPECT_EQ(dragged_stages(3, 41, 10, 4, 8), 4);
    EXPECT_EQ(dragged_stages(3, -85, 10, 4, 8), 1);
    EXPECT_EQ(dragged_stages(3, 4000, 10, 4, 8), 8);
    EXPECT_EQ(dragged_stages(3, 15, 0.001, 1, 8), 4) << "a load too short to see still has room";
}

TEST(PipelineLevels, AreTheLoopsThatLoadWithTheModelsTimes) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    const auto chains = pipeline_chains(*s.tree, s.estimate.get(), *s.device);
    ASSERT_EQ(chains.size(), 1u);
    const auto& c = chains.front();
    ASSERT_EQ(c.levels.size(), 1u);
    EXPECT_EQ(c.levels[0].loop, (NodeId{"CL", 0, "ko"}));
    EXPECT_EQ(c.levels[0].stages, (std::vector<std::string>{"As", "Bs"}));
    EXPECT_EQ(c.levels[0].copies, 3);
    EXPECT_DOUBLE_EQ(c.levels[0].copy_bytes, 8 << 10);
    EXPECT_EQ(c.levels[0].times.iterations, 128) << "without those that fill the pipeline";
    ASSERT_TRUE(c.timed);
    const auto& kernel = s.estimate->kernels.front();
    const double shares = 128.0 * static_cast<double>(kernel.gpu->waves);
    double far = 0;
    for (const auto& level : kernel.traffic)
        if (level.level == "L2" || level.level == "DRAM")
            far = std::max(far, level.seconds);
    EXPECT_DOUBLE_EQ(c.levels[0].times.transfer, far / shares);
    double work = 0;
    for (const auto& term : kernel.terms)
        if (term.name == "T_shared" || term.name == "T_issue" || term.name == "T_f32")
            work = std::max(work, term.value);
    EXPECT_DOUBLE_EQ(c.work_seconds, work / shares);
    EXPECT_GT(c.levels[0].times.latency, 0);
    EXPECT_EQ(c.blocks_at_once, kernel.gpu->occupancy->blocks);
}

TEST(PipelineLevels, RegistersInsideAreASecondLevel) {
    const auto s = on_gpu("matmul", gpu_matmul_two_levels(3));
    const auto chains = pipeline_chains(*s.tree, s.estimate.get(), *s.device);
    ASSERT_EQ(chains.size(), 1u);
    ASSERT_EQ(chains[0].levels.size(), 2u);
    EXPECT_EQ(chains[0].levels[1].loop, (NodeId{"CL", 0, "ki"}));
    EXPECT_EQ(chains[0].levels[1].name, "shared → register");
    EXPECT_EQ(chains[0].levels[1].copies, 2);
    EXPECT_EQ(chains[0].levels[1].times.iterations, 16);
    EXPECT_EQ(chain_of(chains, *s.tree, {"Ar", -1, "@stage"}), 0);
    EXPECT_TRUE(pipeline_chains(*s.tree, s.estimate.get(), *described_device()).empty());
    const auto plain = on_gpu("matmul", "schedule for matmul\ntarget h200\n");
    EXPECT_TRUE(pipeline_chains(*plain.tree, plain.estimate.get(), *plain.device).empty());
}

TEST(PipelineLevels, EditsAreOfEveryBufferOfTheLevelInItsPlace) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    const auto level = pipeline_chains(*s.tree, s.estimate.get(), *s.device).front().levels.front();
    const auto edits = stages_edits(level, 4, *s.tree, s.schedule.get());
    ASSERT_EQ(edits.size(), 2u);
    EXPECT_EQ(edits[0].line, "As.pipeline(4)");
    EXPECT_GT(edits[0].replaces, 0);
    EXPECT_TRUE(stages_edits(level, 3, *s.tree, s.schedule.get()).empty());
    EXPECT_TRUE(stages_edits(level, 1, *s.tree, s.schedule.get())[0].line.isEmpty());
    const auto none = on_gpu("matmul", gpu_matmul(1));
    const auto fresh = pipeline_chains(*none.tree, none.estimate.get(), *none.device).front();
    EXPECT_EQ(stages_edits(fresh.levels.front(), 2, *none.tree, none.schedule.get())[0],
              DirectiveEdit("As.pipeline(2)"));
}

TEST(TimelineView, KeysTryAndEnterChangesTheScript) {
    TimelineView view;
    std::vector<DirectiveEdit> asked;
    view.set_preview([&](const std::vector<DirectiveEdit>& edits, auto answer) {
        asked = edits;
        answer({"time unchanged", 0});
    });
    show(view, on_gpu("matmul", gpu_matmul(3)));
    QSignalSpy wanted(&view, &TimelineView::editsRequested);
    QTest::keyClick(view.canvas(), Qt::Key_Right);
    EXPECT_EQ(view.copies(0), 4);
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_TRUE(view.preview_text().contains("As.pipeline(4)"));
    EXPECT_TRUE(view.preview_text().contains("time unchanged"));
    QTest::keyClick(view.canvas(), Qt::Key_Escape);
    EXPECT_EQ(view.copies(0), 3);
    EXPECT_TRUE(view.preview_text().isEmpty());
    QTest::keyClick(view.canvas(), Qt::Key_2);
    QTest::keyClick(view.canvas(), Qt::Key_Return);
    ASSERT_EQ(wanted.size(), 1);
    const auto edits = wanted.front().front().value<std::vector<DirectiveEdit>>();
    ASSERT_EQ(edits.size(), 2u);
    EXPECT_EQ(edits[1].line, "Bs.pipeline(2)");
}

TEST(TimelineView, ADragToTheRightLoadsFurtherAheadAndAClickSelects) {
    TimelineView view;
    show(view, on_gpu("matmul", gpu_matmul(2)));
    QSignalSpy wanted(&view, &TimelineView::editsRequested);
    QSignalSpy selected(&view, &TimelineView::nodeSelected);
    const QPoint from(300, 16);
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, from);
    ASSERT_EQ(selected.size(), 1);
    EXPECT_EQ(selected.front().front().value<NodeId>(), (NodeId{"CL", 0, "ko"}));
    QTest::mousePress(view.canvas(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.canvas(), from + QPoint(20, 0));
    EXPECT_EQ(view.copies(0), 3);
    QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, from + QPoint(20, 0));
    ASSERT_EQ(wanted.size(), 1);
    EXPECT_EQ(wanted.front().front().value<std::vector<DirectiveEdit>>()[0].line, "As.pipeline(3)");
    // Back where it began nothing is to be changed.
    QTest::mousePress(view.canvas(), Qt::LeftButton, {}, from);
    QTest::mouseMove(view.canvas(), from + QPoint(40, 0));
    QTest::mouseMove(view.canvas(), from + QPoint(1, 0));
    QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, from + QPoint(1, 0));
    EXPECT_EQ(wanted.size(), 1);
}

TEST(TimelineView, SaysWhatWillBeThereAndWhyThereAreNoTimes) {
    TimelineView view;
    view.resize(640, 260);
    view.set_snapshot(default_tree("matmul"), nullptr, nullptr, described_device());
    EXPECT_FALSE(view.chain());
    auto script = gpu_matmul(8);
    script.replace(script.find("ki, 16"), 6, "ki, 256");
    const auto s = on_gpu("matmul", script);
    ASSERT_FALSE(s.estimate->seconds);
    show(view, s);
    EXPECT_TRUE(view.summary().contains("lengths are no times")) << view.summary().toStdString();
    EXPECT_TRUE(view.summary().contains("shared memory"));
}

TEST(TimelineView, IsDrawnInBothThemes) {
    for (bool dark : {false, true}) {
        use_theme(dark);
        TimelineView view;
        const auto s = on_gpu("matmul", gpu_matmul_two_levels(3));
        view.set_snapshot(s.tree, s.estimate, s.schedule, s.device);
        EXPECT_GT(inked(picture(view, {640, 260}, "timeline")), 0.05);
    }
    use_theme(false);
}

} // namespace loopscope::views::test
