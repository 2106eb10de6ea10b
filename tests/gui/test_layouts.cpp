// Presets of the layout, the keyboard's way through the window, files that are broken, recent
// files.

#include "tests/gui/gui_support.h"

#include "app/windows/notice_bar.h"
#include "app/windows/panels.h"
#include "tests/gui/fit.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "views/style/theme.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/start_page.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QFontInfo>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QSettings>
#include <QTest>
#include <QTimer>

#include <fstream>
#include <set>
#include <vector>

namespace loopscope::app::test {

namespace test_layouts {

class Layouts : public WindowTest {
protected:
    bool visible(const char* dock) { return window_->findChild<QDockWidget*>(dock)->isVisible(); }
    // Opens a file that cannot be opened, and reads what the message box says.
    QString refusal_of(const std::string& path) {
        QString text;
        QTimer::singleShot(200, window_.get(), [&] {
            if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
                text = box->text() + '\n' + box->informativeText();
                box->close();
            }
        });
        EXPECT_FALSE(window_->open_path(QString::fromStdString(path)));
        return text;
    }
    std::string file(const std::string& name, const std::string& content) {
        const auto path = loopscope::test::scratch_folder() + "/" + name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }
};

std::string name_of(const QWidget& widget) {
    std::string text = widget.accessibleName().toStdString();
    for (const QWidget* w = &widget; w; w = w->parentWidget())
        text += " < " + std::string(w->metaObject()->className());
    return text;
}

TEST_F(Layouts, PresetsShowWhatTheyAreFor) {
    LOOPSCOPE_LONG_TEST();
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    const double size = QFontInfo(QApplication::font()).pointSizeF();
    EXPECT_TRUE(visible("pipeline"));
    EXPECT_TRUE(visible("history"));
    window.set_preset(MainWindow::Preset::Teach);
    ASSERT_TRUE(settle());
    QTest::qWait(30);
    EXPECT_TRUE(visible("pipeline"));
    EXPECT_TRUE(visible("estimate"));
    for (const char* hidden : {"history", "measurements", "compare", "roofline", "script"})
        EXPECT_TRUE(window.findChild<QDockWidget*>(hidden)->isHidden()) << hidden;
    EXPECT_NEAR(QFontInfo(QApplication::font()).pointSizeF() / size, 1.3, 0.08);
    auto faults = faults_of(window);
    EXPECT_TRUE(faults.isEmpty()) << faults.join('\n').toStdString();
    keep_picture("layout-teach");
    window.set_preset(MainWindow::Preset::Tune);
    ASSERT_TRUE(settle());
    QTest::qWait(30);
    EXPECT_NEAR(QFontInfo(QApplication::font()).pointSizeF(), size, 0.1);
    EXPECT_FALSE(visible("pipeline"));
    EXPECT_TRUE(visible("measurements"));
    EXPECT_TRUE(visible("history"));
    faults = faults_of(window);
    EXPECT_TRUE(faults.isEmpty()) << faults.join('\n').toStdString();
    keep_picture("layout-tune");
    // It is remembered, with what the person made of it.
    window.findChild<QDockWidget*>("roofline")->close();
    auto& again = open("harris.loop");
    QTest::qWait(50);
    EXPECT_EQ(again.preset(), MainWindow::Preset::Tune);
    EXPECT_FALSE(visible("pipeline"));
    EXPECT_FALSE(visible("roofline"));
    again.set_preset(MainWindow::Preset::Explore);
    QTest::qWait(50);
    EXPECT_TRUE(visible("pipeline"));
    EXPECT_TRUE(visible("roofline")) << "each layout has its own memory";
}

// Which panels there are for GPUs follows from the device, whatever a layout was left beside.
TEST_F(Layouts, AKeptOneHasThePanelsOfTheDevice) {
    LOOPSCOPE_LONG_TEST();
    const std::vector<const char*> of_gpus{"timeline", "banks", "findings"};
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"}); // leaves one of a CPU
    for (const bool gpu : {true, false, true}) {
        open("matmul_f16.loop", {bundled(gpu ? "matmul_f16.gpu.sched" : "matmul_f16.cpu.sched"),
                                 {},
                                 gpu ? "h200" : "host"});
        ASSERT_TRUE(settle());
        QTest::qWait(50);
        for (const char* panel : of_gpus)
            EXPECT_EQ(!window_->findChild<QDockWidget*>(panel)->isHidden(), gpu) << panel;
    }
    // What a person closes stays closed.
    window_->findChild<QDockWidget*>("banks")->close();
    open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"});
    ASSERT_TRUE(settle());
    QTest::qWait(50);
    EXPECT_TRUE(window_->findChild<QDockWidget*>("banks")->isHidden());
    EXPECT_FALSE(window_->findChild<QDockWidget*>("timeline")->isHidden());
}

// In a window that is there already, too, and as a person left them: by the device box, as by
// --device.
TEST_F(Layouts, AGpuThatIsChosenBringsThePanelsOfOneThatWasAskedFor) {
    const auto shown = [this] {
        QStringList names;
        for (const char* panel : {"timeline", "banks", "findings"})
            if (!window_->findChild<QDockWidget*>(panel)->isHidden())
                names << panel;
        return names;
    };
    const auto choose_gpu = [this](const char* name) {
        ASSERT_TRUE(window_->session().set_device(name).ok());
        ASSERT_TRUE(settle());
        QTest::qWait(50);
    };
    const QStringList all{"timeline", "banks", "findings"}, kept{"timeline", "findings"};
    open("matmul.loop", {{}, {}, "h200"});
    QTest::qWait(50);
    EXPECT_EQ(shown(), all);
    window_->findChild<QDockWidget*>("banks")->close();
    choose_gpu("host");
    EXPECT_EQ(shown(), QStringList());
    choose_gpu("h200");
    EXPECT_EQ(shown(), kept) << "what a person closes stays closed";
    open("matmul.loop", {{}, {}, "h200"});
    QTest::qWait(50);
    EXPECT_EQ(shown(), kept) << "asked for";
    open("matmul.loop", {{}, {}, "host"});
    QTest::qWait(50);
    EXPECT_EQ(shown(), QStringList());
    choose_gpu("h200");
    EXPECT_EQ(shown(), kept) << "chosen";
}

// --device without a file: for what is opened from the start page.
TEST_F(Layouts, AGpuThatIsAskedForAtTheStartBringsItsPanels) {
    auto& window = show();
    ASSERT_TRUE(window.session().set_device("h200").ok());
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("matmul.loop"))));
    ASSERT_TRUE(settle());
    QTest::qWait(50);
    EXPECT_EQ(window.session().device()->name, "h200");
    for (const char* panel : {"timeline", "banks", "findings"})
        EXPECT_FALSE(window.findChild<QDockWidget*>(panel)->isHidden()) << panel;
}

