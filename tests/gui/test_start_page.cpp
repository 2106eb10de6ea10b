// The start page of the window: what a person without a file begins with.

#include "tests/gui/fit.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/style/theme.h"
#include "views/widgets/help_view.h"
#include "views/widgets/link_list.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/start_page.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTest>

#include <fstream>

namespace loopscope::app::test {

namespace test_start_page {

class StartPage : public WindowTest {
protected:
    void TearDown() override {
        WindowTest::TearDown();
        views::apply_theme(*qApp, views::ThemeKind::Light);
    }
    QLineEdit* field() { return start_page(*window_)->findChild<QLineEdit*>(); }
    QListWidgetItem* program(const QString& name) {
        auto* list = start_programs(*window_);
        return list->item(row_of(*list, name));
    }
    bool has_expert(const QString& name) {
        return program(name)->data(Qt::AccessibleDescriptionRole).toString().contains("expert");
    }
    void click_on(views::LinkList& list, const QString& name) {
        auto* item = list.item(row_of(list, name));
        ASSERT_TRUE(item) << name.toStdString();
        list.scrollToItem(item);
        QTest::mouseClick(list.viewport(), Qt::LeftButton, Qt::NoModifier,
                          list.visualItemRect(item).center());
    }
};

TEST_F(StartPage, ListsTheBundledProgramsAndAClickOpensOne) {
    auto& window = show();
    ASSERT_TRUE(start_page(window)->isVisible());
    for (const char* name : {"copy", "blur", "unsharp", "harris", "histogram_equalise", "iir_blur",
                             "matmul", "conv_relu", "First steps", "Tensor cores"})
        EXPECT_GE(row_of(*start_programs(window), name), 0) << name;
    EXPECT_TRUE(has_expert("harris"));
    EXPECT_TRUE(program("harris")->toolTip().contains("this machine"));
    click_on(*start_programs(window), "harris");
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().title(), "harris.loop");
    EXPECT_TRUE(tree_view(window)->isVisible());
    EXPECT_FALSE(start_page(window)->isVisible());
}

TEST_F(StartPage, TheFieldHasTheKeyboardAndEnterOpensWhatIsFound) {
    auto& window = show();
    EXPECT_EQ(window.focusWidget(), field());
    QTest::keyClicks(field(), "corners");
    QTest::keyClick(field(), Qt::Key_Down);
    EXPECT_EQ(window.focusWidget(), start_programs(window));
    for (auto* action : window.findChildren<QAction*>())
        if (action->shortcut() == QKeySequence(QKeySequence::Find))
            action->trigger();
    EXPECT_EQ(window.focusWidget(), field()) << "Ctrl+F";
    QTest::keyClick(field(), Qt::Key_Down);
    QTest::keyClick(start_programs(window), Qt::Key_Return);
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().title(), "harris.loop");
    EXPECT_EQ(window.focusWidget(), tree_view(window));
}

// A text to read, and called so: nothing here leads a person through the window.
TEST_F(StartPage, TheFirstButtonOpensTheTutorial) {
    auto& window = show();
    for (auto* button : start_page(window)->findChildren<QPushButton*>())
        if (button->accessibleName() == "Read the tutorial")
            QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(help_view(window));
    EXPECT_EQ(help_view(window)->page(), "tutorial");
}

// The toolbar's device is chosen before anything is open: rows say what is shipped for it, and a
// program opens on it.
TEST_F(StartPage, ExpertSchedulesAreThoseOfTheChosenDevice) {
    auto& window = show();
    EXPECT_TRUE(has_expert("matmul_s8"));
    QComboBox* box = nullptr;
    for (auto* each : window.findChildren<QComboBox*>())
        if (each->accessibleName() == "Device")
            box = each;
    ASSERT_TRUE(box && box->isVisible());
    const int v100 = box->findData("v100");
    ASSERT_GE(v100, 0);
    box->setCurrentIndex(v100);
    emit box->activated(v100);
    EXPECT_FALSE(has_expert("matmul_s8")) << "it has no instructions for bytes";
    EXPECT_TRUE(program("matmul_s8")->toolTip().contains("v100"));
    EXPECT_TRUE(has_expert("matmul"));
    click_on(*start_programs(window), "matmul");
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().device()->name, "v100");
}

// Both are called blur.loop; one is the file, the other the work that was begun with it.
TEST_F(StartPage, UnsavedWorkAndItsFileAreToldApart) {
    open("blur.loop");
    ASSERT_TRUE(window_->session().apply_directive("out.parallel(y)").ok());
    ASSERT_TRUE(settle());
    const auto edited = script();
    close_window();
    auto& window = show();
    const auto& recent = *start_recent(window);
    EXPECT_GE(row_of(recent, "blur.loop"), 0);
    EXPECT_GE(row_of(recent, "Unsaved: blur.loop"), 0);
    click_on(*start_recent(window), "Unsaved: blur.loop");
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), edited);
}

TEST_F(StartPage, FitsAtEverySizeHoweverManyFilesWereOpened) {
    QStringList files;
    const auto folder = loopscope::test::scratch_folder();
    for (int i = 0; i < 10; ++i) {
        files << QString::fromStdString(folder + "/a_file_with_quite_a_long_name_" +
                                        std::to_string(i) + ".loop");
        std::ofstream(files.back().toStdString()) << "pipeline p\n";
    }
    for (const bool dark : {false, true})
        for (const auto& [width, height] : {std::pair(1000, 700), std::pair(2560, 1440)}) {
            QSettings().setValue("recent", files);
            views::apply_theme(*qApp, dark ? views::ThemeKind::Dark : views::ThemeKind::Light);
            auto& window = show(width, height);
            QTest::qWait(20);
            const auto faults = faults_of(window);
            EXPECT_TRUE(faults.isEmpty()) << width << ":\n" << faults.join('\n').toStdString();
            EXPECT_EQ(start_recent(window)->count(), 10);
            EXPECT_TRUE(start_recent(window)->isVisible());
            EXPECT_GT(start_programs(window)->height(), 2 * start_recent(window)->height());
            EXPECT_GT(start_programs(window)->height(), start_page(window)->height() * 2 / 5);
            keep_picture(QStringLiteral("start-%1-%2").arg(dark ? "dark" : "light").arg(width));
        }
}

} // namespace test_start_page
} // namespace loopscope::app::test
