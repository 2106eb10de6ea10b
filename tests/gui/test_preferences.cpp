// Edit, Preferences: what is set holds at once and later, and a spoiled file of settings does no
// harm.
#include "app/session/expected_time.h"
#include "app/windows/notice_bar.h"
#include "app/windows/preferences.h"
#include "tests/gui/gui_support.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/path_field.h"
#include "views/widgets/script_editor.h"

#include <Qsci/qscilexer.h>
#include <Qsci/qsciscintilla.h>

#include <QComboBox>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTest>

namespace loopscope::app::test {
namespace test_preferences {

using views::ThemeKind;

class PreferencesWindow : public WindowTest {
protected:
    void TearDown() override {
        WindowTest::TearDown();
        views::apply_theme(*qApp, ThemeKind::Light);
    }
    QDialog* dialog() const { return window_->findChild<QDialog*>("preferences"); }
    void ask() {
        QTest::keyClick(window_.get(), Qt::Key_Comma, Qt::ControlModifier);
        ASSERT_TRUE(dialog());
        ASSERT_TRUE(dialog()->isVisible());
    }
    template <typename Field> Field* field(const QString& name) const {
        for (auto* each : dialog()->findChildren<Field*>())
            if (each->accessibleName() == name)
                return each;
        ADD_FAILURE() << "no field " << name.toStdString();
        return nullptr;
    }
    void press(const QString& text) const {
        for (auto* button : dialog()->findChildren<QPushButton*>())
            if (button->text().remove('&') == text)
                QTest::mouseClick(button, Qt::LeftButton);
    }
    int script_points() const {
        auto* editor = script_editor(*window_)->findChild<QsciScintilla*>();
        return editor->lexer()->defaultFont().pointSize();
    }
    QString time() const {
        for (auto* label : estimate_view(*window_)->findChildren<QLabel*>())
            if (label->accessibleName() == "Estimated time")
                return label->text();
        return {};
    }
    void prefer(const PreferenceValues& values) { window_->preferences().set(values); }
};

TEST_F(PreferencesWindow, TypeChangesAtOnceAndIsKept) {
    const QFont before = QApplication::font();
    open("blur.loop");
    ask();
    field<QSpinBox>("Text size")->setValue(14);
    EXPECT_EQ(QApplication::font().pointSize(), 14);
    field<QSpinBox>("Code size")->setValue(12);
    EXPECT_EQ(script_points(), 12);
    EXPECT_EQ(QApplication::font().pointSize(), 14) << "the text stays";
    keep_picture("preferences", *dialog());
    open("blur.loop");
    EXPECT_EQ(QApplication::font().pointSize(), 14) << "in the next window";
    EXPECT_EQ(script_points(), 12);
    window_->set_preset(MainWindow::Preset::Teach);
    EXPECT_GT(QApplication::font().pointSizeF(), 18) << "larger still";
    window_->set_preset(MainWindow::Preset::Explore);
    EXPECT_EQ(QApplication::font().pointSize(), 14);
    ask();
    EXPECT_EQ(field<QSpinBox>("Text size")->value(), 14);
    press("Reset to defaults");
    EXPECT_EQ(QApplication::font(), before);
    EXPECT_EQ(field<QSpinBox>("Text size")->text(), "the system's");
    EXPECT_EQ(window_->preferences().now(), PreferenceValues());
}

TEST_F(PreferencesWindow, PathsShowTheirEnds) {
    open("blur.loop");
    ask();
    for (const char* name : {"Caches", "Remote GPUs"}) {
        const auto* path = field<views::PathField>(name);
        ASSERT_TRUE(path);
        EXPECT_FALSE(path->path().isEmpty());
        EXPECT_EQ(path->toolTip(), path->path());
        EXPECT_EQ(path->text().right(6), path->path().right(6)) << path->text().toStdString();
    }
}

// Small and bold texts, headings and the one big number, whether they are in sight or not.
TEST_F(PreferencesWindow, WidgetsWithFontsOfTheirOwnWearThem) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    const auto judge = [&](const char* when) {
        ASSERT_TRUE(settle());
        int kept = 0;
        for (const auto* widget : window.findChildren<QWidget*>()) {
            const auto font = views::kept_font(*widget);
            if (!font)
                continue;
            ++kept;
            const auto* label = qobject_cast<const QLabel*>(widget);
            const auto name = label ? label->text() : widget->accessibleName();
            EXPECT_DOUBLE_EQ(widget->font().pointSizeF(), font->pointSizeF())
                << when << ": " << name.toStdString();
            EXPECT_EQ(widget->font().weight(), font->weight())
                << when << ": " << name.toStdString();
        }
        EXPECT_GE(kept, 10);
    };
    judge("from the start");
    window.set_theme(views::ThemeKind::Dark);
    judge("in the dark");
    prefer({.text_points = 14});
    judge("in another size");
    window.set_preset(MainWindow::Preset::Teach);
    judge("in large type");
    window.set_preset(MainWindow::Preset::Explore);
    prefer({});
    judge("as before");
}

TEST_F(PreferencesWindow, TimesAreWrittenInThePreferredUnitAtOnce) {
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    const auto usual = time();
    ASSERT_TRUE(usual.endsWith("ms")) << usual.toStdString();
    ask();
    field<QComboBox>("Times")->setCurrentIndex(2);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(time().endsWith("µs")) << time().toStdString();
    press("Reset to defaults");
    ASSERT_TRUE(settle());
    EXPECT_EQ(time(), usual);
}

TEST_F(PreferencesWindow, AMeasurementTakesAsLongAsIsPreferred) {
    auto& window = open("blur.loop", {{}, {{"H", 64}, {"W", 64}}, "host"});
    ask();
    field<QDoubleSpinBox>("Time for a measurement")->setValue(0.5);
    dialog()->reject();
    key(Qt::Key_Space);
    ASSERT_TRUE(window.session().tasks().busy());
    const auto expected = window.session().tasks().expected_time();
    ASSERT_TRUE(expected);
    EXPECT_DOUBLE_EQ(expected->seconds, session::expected_measurement(1e-6, 0.5).seconds);
    ASSERT_TRUE(wait_until([&] { return !window.session().tasks().busy(); }, 120));
}

TEST_F(PreferencesWindow, TheSystemsThemeIsFollowedAlsoWhileItRuns) {
    auto& window = show();
    auto system = ThemeKind::Dark;
    auto changes = [&](ThemeKind to) {
        system = to;
        QEvent event(QEvent::ThemeChange); // as Qt tells each window
        QApplication::sendEvent(&window, &event);
    };
    window.preferences().set_system([&system] { return system; });
    changes(ThemeKind::Dark);
    EXPECT_TRUE(views::wears(ThemeKind::Light)) << "it was not asked for";
    ask();
    field<QComboBox>("Theme")->setCurrentIndex(0);
    EXPECT_TRUE(views::wears(ThemeKind::Dark));
    changes(ThemeKind::Light);
    EXPECT_TRUE(views::wears(ThemeKind::Light));
    changes(ThemeKind::Dark);
    EXPECT_TRUE(views::wears(ThemeKind::Dark));
    EXPECT_EQ(QSettings().value("theme").toString(), "system");
    field<QComboBox>("Theme")->setCurrentIndex(1);
    EXPECT_TRUE(views::wears(ThemeKind::Light));
    window.preferences().set_system([] { return ThemeKind::Light; });
}

TEST_F(PreferencesWindow, TheLanguageIsKeptForTheNextStart) {
    show();
    ask();
    auto* language = field<QComboBox>("Language");
    language->setCurrentIndex(language->findText("Deutsch"));
    EXPECT_EQ(QSettings().value("language").toString(), "de");
    EXPECT_EQ(window_->preferences().now().language, "de");
    language->setCurrentIndex(0);
    EXPECT_EQ(window_->preferences().now().language, "") << "the system's";
}

TEST_F(PreferencesWindow, SpoiledSettingsAreToldOnceAndDoNoHarm) {
    QSettings().setValue("theme", "purple");
    QSettings().setValue("language", "../de");
    QSettings().setValue("text/points", "huge");
    QSettings().setValue("code/points", -3);
    QSettings().setValue("units/times", QStringList{"ms", "us"});
    QSettings().setValue("measure/seconds", "nan");
    const QFont before = QApplication::font();
    auto& window = show();
    EXPECT_EQ(window.preferences().now(), PreferenceValues());
    EXPECT_EQ(QApplication::font(), before);
    const auto said = notice(window)->text();
    for (const char* key : {"theme", "purple", "language", "text/points", "code/points",
                            "units/times", "measure/seconds"})
        EXPECT_TRUE(said.contains(key)) << key << " in " << said.toStdString();
    ask();
    press("Reset to defaults");
    auto& later = show();
    EXPECT_EQ(notice(later)->text(), "");
}

TEST_F(PreferencesWindow, WhatIsOutOfBoundsBecomesTheNearest) {
    show();
    PreferenceValues values;
    values.text_points = 400;
    values.code_points = 1;
    values.measure_seconds = 0;
    prefer(values);
    EXPECT_EQ(window_->preferences().now().text_points, kMostPoints);
    EXPECT_EQ(window_->preferences().now().code_points, kLeastPoints);
    EXPECT_DOUBLE_EQ(window_->preferences().now().measure_seconds, kLeastSeconds);
}

TEST_F(PreferencesWindow, TheDialogIsReachedByKeysAndFits) {
    show();
    PreferenceValues values;
    values.text_points = kMostPoints;
    prefer(values);
    ask();
    int letters = 0;
    for (auto* label : dialog()->findChildren<QLabel*>())
        if (label->text().contains('&')) {
            ++letters;
            EXPECT_TRUE(label->buddy()) << label->text().toStdString();
        }
    EXPECT_EQ(letters, 9);
    const auto wanted = dialog()->sizeHint().expandedTo(dialog()->minimumSizeHint());
    EXPECT_LE(wanted.width(), 1000);
    EXPECT_LE(wanted.height(), 700);
    QTest::keyClick(dialog(), Qt::Key_Escape);
    EXPECT_TRUE(wait_until([&] { return !dialog(); }));
}

} // namespace test_preferences
} // namespace loopscope::app::test
