// Estimate, inspector, roofline, source and measurements: what they say, and what they
// ask for. Longer than files are here: the panels are shown one set of fixtures.

#include "core/base/output_forms.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/levels.h"
#include "tests/support/support.h"
#include "tests/views/fixtures.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"
#include "views/widgets/breakdown_bar.h"
#include "views/widgets/bubble.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/source_view.h"
#include "views/widgets/tick_slider.h"

#include <gtest/gtest.h>

#include <Qsci/qsciscintilla.h>
#include <qcustomplot.h>

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>

namespace loopscope::views::test {

namespace test_panels {

template <typename Widget> Widget* named(QWidget& parent, const QString& accessible_name) {
    for (Widget* w : parent.findChildren<Widget*>())
        if (w->accessibleName() == accessible_name)
            return w;
    return nullptr;
}

QString all_text(const QWidget& parent) {
    QString text;
    for (const QLabel* label : parent.findChildren<QLabel*>())
        if (!label->isHidden())
            text += label->text() + '\n';
    for (const FactRows* rows : parent.findChildren<FactRows*>())
        text += rows->accessibleDescription() + '\n';
    return text;
}

EstimatePtr simple_estimate(double seconds) {
    auto e = std::make_shared<model::Estimate>();
    e->seconds = seconds;
    e->bound = "memory";
    e->flops = 4e9;
    e->useful_flops = 2e9;
    e->recompute_factor = 2;
    e->stage_recompute["gx"] = 2.6;
    e->threads = 2;
    e->advice = {"`gx` is computed 2.6 times; `gx.compute_at(out, yo)` would save 41 %"};
    model::KernelEstimate kernel;
    kernel.name = "out";
    kernel.node = {"out", -1, "@stage"};
    kernel.seconds = seconds;
    kernel.flops = 4e9;
    kernel.bound = "memory";
    kernel.traffic = {{"L1", 4e9, 0.1, 1}, {"memory", 1e9, 0.2, 4}};
    e->kernels = {kernel};
    e->terms = {{"T_memory", 0.2, "s", "1e9 / 5e9", "Williams et al. 2009"}};
    return e;
}

TEST(EstimateView, TheTimeIsBigAndComparedWithTheBaseline) {
    EstimateView view;
    view.set_estimate(simple_estimate(0.082));
    auto* time = named<QLabel>(view, "Estimated time");
    auto* change = named<QLabel>(view, "Difference against the baseline");
    ASSERT_TRUE(time && change);
    EXPECT_EQ(time->text(), format_seconds(0.082));
    EXPECT_EQ(change->text(), "");
    view.set_baseline(simple_estimate(0.1));
    const QString said = change->text().replace(QChar::Nbsp, ' '); // where no line may break
    EXPECT_TRUE(said.startsWith(format_change(0.1, 0.082)));
    const QString better = change->styleSheet();
    view.set_baseline(simple_estimate(0.05));
    EXPECT_NE(change->styleSheet(), better) << "faster and slower differ in colour, too";
    EXPECT_GT(time->fontMetrics().height(), 1.5 * change->fontMetrics().height());
}

TEST(EstimateView, WithoutATimeItSaysWhy) {
    auto estimate = std::make_shared<model::Estimate>();
    estimate->reason = "the device's bandwidth is unknown";
    EstimateView view;
    view.set_estimate(estimate);
    EXPECT_TRUE(all_text(view).contains("the device's bandwidth is unknown"));
    view.set_estimate(nullptr);
    EXPECT_TRUE(all_text(view).contains("Ctrl+O"));
}

TEST(EstimateView, FiguresAndFormulas) {
    EstimateView view;
    view.set_estimate(simple_estimate(0.2));
    const QString text = all_text(view);
    EXPECT_TRUE(text.contains(format_factor(2)));
    EXPECT_TRUE(text.contains("gx " + format_factor(2.6)));
    EXPECT_TRUE(text.contains("memory traffic " + format_bytes(1e9)));
    EXPECT_FALSE(text.contains("Williams"));
    auto* why = named<QPushButton>(view, "Why this time?");
    ASSERT_NE(why, nullptr);
    why->click();
    EXPECT_TRUE(all_text(view).contains("1·10<sup>9</sup> / 5·10<sup>9</sup>"));
    EXPECT_TRUE(all_text(view).contains("Williams"));
}

TEST(EstimateView, WhereThereIsNoRoomNamesGiveWayBeforeFigures) {
    auto estimate = std::make_shared<model::Estimate>(*simple_estimate(0.2));
    estimate->stage_recompute["a_long_name"] = 3;
    EstimateView view;
    view.set_estimate(estimate);
    const auto& rows = view.findChild<FactRows*>()->rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [](const FactRow& each) {
        return each.name == "recompute factor";
    });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->value, "2× overall, most a_long_name 3×");
    EXPECT_EQ(row->shorter, QStringList({"2×, most a_long_name 3×", "2×, most a_lo… 3×", "2×"}));
    const auto bars = std::find_if(rows.begin(), rows.end(),
                                   [](const FactRow& each) { return !each.bars_are.isEmpty(); });
    ASSERT_NE(bars, rows.end());
    EXPECT_TRUE((bars + 1)->bar) << "what its bar is of stands above it";
}

