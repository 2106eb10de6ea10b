// The window on schedules of a GPU: device, tree, timeline, banks, source.

#include "app/windows/panels.h"
#include "tests/gui/fit.h"
#include "tests/gui/gpu_window.h"
#include "tests/support/support.h"
#include "views/models/schedule_tree_model.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/source_view.h"
#include "views/widgets/timeline_view.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTabBar>
#include <QTest>
#include <QTimer>

#include <fstream>
#include <map>

namespace loopscope::app::test {

class DeviceWindow : public GpuWindow {
protected:
    QString label(const char* name) {
        for (auto* each : window_->findChildren<QLabel*>())
            if (each->accessibleName() == name)
                return each->text();
        return {};
    }
};

TEST_F(DeviceWindow, OpensOnTheTargetWithItsOwnPanelsAndGoesBackToTheMachine) {
    auto& window = open_gpu();
    EXPECT_EQ(window.session().device()->name, "h200");
    ASSERT_TRUE(window.session().estimates().now()->seconds);
    EXPECT_TRUE(label("Legality of the schedule").contains("runnable on h200"));
    for (const char* panel : {"timeline", "banks", "findings"}) {
        auto* dock = window.findChild<QDockWidget*>(panel);
        ASSERT_TRUE(dock) << panel;
        EXPECT_FALSE(dock->isHidden()) << panel;
    }
    auto* stage = tree_view(window);
    EXPECT_TRUE(stage->model()
                    ->index(1, 0)
                    .data(views::ScheduleTreeModel::DetailRole)
                    .toString()
                    .contains("32 × 32 blocks of 16 × 16 threads"));
    ASSERT_TRUE(window.session().set_device("host").ok());
    ASSERT_TRUE(settle());
    for (const char* panel : {"timeline", "banks", "findings"})
        EXPECT_TRUE(window.findChild<QDockWidget*>(panel)->isHidden()) << panel;
    EXPECT_EQ(script().find("target"), std::string::npos);
    key(Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().device()->name, "h200");
    EXPECT_FALSE(window.findChild<QDockWidget*>("timeline")->isHidden());
}

TEST_F(GpuWindow, KernelsAreExportedFirstAndOfCItSaysWhatRuns) {
    auto& window = open_gpu();
    for (auto* action : window.findChildren<QAction*>())
        if (action->text().remove('&') == "Export…")
            action->trigger();
    auto* dialog = window.findChild<QFileDialog*>();
    ASSERT_TRUE(dialog);
    const auto filters = dialog->nameFilters();
    EXPECT_EQ(filters.mid(0, 6),
              (QStringList{"CUDA C++ (*.cu)",
                           "CUDA C++ with a main that launches, checks and times it (*.cu)",
                           "OpenCL C (*.cl)",
                           "OpenCL C with a main that launches, checks and times it (*.cl)",
                           "PTX (*.ptx)", "SASS (*.sass)"}));
    EXPECT_EQ(dialog->selectedNameFilter(), filters.first());
    EXPECT_TRUE(filters.contains("C: the kernels' loops in order, on a processor (*.c)"))
        << filters.join('\n').toStdString();
    dialog->reject();
}

// A copy of another device's description, with its name and more multiprocessors.
TEST_F(GpuWindow, ADeviceMayBeDescribedByAFileOfOnesOwn) {
    auto& window = open_gpu();
    const auto seconds = window.session().estimates().now()->seconds.value();
    const auto folder = loopscope::test::scratch_folder();
    auto text =
        loopscope::test::read_file(loopscope::test::source_path("resources/devices/h200.json"));
    const std::string many = "\"multiprocessors\": 132", few = "\"multiprocessors\": 2";
    ASSERT_NE(text.find(many), std::string::npos);
    text.replace(text.find(many), many.size(), few);
    std::ofstream(folder + "/mine.json") << text;
    std::ofstream(folder + "/broken.json") << "{\"name\": \"broken\", \"cores\": -1}";

    QComboBox* devices = nullptr;
    for (auto* box : window.findChildren<QComboBox*>())
        if (box->accessibleName() == "Device")
            devices = box;
    ASSERT_TRUE(devices);
    EXPECT_EQ(devices->currentText(), "h200 · described");
    auto choose = [&](const char* file) {
        emit devices->activated(devices->count() - 1);
        auto* dialog = window.findChild<QFileDialog*>();
        ASSERT_TRUE(dialog);
        dialog->selectFile(QString::fromStdString(folder + "/" + file));
        QMetaObject::invokeMethod(dialog, "accept");
    };
    QString said;
    QTimer::singleShot(0, &window, [&] {
        if (auto* box = window.findChild<QMessageBox*>()) {
            said = box->text() + box->informativeText();
            box->accept();
        }
    });
    choose("broken.json");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(said.contains("kind")) << said.toStdString();
    EXPECT_EQ(window.session().device()->gpu->multiprocessors, 132);

    choose("mine.json");
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().device()->gpu->multiprocessors, 2);
    EXPECT_GT(window.session().estimates().now()->seconds.value(), 10 * seconds);
    EXPECT_EQ(devices->currentData().toString().toStdString(), folder + "/mine.json");
    EXPECT_EQ(script().find("target"), std::string::npos) << "no script could name it";
    ASSERT_TRUE(window.session().set_device("h200").ok());
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().device()->gpu->multiprocessors, 132) << "of the same name";
    EXPECT_EQ(devices->currentData(), "h200");
}

