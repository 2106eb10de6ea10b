// What stands around the panels: titles in line with what is below them, one line where one is
// meant, lists of recent work that stay short, and pictures that leave nothing behind.

#include "tests/gui/gui_support.h"
#include "tests/support/quick_run.h"

#include "app/windows/panel_title.h"
#include "views/style/theme.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/link_list.h"
#include "views/widgets/schedule_tree_view.h"

#include <QDockWidget>
#include <QImage>
#include <QLabel>
#include <QTabBar>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

#include <filesystem>

namespace loopscope::app::test {

namespace {

class Frames : public WindowTest {};

int text_left(const QLabel& label, const QWidget& window) {
    const int indent = std::max(0, label.indent());
    return label.mapTo(&window, label.contentsRect().topLeft()).x() + indent;
}

} // namespace

TEST_F(Frames, TitlesStandInLineWithWhatIsBelowThem) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    int titles = 0;
    for (const auto* dock : window.findChildren<QDockWidget*>()) {
        const auto* title = qobject_cast<PanelTitle*>(dock->titleBarWidget());
        if (!title || !title->isVisible())
            continue;
        ++titles;
        const auto* name = title->findChild<QLabel*>();
        EXPECT_EQ(text_left(*name, window) - dock->mapTo(&window, QPoint(0, 0)).x(), 16)
            << dock->objectName().toStdString();
        for (const auto* rows : dock->findChildren<views::FactRows*>())
            if (rows->isVisible()) {
                EXPECT_EQ(rows->mapTo(&window, QPoint(0, 0)).x(), text_left(*name, window));
            }
    }
    EXPECT_GE(titles, 4);
    const auto* line = window.findChild<QFrame*>("title");
    ASSERT_TRUE(line);
    EXPECT_EQ(text_left(*line->findChild<QLabel*>(), *line->parentWidget()), 16);
}

TEST_F(Frames, ATitlesFrameIsOneLineWithThePanelsBelow) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    const auto& t = views::theme_of(window);
    for (const auto* dock : window.findChildren<QDockWidget*>()) {
        auto* title = qobject_cast<PanelTitle*>(dock->titleBarWidget());
        if (!title || !title->isVisible())
            continue;
        QImage image(title->size() * 2, QImage::Format_RGB32);
        image.setDevicePixelRatio(2); // as on a fine screen
        title->render(&image);
        const int middle = image.height() / 2;
        for (int x : {0, 1, image.width() - 2, image.width() - 1})
            EXPECT_EQ(image.pixelColor(x, middle), t.line) << x;
        for (int y : {0, 1})
            EXPECT_EQ(image.pixelColor(image.width() / 2, y), t.line) << y;
        EXPECT_EQ(image.pixelColor(2, middle), t.surface);
    }
    for (const auto* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        EXPECT_FALSE(tabs->drawBase()) << "a second line above the panel's frame";
}

TEST_F(Frames, ThePrimaryButtonIsInTheToolbarOfASmallWindow) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"}, 900, 600);
    QTest::qWait(60);
    auto* toolbar = window.findChild<QToolBar*>("toolbar");
    int primary = 0;
    for (const auto* button : toolbar->findChildren<QToolButton*>()) {
        if (button->objectName() != "primary")
            continue;
        ++primary;
        EXPECT_TRUE(button->isVisible());
        EXPECT_LE(button->geometry().right(), toolbar->width());
    }
    EXPECT_EQ(primary, 1);
}

TEST_F(Frames, TheStartPageListsTheNewestOfUnnamedDocumentsOnly) {
    LOOPSCOPE_LONG_TEST();
    for (int i = 0; i < 7; ++i) {
        open("blur.loop");
        click({"out", 0, "y"});
        key(Qt::Key_P);
        EXPECT_TRUE(settle());
        close_window();
    }
    auto& window = show();
    ASSERT_EQ(window.session().recovery().documents().size(), 7u) << "all are kept";
    int unnamed = 0;
    const auto& recent = *start_recent(window);
    for (int row = 0; row < recent.count(); ++row)
        unnamed += recent.item(row)
                       ->data(Qt::AccessibleDescriptionRole)
                       .toString()
                       .contains("not saved under a name");
    EXPECT_EQ(unnamed, 5);
}

TEST_F(Frames, AWindowThatIsOnlyDrawnKeepsNoDocument) {
    const auto folder = session::RecoveryFolder::default_path();
    std::error_code ignored;
    {
        MainWindow window(MainWindow::Settings::Ignore);
        window.show();
        ASSERT_TRUE(window.open_path(QString::fromStdString(bundled("blur.loop")), {}));
        ASSERT_TRUE(wait_until([&] { return window.settled(); }));
        ASSERT_TRUE(window.session().apply_directive("out.parallel(y)"));
        EXPECT_FALSE(std::filesystem::equivalent(
            std::filesystem::path(window.session().document()->path()).parent_path(), folder,
            ignored));
        window.close();
    }
    auto& window = show();
    EXPECT_TRUE(window.session().recovery().documents().empty());
}

} // namespace loopscope::app::test