TEST(EstimateView, SegmentsWithoutANameAreGrey) {
    std::vector<BreakdownSegment> segments(20, {"kernel", 0.05, Qt::red, {}});
    BreakdownBar bar;
    bar.set_segments(segments);
    bar.resize(400, 60);
    const QImage picture = bar.grab().toImage();
    const QRgb grey = theme_of(bar).mark(Meaning::Serial).rgb();
    int red = 0, others = 0;
    for (int x = 0; x < picture.width(); ++x) {
        red += picture.pixel(x, picture.height() / 12) == QColor(Qt::red).rgb();
        others += picture.pixel(x, picture.height() / 12) == grey;
    }
    EXPECT_GT(red, 0.25 * picture.width());
    EXPECT_GT(others, 0.5 * picture.width());
    EXPECT_TRUE(bar.accessibleDescription().contains("bound by"));
}

TEST(EstimateView, AdviceCanBeTried) {
    EstimateView view;
    QSignalSpy asked(&view, &EstimateView::directiveRequested);
    view.set_estimate(simple_estimate(0.2));
    auto* attempt = named<QPushButton>(view, "Try gx.compute_at(out, yo)");
    ASSERT_NE(attempt, nullptr);
    attempt->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), "gx.compute_at(out, yo)");
}

TEST(EstimateView, DirectivesAreFoundInSentences) {
    EXPECT_EQ(directive_in("split it: C.split(k, ko, ki, 32) halves each stage"),
              "C.split(k, ko, ki, 32)");
    EXPECT_EQ(directive_in("use `H.update(0).parallel(r)`"), "H.update(0).parallel(r)");
    EXPECT_EQ(directive_in("`Bp = C.cache_read(B, local)` packs it"),
              "Bp = C.cache_read(B, local)");
    EXPECT_EQ(directive_in("p.compute_at(H.update(0), r) would help"),
              "p.compute_at(H.update(0), r)");
    EXPECT_EQ(directive_in(
                  "every step of `H.update(0)` waits; `H.update(0).reorder(r, y)` would save 11 %"),
              "H.update(0).reorder(r, y)");
    EXPECT_EQ(directive_in("The loop is bound by memory (18 GB/s)."), "");
}

TEST(EstimateView, PinningIsAskedFor) {
    EstimateView view;
    view.set_estimate(simple_estimate(0.2));
    QSignalSpy pin(&view, &EstimateView::pinRequested), unpin(&view, &EstimateView::unpinRequested);
    named<QPushButton>(view, "Pin as baseline")->click();
    EXPECT_EQ(pin.count(), 1);
    view.set_baseline(simple_estimate(0.3));
    named<QPushButton>(view, "Forget the baseline")->click();
    EXPECT_EQ(unpin.count(), 1);
}

TEST(EstimateView, FootprintOfTheSelectionStandsAgainstTheCaches) {
    const auto tree = bundled_tree("harris");
    EstimateView view;
    view.set_tree(tree);
    view.set_device(described_device());
    view.set_estimate(estimate_of(tree));
    EXPECT_FALSE(all_text(view).contains("Footprint"));
    view.set_selected({"out", 0, "xo"});
    EXPECT_TRUE(all_text(view).contains("Footprint of out"));
    EXPECT_TRUE(all_text(view).contains("of " + format_capacity(1 << 20)));
}