// Beside the document's own: a remote one of its name, or the description that is here.
TEST_F(GpuWindow, DevicesOfOneNameAreToldApartInTheBox) {
    auto& window = open_gpu({{"M", 64}, {"N", 64}, {"K", 64}});
    auto& session = window.session();
    const auto described = session.device();
    const auto path = loopscope::test::scratch_folder() + "/handed.loopscope";
    ASSERT_TRUE(session.hand_on(path).ok());
    ASSERT_TRUE(window.open_path(path));
    ASSERT_TRUE(settle());
    QComboBox* box = nullptr;
    for (auto* each : window.findChildren<QComboBox*>())
        if (each->accessibleName() == "Device")
            box = each;
    ASSERT_TRUE(box);
    const auto choose = [&](const char* text) {
        const int row = box->findText(text);
        ASSERT_GE(row, 0) << text;
        box->setCurrentIndex(row);
        emit box->activated(row);
        ASSERT_TRUE(settle());
        EXPECT_EQ(box->currentText(), text);
    };
    const auto theirs = session.carried().at("h200");
    EXPECT_EQ(box->currentText(), "h200 · of the document");
    choose("h200 · described");
    EXPECT_EQ(session.device()->file, described->file);
    choose("h200 · of the document");
    EXPECT_EQ(session.device(), theirs);

    auto remote = std::make_shared<device::Device>(*described);
    remote->target = "ssh:gpu1";
    session.take_gpus_elsewhere({remote});
    ASSERT_TRUE(settle());
    EXPECT_EQ(box->currentText(), "h200 · ssh:gpu1");
    choose("h200 · of the document");
    EXPECT_EQ(session.device(), theirs);
    choose("h200 · ssh:gpu1");
    EXPECT_EQ(session.device(), remote);
}

// The short names of the panels below, from the left.
QStringList short_names_below() {
    std::map<int, const char*> names;
    for (const auto& kind : panel_kinds())
        if (kind.place.area == PanelPlace::Below)
            names[kind.place.order] = kind.short_title ? kind.short_title : kind.title;
    QStringList texts;
    for (const auto& [order, name] : names)
        texts << name;
    return texts;
}

