// The window on devices that OpenCL has: found, chosen, checked, measured, by PoCL or whatever
// platform there is.

#include "app/session/opencl_devices.h"
#include "app/windows/device_box.h"
#include "compiler/opencl/client.h"
#include "tests/gui/gpu_meaning.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/models/device_text.h"
#include "views/models/snapshots.h"
#include "views/widgets/two_line_delegate.h"

#include <QAbstractItemView>
#include <QTest>

#include <fstream>
#include <string>

namespace loopscope::app::test {

namespace {

DeviceBox* opencl_box(MainWindow& window) { return window.findChild<DeviceBox*>(); }

// As a person chooses a line of the list.
void choose_device(MainWindow& window, const QString& target) {
    auto* box = opencl_box(window);
    const int index = box->findData(target);
    ASSERT_GE(index, 0) << target.toStdString();
    box->setCurrentIndex(index);
    emit box->activated(index);
}

std::string blur_script() {
    const auto path = loopscope::test::scratch_folder() + "/blur.sched";
    std::ofstream(path) << kBlurTile;
    return path;
}

class OpenclWindow : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        qunsetenv("OCL_ICD_VENDORS");
        qputenv("POCL_KERNEL_CACHE", "0");
        opencl::Client client;
        if (auto devices = client.devices(); !devices)
            GTEST_SKIP() << format(devices.errors());
    }
    void TearDown() override {
        WindowTest::TearDown();                 // with its workers
        qputenv("OCL_ICD_VENDORS", "/nowhere"); // as main() has it
        qunsetenv("POCL_KERNEL_CACHE");
    }
    // The window on the blur, for the first device that OpenCL has.
    session::Session& open_on_opencl() {
        auto& session = open("blur.loop", {blur_script(), kSmallBlur, ""}).session();
        EXPECT_TRUE(wait_until([&] { return !session.opencl().empty(); }));
        QObject::connect(&session, &session::Session::message,
                         [this](const QString& text, bool) { said_ += text + "\n"; });
        choose_device(*window_, "opencl:0");
        EXPECT_TRUE(settle());
        return session;
    }
    bool idle() {
        return wait_until([&] { return !window_->session().tasks().busy(); });
    }

    QString said_;
};

} // namespace

TEST_F(OpenclWindow, ADeviceIsChosenByItsName) {
    auto& session = open_on_opencl();
    EXPECT_EQ(session.device()->target, "opencl:0") << said_.toStdString();
    EXPECT_NE(script().find("target opencl-"), std::string::npos);
    auto* box = opencl_box(*window_);
    EXPECT_EQ(box->currentData().toString(), "opencl:0");
    EXPECT_TRUE(box->currentText().contains("OpenCL")) << box->currentText().toStdString();
    const auto name = views::to_qstring(session.device()->gpu->driver_names.front());
    const auto whole = box->currentData(Qt::AccessibleTextRole).toString();
    EXPECT_TRUE(whole.contains(name)) << whole.toStdString();
    EXPECT_TRUE(whole.contains(session.opencl_devices().platform("opencl:0")));
    EXPECT_TRUE(box->toolTip().contains(name)) << "the tip has it whole";
    keep_picture("opencl_device");
    ASSERT_TRUE(session.set_device("host").ok());
    session.undo();
    EXPECT_EQ(session.device()->target, "opencl:0") << "the script names it";
}

TEST_F(OpenclWindow, ChecksAndMeasuresOnIt) {
    auto& session = open_on_opencl();
    session.tasks().check();
    ASSERT_TRUE(idle());
    EXPECT_TRUE(said_.contains("Right")) << said_.toStdString();
    session.tasks().set_cold(true); // which is of GPUs with a driver of their own
    session.tasks().measure(0.2);
    ASSERT_TRUE(idle());
    session.tasks().set_cold(false);
    const auto name = session.device()->name;
    ASSERT_EQ(session.document()->measurements().size(), 1u) << said_.toStdString();
    EXPECT_EQ(session.document()->measurements()[0].device, name);
    EXPECT_NE(session.measurement_key_on(session.tasks().machine()),
              session.measurement_key_on("host"))
        << "its times are its own";
}