class Inspector : public testing::Test {
protected:
    void SetUp() override {
        view.resize(500, 400);
        view.set_services(services_of(tree));
        view.set_snapshot(tree, estimate_of(tree));
    }
    bool judged() {
        return QTest::qWaitFor([&] { return !view.judging(); }, 20000);
    }
    ScheduleTreePtr tree = default_tree("matmul");
    InspectorView view;
};

TEST_F(Inspector, ListsFactsAndOffersFactors) {
    QSignalSpy asked(&view, &InspectorView::editRequested);
    view.set_selected({"C", 0, "k"});
    EXPECT_TRUE(all_text(view).contains("reduction"));
    auto* slider = named<TickSlider>(view, "Split k by");
    ASSERT_NE(slider, nullptr);
    EXPECT_EQ(slider->present(), -1);
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Return);
    EXPECT_EQ(asked.count(), 0) << "Enter takes a value that was looked at, no other";
    for (int step = 0; step < 4; ++step)
        QTest::keyClick(slider, Qt::Key_Right);
    EXPECT_EQ(slider->accessibleDescription(), "32");
    QTest::keyClick(slider, Qt::Key_Return);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>(), DirectiveEdit("C.split(k, ko, ki, 32)"));
}

TEST_F(Inspector, ATypedFactorMayBeAny) {
    QSignalSpy asked(&view, &InspectorView::editRequested);
    view.set_selected({"C", 0, "k"});
    auto* field = named<QLineEdit>(view, "Split k by, typed");
    ASSERT_NE(field, nullptr);
    QTest::keyClicks(field, "2*native");
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>().line, "C.split(k, ko, ki, 2*native)");
    field->clear();
    QTest::keyClicks(field, "many");
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(asked.count(), 1);
    EXPECT_TRUE(all_text(view).contains("many is no factor"));
}

TEST_F(Inspector, ASplitThatExistsIsEditedInItsLine) {
    const std::string script =
        "schedule for matmul\n# tiles\nC.tile(i, j, io, jo, ii, ji, 32, 64)\n";
    const auto tiled = bundled_tree("matmul", script);
    const auto schedule = std::make_shared<const Schedule>(
        parse_schedule(std::make_shared<SourceFile>("test.sched", script)).value());
    view.set_services(services_of(tiled));
    view.set_snapshot(tiled, estimate_of(tiled), schedule);
    QSignalSpy asked(&view, &InspectorView::editRequested);
    view.set_selected({"C", 0, "ji"});
    view.show();
    settle(); // the slider has its place
    auto* slider = named<TickSlider>(view, "Factor of j");
    ASSERT_NE(slider, nullptr);
    EXPECT_EQ(slider->accessibleDescription(), "64");
    QTest::mouseClick(slider, Qt::LeftButton, {},
                      QPoint(static_cast<int>(slider->position_of(slider->present() + 1)), 10));
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>(),
              DirectiveEdit("C.tile(i, j, io, jo, ii, ji, 32, 128)", 3));
    EXPECT_NE(named<QPushButton>(view, "Tail guard"), nullptr);
}

// unroll(ii, 4) splits ii once more and leaves it its name: its factor is still that of the tile.
TEST(ScheduleForm, FactorsAreOfTheLoopThatWasSplit) {
    const std::string script = "schedule for matmul\nC.tile(i, j, io, jo, ii, ji, 32, 64)\n"
                               "C.unroll(ii, 4)\nC.vectorize(ji, 8)\n";
    const auto tree = bundled_tree("matmul", script);
    const auto schedule =
        parse_schedule(std::make_shared<SourceFile>("test.sched", script)).value();
    auto labels = [&](const char* loop) {
        QStringList all;
        const auto forms = factor_forms(*tree, &schedule, {"C", 0, loop});
        EXPECT_FALSE(forms.empty()) << loop;
        for (const FormValue& value : forms.empty() ? std::vector<FormValue>{} : forms[0].values)
            all << (value.present ? '[' + value.label + ']' : value.label);
        return all;
    };
    EXPECT_TRUE(labels("ii").contains("1024")) << labels("ii").join(' ').toStdString();
    EXPECT_TRUE(labels("ii").contains("[32]"));
    EXPECT_TRUE(labels("ji_v").contains("[8]")) << labels("ji_v").join(' ').toStdString();
    EXPECT_FALSE(labels("ji_v").contains("64")) << "ji has 64 iterations: all of them is no split";
    EXPECT_EQ(factor_forms(*tree, &schedule, {"C", 0, "ji_v"}).front().edit_for("16"),
              DirectiveEdit("C.vectorize(ji, 16)", 4));
}

