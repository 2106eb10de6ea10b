// The machine's peaks in the whole window: arriving, wrong, and the measurement that they
// mispredict.

#include "tests/gui/gui_support.h"

#include "compiler/measure/host_device.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "views/widgets/bubble.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/inspector_view.h"

#include <nlohmann/json.hpp>

#include <QAbstractButton>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace loopscope::app::test {

namespace {

// Arithmetic of that many times what is kept, of one core and of all.
void keep_host_arithmetic(double one, double all) {
    auto host = measure::host_device();
    for (auto& [type, figure] : host.flops_per_second)
        figure.value *= one;
    for (auto& [type, figure] : host.flops_per_second_all)
        figure.value *= all;
    if (one > 1) // nor is there anything else to wait for
        for (auto* rates : {&host.memory_bytes_per_second, &host.memory_bytes_per_second_all})
            (*rates)->value *= one;
    for (auto& cache : host.caches)
        for (auto* rates : {&cache.bytes_per_second, &cache.bytes_per_second_all})
            if (one > 1 && *rates)
                (*rates)->value *= one;
    std::ofstream(measure::host_file(host)) << device::to_json(host).dump();
}

class MachinePeaks : public WindowTest {
protected:
    void TearDown() override {
        WindowTest::TearDown();
        keep_host_figures();
    }
    template <typename Widget> Widget* named(const QString& accessible_name) const {
        for (auto* each : window_->findChildren<Widget*>())
            if (each->accessibleName() == accessible_name)
                return each;
        return nullptr;
    }
    QString preview_of(const QString& choice) {
        auto* inspector = inspector_view(*window_);
        EXPECT_TRUE(wait_until([&] { return !inspector->judging(); }));
        auto* button = named<QAbstractButton>(choice);
        if (!button)
            return "no " + choice;
        auto* bubble = inspector->findChild<views::Bubble*>();
        QEvent enter(QEvent::Enter), leave(QEvent::Leave);
        QCoreApplication::sendEvent(button, &enter);
        wait_until([&] { return !bubble->text().isEmpty(); }, 10);
        const auto said = bubble->text();
        QCoreApplication::sendEvent(button, &leave);
        return said;
    }
};

} // namespace

TEST_F(MachinePeaks, PreviewsHaveTimesOnceTheyArrive) {
    LOOPSCOPE_LONG_TEST();
    std::filesystem::remove(measure::host_file(measure::read_host())); // a first start
    auto& window = show(1280, 800);
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("matmul.loop"))));
    ASSERT_TRUE(window.session().tasks().probing());
    QSignalSpy steps(&window.session().tasks(), &session::WorkerTasks::progress);
    QTest::qWait(50);
    click({"C", 0, "i"});
    const auto before = preview_of("Runs parallel");
    EXPECT_TRUE(before.contains("this machine's peak FLOP/s is not measured yet"))
        << before.toStdString();
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().probing(); }, 120));
    ASSERT_TRUE(settle());
    EXPECT_GT(steps.count(), 10) << "the bar moves";
    for (qsizetype i = 1; i < steps.count(); ++i)
        EXPECT_LE(steps[i - 1][1].toDouble(), steps[i][1].toDouble());
    const auto after = preview_of("Runs parallel");
    EXPECT_TRUE(after.startsWith("C.parallel(i)\n")) << after.toStdString();
    EXPECT_FALSE(after.contains("not measured")) << after.toStdString();
    EXPECT_FALSE(after.contains("no estimate")) << after.toStdString();
}

TEST_F(MachinePeaks, OfABusyMachineAreSaidWhereTheyMislead) {
    keep_host_arithmetic(1, 180.0 / 350 * 1.01);
    auto& window = open("matmul.loop", {{}, {}, "host"}, 1280, 800);
    if (window.session().host()->cores < 2)
        GTEST_SKIP() << "a machine of one core";
    auto* words = named<QLabel>("What is wrong with the machine's peaks");
    auto* again = named<QPushButton>("Measure this machine's peaks again");
    ASSERT_TRUE(words && again);
    EXPECT_FALSE(words->isHidden());
    EXPECT_TRUE(words->text().contains("1.01×")) << words->text().toStdString();
    keep_picture("peaks-busy");
    QTest::mouseClick(again, Qt::LeftButton);
    EXPECT_TRUE(window.session().tasks().probing());
    EXPECT_FALSE(again->isEnabled());
    window.session().tasks().cancel();
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }));
    EXPECT_TRUE(again->isEnabled());
}

TEST_F(MachinePeaks, AMeasurementAdmitsThatItTakesLonger) {
    keep_host_arithmetic(1000, 1000); // so that everything takes longer than predicted
    auto& window = open("matmul.loop");
    ASSERT_TRUE(window.session().estimates().now() && window.session().estimates().now()->seconds);
    window.session().tasks().measure(0.05);
    const auto* state = named<QLabel>("State of the worker process");
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->text().contains("expected")) << state->text().toStdString();
    ASSERT_TRUE(wait_until(
        [&] {
            return state->text().contains("longer than predicted") ||
                   !window.session().tasks().busy();
        },
        60))
        << state->text().toStdString();
    EXPECT_TRUE(state->text().contains("longer than predicted")) << state->text().toStdString();
    EXPECT_FALSE(state->text().contains("expected")) << state->text().toStdString();
    keep_picture("peaks-longer");
    window.session().tasks().cancel();
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }, 120));
}

} // namespace loopscope::app::test