TEST_F(OpenclWindow, AMeasurementIsCancelled) {
    auto& session = open_on_opencl();
    session.tasks().measure(600);
    ASSERT_TRUE(session.tasks().busy());
    session.tasks().cancel();
    ASSERT_TRUE(idle());
    EXPECT_TRUE(said_.contains("Cancelled")) << said_.toStdString();
    EXPECT_TRUE(session.document()->measurements().empty());
    said_.clear();
    session.tasks().check();
    ASSERT_TRUE(idle());
    EXPECT_TRUE(said_.contains("Right")) << "the next one runs: " << said_.toStdString();
}

TEST_F(OpenclWindow, ItsPeaksAreMeasured) {
    auto& session = open_on_opencl();
    const auto before = session.device();
    if (!before->gpu->dram_bytes_per_second) {
        EXPECT_FALSE(session.estimates().now()->seconds);
        EXPECT_NE(session.estimates().now()->reason.find("is not known"), std::string::npos)
            << session.estimates().now()->reason;
    }
    session.tasks().probe_gpu();
    ASSERT_TRUE(idle());
    ASSERT_NE(session.device(), before) << said_.toStdString();
    EXPECT_EQ(session.device()->target, "opencl:0");
    EXPECT_TRUE(session.device()->gpu->dram_bytes_per_second->source.starts_with("measured "));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(session.estimates().now()->seconds) << session.estimates().now()->reason;
    EXPECT_FALSE(session.estimates().now()->described);
    const auto use = opencl_box(*window_)->currentData(views::TwoLineDelegate::SecondLine);
    EXPECT_TRUE(use.toString().contains(views::good_for(*session.device())));
    EXPECT_TRUE(use.toString().contains("f32 ")) << use.toString().toStdString();
}

TEST_F(OpenclWindow, AScheduleForAGpuOpensOnTheOneThatWasChosen) {
    auto& session = show().session();
    ASSERT_TRUE(wait_until([&] { return !session.opencl().empty(); }));
    choose_device(*window_, "opencl:0");
    ASSERT_TRUE(window_->open_path(QString::fromStdString(bundled("blur.loop")),
                                   {blur_script(), kSmallBlur, ""}));
    ASSERT_TRUE(settle());
    EXPECT_EQ(session.device()->target, "opencl:0");
}

using OpenclNowhere = WindowTest;

TEST_F(OpenclNowhere, TheListSaysWhyAndNothingElseDoes) {
    auto& session = open("blur.loop").session();
    bool failed = false;
    QObject::connect(&session, &session::Session::message,
                     [&](const QString&, bool is_error) { failed = failed || is_error; });
    ASSERT_TRUE(wait_until([&] { return !session.opencl_devices().none().isEmpty(); }));
    const auto why = session.opencl_devices().none();
    EXPECT_TRUE(why.contains("OpenCL")) << why.toStdString();
    EXPECT_FALSE(failed);
    auto* box = opencl_box(*window_);
    const int heading = box->findText("Through OpenCL");
    ASSERT_GE(heading, 0);
    EXPECT_EQ(box->itemText(heading + 1), "none");
    EXPECT_EQ(box->itemData(heading + 1, Qt::ToolTipRole).toString(), why);
}

TEST_F(OpenclNowhere, EachDeviceSaysWhatItIsGoodForWhereThereIsLittleRoom) {
    auto& window = open("blur.loop", {}, 1000, 700);
    auto* box = opencl_box(window);
    const int h200 = box->findData("h200");
    ASSERT_GE(h200, 0);
    const auto use = box->itemData(h200, views::TwoLineDelegate::SecondLine).toString();
    EXPECT_TRUE(use.contains("tensor cores")) << use.toStdString();
    EXPECT_TRUE(box->itemData(h200, Qt::AccessibleTextRole).toString().contains(use));
    EXPECT_TRUE(box->itemData(h200, Qt::ToolTipRole).toString().contains(use));
    box->showPopup();
    ASSERT_TRUE(wait_until([&] { return box->view()->isVisible(); }));
    EXPECT_LE(box->view()->width(), window.width());
    EXPECT_GE(box->view()->visualRect(box->model()->index(h200, 0)).height(),
              2 * box->fontMetrics().height())
        << "two lines";
    keep_picture("device_list", *box->view());
    box->hidePopup();
}

} // namespace loopscope::app::test