TEST_F(Inspector, WhatCannotBeIsGreyAndSaysWhyInPlace) {
    view.set_selected({"C", 0, "k"});
    ASSERT_TRUE(judged());
    auto* parallel = named<QPushButton>(view, "Runs parallel");
    ASSERT_NE(parallel, nullptr);
    EXPECT_FALSE(parallel->isEnabled());
    EXPECT_GT(parallel->accessibleDescription().size(), 10);
    EXPECT_TRUE(all_text(view).contains("parallel: " + parallel->accessibleDescription().left(60)));
    auto* serial = named<QPushButton>(view, "Runs serial");
    EXPECT_TRUE(serial->isEnabled());
    EXPECT_TRUE(serial->isChecked()) << "the present value is marked";
}

TEST_F(Inspector, HoveringAsksForAPreviewAndALateAnswerIsDropped) {
    std::vector<std::pair<QString, std::function<void(const Preview&)>>> questions;
    EditServices services = services_of(tree);
    services.preview = [&](const DirectiveEdit& edit, std::function<void(const Preview&)> answer) {
        questions.emplace_back(edit.line, answer);
    };
    view.set_services(services);
    view.set_selected({"C", 0, "i"});
    ASSERT_TRUE(judged());
    QEvent enter(QEvent::Enter), leave(QEvent::Leave);
    auto* parallel = named<QPushButton>(view, "Runs parallel");
    QCoreApplication::sendEvent(named<QPushButton>(view, "Runs unrolled"), &enter);
    QCoreApplication::sendEvent(parallel, &enter);
    ASSERT_EQ(questions.size(), 2u);
    EXPECT_EQ(questions[1].first, "C.parallel(i)");
    auto* bubble = view.findChild<Bubble*>();
    questions[1].second({"▾ 18 %", -1});
    EXPECT_EQ(bubble->text(), "C.parallel(i)\n▾ 18 %");
    questions[0].second({"▴ 99 %", 1});
    EXPECT_EQ(bubble->text(), "C.parallel(i)\n▾ 18 %") << "the answer to the earlier question";
    QCoreApplication::sendEvent(parallel, &leave);
    EXPECT_TRUE(bubble->text().isEmpty()) << "leaving removes it";
    QCoreApplication::sendEvent(parallel, &enter);
    view.set_selected({"C", 0, "j"});
    questions.back().second({"▾ 77 %", -1});
    EXPECT_TRUE(bubble->text().isEmpty());
}

TEST_F(Inspector, ASwitchIsTakenBackByRemovingItsLine) {
    const std::string script = "schedule for matmul\nC.contract()\n";
    const auto contracted = bundled_tree("matmul", script);
    view.set_services(services_of(contracted));
    view.set_snapshot(
        contracted, estimate_of(contracted),
        std::make_shared<const Schedule>(
            parse_schedule(std::make_shared<SourceFile>("test.sched", script)).value()));
    view.set_selected({"C", -1, "@stage"});
    QSignalSpy asked(&view, &InspectorView::editRequested);
    auto* box = named<QCheckBox>(view, "Contract to fma");
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(box->isChecked());
    box->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>(), DirectiveEdit(QString(), 2));
    EXPECT_TRUE(box->isChecked()) << "until the schedule is another one";
}

