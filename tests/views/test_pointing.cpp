// What lies under the pointer: cards that nothing covers, choices that do not move beneath it,
// targets that stay in reach, and panels of which no part lies beyond their edge.

#include "core/language/schedule_parser.h"
#include "tests/views/fixtures.h"
#include "views/widgets/bubble.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/tick_slider.h"

#include <gtest/gtest.h>

#include <QCursor>
#include <QLabel>
#include <QLayout>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

namespace loopscope::views::test {

namespace test_pointing {

template <typename Widget> Widget* named(QWidget& parent, const QString& accessible_name) {
    for (Widget* w : parent.findChildren<Widget*>())
        if (w->accessibleName() == accessible_name && !w->isHidden())
            return w;
    return nullptr;
}

SchedulePtr schedule_of(const std::string& script) {
    return std::make_shared<const Schedule>(
        parse_schedule(std::make_shared<SourceFile>("test.sched", script)).value());
}

class Pointing : public testing::Test {
protected:
    void SetUp() override { show(tree, "schedule for matmul\n"); }
    void show(const ScheduleTreePtr& shown, const std::string& script) {
        view.set_services(services_of(shown));
        view.set_snapshot(shown, estimate_of(shown), schedule_of(script));
    }
    // Its selection on a loop, on the screen.
    void open(const char* loop, const QSize& size = {520, 900}) {
        view.resize(size);
        view.set_selected({"C", 0, loop});
        view.show();
        settle();
    }
    void edit() {
        const std::string script = "schedule for matmul\nC.split(k, ko, ki, 32)\n";
        show(bundled_tree("matmul", script), script);
        settle();
    }
    ScheduleTreePtr tree = default_tree("matmul");
    InspectorView view;
};

TEST_F(Pointing, ACardExplainsAndNoTooltipCoversIt) {
    open("i");
    int choices = 0;
    for (auto* button : view.findChildren<QAbstractButton*>()) {
        if (button->isHidden() || !button->property("line").isValid())
            continue;
        ++choices;
        EXPECT_TRUE(button->toolTip().isEmpty()) << button->accessibleName().toStdString();
        EXPECT_FALSE(button->accessibleDescription().isEmpty());
    }
    EXPECT_GT(choices, 10);
    EXPECT_TRUE(named<TickSlider>(view, "Split i by")->toolTip().isEmpty());
    auto* bubble = view.findChild<Bubble*>();
    QEvent enter(QEvent::Enter);
    QCoreApplication::sendEvent(named<QPushButton>(view, "Runs parallel"), &enter);
    EXPECT_EQ(bubble->text(), QStringLiteral("C.parallel(i)\n▾ 18 % to 1.2 ms"));
    EXPECT_TRUE(bubble->explanation().contains("on all threads"));
    EXPECT_LE(bubble->layout()->heightForWidth(bubble->width()), bubble->height())
        << "it has room for the sentence";
    QCoreApplication::sendEvent(named<QPushButton>(view, "Runs serial"), &enter);
    EXPECT_TRUE(bubble->text().contains("The schedule is so now"));
    EXPECT_TRUE(bubble->explanation().contains("on all threads"));
}

TEST_F(Pointing, WhatCameUnderARestingPointerWasNotChosen) {
    open("i");
    QSignalSpy asked(&view, &InspectorView::editRequested);
    const QPoint at = named<QPushButton>(view, "Runs parallel")->mapToGlobal(QPoint(9, 9));
    QCursor::setPos(at);
    settle();
    edit();
    view.set_snapshot(tree, estimate_of(tree), schedule_of("schedule for matmul\n"));
    auto* chip = named<QPushButton>(view, "Runs parallel");
    ASSERT_NE(chip, nullptr);
    auto* bubble = view.findChild<Bubble*>();
    QEvent enter(QEvent::Enter);
    QCoreApplication::sendEvent(chip, &enter);
    EXPECT_TRUE(bubble->text().isEmpty()) << "the pointer did not come to it";
    const QPoint here = chip->mapFromGlobal(at);
    QTest::mouseClick(chip, Qt::LeftButton, {}, here);
    EXPECT_EQ(asked.count(), 0) << "the second press of a double-click";
    QTest::mouseMove(chip, here + QPoint(8, 0));
    EXPECT_FALSE(bubble->text().isEmpty()) << "now it came";
    QTest::mouseClick(chip, Qt::LeftButton, {}, here + QPoint(8, 0));
    EXPECT_EQ(asked.count(), 1);
}

TEST_F(Pointing, ARestingPointerMayPressAfterAMoment) {
    open("i");
    QSignalSpy asked(&view, &InspectorView::editRequested);
    const QPoint at = named<QPushButton>(view, "Runs parallel")->mapToGlobal(QPoint(9, 9));
    QCursor::setPos(at);
    settle();
    edit();
    QTest::qWait(320);
    auto* chip = named<QPushButton>(view, "Runs parallel");
    QTest::mouseClick(chip, Qt::LeftButton, {}, chip->mapFromGlobal(at));
    EXPECT_EQ(asked.count(), 1);
}

TEST_F(Pointing, AnEditLeavesTheViewWhereItIs) {
    open("i", {520, 260});
    auto* bar = view.verticalScrollBar();
    ASSERT_GT(bar->maximum(), 140);
    bar->setValue(120);
    named<QPushButton>(view, "Runs parallel")->setFocus();
    edit();
    EXPECT_EQ(bar->value(), 120);
    bar->setValue(bar->maximum());
    edit();
    EXPECT_GE(bar->value(), 120);
    view.set_selected({"C", 0, "j"});
    settle();
    EXPECT_EQ(bar->value(), 0) << "another loop begins at its beginning";
}

TEST_F(Pointing, HowALoopRunsStaysWhereItIsWhenFactorsComeAndGo) {
    open("j");
    auto height = [&] {
        return named<QPushButton>(view, "Runs parallel")->mapTo(&view, QPoint()).y();
    };
    const int before = height();
    EXPECT_LT(before, named<TickSlider>(view, "Split j by")->mapTo(&view, QPoint()).y());
    const std::string script = "schedule for matmul\nC.split(j, jo, ji, 32)\n";
    show(bundled_tree("matmul", script), script);
    view.set_selected({"C", 0, "ji"});
    settle();
    ASSERT_NE(named<TickSlider>(view, "Factor of j"), nullptr);
    EXPECT_EQ(height(), before);
}

TEST_F(Pointing, EveryGreyChoiceHasItsReason) {
    EditServices services = services_of(tree);
    services.judge = [](const std::vector<DirectiveEdit>& edits, const auto& answer) {
        for (const DirectiveEdit& edit : edits) {
            const bool kind = edit.line == "C.parallel(k)" || edit.line == "C.vectorize(k)";
            const bool other = edit.line == "C.unroll(k)";
            answer(edit,
                   {!kind && !other, kind ? "one reason; and its remedy" : "another one", nullptr});
        }
    };
    view.set_services(services);
    open("k");
    QString said;
    for (auto* label : view.findChildren<QLabel*>())
        if (label->accessibleName() == "Why a choice cannot be made" &&
            label->text().contains("vectorised"))
            said = label->text();
    EXPECT_EQ(said, "parallel, vectorised: one reason\nunrolled: another one");
}

TEST(ScheduleForm, FactorsLargerThanTheLoopAreNotOffered) {
    const std::string script = "schedule for matmul\nC.split(k, ko, ki, 4)\n";
    const auto tree = bundled_tree("matmul", script);
    const auto device = described_device(); // 16 lanes
    const NodeId ki{"C", 0, "ki"}, ko{"C", 0, "ko"};
    auto labels = [&](const NodeId& loop) {
        QStringList all;
        for (const FactorForm& form : factor_forms(*tree, nullptr, loop, device.get()))
            for (const FormValue& value : form.values)
                all << value.label;
        return all;
    };
    EXPECT_EQ(labels(ki), QStringList{"2"}) << labels(ki).join(' ').toStdString();
    EXPECT_TRUE(labels(ko).contains("4*native"));
    auto exceeds = [&](const NodeId& loop, const char* label) {
        return exceeds_loop(*tree, loop, {label, {}}, device.get());
    };
    EXPECT_TRUE(exceeds(ki, "native: one vector of the target"));
    EXPECT_TRUE(exceeds(ki, "4*native"));
    EXPECT_TRUE(exceeds(ki, "8"));
    EXPECT_FALSE(exceeds(ki, "4"));
    EXPECT_FALSE(exceeds(ki, "all 4 iterations"));
    EXPECT_FALSE(exceeds(ko, "4*native"));
}

TEST(EstimateView, NothingLiesBeyondItsEdge) {
    const auto tree = default_tree("harris");
    auto estimate = std::make_shared<model::Estimate>(*estimate_of(tree));
    estimate->advice = {
        "`gray` is not vectorised; `gray.vectorize(x, native)` would save 13 %",
        "`corners` is not vectorised; `corners.vectorize(x, native)` would save 9 %",
        "`horizontal` is read twice; "
        "`horizontal.compute_at(histogram_equalise.update(0), y)` would save 4 %"};
    EstimateView view;
    view.set_tree(tree);
    view.set_device(described_device());
    view.set_estimate(estimate);
    view.set_selected({"det", -1, "@stage"});
    for (const bool pinned : {false, true}) {
        view.set_baseline(pinned ? estimate : nullptr);
        for (const int width : {250, 262, 280, 300, 340, 400, 520}) {
            view.resize(width, 420);
            view.show();
            settle();
            int seen = 0;
            for (const auto* child : view.widget()->findChildren<QWidget*>()) {
                if (!child->isVisible())
                    continue;
                ++seen;
                const int right = child->mapTo(view.viewport(), QPoint(child->width(), 0)).x();
                EXPECT_LE(right, view.viewport()->width())
                    << child->metaObject()->className() << " at " << width;
                if (child->hasHeightForWidth()) {
                    EXPECT_GE(child->height() + 1, child->heightForWidth(child->width()))
                        << child->metaObject()->className() << " at " << width;
                }
                if (const auto* button = qobject_cast<const QPushButton*>(child)) {
                    EXPECT_GE(button->width(),
                              button->fontMetrics().horizontalAdvance(button->text()))
                        << button->text().toStdString() << " at " << width;
                }
            }
            EXPECT_GT(seen, 10);
            EXPECT_EQ(view.widget()->width(), view.viewport()->width());
        }
    }
}

class Dropping : public testing::Test {
protected:
    void SetUp() override {
        view.resize(500, 300);
        view.set_services(services_of(tree));
        view.set_tree(tree);
        view.show();
        settle();
        strip = view.findChild<QWidget*>("root_strip");
        ASSERT_NE(strip, nullptr);
    }
    QPoint on(const NodeId& node) {
        const auto row = view.schedule_model()->index_of(node);
        view.scrollTo(row);
        return view.viewport()->mapToGlobal(view.visualRect(row).center());
    }
    ScheduleTreePtr tree = default_tree("harris");
    ScheduleTreeView view;
    QWidget* strip = nullptr;
};

TEST_F(Dropping, AStageFromAnotherViewIsDroppedAsOneOfTheRows) {
    QSignalSpy asked(&view, &ScheduleTreeView::directiveRequested),
        refused(&view, &ScheduleTreeView::directiveRefused);
    const NodeId det{"det", -1, "@stage"};
    view.carry_stage(det, on({"out", 0, "y"}));
    EXPECT_TRUE(view.findChild<Bubble*>()->text().startsWith("det.compute_at(out, y)"));
    view.let_stage_go(true);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), "det.compute_at(out, y)");
    // What cannot be is said here, too.
    view.carry_stage(det, on({"syy", 0, "y"}));
    EXPECT_TRUE(view.findChild<Bubble*>()->text().contains(QStringLiteral("✗")));
    view.let_stage_go(true);
    EXPECT_EQ(asked.count(), 1);
    EXPECT_EQ(refused.count(), 1);
    // Carried on and away, or let go without a drop, nothing happens.
    view.carry_stage(det, on({"out", 0, "y"}));
    view.carry_stage(det, view.mapToGlobal(QPoint(-40, 10)));
    EXPECT_TRUE(view.findChild<Bubble*>()->text().isEmpty());
    view.let_stage_go(true);
    view.carry_stage(det, on({"out", 0, "y"}));
    view.let_stage_go(false);
    EXPECT_EQ(asked.count() + refused.count(), 2);
}

