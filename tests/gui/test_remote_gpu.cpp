// The window on a GPU in another machine: added, tried, checked and measured through a real sshd on
// the loopback (tests/remote/loopback_host.h) with the fake driver.

#include "app/session/gpus_elsewhere.h"
#include "app/windows/device_box.h"
#include "app/windows/remote_gpus.h"
#include "tests/gui/gpu_meaning.h"
#include "tests/gui/gui_support.h"
#include "tests/remote/loopback_host.h"
#include "tests/support/support.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <map>

namespace loopscope::app::test {

namespace {

class RemoteGpuWindow : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        folder_ = loopscope::test::scratch_folder();
        host_ = std::make_unique<loopscope::test::LoopbackHost>(loopscope::test::Settings{
            {"FAKE_CUDA_PROGRAMS", folder_}, {"FAKE_CUDA_KERNEL_US", "250"}});
        if (!host_->missing().empty())
            GTEST_SKIP() << host_->missing();
        for (const auto& [name, value] : host_->environment())
            set(name, value);
        set("XDG_CONFIG_HOME", folder_ + "/settings");
    }
    void TearDown() override {
        WindowTest::TearDown();
        for (const auto& [name, value] : before_)
            qputenv(name.c_str(), value);
    }
    void set(const std::string& name, const std::string& value) {
        before_.emplace(name, qgetenv(name.c_str()));
        qputenv(name.c_str(), QByteArray::fromStdString(value));
    }
    session::Session& open_blur() {
        const auto path = loopscope::test::scratch_folder() + "/blur.sched";
        std::ofstream(path) << kBlurTile;
        return open("blur.loop", {path, kSmallBlur, ""}).session();
    }
    DeviceBox* box() { return window_->findChild<DeviceBox*>(); }
    // As a person chooses the line of the list.
    void choose(const QString& text) {
        const int index = box()->findText(text);
        ASSERT_GE(index, 0) << text.toStdString();
        box()->setCurrentIndex(index);
        emit box() -> activated(index);
    }
    RemoteGpus* dialog() { return window_->findChild<RemoteGpus*>(); }
    QPushButton* button(const QString& text) {
        for (auto* each : dialog()->findChildren<QPushButton*>())
            if (each->text().remove('&') == text)
                return each;
        return nullptr;
    }
    // The dialog with a place that was tried.
    void try_place(const QString& place) {
        if (!dialog())
            choose("Add a remote GPU…");
        ASSERT_TRUE(dialog());
        auto* line = dialog()->findChild<QLineEdit*>();
        line->selectAll();
        QTest::keyClicks(line, place);
        QTest::mouseClick(button("Try it"), Qt::LeftButton);
        ASSERT_TRUE(wait_until([&] { return !window_->session().gpus_elsewhere().trying(); }));
    }
    QString answer() { return all_text(*dialog()); }

    std::string folder_;
    std::unique_ptr<loopscope::test::LoopbackHost> host_;

private:
    std::map<std::string, QByteArray> before_;
};

} // namespace

TEST_F(RemoteGpuWindow, IsAddedTriedAndUsed) {
    auto& session = open_blur();
    ASSERT_TRUE(settle());
    choose("Add a remote GPU…");
    ASSERT_TRUE(dialog());
    keep_picture("remote_gpu_empty", *dialog());
    EXPECT_FALSE(button("Add")->isEnabled()) << "nothing was tried";
    try_place("ssh:nobody.invalid");
    EXPECT_TRUE(answer().contains("no such host is known")) << answer().toStdString();
    EXPECT_FALSE(button("Add")->isEnabled());
    keep_picture("remote_gpu_refused", *dialog());
    try_place("lsf:gpu1");
    EXPECT_TRUE(answer().contains("is no place of a GPU"));
    ASSERT_EQ(host_->place(), "ssh:gpu1");
    try_place("gpu1"); // as ssh takes it
    ASSERT_TRUE(button("Add")->isEnabled()) << answer().toStdString();
    EXPECT_TRUE(answer().contains("ssh:gpu1: "));
    keep_picture("remote_gpu_tried", *dialog());
    QTest::mouseClick(button("Add"), Qt::LeftButton);
    EXPECT_EQ(dialog()->findChild<QListWidget*>()->count(), 1);
    EXPECT_EQ(session.device()->target, "ssh:gpu1") << "it was added to be used";
    dialog()->close();
    ASSERT_TRUE(settle());
    EXPECT_EQ(box()->currentText(), "fake-gpu · ssh:gpu1");

    write_meaning(session, folder_);
    QString said;
    QObject::connect(&session, &session::Session::message,
                     [&](const QString& text, bool) { said += text + "\n"; });
    session.tasks().check();
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    EXPECT_TRUE(said.contains("Right, on fake-gpu, ssh:gpu1: ")) << said.toStdString();
    session.tasks().measure(0.2);
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    ASSERT_EQ(session.document()->measurements().size(), 1u) << said.toStdString();
    EXPECT_EQ(session.document()->measurements()[0].device, "fake-gpu, ssh:gpu1");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(all_text(*estimate_view(*window_)).contains(views::format_seconds(250e-6)));
    keep_picture("remote_gpu_measured");
    session.tasks().probe_gpu();
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    EXPECT_TRUE(said.contains("The peaks of fake-gpu are measured")) << said.toStdString();
    EXPECT_TRUE(host_->run_folders().empty());
}