TEST_F(Inspector, ShowsInputsInlinedStagesAndNothing) {
    view.set_selected({"A", -1, "@storage"});
    EXPECT_TRUE(all_text(view).contains("f32 [2048, 2048]")) << all_text(view).toStdString();
    const auto harris = bundled_tree("harris");
    view.set_snapshot(harris, nullptr);
    view.set_selected({"ixx", -1, "@stage"});
    EXPECT_TRUE(all_text(view).contains("inlined"));
    view.set_selected({});
    EXPECT_TRUE(all_text(view).contains("Arrow keys"));
    view.set_snapshot(nullptr, nullptr);
    EXPECT_TRUE(all_text(view).contains("Arrow keys"));
}

TEST_F(Inspector, ThePathLeadsUpwards) {
    QSignalSpy selected(&view, &InspectorView::nodeSelected);
    view.set_selected({"C", 0, "k"});
    auto* path = named<QLabel>(view, "Where it is");
    ASSERT_NE(path, nullptr);
    emit path->linkActivated("C%2Fi");
    ASSERT_EQ(selected.count(), 1);
    EXPECT_EQ(selected[0][0].value<NodeId>(), (NodeId{"C", 0, "i"}));
}

TEST_F(Inspector, WhereNothingCanBeChosenTheReasonStandsAlone) {
    const auto tree = bundled_tree("blur");
    view.set_services(services_of(tree));
    view.set_snapshot(tree, estimate_of(tree), nullptr, NodeId{"out", -1, "@stage"});
    int scopes = 0;
    for (const auto* button : view.findChildren<QAbstractButton*>())
        if (button->objectName().startsWith("scope/")) {
            ++scopes;
            EXPECT_TRUE(button->isHidden()) << button->text().toStdString();
        }
    EXPECT_EQ(static_cast<std::size_t>(scopes), known_scopes({}).size());
    bool said = false;
    for (const auto* note : view.findChildren<QLabel*>())
        said =
            said || (note->accessibleName() == "Why a choice cannot be made" && !note->isHidden() &&
                     note->text().startsWith("out is an output") && note->text().contains("; "));
    EXPECT_TRUE(said) << "with what would be legal instead";
    // The choices of another stage can be made.
    int chosen = 0;
    view.set_selected({"blur_x", -1, "@stage"});
    for (const auto* button : view.findChildren<QAbstractButton*>())
        if (button->objectName() == "scope/local" && button->isEnabled()) {
            EXPECT_FALSE(button->isHidden());
            ++chosen;
        }
    EXPECT_EQ(chosen, 1);
}

TEST(EstimateView, APercentSignBeginsNoLine) {
    auto estimate = std::make_shared<model::Estimate>(*simple_estimate(0.2));
    const std::string name(120, 'n');
    estimate->advice = {"s is not vectorised; `s.vectorize(x, 8)` would save 12 %",
                        name + " is not vectorised; `" + name + ".vectorize(x, 8)` would save 9 %"};
    EstimateView view;
    QSignalSpy tried(&view, &EstimateView::directiveRequested);
    view.resize(300, 500);
    view.set_estimate(estimate);
    int sentences = 0;
    for (const auto* label : view.findChildren<QLabel*>())
        if (label->text().contains("would save")) {
            ++sentences;
            EXPECT_TRUE(label->text().endsWith("&nbsp;%")) << label->text().toStdString();
            EXPECT_FALSE(label->text().contains(QString(60, 'n'))) << "a long name is shortened";
        }
    EXPECT_EQ(sentences, 2);
    for (auto* button : view.findChildren<QPushButton*>())
        if (button->accessibleName().startsWith("Try nnn"))
            button->click();
    ASSERT_EQ(tried.count(), 1);
    EXPECT_EQ(tried[0][0].toString().toStdString(), name + ".vectorize(x, 8)") << "but whole here";
}