TEST_F(Layouts, TheKeyboardReachesEveryControl) {
    LOOPSCOPE_LONG_TEST();
    for (const bool dark : {false, true}) {
        views::apply_theme(*qApp, dark ? views::ThemeKind::Dark : views::ThemeKind::Light);
        auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
        window.session().baseline().pin();
        window.activateWindow();
        ASSERT_TRUE(settle());
        tree_view(window)->setFocus();
        std::set<QWidget*> reached;
        for (const auto& panel : panel_kinds()) {
            if (panel.for_gpus || panel.place.area == PanelPlace::Centre)
                continue;
            ASSERT_TRUE(window.show_panel(panel.id));
            ASSERT_TRUE(settle());
            tree_view(window)->setFocus();
            ASSERT_EQ(QApplication::focusWidget(), tree_view(window));
            std::set<QWidget*> round;
            for (int step = 0; step < 400; ++step) {
                auto* focus = QApplication::focusWidget();
                ASSERT_TRUE(focus);
                if (!round.insert(focus).second && focus == tree_view(window))
                    break;
                EXPECT_FALSE(focus->accessibleName().isEmpty()) << name_of(*focus);
                // In an editor Tab belongs to the text, and Control lets it go.
                QTest::keyClick(focus, Qt::Key_Tab,
                                focus->inherits("QsciScintilla") ? Qt::ControlModifier
                                                                 : Qt::NoModifier);
                ASSERT_NE(QApplication::focusWidget(), focus)
                    << "the keyboard is caught in " << name_of(*focus);
            }
            EXPECT_TRUE(round.count(tree_view(window)));
            reached.insert(round.begin(), round.end());
            for (auto* widget : window.findChildren<QWidget*>()) {
                const bool control =
                    qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
                    qobject_cast<QLineEdit*>(widget) || qobject_cast<QAbstractItemView*>(widget);
                if (!control || !widget->isVisible() || !widget->isEnabled() ||
                    widget->visibleRegion().isEmpty() || widget->objectName().startsWith("qt_") ||
                    widget->inherits("QHeaderView") ||
                    qobject_cast<QAbstractItemView*>(widget->parentWidget()))
                    continue;
                EXPECT_TRUE(round.count(widget)) << panel.id << ": " << name_of(*widget);
            }
        }
        EXPECT_GT(reached.size(), 20u);
    }
    views::apply_theme(*qApp, views::ThemeKind::Light);
}