// Nobody speaks to it: what is known was kept.
TEST_F(RemoteGpuWindow, IsKnownAtTheNextStartWithoutAConnection) {
    auto& session = open_blur();
    try_place(QString::fromStdString(host_->place()));
    QTest::mouseClick(button("Add"), Qt::LeftButton);
    dialog()->close();
    ASSERT_TRUE(settle());
    ASSERT_EQ(session.device()->target, "ssh:gpu1");
    host_.reset();
    auto& again = open_blur();
    ASSERT_TRUE(settle());
    EXPECT_EQ(again.device()->target, "ssh:gpu1");
    EXPECT_TRUE(again.estimates().now()->seconds);
    QString said;
    QObject::connect(&again, &session::Session::message,
                     [&](const QString& text, bool) { said += text + "\n"; });
    again.tasks().measure(0.2);
    ASSERT_TRUE(wait_until([&] { return !again.tasks().busy(); }));
    EXPECT_TRUE(said.contains("gpu1: ")) << said.toStdString();
    EXPECT_TRUE(again.document()->measurements().empty());
    // Taken away, it is only described.
    choose("Add a remote GPU…");
    dialog()->findChild<QListWidget*>()->setCurrentRow(0);
    QTest::mouseClick(button("Remove"), Qt::LeftButton);
    EXPECT_EQ(dialog()->findChild<QListWidget*>()->item(0)->text(), "none yet");
    ASSERT_TRUE(settle());
    EXPECT_FALSE(again.device()->is_here());
}

TEST_F(RemoteGpuWindow, CancelLeavesNothingThere) {
    host_ = std::make_unique<loopscope::test::LoopbackHost>(
        loopscope::test::Settings{{"FAKE_CUDA_PROGRAMS", folder_}, {"FAKE_CUDA_HANG", "out"}});
    for (const auto& [name, value] : host_->environment())
        set(name, value);
    auto& session = open_blur();
    try_place(QString::fromStdString(host_->place()));
    QTest::mouseClick(button("Add"), Qt::LeftButton);
    dialog()->close();
    ASSERT_TRUE(settle());
    session.tasks().measure(0.2);
    ASSERT_TRUE(wait_until([&] { return host_->processes().size() == 2; }));
    session.tasks().cancel();
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    EXPECT_TRUE(
        wait_until([&] { return host_->processes().empty() && host_->run_folders().empty(); }));
}

// Settings that a hand has spoiled take nothing from anybody.
TEST_F(RemoteGpuWindow, SpoiledSettingsAreSaid) {
    std::filesystem::create_directories(folder_ + "/settings/loopscope");
    std::ofstream(folder_ + "/settings/loopscope/remotes.json") << "{\"places\": [{\"place\": 1}]}";
    auto& session = open_blur();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(session.gpus_elsewhere().places().empty());
    EXPECT_GE(box()->findText("their settings cannot be read"), 0);
    choose("Add a remote GPU…");
    EXPECT_TRUE(answer().contains("remotes.json")) << answer().toStdString();
}

} // namespace loopscope::app::test
