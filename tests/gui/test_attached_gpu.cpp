// The window on GPUs that are attached: chosen, checked, measured, by the fake driver
// (tests/gpu/fake_driver).

#include "app/session/attached_gpus.h"
#include "tests/gui/gpu_meaning.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/style/number_format.h"
#include "views/widgets/estimate_view.h"

#include <QComboBox>
#include <QLabel>
#include <QTest>

#include <fstream>
#include <map>
#include <string>

namespace loopscope::app::test {

namespace {

class AttachedGpuWindow : public WindowTest {
protected:
    void TearDown() override {
        WindowTest::TearDown(); // with its workers
        for (const auto& name : set_)
            qunsetenv(name.c_str());
        qputenv("LOOPSCOPE_CUDA_LIBRARY", "/nowhere"); // as main() has it
    }
    void set(const char* name, const std::string& value) {
        qputenv(name, QByteArray::fromStdString(value));
        set_.emplace_back(name);
    }
    // The window on the blur, whose schedule binds loops and names no device.
    session::Session& open_attached(int gpus = 1) {
        set("LOOPSCOPE_CUDA_LIBRARY", LOOPSCOPE_FAKE_DRIVER);
        set("LOOPSCOPE_NVML_LIBRARY", LOOPSCOPE_FAKE_DRIVER);
        set("FAKE_CUDA_DEVICES", std::to_string(gpus));
        const auto path = loopscope::test::scratch_folder() + "/blur.sched";
        std::ofstream(path) << kBlurTile;
        auto& session = open("blur.loop", {path, kSmallBlur, ""}).session();
        const auto wanted = static_cast<std::size_t>(gpus);
        EXPECT_TRUE(wait_until([&] { return session.gpus().size() == wanted; }));
        EXPECT_TRUE(settle());
        EXPECT_EQ(session.device()->target, "cuda:0") << "an attached one before a described one";
        EXPECT_EQ(session.document()->revisions().size(), 1u) << "nobody has made a step";
        return session;
    }
    QComboBox* device_box() {
        for (auto* box : window_->findChildren<QComboBox*>())
            if (box->accessibleName() == "Device")
                return box;
        return nullptr;
    }

private:
    std::vector<std::string> set_;
};

} // namespace

TEST_F(AttachedGpuWindow, IsADeviceLikeAnyOther) {
    auto& session = open_attached();
    EXPECT_EQ(device_box()->currentText(), "fake-gpu · attached");
    EXPECT_EQ(session.device()->target, "cuda:0");
    EXPECT_NE(script().find("target fake-gpu"), std::string::npos);
    ASSERT_TRUE(session.estimates().now()->seconds);
    EXPECT_FALSE(session.estimates().now()->described);
    keep_picture("attached_gpu");
    ASSERT_TRUE(session.set_device("host").ok());
    EXPECT_EQ(script().find("target"), std::string::npos);
    session.undo();
    EXPECT_EQ(session.device()->target, "cuda:0") << "the script names it";
    session.redo();
    EXPECT_TRUE(session.device()->is_host);
}

TEST_F(AttachedGpuWindow, ChecksAndMeasuresOnIt) {
    const auto folder = loopscope::test::scratch_folder();
    set("FAKE_CUDA_PROGRAMS", folder); // before workers start
    set("FAKE_CUDA_KERNEL_US", "250");
    auto& session = open_attached();
    write_meaning(session, folder);
    QString said;
    QObject::connect(&session, &session::Session::message,
                     [&](const QString& text, bool) { said += text + "\n"; });
    session.tasks().check();
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    EXPECT_TRUE(said.contains("Right")) << said.toStdString();
    session.tasks().measure(0.2);
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    ASSERT_EQ(session.document()->measurements().size(), 1u) << said.toStdString();
    EXPECT_EQ(session.document()->measurements()[0].device, "fake-gpu");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(all_text(*estimate_view(*window_)).contains(views::format_seconds(250e-6)))
        << all_text(*estimate_view(*window_)).toStdString();
    keep_picture("attached_gpu_measured");
    ASSERT_TRUE(session.set_device("host").ok());
    ASSERT_TRUE(settle());
    EXPECT_FALSE(all_text(*estimate_view(*window_)).contains(views::format_seconds(250e-6)))
        << "of another device";
}

TEST_F(AttachedGpuWindow, AColdCacheIsAnotherMachine) {
    const auto folder = loopscope::test::scratch_folder();
    set("FAKE_CUDA_PROGRAMS", folder);
    set("FAKE_CUDA_KERNEL_US", "250");
    auto& session = open_attached();
    write_meaning(session, folder);
    session.tasks().set_cold(true);
    session.tasks().measure(0.2);
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    ASSERT_EQ(session.document()->measurements().size(), 1u);
    EXPECT_EQ(session.document()->measurements()[0].device, "fake-gpu, cold L2 cache");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(all_text(*estimate_view(*window_)).contains("cold L2 cache"));
    session.tasks().set_cold(false);
    ASSERT_TRUE(settle());
    EXPECT_FALSE(all_text(*estimate_view(*window_)).contains("cold L2 cache"));
}

TEST_F(AttachedGpuWindow, ItsPeaksAreMeasured) {
    set("FAKE_CUDA_MEMORY", "268435456");
    set("FAKE_CUDA_KERNEL_US", "1000");
    auto& session = open_attached();
    const auto before = session.device();
    session.tasks().probe_gpu();
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    EXPECT_EQ(session.device()->target, "cuda:0");
    ASSERT_NE(session.device(), before);
    EXPECT_TRUE(session.device()->gpu->dram_bytes_per_second->source.starts_with("measured "));
    EXPECT_EQ(session.document()->revisions().size(), 1u);
}

TEST_F(AttachedGpuWindow, AWrongResultHasNoTime) {
    auto& session = open_attached(); // without a meaning its kernels do nothing
    QString said;
    QObject::connect(&session, &session::Session::message,
                     [&](const QString& text, bool) { said += text + "\n"; });
    session.tasks().measure(0.2);
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }));
    EXPECT_TRUE(said.contains("Not timed, for the result is wrong: ")) << said.toStdString();
    EXPECT_TRUE(session.document()->measurements().empty());
    ASSERT_TRUE(settle());
    // Behind the message, which goes.
    QString legality;
    for (const auto* label : window_->findChildren<QLabel*>())
        if (label->accessibleName() == "Legality of the schedule")
            legality = label->text();
    EXPECT_TRUE(legality.contains("✗ the result is wrong")) << legality.toStdString();
}