// What has the keyboard looks different from what has it not.
TEST_F(Layouts, TheFocusIsVisible) {
    LOOPSCOPE_LONG_TEST();
    for (const bool dark : {false, true}) {
        views::apply_theme(*qApp, dark ? views::ThemeKind::Dark : views::ThemeKind::Light);
        auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
        window.activateWindow();
        ASSERT_TRUE(settle());
        int seen = 0;
        tree_view(window)->setFocus();
        for (int step = 0; step < 120; ++step) {
            auto* focus = QApplication::focusWidget();
            QTest::qWait(1);
            const QImage with = focus->grab().toImage();
            QTest::keyClick(focus, Qt::Key_Tab,
                            focus->inherits("QsciScintilla") ? Qt::ControlModifier
                                                             : Qt::NoModifier);
            QTest::qWait(1);
            const QImage without = focus->grab().toImage();
            // the caret is the mark; it blinks
            if (focus->inherits("QsciScintilla") || qobject_cast<QLineEdit*>(focus))
                continue;
            ++seen;
            EXPECT_NE(with, without) << (dark ? "dark: " : "light: ") << name_of(*focus);
            if (QApplication::focusWidget() == tree_view(window))
                break;
        }
        EXPECT_GT(seen, 10);
    }
    views::apply_theme(*qApp, views::ThemeKind::Light);
}

TEST_F(Layouts, BrokenFilesAreRefusedWithTheirReason) {
    auto& window = open("blur.loop");
    const auto before = script();
    EXPECT_TRUE(refusal_of(loopscope::test::scratch_folder() + "/absent.loop").contains("cannot"));
    EXPECT_TRUE(
        refusal_of(file("bad.loop", "pipeline p\nstage a[i: f32 = 1\n")).contains("bad.loop:2"));
    EXPECT_TRUE(refusal_of(file("bad.sched", "schedule for blur\nblurx.nonsense(y)\n"))
                    .contains("bad.sched:2"));
    EXPECT_FALSE(refusal_of(file("bad.loopscope", "this is no database")).isEmpty());
    EXPECT_FALSE(refusal_of(file("bytes.loop", std::string("\0\xff\xfe\x01", 4))).isEmpty());
    EXPECT_TRUE(window.session().is_open()) << "what was open stays open";
    EXPECT_EQ(script(), before);
}

TEST_F(Layouts, RecentFilesAreListedNewestFirst) {
    const auto path = loopscope::test::scratch_folder() + "/kept.loopscope";
    auto& window = open("blur.loop");
    ASSERT_TRUE(window.session().save_document(path).ok());
    ASSERT_TRUE(window.open_path(QString::fromStdString(path)));
    ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("copy.loop"))));
    auto& again = show();
    QMenu* recent = nullptr;
    for (auto* menu : again.findChildren<QMenu*>())
        if (menu->title() == "Open &recent")
            recent = menu;
    ASSERT_TRUE(recent);
    emit recent->aboutToShow();
    QStringList names;
    for (auto* action : recent->actions())
        names << action->text().section('/', -1);
    ASSERT_GE(names.size(), 2);
    EXPECT_EQ(names[0], "copy.loop");
    EXPECT_TRUE(names.contains("kept.loopscope") || names.contains("blur.loop"));
    recent->actions().front()->trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(again.session().title(), "copy.loop");
}

} // namespace test_layouts
} // namespace loopscope::app::test
