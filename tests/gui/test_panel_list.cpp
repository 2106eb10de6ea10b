// What the window makes of the list of panels: a line is enough for a dock, a tab, an entry in
// menus and in the search, a section of the help, and a picture.

#include "app/windows/command_palette.h"
#include "app/windows/panels.h"
#include "app/windows/translations.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"

#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenuBar>
#include <QPointer>
#include <QTest>

#include <set>

namespace loopscope::app::test {

namespace {

QStringList entries_of(const MainWindow& window, const QString& menu) {
    QStringList entries;
    for (auto* top : window.menuBar()->actions())
        if (top->menu() && top->text() == menu)
            for (auto* action : top->menu()->actions())
                entries << action->text();
    return entries;
}

bool in_dock(const PanelKind& kind) { return kind.place.area != PanelPlace::Centre; }

} // namespace

class PanelList : public WindowTest {
protected:
    MainWindow& open_with_all() { return open("blur.loop", {{}, {}, "h200"}); }
};

bool begin_alike(const QString& title, const QString& short_title) {
    constexpr int kAlike = 4; // letters, or all of a shorter name but its full stop
    return short_title.left(kAlike).compare(title.left(kAlike), Qt::CaseInsensitive) == 0;
}

// A tab that has no room for its panel's name goes on being known by it.
TEST(PanelNames, AShortNameBeginsAsTheNameDoesInEachLanguage) {
    Translations german;
    const auto status = german.read(
        QString::fromStdString(loopscope::test::source_path("resources/translations/de.json")));
    ASSERT_TRUE(status) << format(status.errors());
    int shortened = 0;
    for (const auto& kind : panel_kinds()) {
        if (!kind.short_title)
            continue;
        ++shortened;
        const auto title = german.translate("", kind.title),
                   short_title = german.translate("", kind.short_title);
        EXPECT_TRUE(begin_alike(kind.title, kind.short_title)) << kind.id;
        EXPECT_TRUE(begin_alike(title, short_title)) << title.toStdString();
        EXPECT_LE(short_title.size(), title.size()) << title.toStdString();
    }
    EXPECT_GE(shortened, 3);
}

// "Measurements 1" is so wherever its tab stands.
TEST_F(PanelList, ANumberBehindANameStaysThere) {
    auto& window = open("blur.loop", {{}, {{"H", 32}, {"W", 64}}, "host"});
    auto* dock = window.findChild<QDockWidget*>("measurements");
    EXPECT_EQ(dock->windowTitle(), "Measurements");
    window.session().tasks().measure(0.1);
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }));
    for (const QSize& size : {QSize(1440, 900), QSize(1300, 860), QSize(1440, 900)}) {
        window.resize(size);
        ASSERT_TRUE(settle());
        QTest::qWait(50);
        EXPECT_EQ(dock->windowTitle(), "Measurements 1") << size.width();
        EXPECT_EQ(dock->toggleViewAction()->text(), "Measurements");
    }
}

TEST_F(PanelList, EachStandsInTheWindowUnderItsNames) {
    auto& window = open_with_all();
    ASSERT_TRUE(window.session().device()->gpu) << "so that none is missing";
    const auto help =
        loopscope::test::read_file(loopscope::test::source_path("resources/help/window.md"));
    std::set<QString> ids, titles;
    for (const auto& kind : panel_kinds()) {
        SCOPED_TRACE(kind.id);
        EXPECT_TRUE(ids.insert(kind.id).second);
        EXPECT_TRUE(titles.insert(kind.title).second);
        EXPECT_TRUE(panel_names().contains(kind.id));
        EXPECT_NE(help.find(std::string("\n## ") + kind.title + "\n"), std::string::npos)
            << "the help has no section about it";
        ASSERT_TRUE(window.show_panel(kind.id));
        ASSERT_TRUE(settle());
        auto* widget = window.panel_widget(kind.id);
        ASSERT_TRUE(widget);
        EXPECT_FALSE(widget->visibleRegion().isEmpty()) << "another one is in front";
        EXPECT_GT(widget->grab().width(), 100);
        if (!in_dock(kind))
            continue;
        const auto* dock = window.findChild<QDockWidget*>(kind.id);
        ASSERT_EQ(dock, widget);
        EXPECT_EQ(dock->toggleViewAction()->text(), kind.title);
        EXPECT_TRUE(entries_of(window, "&View").contains(kind.title));
    }
}

TEST_F(PanelList, TheSearchBringsEachToTheFront) {
    auto& window = open_with_all();
    for (const auto& kind : panel_kinds()) {
        if (!in_dock(kind))
            continue;
        SCOPED_TRACE(kind.id);
        key(Qt::Key_Slash);
        const QPointer<CommandPalette> palette = window.findChild<CommandPalette*>();
        ASSERT_TRUE(palette);
        ASSERT_TRUE(QTest::qWaitForWindowExposed(palette));
        auto* search = palette->findChild<QLineEdit*>();
        search->setText(QStringLiteral("panel › ") + kind.title);
        QTest::keyClick(search, Qt::Key_Return);
        ASSERT_TRUE(wait_until([&] { return !palette; }));
        window.activateWindow(); // as a window manager would
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
        ASSERT_TRUE(settle());
        EXPECT_FALSE(window.panel_widget(kind.id)->visibleRegion().isEmpty());
    }
}

TEST_F(PanelList, PlacesAreOfOnePanelEach) {
    std::set<std::pair<int, int>> places;
    int centre = 0, in_front_of_tuning = 0;
    for (const auto& kind : panel_kinds()) {
        const auto& place = kind.place;
        EXPECT_TRUE(places.insert({place.area, place.order}).second) << kind.id;
        centre += place.area == PanelPlace::Centre;
        in_front_of_tuning += kind.front_in == Preset::Tune;
        // Those that stand one above the other share the height.
        EXPECT_EQ(place.area == PanelPlace::Left || place.area == PanelPlace::Right,
                  place.share > 0)
            << kind.id;
    }
    EXPECT_EQ(centre, 1);
    EXPECT_LE(in_front_of_tuning, 1);
}

TEST_F(PanelList, APresetLeavesOutWhatDoesNotSayThatItIsInIt) {
    auto& window = open("blur.loop");
    for (const auto preset : {Preset::Teach, Preset::Tune, Preset::Explore}) {
        window.set_preset(preset);
        ASSERT_TRUE(settle());
        for (const auto& kind : panel_kinds()) {
            if (!in_dock(kind))
                continue;
            const bool in = preset == Preset::Teach  ? kind.in_teach
                            : preset == Preset::Tune ? kind.in_tune
                                                     : true;
            EXPECT_EQ(window.findChild<QDockWidget*>(kind.id)->isHidden(), !in || kind.for_gpus)
                << kind.id;
        }
    }
}

} // namespace loopscope::app::test