TEST_F(AttachedGpuWindow, TwoOfAModelAreToldApart) {
    auto& session = open_attached(2);
    auto* box = device_box();
    EXPECT_EQ(box->currentText(), "fake-gpu · attached, GPU 0");
    const int second = box->findText("fake-gpu · attached, GPU 1");
    ASSERT_GE(second, 0);
    emit box->activated(second);
    ASSERT_TRUE(settle());
    EXPECT_EQ(session.device()->target, "cuda:1");
    EXPECT_EQ(box->currentIndex(), second);
    ASSERT_TRUE(session.apply_directive("out.unroll(yi)").ok());
    EXPECT_EQ(session.device()->target, "cuda:1") << "an edit keeps it";
}

TEST_F(AttachedGpuWindow, WithoutADriverTheListSaysWhy) {
    set("LOOPSCOPE_CUDA_LIBRARY", "/nowhere");
    auto& session = open("blur.loop").session();
    ASSERT_TRUE(wait_until([&] { return !session.attached_gpus().none().isEmpty(); }));
    EXPECT_TRUE(session.attached_gpus().none().contains("there is no NVIDIA driver"));
    const int none = device_box()->findText("none");
    ASSERT_GE(none, 0);
    EXPECT_TRUE(device_box()
                    ->itemData(none, Qt::ToolTipRole)
                    .toString()
                    .contains("there is no NVIDIA driver"));
}

} // namespace loopscope::app::test