TEST_F(GpuWindow, TabsCanBeReadInANarrowWindowToo) {
    auto& window = open_gpu({}, 1100, 700);
    auto* timeline = window.findChild<QDockWidget*>("timeline");
    auto bar = [&]() -> QTabBar* {
        for (auto* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            for (int i = 0; i < tabs->count(); ++i)
                if (tabs->tabText(i) == timeline->windowTitle())
                    return tabs;
        return nullptr;
    };
    auto names = [&] {
        QStringList texts;
        for (int i = 0; i < bar()->count(); ++i)
            texts << bar()->tabText(i);
        return texts;
    };
    ASSERT_TRUE(bar());
    for (const char* panel : {"timeline", "banks", "findings", "compare"}) {
        ASSERT_TRUE(window.show_panel(panel));
        ASSERT_TRUE(settle());
        EXPECT_EQ(faults_of(*bar()).join('\n').toStdString(), "")
            << panel << ": what the panels below are called by has no room at their place";
    }
    keep_picture("gpu-tabs-narrow");
    const auto narrow = short_names_below();
    EXPECT_EQ(names().join(", ").toStdString(), narrow.join(", ").toStdString());
    const auto banks = static_cast<int>(narrow.indexOf("Shared"));
    EXPECT_EQ(bar()->tabToolTip(banks), "Shared memory");
    auto* action = window.findChild<QDockWidget*>("banks")->toggleViewAction();
    EXPECT_EQ(action->text(), "Shared memory");

    window.resize(1435, 800); // still one group of tabs, with room
    ASSERT_TRUE(settle());
    ASSERT_TRUE(wait_until([&] { return names() != narrow; }));
    EXPECT_EQ(names().at(banks).toStdString(), "Shared memory");
    EXPECT_EQ(faults_of(*bar()).join('\n').toStdString(), "");
}

TEST_F(GpuWindow, StagesDraggedInTheTimelineAreOneStep) {
    auto& window = open_gpu();
    ASSERT_TRUE(window.show_panel("timeline"));
    ASSERT_TRUE(wait_until([&] { return timeline_view(window)->chain() != nullptr; }));
    ASSERT_TRUE(settle());
    auto* canvas = timeline_view(window)->canvas();
    const auto before = script();
    QTest::keyClick(canvas, Qt::Key_4);
    ASSERT_TRUE(wait_until([&] {
        return timeline_view(window)->preview_text().contains("shared memory");
    })) << timeline_view(window)->preview_text().toStdString();
    keep_picture("gpu-timeline-trying");
    EXPECT_EQ(script(), before) << "trying changes nothing";
    QTest::keyClick(canvas, Qt::Key_Return);
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("As.pipeline(4)\nBs.pipeline(4)\n"), std::string::npos) << script();
    EXPECT_EQ(window.session().estimates().now()->kernels.front().gpu->shared_bytes, 32 << 10);
    window.session().undo();
    EXPECT_EQ(script(), before) << "both lines are one step";
    ASSERT_TRUE(settle());
    const QPoint from(canvas->width() / 2, 14);
    QTest::mousePress(canvas, Qt::LeftButton, {}, from);
    QTest::mouseMove(canvas, from - QPoint(15, 0));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, from - QPoint(15, 0));
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("As.pipeline(2)\nBs.pipeline(2)\n"), std::string::npos) << script();
}

TEST_F(GpuWindow, APaddingOfTheBanksChangesTheScript) {
    auto& window = open_gpu();
    window.session().select({"CL", 0, "@compute"});
    ASSERT_TRUE(window.show_panel("banks"));
    ASSERT_TRUE(wait_until([&] { return banks_view(window)->buffer() != nullptr; }));
    ASSERT_TRUE(settle());
    const auto before = banks_view(window)->access().passes;
    ASSERT_GT(before, 1) << banks_view(window)->summary().toStdString();
    QPushButton* better = nullptr;
    for (auto* button : banks_view(window)->paddings())
        if (button->text().endsWith(": 1 pass") && !better)
            better = button;
    ASSERT_TRUE(better);
    better->click();
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("As.pad_storage(k, 1)"), std::string::npos) << script();
    ASSERT_TRUE(wait_until([&] { return banks_view(window)->access().passes == 1; }))
        << banks_view(window)->summary().toStdString();
    keep_picture("gpu-banks-padded");
}

TEST_F(GpuWindow, SourceIsThatOfTheKernelsLinkedToTheTree) {
    auto& window = open_gpu({{"M", 128}, {"N", 128}, {"K", 64}});
    auto* source = source_view(window);
    ASSERT_TRUE(window.show_panel("source"));
    const std::pair<const char*, const char*> forms[] = {{"loops", "block_y"},
                                                         {"ptx", ".visible .entry"},
                                                         {"cuda", "__global__"},
                                                         {"opencl", "__kernel"}};
    for (const auto& [tab, word] : forms) {
        source->set_current(tab);
        ASSERT_TRUE(wait_until([&] { return source->text(tab).contains(word); }, 60)) << word;
        EXPECT_FALSE(source->lines_of(tab, {"CL", 0, "@compute"}).empty()) << word;
    }
    keep_picture("gpu-source");
    ASSERT_TRUE(window.session().set_device("host").ok());
    EXPECT_EQ(source->current(), "loops");
}

} // namespace loopscope::app::test
