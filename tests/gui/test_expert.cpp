// The shipped schedule: how far a person is from it, beside theirs, and in its place.

#include "app/session/expert_schedule.h"
#include "app/session/measured_medians.h"
#include "app/windows/comparison_window.h"
#include "tests/gui/gui_support.h"
#include "tests/support/kept_measurement.h"
#include "tests/support/support.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/schedules_view.h"

#include <QComboBox>
#include <QLabel>

#include <fstream>

namespace loopscope::app::test {

namespace {

class ExpertSchedules : public WindowTest {
protected:
    session::ExpertSchedule& expert() { return window_->session().expert(); }
    bool known() {
        return settle() && wait_until([&] { return expert().settled(); }) && settle();
    }
    std::optional<views::ExpertTime> time() {
        return expert().time(session::MeasuredMedians(window_->session()));
    }
    QString line() {
        for (const auto* label : estimate_view(*window_)->findChildren<QLabel*>())
            if (label->accessibleName() == "Against the expert schedule" && label->isVisible())
                return label->text();
        return {};
    }
    QAction* action(const QString& text) {
        for (auto* each : window_->findChildren<QAction*>())
            if (each->text().remove('&') == text)
                return each;
        return nullptr;
    }
};

} // namespace

TEST_F(ExpertSchedules, SayHowFarThereIsToGo) {
    auto& session = open("matmul.loop", {{}, {{"M", 512}, {"N", 512}, {"K", 512}}, ""}).session();
    ASSERT_TRUE(known());
    ASSERT_TRUE(expert().now());
    EXPECT_TRUE(QString::fromStdString(expert().now()->file).endsWith("matmul.cpu.sched"));
    ASSERT_TRUE(time());
    EXPECT_LT(time()->share(), 0.9) << "the default schedule is far from it";
    EXPECT_TRUE(line().contains("as fast as the expert schedule, predicted"))
        << line().toStdString();
    keep_picture("expert");
    ASSERT_TRUE(action("Take the expert schedule")->isEnabled());
    action("Compare with the expert schedule")->trigger();
    ASSERT_TRUE(wait_until([&] { return window_->findChild<ComparisonWindow*>(); }));
    ASSERT_TRUE(settle());
    keep_picture("expert_compared", *window_->findChild<ComparisonWindow*>());
    bool named = false;
    for (const auto* side : window_->findChild<ComparisonWindow*>()->findChildren<QComboBox*>())
        named = named || side->currentText().contains("matmul.cpu.sched");
    EXPECT_TRUE(named);
    window_->findChild<ComparisonWindow*>()->close();
    const auto before = script();
    action("Take the expert schedule")->trigger();
    ASSERT_TRUE(known());
    EXPECT_NE(script(), before);
    EXPECT_NEAR(time()->share(), 1, 1e-9);
    EXPECT_TRUE(line().startsWith("as fast as the expert schedule")) << line().toStdString();
    session.undo();
    EXPECT_EQ(script(), before) << "a step as any other";
}

// A time that was measured stands for a forecast only where the other one was measured, too.
TEST_F(ExpertSchedules, MeasuredIsComparedWithMeasured) {
    auto& session = open("matmul.loop", {{}, {{"M", 256}, {"N", 256}, {"K", 256}}, ""}).session();
    ASSERT_TRUE(known());
    const auto own = session.document()->current().id;
    loopscope::test::keep_measurement(session, 0.4);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(line().endsWith("predicted")) << line().toStdString();
    ASSERT_TRUE(expert().take().ok());
    loopscope::test::keep_measurement(session, 0.1);
    session.go_to_revision(own);
    ASSERT_TRUE(known());
    EXPECT_EQ(
        line().toStdString(),
        (views::format_share(0.25) + " as fast as the expert schedule, measured").toStdString());
    action("Compare with the expert schedule")->trigger();
    ASSERT_TRUE(wait_until([&] { return comparison_window(*window_) != nullptr; }));
    ASSERT_TRUE(wait_until([&] { return !comparison_window(*window_)->busy(); }));
    const auto* compared = comparison_window(*window_)->view();
    ASSERT_TRUE(compared->pair());
    EXPECT_EQ(compared->pair()->left.measured, 0.1);
    EXPECT_EQ(compared->pair()->right.measured, 0.4);
    EXPECT_TRUE(compared->headline().contains("measured")) << compared->headline().toStdString();
}

// Of a GPU the quickest of those that run there; another device has another.
TEST_F(ExpertSchedules, AreOfTheDevice) {
    auto& session = open("matmul_f16.loop", {{}, {}, "h100-sxm"}).session();
    ASSERT_TRUE(known());
    ASSERT_TRUE(expert().now());
    EXPECT_NE(expert().now()->file.find("matmul_f16.gpu_hopper"), std::string::npos);
    ASSERT_TRUE(session.set_device("a100-sxm-40gb").ok());
    ASSERT_TRUE(known());
    ASSERT_TRUE(expert().now());
    EXPECT_EQ(expert().now()->file.find("hopper"), std::string::npos);
    ASSERT_TRUE(expert().take().ok());
    EXPECT_EQ(session.device()->name, "a100-sxm-40gb") << "whatever its own target is";
    ASSERT_TRUE(session.set_device("host").ok());
    ASSERT_TRUE(known());
    EXPECT_NE(expert().now()->file.find(".cpu.sched"), std::string::npos);
}

// A pipeline that only has a shipped one's name is another.
TEST_F(ExpertSchedules, ANameIsNotEnough) {
    const auto path = loopscope::test::scratch_folder() + "/blur.loop";
    std::ofstream(path) << loopscope::test::read_file(bundled("blur.loop")) << "# mine\n";
    ASSERT_TRUE(show().open_path(path));
    ASSERT_TRUE(known());
    EXPECT_EQ(expert().now(), nullptr);
}

TEST_F(ExpertSchedules, AProgramOfOnesOwnHasNone) {
    const auto path = loopscope::test::scratch_folder() + "/mine.loop";
    std::ofstream(path) << "pipeline mine\ninput a[i]: f32[64]\nstage out[i] = a[i] + 1.0\n"
                           "output out: [64]\n";
    ASSERT_TRUE(show().open_path(path));
    ASSERT_TRUE(known());
    EXPECT_EQ(expert().now(), nullptr);
    EXPECT_TRUE(line().isEmpty());
    EXPECT_FALSE(action("Take the expert schedule")->isEnabled());
}

} // namespace loopscope::app::test
