// The window in another language: what a file of texts may be, that no text stays English which has
// a translation, and that longer words still fit.
#include "app/windows/panel_tabs.h"
#include "app/windows/translations.h"
#include "tests/gui/fit.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QTest>
#include <QTimer>

#include <fstream>
#include <set>

namespace loopscope::app::test {
namespace test_translations {

using loopscope::test::scratch_folder;
using loopscope::test::source_path;

QString written(const std::string& name, const std::string& text) {
    static const auto folder = scratch_folder();
    std::ofstream(folder + "/" + name) << text;
    return QString::fromStdString(folder + "/" + name);
}

std::string fault(const std::string& text) {
    Translations translations;
    const auto status = translations.read(written("fault.json", text));
    EXPECT_TRUE(translations.isEmpty() || status.ok());
    return status ? "" : format(status.errors());
}

TEST(Translations, TextsHaveTheirFormByNumber) {
    Translations german;
    const auto status = german.read(written("xx.json", R"({"name": "X", "texts": {
        "Open…": "Öffnen…", "%n more": ["noch einer", "noch %n"], "%1 of %2": "%2 hat %1"}})"));
    ASSERT_TRUE(status) << format(status.errors());
    EXPECT_EQ(german.translate("any", "Open…"), "Öffnen…");
    EXPECT_EQ(german.translate("any", "%n more", nullptr, 1), "noch einer");
    EXPECT_EQ(german.translate("any", "%n more", nullptr, 0), "noch %n");
    EXPECT_TRUE(german.translate("any", "Close").isNull()) << "stays English";
}

TEST(Translations, FaultyFilesAreToldAndChangeNothing) {
    EXPECT_EQ(fault(R"({"texts": {"a": "b"}})"), "");
    for (const auto* text : {"", "[", "[]", "{}", R"({"texts": []})", R"({"texts": {"a": 1}})",
                             R"({"texts": {"a": []}})", R"({"texts": {"%1": "no place"}})",
                             R"({"texts": {"a": "%1"}})", R"({"texts": {"%n a": "%n b"}})",
                             R"({"texts": {"%n a": ["%n", "no place"]}})"})
        EXPECT_NE(fault(text), "") << text;
    EXPECT_NE(fault(std::string(100'000, '[')), "");
    Translations none;
    EXPECT_FALSE(none.read("/nowhere/de.json"));
}

TEST(Translations, ThePersonsFirstLanguageThatIsThereIsSpoken) {
    const std::vector<Language> all{{"en", "English"}, {"de", "Deutsch"}};
    EXPECT_EQ(language_for({"de-AT", "en-US"}, all), "de");
    EXPECT_EQ(language_for({"de_CH"}, all), "de");
    EXPECT_EQ(language_for({"fr", "en-GB", "de"}, all), "en");
    EXPECT_EQ(language_for({"fr", "den"}, all), "en");
    EXPECT_EQ(language_for({}, all), "en");
    std::set<QString> shipped;
    for (const auto& language : languages())
        shipped.insert(language.code + " " + language.name);
    EXPECT_EQ(shipped, (std::set<QString>{"de Deutsch", "en English"}));
}

class GermanWindow : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        const auto status =
            german_.read(QString::fromStdString(source_path("resources/translations/de.json")));
        ASSERT_TRUE(status) << format(status.errors());
        QCoreApplication::installTranslator(&german_);
    }
    void TearDown() override {
        WindowTest::TearDown();
        QCoreApplication::removeTranslator(&german_);
    }
    // What has another word in German is not seen.
    void expect_german(const QString& text) const {
        const auto german = german_.translate("", text.toUtf8().constData());
        const bool is_level = text == "memory"; // as models name them, in every language
        EXPECT_TRUE(german.isNull() || is_level || german == text) << text.toStdString();
    }
    void expect_german(const QWidget& window) const {
        for (const auto* label : window.findChildren<QLabel*>())
            expect_german(label->text());
        for (const auto* button : window.findChildren<QAbstractButton*>())
            expect_german(button->text()), expect_german(button->toolTip());
        for (const auto* action : window.findChildren<QAction*>())
            expect_german(action->text()), expect_german(action->toolTip());
        for (const auto* menu : window.findChildren<QMenu*>())
            expect_german(menu->title());
        for (const auto* tabs : window.findChildren<QTabBar*>())
            for (int tab = 0; tab < tabs->count(); ++tab)
                expect_german(tabs->tabText(tab));
        for (const auto* box : window.findChildren<QComboBox*>())
            for (int item = 0; item < box->count(); ++item)
                expect_german(box->itemText(item));
        for (const auto* widget : window.findChildren<QWidget*>())
            expect_german(widget->windowTitle()), expect_german(widget->toolTip());
    }

    Translations german_;
};

TEST_F(GermanWindow, SaysNothingInEnglishThatHasATranslation) {
    expect_german(show());
    keep_picture("german_start", *window_);
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    click({"out", 0, "yi"});
    ASSERT_TRUE(settle());
    expect_german(window);
    keep_picture("german", window);
    open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"});
    ASSERT_TRUE(settle());
    expect_german(*window_);
    keep_picture("german_gpu", *window_);
}

// Without arrows to scroll by, also where a GPU brings panels of its own.
TEST_F(GermanWindow, TabsFitASmallScreen) {
    for (const bool gpu : {false, true}) {
        SCOPED_TRACE(gpu);
        auto& window =
            gpu ? open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"}, 1000, 700)
                : open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"}, 1000, 700);
        QTest::qWait(50);
        ASSERT_TRUE(settle());
        int bars = 0;
        for (const auto* tabs :
             window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (!tabs->isVisible() || tabs->count() == 0)
                continue;
            ++bars;
            EXPECT_EQ(faults_of(*tabs).join('\n').toStdString(), "");
            EXPECT_LE(tabs->tabRect(tabs->count() - 1).right(), tabs->width());
        }
        EXPECT_GE(bars, 2) << "below, and at the right";
        keep_picture(gpu ? "german_tabs_gpu" : "german_tabs", window);
        for (const auto* dock : window.findChildren<QDockWidget*>())
            EXPECT_TRUE(gpu || dock->isHidden() || dock->windowTitle() == panel_name(*dock))
                << dock->windowTitle().toStdString();
    }
}

TEST_F(GermanWindow, FitsASmallScreenWithAllItsDialogs) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"}, 1280, 680);
    EXPECT_LE(window.minimumSizeHint().width(), 1280);
    click({"out", 0, "yi"});
    for (auto* top : window.menuBar()->actions())
        for (auto* action : top->menu()->actions()) {
            if (action->menu() || !action->isEnabled() || !action->text().endsWith(QChar(0x2026)))
                continue;
            QTimer looks;
            int judged = 0;
            QObject::connect(&looks, &QTimer::timeout, [&] {
                for (auto* each : QApplication::topLevelWidgets())
                    if (auto* dialog = qobject_cast<QDialog*>(each);
                        dialog && dialog->isVisible()) {
                        EXPECT_LE(dialog->minimumSizeHint().width(), 1280);
                        EXPECT_LE(dialog->sizeHint().height(), 680);
                        expect_german(*dialog);
                        ++judged;
                        dialog->reject();
                    }
            });
            looks.start(20);
            SCOPED_TRACE(action->text().toStdString());
            action->trigger();
            // Some entries of the schedule's menu open no dialog, but a popup in the window.
            wait_until([&] { return judged > 0; }, 1);
        }
}

} // namespace test_translations
} // namespace loopscope::app::test