TEST_F(Dropping, TheRootHasAPlaceBelowTheRowsWhereItIsAChoice) {
    const int height = view.viewport()->height();
    view.carry_stage({"det", -1, "@stage"}, on({"out", 0, "y"}));
    EXPECT_TRUE(strip->isHidden()) << "det is computed at root";
    EXPECT_EQ(view.viewport()->height(), height);
    view.let_stage_go(false);
    const auto inside = bundled_tree("harris", "schedule for harris\ndet.compute_at(out, y)\n");
    view.set_services(services_of(inside));
    view.set_tree(inside);
    settle();
    QSignalSpy asked(&view, &ScheduleTreeView::directiveRequested);
    view.carry_stage({"det", -1, "@stage"}, on({"out", 0, "x"}));
    ASSERT_TRUE(strip->isVisible());
    EXPECT_FALSE(view.viewport()->geometry().intersects(strip->geometry())) << "it covers no row";
    EXPECT_TRUE(view.rect().contains(strip->geometry()));
    view.carry_stage({"det", -1, "@stage"}, strip->mapToGlobal(strip->rect().center()));
    EXPECT_TRUE(view.findChild<Bubble*>()->text().startsWith("det.compute_root()"));
    view.let_stage_go(true);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), "det.compute_root()");
    EXPECT_TRUE(strip->isHidden());
    EXPECT_EQ(view.viewport()->height(), height);
}

