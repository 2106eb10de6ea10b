// The same places in both themes, and nothing at the rim (docs/newcomer.md, S10 and S28).

#include "tests/gui/gui_support.h"
#include "tests/support/quick_run.h"

#include "app/windows/command_palette.h"
#include "views/style/theme.h"
#include "views/widgets/roofline_view.h"

#include <QComboBox>
#include <QDockWidget>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QTest>
#include <QToolBar>
#include <QToolButton>

namespace loopscope::app::test {

namespace {

using views::ThemeKind;

class Appearance : public WindowTest {
protected:
    QToolBar* toolbar() const { return window_->findChild<QToolBar*>("toolbar"); }
    // Places of the panels, of the toolbar and of all that stands in it.
    std::vector<QRect> places() const {
        std::vector<QRect> out{toolbar()->geometry(), window_->centralWidget()->geometry()};
        for (const auto* dock : window_->findChildren<QDockWidget*>())
            out.push_back(dock->geometry());
        for (auto* child : toolbar()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (child->isVisible())
                out.push_back(child->geometry());
        return out;
    }
    void wear(ThemeKind kind) {
        window_->set_theme(kind);
        QTest::qWait(60);
    }
    void TearDown() override {
        WindowTest::TearDown();
        views::apply_theme(*qApp, ThemeKind::Light);
    }
};

} // namespace

TEST_F(Appearance, TheToolbarSaysWhatIsNotSavedWhereThereIsRoom) {
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    const QLabel* name = nullptr;
    for (auto* label : toolbar()->findChildren<QLabel*>())
        if (label->accessibleName() == "Open document")
            name = label;
    ASSERT_TRUE(name);
    for (const int width : {1440, 1000}) {
        window_->resize(width, 800);
        ASSERT_TRUE(settle());
        EXPECT_LE(toolbar()->sizeHint().width(), toolbar()->width()) << width;
        if (width == 1440) {
            EXPECT_TRUE(name->text().contains("not saved yet")) << name->text().toStdString();
        }
    }
}

TEST_F(Appearance, NothingMovesWhenTheThemeChanges) {
    LOOPSCOPE_LONG_TEST();
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    const auto before = places();
    ASSERT_GE(before.size(), 18u);
    int buttons = 0;
    const QToolButton* previous = nullptr;
    for (auto* button : toolbar()->findChildren<QToolButton*>()) {
        if (!button->isVisible() || button->accessibleName().isEmpty())
            continue;
        ++buttons;
        EXPECT_GE(button->x(), 8);
        EXPECT_LE(button->geometry().right(), toolbar()->width() - 8);
        if (previous) {
            EXPECT_EQ(button->x() - previous->geometry().right() - 1, views::kGap);
        }
        previous = button;
    }
    EXPECT_EQ(buttons, 5);
    const QLabel* name = nullptr;
    for (auto* label : toolbar()->findChildren<QLabel*>())
        if (label->accessibleName() == "Open document")
            name = label;
    ASSERT_TRUE(name);
    for (const auto kind : {ThemeKind::Dark, ThemeKind::Light, ThemeKind::Dark}) {
        wear(kind);
        EXPECT_EQ(places(), before) << (kind == ThemeKind::Dark ? "dark" : "light");
        EXPECT_TRUE(name->text().contains(views::theme(kind).faint.name()));
    }
    keep_picture("looks-dark");
    // A window that begins in the dark is the same.
    open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(60);
    EXPECT_EQ(places(), before);
}

TEST_F(Appearance, ChoicesLookLikeTheButtonsBesideThem) {
    LOOPSCOPE_LONG_TEST();
    for (const auto kind : {ThemeKind::Light, ThemeKind::Dark}) {
        auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
        wear(kind);
        const auto& t = views::theme(kind);
        const QToolButton* button = nullptr;
        for (auto* each : toolbar()->findChildren<QToolButton*>())
            if (each->isVisible() && each->accessibleName() == "Check")
                button = each;
        ASSERT_TRUE(button);
        auto combos = window.findChildren<QComboBox*>();
        // Qt keeps those of tabs behind others outside of the window.
        combos.removeIf([](QComboBox* combo) { return combo->visibleRegion().isEmpty(); });
        QStringList names;
        for (auto* combo : combos)
            names << combo->accessibleName();
        ASSERT_EQ(combos.size(), 2) << names.join(", ").toStdString();
        window.set_preset(MainWindow::Preset::Teach); // in large type
        QTest::qWait(60);
        EXPECT_EQ(toolbar()->findChild<QComboBox*>()->height(), button->height()) << "Teach";
        window.set_preset(MainWindow::Preset::Explore);
        QTest::qWait(60);
        for (auto* combo : combos) {
            ASSERT_TRUE(combo->isVisible());
            EXPECT_EQ(combo->height(), button->height()) << combo->accessibleName().toStdString();
            const QImage image = combo->grab().toImage();
            const int middle = image.height() / 2;
            EXPECT_EQ(QColor(image.pixel(image.width() / 2, 0)), t.line);
            EXPECT_EQ(QColor(image.pixel(6, middle)), t.raised) << "room before the text";
            EXPECT_EQ(QColor(image.pixel(image.width() - 4, middle)), t.raised);
            double best = 1; // of the arrow
            for (int x = image.width() - 22; x < image.width() - 3; ++x)
                for (int y = middle - 5; y <= middle + 5; ++y)
                    best = std::max(best, views::contrast_ratio(image.pixel(x, y), t.raised));
            EXPECT_GE(best, 3.0);
        }
    }
}

TEST_F(Appearance, RowsOfThePaletteKeepTheirTextFromTheRim) {
    LOOPSCOPE_LONG_TEST();
    for (const auto kind : {ThemeKind::Light, ThemeKind::Dark}) {
        open("harris.loop");
        wear(kind);
        QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = window_->findChild<CommandPalette*>();
        ASSERT_TRUE(palette);
        QTest::qWait(60);
        auto* list = palette->findChild<QListWidget*>();
        ASSERT_GE(list->count(), 10);
        for (int row : {list->currentRow(), list->currentRow() + 1}) {
            const QRect where = list->visualItemRect(list->item(row));
            const QImage image = list->viewport()->grab(where).toImage();
            const int middle = image.height() / 2;
            const QRgb back = image.pixel(4, 3);
            int first = image.width();
            for (int x = 4; x < image.width() && first == image.width(); ++x)
                for (int y = middle - 6; y <= middle + 6; ++y)
                    if (image.pixel(x, y) != back)
                        first = x;
            EXPECT_GE(first, 8) << "row " << row;
            EXPECT_LE(first, 24) << "row " << row << ": there is text";
        }
        palette->close();
    }
}

} // namespace loopscope::app::test
