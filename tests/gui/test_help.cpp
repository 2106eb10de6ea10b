// F1 opens the help at what the person is looking at.
#include "tests/gui/gui_support.h"

#include "app/windows/panel_tabs.h"
#include "tests/support/support.h"
#include "views/widgets/help_view.h"
#include "views/widgets/script_editor.h"

#include <QAction>
#include <QDockWidget>

namespace loopscope::app::test {
namespace {

using Help = WindowTest;

TEST_F(Help, PagesAreThereAndEveryPanelHasASection) {
    auto folder = QString::fromStdString(loopscope::test::source_path("resources/help"));
    views::HelpView help(folder, {"tutorial", "window"});
    EXPECT_EQ(help.pages().mid(0, 2), QStringList({"tutorial", "window"}));
    for (const char* page : {"tutorial", "window", "pipelines", "schedules"})
        EXPECT_TRUE(help.show_place(page)) << page;
    EXPECT_FALSE(help.show_place("no-such-page"));
    EXPECT_EQ(help.page(), "schedules") << "the page that was shown stays";
    help.resize(900, 300);
    help.show();
    for (auto* dock : show().findChildren<QDockWidget*>()) {
        auto title = panel_name(*dock);
        ASSERT_TRUE(help.show_place("window", title)) << title.toStdString();
        EXPECT_EQ(help.place(), title) << "the dock has a section of its name";
    }
}

TEST_F(Help, OpensAtTheDirectiveUnderTheCursorAndAtThePanel) {
    auto& window = open("matmul.loop");
    window.show_panel("script");
    type("C.vectorize(j, 8)");
    ASSERT_TRUE(settle());
    const auto lines = script_editor(window)->text().split('\n');
    const auto line = lines.indexOf("C.vectorize(j, 8)");
    ASSERT_GE(line, 0) << script_editor(window)->text().toStdString();
    script_editor(window)->go_to(static_cast<int>(line) + 1, 5);
    EXPECT_EQ(script_editor(window)->word_at_cursor(), "vectorize");
    auto help = [&] {
        for (auto* action : window.findChildren<QAction*>())
            if (action->shortcut() == QKeySequence(QKeySequence::HelpContents))
                return action->trigger();
        FAIL() << "no action has F1";
    };
    help();
    ASSERT_NE(help_view(window), nullptr);
    EXPECT_EQ(help_view(window)->page(), "schedules");
    EXPECT_TRUE(help_view(window)->place().contains("vectorize"))
        << help_view(window)->place().toStdString();
}

} // namespace
} // namespace loopscope::app::test