TEST(RooflineView, WholeNumbersHaveCeilingsAndPointsOfTheirOwn) {
    RooflineView view;
    view.resize(700, 500);
    view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
    auto named = [&](const char* type) {
        int count = 0;
        for (auto* plot : view.findChildren<QCustomPlot*>())
            for (int i = 0; i < plot->itemCount(); ++i)
                if (const auto* text = qobject_cast<QCPItemText*>(plot->item(i)))
                    count += text->text().contains(type) ? 1 : 0;
        return count;
    };
    view.set_tree(bundled_tree("blur"));
    view.set_estimate(estimate_of(bundled_tree("blur")));
    view.show();
    settle();
    EXPECT_GT(named("i16 vectors"), 0) << "of u16, as the blur is";
    EXPECT_GT(named("OP/s"), 0);
    EXPECT_EQ(named("FLOP"), 0);
    EXPECT_EQ(named("f32"), 0);
    EXPECT_EQ(named("f64"), 0);
    EXPECT_FALSE(all_text(view).contains("no arithmetic"));
    auto* plot = view.findChild<QCustomPlot*>();
    EXPECT_TRUE(plot->accessibleDescription().contains("OP per byte"));
    EXPECT_TRUE(plot->xAxis->label().startsWith("OP per byte"));
    // A table of floats makes no program of floats.
    view.set_tree(bundled_tree("camera_pipe"));
    view.set_estimate(estimate_of(bundled_tree("camera_pipe")));
    settle();
    EXPECT_TRUE(plot->xAxis->label().startsWith("OP per byte"));
    EXPECT_EQ(named("f32"), 0);
    // Floats that are stored as integers are floats all the same.
    view.set_tree(bundled_tree("copy"));
    view.set_estimate(estimate_of(bundled_tree("copy")));
    settle();
    EXPECT_EQ(named("vectors without FMA") > 0, named("f32") > 0);
    EXPECT_EQ(named("i8 vectors"), 0);
    view.set_tree(bundled_tree("harris")); // floats
    view.set_estimate(estimate_of(bundled_tree("harris")));
    settle();
    EXPECT_GT(named("f32"), 0);
    EXPECT_EQ(named("i16"), 0);
    EXPECT_TRUE(plot->xAxis->label().startsWith("FLOP per byte"));
}

TEST(RooflineView, DotsAreWholeHoweverSlowTheirKernels) {
    RooflineView view;
    view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
    view.resize(390, 220); // where panels share a column
    view.show();
    auto estimate = *estimate_of(bundled_tree("blur"));
    estimate.kernels.resize(1);
    auto& kernel = estimate.kernels.front();
    for (const double rate : {1.05e6, 1.05e8, 1.3e9, 2e9}) { // some just above a decade's line
        kernel.flops = 1e9;
        kernel.seconds = kernel.flops / rate;
        view.set_estimate(std::make_shared<model::Estimate>(estimate));
        settle();
        const auto* plot = view.findChild<QCustomPlot*>();
        int circles = 0;
        for (int i = 0; i < plot->graphCount(); ++i) {
            const auto style = plot->graph(i)->scatterStyle();
            if (style.shape() != QCPScatterStyle::ssCircle)
                continue;
            ++circles;
            const double y = plot->yAxis->coordToPixel(plot->graph(i)->data()->begin()->value);
            EXPECT_LE(y + style.size() / 2, plot->axisRect()->bottom() + 1) << rate;
        }
        EXPECT_EQ(circles, 1);
    }
}

TEST(RooflineView, LevelsComeFromTheEstimateAndMemoryIsShownFirst) {
    RooflineView view;
    view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
    view.set_estimate(simple_estimate(0.2));
    EXPECT_EQ(view.level(), "memory");
    view.findChild<QComboBox*>()->setCurrentText("L1");
    EXPECT_EQ(view.level(), "L1");
    view.findChild<QComboBox*>()->setCurrentIndex(1);
    EXPECT_EQ(view.level(), "memory");
    view.set_estimate(simple_estimate(0.3));
    EXPECT_EQ(view.level(), "memory");
}

// A diamond for each kernel that was measured, behind its own dot, where there are several.
TEST(RooflineView, MeasuredKernelsHavePointsOfTheirOwn) {
    RooflineView view;
    view.resize(500, 400);
    view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
    auto estimate = std::make_shared<model::Estimate>(*simple_estimate(0.2));
    ASSERT_FALSE(estimate->kernels.empty());
    auto first = estimate->kernels.front();
    first.name = "first", first.node.stage = "first";
    auto second = first;
    second.name = "second", second.node.stage = "second", second.seconds /= 2;
    estimate->kernels = {first, second};
    view.set_estimate(estimate);
    const auto diamonds = [&] {
        int count = 0;
        const auto* plot = view.findChild<QCustomPlot*>();
        for (int g = 0; g < plot->graphCount(); ++g)
            count += plot->graph(g)->scatterStyle().shape() == QCPScatterStyle::ssDiamond;
        return count;
    };
    EXPECT_EQ(diamonds(), 0);
    MeasuredTime measured{0.3};
    measured.kernels = {{"first", 0.25, 40, 0, 8}, {"second", std::nullopt, 40, 0, 8}};
    view.set_measured(measured);
    EXPECT_EQ(diamonds(), 2) << "the whole program and its first kernel";
    measured.stale = true;
    view.set_measured(measured);
    EXPECT_EQ(diamonds(), 0);
}

