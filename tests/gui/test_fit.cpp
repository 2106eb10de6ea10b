// No text is clipped and nothing overlaps, at two sizes and in both themes, in each panel.

#include "app/windows/panels.h"
#include "tests/gui/fit.h"
#include "tests/gui/gui_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/turns.h"

#include "views/style/theme.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/source_view.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPixmap>
#include <QPushButton>
#include <QTest>

namespace loopscope::app::test {

namespace {

struct Look {
    int width, height;
    bool dark;
};

class Fit : public WindowTest, public testing::WithParamInterface<Look> {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        views::apply_theme(*qApp,
                           GetParam().dark ? views::ThemeKind::Dark : views::ThemeKind::Light);
        if (GetParam().width > 1280) {
            LOOPSCOPE_LONG_TEST();
        }
    }
    void TearDown() override {
        WindowTest::TearDown();
        views::apply_theme(*qApp, views::ThemeKind::Light);
    }
    void judge(const QString& state) {
        ASSERT_TRUE(settle());
        QTest::qWait(20);
        const auto faults = faults_of(*window_);
        EXPECT_TRUE(faults.isEmpty()) << state.toStdString() << ":\n"
                                      << faults.join('\n').toStdString();
        if (const auto folder = qEnvironmentVariable("LOOPSCOPE_PICTURES"); !folder.isEmpty()) {
            QDir().mkpath(folder);
            window_->grab().save(QStringLiteral("%1/%2-%3-%4.png")
                                     .arg(folder, state, GetParam().dark ? "dark" : "light")
                                     .arg(GetParam().width));
        }
    }
};

} // namespace

TEST_P(Fit, StartPage) {
    show(GetParam().width, GetParam().height);
    judge("start");
}

TEST_P(Fit, EveryPanelWithASelection) {
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"}, GetParam().width,
         GetParam().height);
    judge("harris");
    click({"out", 0, "yi"});
    for (const auto& panel : panel_kinds()) {
        if (panel.for_gpus)
            continue;
        ASSERT_TRUE(window_->show_panel(panel.id));
        judge(panel.id);
    }
}

TEST_P(Fit, ARefusalAndAScriptWithErrors) {
    open("iir_blur.loop", {}, GetParam().width, GetParam().height);
    click({"down", 1, "r"});
    key(Qt::Key_P);
    judge("refusal");
    type("down.nonsense(x)");
    judge("script-error");
}

TEST_P(Fit, AfterAMeasurementWithABaseline) {
    open("matmul.loop", {{}, {{"M", 64}, {"N", 64}, {"K", 64}}, "host"}, GetParam().width,
         GetParam().height);
    window_->session().baseline().pin();
    click({"C", 0, "i"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    window_->session().tasks().measure(0.1);
    ASSERT_TRUE(wait_until([&] { return !window_->session().tasks().busy(); }));
    for (const char* panel : {"measurements", "compare", "source", "inspector", "estimate"}) {
        ASSERT_TRUE(window_->show_panel(panel));
        judge(QStringLiteral("measured-") + panel);
    }
    source_view(*window_)->set_comparing(true);
    ASSERT_TRUE(window_->show_panel("source"));
    judge("source-compared");
}

TEST_P(Fit, ADescribedDeviceWithABaselineAndAFoldedGraph) {
    open("stencil_chain.loop", {{}, {}, "i7-6700"}, GetParam().width, GetParam().height);
    window_->session().baseline().pin();
    graph_view(*window_)->fold_all();
    ASSERT_TRUE(settle());
    EXPECT_LT(graph_view(*window_)->graph().nodes.size(), 6u);
    for (const char* panel : {"measurements", "roofline", "estimate", "compare"}) {
        ASSERT_TRUE(window_->show_panel(panel));
        judge(QStringLiteral("described-") + panel);
    }
}

TEST_P(Fit, TheHelp) {
    open("blur.loop", {}, GetParam().width, GetParam().height);
    ASSERT_TRUE(window_->show_panel("help"));
    ASSERT_TRUE(settle());
    const auto faults = faults_of(*window_->panel_widget("help"));
    EXPECT_TRUE(faults.isEmpty()) << faults.join('\n').toStdString();
}

INSTANTIATE_TEST_SUITE_P(Looks, Fit,
                         testing::ValuesIn(loopscope::test::part_in_turn<Look>(
                             {Look{1280, 800, false}, Look{1280, 800, true}, Look{1440, 900, false},
                              Look{2560, 1440, false}, Look{2560, 1440, true}},
                             2)),
                         [](const auto& info) {
                             return std::to_string(info.param.width) +
                                    (info.param.dark ? "Dark" : "Light");
                         });

// The judge itself must see what is wrong.
TEST(FitJudge, SeesClippedAndOverlappingWidgets) {
    QWidget window;
    window.resize(300, 100);
    auto* label = new QLabel("a text that is much too long for its place", &window);
    label->setGeometry(0, 0, 40, 20);
    auto* button = new QPushButton("Press", &window);
    button->setGeometry(30, 0, 100, 30);
    auto* outside = new QLabel("x", &window);
    outside->setGeometry(280, 40, 60, 20);
    window.show();
    const auto faults = faults_of(window);
    EXPECT_EQ(faults.filter("does not fit").size(), 1);
    EXPECT_EQ(faults.filter("overlaps").size(), 1);
    EXPECT_EQ(faults.filter("leaves its parent").size(), 1);
}

} // namespace loopscope::app::test