TEST(PipelineGraphView, ADropThatMovesTheOtherStageSaysSoFirst) {
    const auto tree = default_tree("harris");
    PipelineGraphView view;
    view.resize(400, 600);
    view.set_services(services_of(tree));
    view.set_tree(tree);
    view.show();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !view.layout_pending(); }, 20000));
    auto carry = [&](const char* what, const QPoint& to) {
        QTest::mousePress(&view, Qt::LeftButton, {}, view.node_rectangle(what).center().toPoint());
        QTest::mouseMove(&view, view.node_rectangle(what).center().toPoint() + QPoint(15, 15));
        QTest::mouseMove(&view, to);
    };
    auto* bubble = view.findChild<Bubble*>();
    QSignalSpy carried(&view, &PipelineGraphView::stageCarried),
        let_go(&view, &PipelineGraphView::stageLetGo);
    carry("det", view.node_rectangle("syy").center().toPoint());
    EXPECT_TRUE(bubble->text().startsWith("Moves syy into det\n")) << bubble->text().toStdString();
    EXPECT_TRUE(bubble->text().contains("out reads syy too"));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, view.node_rectangle("syy").center().toPoint());
    carry("det", view.node_rectangle("out").center().toPoint());
    EXPECT_TRUE(bubble->text().startsWith("Compute det in out\n")) << bubble->text().toStdString();
    QTest::mouseMove(&view, QPoint(4, 4));
    EXPECT_TRUE(bubble->text().contains("loop of the schedule tree"))
        << bubble->text().toStdString();
    // Beyond the graph, the view there has the word.
    carried.clear();
    let_go.clear();
    QTest::mouseMove(&view, QPoint(view.width() + 60, 80));
    EXPECT_TRUE(bubble->text().isEmpty());
    ASSERT_FALSE(carried.isEmpty());
    EXPECT_EQ(carried.last()[0].value<NodeId>(), (NodeId{"det", -1, "@stage"}));
    EXPECT_EQ(carried.last()[1].toPoint(), view.mapToGlobal(QPoint(view.width() + 60, 80)));
    QTest::mouseRelease(&view, Qt::LeftButton, {}, QPoint(view.width() + 60, 80));
    ASSERT_EQ(let_go.count(), 1);
    EXPECT_TRUE(let_go[0][0].toBool());
}

} // namespace test_pointing
} // namespace loopscope::views::test