TEST(RooflineView, WhatHasNoArithmeticIsNamed) {
    const auto tree = default_tree("copy");
    RooflineView view;
    view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
    view.set_estimate(estimate_of(tree));
    EXPECT_TRUE(all_text(view).contains("(no arithmetic)"));
}

TEST(RooflineView, OtherArithmeticIsArithmetic) {
    auto estimate = std::make_shared<model::Estimate>(*simple_estimate(0.2));
    const auto kernel = [&](const char* name, double flops, double integers) {
        auto made = estimate->kernels.front();
        made.name = made.node.stage = name;
        made.flops = flops;
        made.integer_operations = integers;
        return made;
    };
    const auto table = kernel("table", 1e6, 0), sum = kernel("sum", 0, 1e9),
               moved = kernel("moved", 0, 0);
    estimate->kernels = {table, sum, moved};
    RooflineView view;
    view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
    view.set_estimate(estimate);
    EXPECT_TRUE(all_text(view).contains("Not shown: table (floating-point arithmetic)."));
    EXPECT_TRUE(all_text(view).contains("Not shown: moved (no arithmetic)."));
    auto floats = std::make_shared<model::Estimate>(*estimate);
    floats->kernels.front().flops = 1e12;
    view.set_estimate(floats);
    EXPECT_TRUE(all_text(view).contains("Not shown: sum (arithmetic on integers)."));
}

class Source : public testing::Test {
protected:
    void SetUp() override {
        SourceText text;
        text.text = "for y\n  for x\n    out[y, x] = 1\n  end\n";
        text.lines = {{"out", 0, "y"}, {"out", 0, "x"}, {"out", 0, "@compute"}, {}};
        view.resize(400, 200);
        view.set_source("loops", text);
        view.show();
        settle();
        editor = named<QsciScintilla>(view, "Loops source");
    }
    SourceView view;
    QsciScintilla* editor = nullptr;
};

TEST_F(Source, LinesAndNodesAreLinkedBothWays) {
    QSignalSpy selected(&view, &SourceView::nodeSelected);
    EXPECT_EQ(view.lines_of("loops", {"out", 0, "x"}), std::vector<int>{1});
    EXPECT_EQ(view.lines_of("loops", {"out", -1, "@stage"}), (std::vector<int>{0, 1, 2}));
    EXPECT_TRUE(view.lines_of("loops", {}).empty());
    view.set_selected({"out", 0, "x"});
    EXPECT_EQ(selected.count(), 0);
    EXPECT_NE(editor->markersAtLine(1), 0u);
    EXPECT_EQ(editor->markersAtLine(0), 0u);
    editor->setFocus();
    QTest::keyClick(editor, Qt::Key_Down);
    QTest::keyClick(editor, Qt::Key_Down);
    settle();
    ASSERT_GE(selected.count(), 1);
    EXPECT_EQ(selected.last()[0].value<NodeId>(), (NodeId{"out", 0, "@compute"}));
    QTest::keyClick(editor, Qt::Key_Down);
    settle();
    EXPECT_EQ(selected.last()[0].value<NodeId>(), (NodeId{"out", 0, "@compute"}))
        << "a line of no node selects nothing";
}

TEST_F(Source, CannotBeEditedAndCopies) {
    QTest::keyClicks(editor, "abc");
    EXPECT_TRUE(view.text("loops").startsWith("for y\n"));
    view.copy();
    EXPECT_EQ(QApplication::clipboard()->text(), view.text("loops"));
}

