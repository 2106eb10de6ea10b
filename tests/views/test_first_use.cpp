// What a first-time user stumbled over in single panels (docs/newcomer.md).

#include "tests/views/fixtures.h"

#include "core/language/schedule_parser.h"
#include "views/models/measurement_table.h"
#include "views/models/node_facts.h"
#include "views/models/schedule_form.h"
#include "views/style/number_format.h"
#include "views/style/speed_format.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/help_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/tick_slider.h"

#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTest>

namespace loopscope::views::test {

namespace test_first_use {

template <typename Widget> Widget* named(const QWidget& parent, const QString& accessible_name) {
    for (Widget* w : parent.findChildren<Widget*>())
        if (w->accessibleName() == accessible_name)
            return w;
    return nullptr;
}

EstimatePtr estimate_of_seconds(double seconds) {
    auto e = std::make_shared<model::Estimate>();
    e->seconds = seconds;
    e->bound = "compute";
    e->flops = 1e9;
    e->threads = 2;
    model::KernelEstimate kernel;
    kernel.name = "C";
    kernel.seconds = seconds;
    kernel.bound = "compute";
    e->kernels.push_back(kernel);
    for (int n = 0; n < 30; ++n)
        e->terms.push_back({"T_" + std::to_string(n), 1, "s", "a / b = 5.85e+11 / 2e-05", "help"});
    return e;
}

QString labels_of(const QWidget& parent) {
    QString text;
    for (const QLabel* label : parent.findChildren<QLabel*>())
        if (!label->isHidden())
            text += label->text() + '\n';
    return text;
}

TEST(FirstUse, OneSampleHasNoSpread) {
    MeasurementRow row;
    row.median_seconds = 2.04;
    row.samples = 1;
    MeasurementTableModel table;
    table.set_rows(std::make_shared<std::vector<MeasurementRow>>(1, row));
    auto text = [&](int column) { return table.index(0, column).data().toString(); };
    EXPECT_EQ(text(MeasurementTableModel::Spread), "unknown");
    EXPECT_EQ(text(MeasurementTableModel::Samples), "1");
    EXPECT_LT(int(MeasurementTableModel::Samples), int(MeasurementTableModel::Change))
        << "beside the time, not behind a scroll bar";
    EXPECT_TRUE(measured_text(2.04, {}, 1).contains("1 sample, spread unknown"));
    EXPECT_FALSE(measured_text(2.04, 0.01, 12).contains("unknown"));
    EXPECT_FALSE(to_csv({row}).contains(",0,0,")) << "no interval is no number";
}

TEST(FirstUse, AWideGapBetweenMeasuredAndPredictedIsSaid) {
    EstimateView view;
    view.set_estimate(estimate_of_seconds(0.158));
    auto* gap = named<QLabel>(view, "Difference between the measured and the estimated time");
    ASSERT_TRUE(gap);
    EXPECT_TRUE(gap->isHidden());
    view.set_measured(MeasuredTime{2.04, {}, false, 1, {}});
    EXPECT_FALSE(gap->isHidden());
    EXPECT_TRUE(gap->text().contains(format_factor(2.04 / 0.158))) << gap->text().toStdString();
    EXPECT_TRUE(labels_of(view).contains("1 sample, spread unknown"));
    view.set_measured(MeasuredTime{0.2, 0.001, false, 12, {}});
    EXPECT_TRUE(gap->isHidden());
    view.set_measured(MeasuredTime{2.04, {}, true, 1, "tile C"});
    EXPECT_TRUE(gap->isHidden()) << "another schedule's time contradicts nothing";
    EXPECT_TRUE(labels_of(view).contains("of the earlier “tile C” measured"));
}

TEST(FirstUse, FactorsStandBesidePerCent) {
    EXPECT_EQ(format_time_change(112, 2.04), format_change(112, 2.04) + " · 54.9×");
    EXPECT_EQ(format_time_change(1, 0.82), format_change(1, 0.82));
    EXPECT_EQ(format_time_change(1, 3), format_change(1, 3));
}

TEST(FirstUse, WhyOpensInSightAndClosesForAnotherProgram) {
    EstimateView view;
    view.resize(320, 260);
    view.set_estimate(estimate_of_seconds(0.1));
    view.show();
    QTest::qWait(10);
    auto* why = named<QPushButton>(view, "Why this time?");
    auto* terms = named<QLabel>(view, "Terms of the estimate");
    ASSERT_TRUE(why && terms);
    why->click();
    QTest::qWait(30);
    EXPECT_TRUE(view.viewport()->rect().contains(terms->mapTo(view.viewport(), QPoint(2, 2))));
    EXPECT_TRUE(terms->text().contains("5.85·10<sup>11</sup>"));
    EXPECT_TRUE(terms->text().contains("2·10<sup>-5</sup>"));
    view.start_afresh();
    EXPECT_FALSE(why->isChecked());
    EXPECT_EQ(view.verticalScrollBar()->value(), 0);
}

TEST(FirstUse, AMachineThatIsBeingMeasuredIsNoFailure) {
    auto none = std::make_shared<model::Estimate>();
    none->reason = "this machine's peak FLOP/s is not measured yet";
    EstimateView view;
    view.set_estimate(none);
    EXPECT_TRUE(labels_of(view).contains("No time"));
    view.set_probing(true);
    EXPECT_TRUE(labels_of(view).contains("Measuring this machine"));
    EXPECT_FALSE(labels_of(view).contains("not measured yet"));
}

TEST(FirstUse, ASerialScheduleUsesOneThread) {
    EstimateView view;
    auto serial = std::make_shared<model::Estimate>(*estimate_of_seconds(1));
    view.set_estimate(serial);
    auto* rows = named<QWidget>(view, "Figures of the estimate");
    ASSERT_TRUE(rows);
    EXPECT_TRUE(rows->accessibleDescription().contains("1 of 2"))
        << rows->accessibleDescription().toStdString();
}

// Lines are fetched whole, so that more may come from L2 than registers take from L1: that is said,
// and only there.
TEST(FirstUse, TrafficThatGrowsSaysWhy) {
    auto e = std::make_shared<model::Estimate>(*estimate_of_seconds(8));
    e->kernels[0].traffic = {{"L1", 68.8e9, 2.0, 1}, {"L2", 585e9, 2.3, 1}, {"L3", 34.7e9, 0.4, 1}};
    auto device = std::make_shared<device::Device>();
    device::CacheLevel cache;
    cache.name = "L1";
    cache.line_bytes = 128;
    device->caches = {cache};
    EstimateView view;
    view.set_device(device);
    view.set_estimate(e);
    int found = 0;
    for (const FactRow& row : view.findChild<FactRows*>()->rows()) {
        if (!row.name.contains("traffic"))
            continue;
        ++found;
        EXPECT_EQ(row.tooltip.contains("whole lines of 128 bytes"), row.name == "L2 traffic")
            << row.tooltip.toStdString();
    }
    EXPECT_EQ(found, 3);
}

TEST(FirstUse, NativeStandsAtItsValue) {
    const auto tree = bundled_tree("matmul", "schedule for matmul\n");
    auto device = std::make_shared<device::Device>();
    device->vector_bits = 512;
    const auto forms = factor_forms(*tree, nullptr, {"C", 0, "k"}, device.get());
    ASSERT_FALSE(forms.empty());
    QStringList shown;
    for (const auto& value : forms[0].values)
        shown << value.shown;
    const auto at = shown.indexOf("native = 16");
    ASSERT_GE(at, 0) << shown.join(' ').toStdString();
    EXPECT_LT(shown.indexOf("8"), at);
    EXPECT_LT(at, shown.indexOf("32"));
    EXPECT_EQ(forms[0].values[static_cast<std::size_t>(at)].edit.line,
              "C.split(k, ko, ki, native)");
    InspectorView view;
    view.set_device(device);
    view.set_snapshot(tree, nullptr, nullptr, NodeId{"C", 0, "k"});
    auto* slider = named<TickSlider>(view, "Split k by");
    ASSERT_TRUE(slider);
    EXPECT_EQ(slider->maximum() + 1, shown.size());
}

// The slider that split a loop goes on as the slider of its factor, and keeps the keyboard.
TEST(FirstUse, TheSliderStaysUnderTheHand) {
    const auto before = bundled_tree("matmul", "schedule for matmul\n");
    const std::string script = "schedule for matmul\nC.split(k, ko, ki, 32)\n";
    const auto after = bundled_tree("matmul", script);
    const auto schedule = std::make_shared<const Schedule>(
        parse_schedule(std::make_shared<SourceFile>("test.sched", script)).value());
    InspectorView view;
    view.resize(500, 400);
    view.set_snapshot(before, nullptr, nullptr, NodeId{"C", 0, "k"});
    view.show();
    view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
    auto* slider = named<TickSlider>(view, "Split k by");
    ASSERT_TRUE(slider);
    slider->setFocus();
    view.set_snapshot(after, nullptr, schedule, NodeId{"C", 0, "ko"});
    QTest::qWait(10);
    auto* again = named<TickSlider>(view, "Factor of k");
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->hasFocus());
}

TEST(FirstUse, AButtonThatCannotBePressedSaysWhy) {
    MeasurementsView view;
    view.set_unavailable("The worker is busy");
    auto* button = view.findChild<EmptyState*>()->findChild<QPushButton*>();
    ASSERT_TRUE(button);
    EXPECT_FALSE(button->isEnabled());
    EXPECT_EQ(button->toolTip(), "The worker is busy");
    view.set_unavailable({});
    EXPECT_TRUE(button->isEnabled());
}

TEST(FirstUse, AListWithoutALegalChoiceIsGreyAndSaysWhy) {
    EditServices services;
    services.judge = [](const std::vector<DirectiveEdit>& edits, auto answer) {
        for (const auto& edit : edits)
            answer(edit, {!edit.line.startsWith("first"), "this cannot be", nullptr});
    };
    DirectiveMenu menu(services, nullptr);
    DirectiveGroup none, some;
    none.verb = none.title = "first";
    some.verb = some.title = "second";
    none.choices = {{"a", "first(a)"}, {"b", "first(b)"}};
    some.choices = {{"a", "second(a)"}, {"b", "first(b)"}};
    menu.add_groups({none, some});
    ASSERT_EQ(menu.actions().size(), 2);
    EXPECT_FALSE(menu.actions()[0]->isEnabled());
    EXPECT_EQ(menu.actions()[0]->toolTip(), "this cannot be");
    EXPECT_TRUE(menu.actions()[1]->isEnabled()) << "one of its choices is legal";
}

// The advice goes with the button that has the keyboard, and the time that it makes stays in sight.
TEST(FirstUse, TryingAnAdviceShowsTheTime) {
    auto before = std::make_shared<model::Estimate>(*estimate_of_seconds(0.2));
    before->advice = {"one core is idle; `C.parallel(i)` would save 48 %",
                      "C is not vectorised; `C.vectorize(j, 8)` would save 12 %"};
    auto after = std::make_shared<model::Estimate>(*estimate_of_seconds(0.1));
    after->advice = {"C is not vectorised; `C.vectorize(j, 8)` would save 24 %"};
    EstimateView view;
    view.resize(320, 140);
    view.set_estimate(before);
    view.show();
    view.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
    auto* time = named<QLabel>(view, "Estimated time");
    auto* attempt = named<QPushButton>(view, "Try C.vectorize(j, 8)");
    ASSERT_TRUE(time && attempt);
    attempt->setFocus(Qt::TabFocusReason);
    view.ensureWidgetVisible(attempt);
    ASSERT_GT(view.verticalScrollBar()->value(), 0) << "it stands below the figures";
    QTest::keyClick(attempt, Qt::Key_Space);
    EXPECT_EQ(view.verticalScrollBar()->value(), 0);
    view.set_estimate(after);
    QTest::qWait(30);
    EXPECT_EQ(view.verticalScrollBar()->value(), 0);
    EXPECT_TRUE(view.viewport()->rect().contains(time->mapTo(view.viewport(), QPoint(0, 0))));
    EXPECT_TRUE(view.hasFocus()) << "what is further down would bring itself into sight";
}

TEST(FirstUse, MemoryThatNoRegistersHoldIsSaidToLieElsewhere) {
    const auto device = described_device();
    const auto registers = [&](const std::string& lines) {
        const auto tree = bundled_tree("blur", "schedule for blur\n" + lines);
        for (const Fact& fact :
             node_facts(*tree, nullptr, {"blur_x", -1, "@storage"}, {}, device.get()))
            if (fact.name == "⚠ registers")
                return fact.value;
        return QString();
    };
    const QString whole = registers("blur_x.scope(register)\n");
    EXPECT_TRUE(whole.contains("58.6")) << whole.toStdString();
    EXPECT_TRUE(whole.contains("compute it further inside")) << whole.toStdString();
    EXPECT_TRUE(registers({}).isEmpty()) << "it is to lie in memory";
    EXPECT_TRUE(registers("blur_x.compute_at(out, x)\nblur_x.scope(register)\n").isEmpty());
}

TEST(FirstUse, HelpGoesBackAndMarksTheSection) {
    HelpView help(QString::fromStdString(loopscope::test::source_path("resources/help")),
                  {"tutorial", "window"});
    help.resize(900, 600);
    help.show();
    QTest::qWait(10);
    ASSERT_TRUE(help.show_place("window", "Estimate"));
    EXPECT_EQ(help.section(), "Estimate");
    ASSERT_TRUE(help.show_place("schedules", {}));
    auto* back = named<QPushButton>(help, "Back");
    ASSERT_TRUE(back && back->isEnabled());
    back->click();
    EXPECT_EQ(help.page(), "window");
    EXPECT_EQ(help.section(), "Estimate");
}

} // namespace test_first_use
} // namespace loopscope::views::test