TEST_F(Source, TabsAskForWhatTheyShow) {
    QSignalSpy shown(&view, &SourceView::tabShown);
    view.set_current("llvm");
    ASSERT_EQ(shown.count(), 1);
    EXPECT_EQ(shown[0][0].toString(), "llvm");
    view.set_message("llvm", "Compiling …");
    EXPECT_TRUE(all_text(view).contains("Compiling …"));
    view.set_source("llvm", {"define void @f() {\n}\n", {}});
    EXPECT_EQ(view.text("llvm"), "define void @f() {\n}\n");
}

TEST_F(Source, HasATabForEachFormThatAsksForOne) {
    const auto* tabs = view.findChild<QTabBar*>();
    int at = 0;
    for (const auto& form : output_forms()) {
        if (!form.tab)
            continue;
        ASSERT_LT(at, tabs->count()) << form.name;
        EXPECT_EQ(tabs->tabText(at), form.title);
        EXPECT_EQ(tabs->tabToolTip(at), form.summary);
        view.set_device_is_gpu(form.machine == OutputForm::Machine::Gpu);
        view.set_current(form.name);
        EXPECT_EQ(view.current(), form.name);
        EXPECT_EQ(tabs->currentIndex(), at);
        for (bool gpu : {false, true}) {
            view.set_device_is_gpu(gpu);
            const auto others = gpu ? OutputForm::Machine::Processor : OutputForm::Machine::Gpu;
            EXPECT_EQ(tabs->isTabVisible(at), form.machine != others) << form.name;
        }
        ++at;
    }
    EXPECT_EQ(at, tabs->count());
}

TEST_F(Source, OfAGpuTheKernelsToBeCompiledElsewhereStandFirst) {
    view.set_device_is_gpu(true);
    const auto* tabs = view.findChild<QTabBar*>();
    QStringList seen;
    for (int at = 0; at < tabs->count(); ++at)
        if (tabs->isTabVisible(at))
            seen << tabs->tabText(at);
    EXPECT_EQ(seen, (QStringList{"Loops", "CUDA C++", "OpenCL C", "PTX", "SASS"}));
}

TEST(MeasurementsView, EmptyItTeachesAndAsks) {
    MeasurementsView view;
    QSignalSpy asked(&view, &MeasurementsView::measureRequested);
    EXPECT_TRUE(all_text(view).contains("Space"));
    named<QPushButton>(view, "Measure")->click();
    EXPECT_EQ(asked.count(), 1);
}

TEST(MeasurementsView, SortsOpensAndExports) {
    std::vector<MeasurementRow> rows(3);
    for (int i = 0; i < 3; ++i) {
        rows[static_cast<std::size_t>(i)].revision = 10 + i;
        rows[static_cast<std::size_t>(i)].schedule = QString("s%1").arg(i);
        rows[static_cast<std::size_t>(i)].median_seconds = i == 1 ? 0.001 : 0.01 * (i + 1);
    }
    MeasurementsView view;
    view.resize(700, 200);
    view.set_rows(std::make_shared<const std::vector<MeasurementRow>>(rows));
    view.show();
    auto* table = view.findChild<QTableView*>();
    ASSERT_NE(table, nullptr);
    table->sortByColumn(MeasurementTableModel::Median, Qt::AscendingOrder);
    EXPECT_TRUE(view.csv().split("\r\n")[1].startsWith("s1,"));
    QSignalSpy opened(&view, &MeasurementsView::revisionActivated);
    table->selectRow(0);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Return);
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toLongLong(), 11);
    const QString path = QString::fromStdString(loopscope::test::scratch_folder()) + "/m.csv";
    ASSERT_TRUE(view.export_csv(path));
    EXPECT_EQ(QString::fromStdString(loopscope::test::read_file(path.toStdString())), view.csv());
    EXPECT_FALSE(view.export_csv("/no/such/folder/m.csv"));
}

TEST(MeasurementsView, TheTabKeyLeavesTheTable) {
    MeasurementsView view;
    view.set_rows(std::make_shared<const std::vector<MeasurementRow>>(2));
    view.show();
    auto* table = view.findChild<QTableView*>();
    table->setCurrentIndex(table->model()->index(0, 0));
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Tab);
    EXPECT_EQ(table->currentIndex(), table->model()->index(0, 0)) << "it went to the next cell";
}

} // namespace test_panels
} // namespace loopscope::views::test
