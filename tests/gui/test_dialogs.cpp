// Every dialog fits a screen of 1280 x 720, also in the largest type.
#include "app/windows/preferences.h"
#include "app/windows/remote_gpus.h"
#include "tests/gui/gui_support.h"
#include "views/style/theme.h"

#include <QAction>
#include <QDialog>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <functional>

namespace loopscope::app::test {
namespace test_dialogs {

constexpr int kTitleBar = 40;
constexpr QSize kRoom(1280, 720 - kTitleBar);

// The entries of menus that open one, in the one list of them.
const QStringList kDialogs{"Open…",
                           "Save as…",
                           "Save schedule as…",
                           "Save pipeline as…",
                           "Save source as…",
                           "Export…",
                           "Report…",
                           "Hand on…",
                           "Remove directive…",
                           "Select by name…",
                           "Find anything…",
                           "Preferences…",
                           "Compare two schedules…",
                           "Commands…",
                           "Keys",
                           "About Loopscope"};

QList<QAction*> entries(const MainWindow& window) {
    QList<QAction*> all;
    for (auto* top : window.menuBar()->actions())
        for (auto* action : top->menu()->actions())
            if (!action->menu() && !action->isSeparator() &&
                top->menu()->title() != QLatin1String("&Schedule"))
                all << action;
    return all;
}

QString plain(const QAction& action) { return action.text().remove('&'); }

class Dialogs : public WindowTest {
protected:
    void TearDown() override {
        WindowTest::TearDown();
        views::apply_theme(*qApp, views::ThemeKind::Light);
    }
    QDialog* shown() const {
        for (auto* each : QApplication::topLevelWidgets())
            if (auto* dialog = qobject_cast<QDialog*>(each); dialog && dialog->isVisible())
                return dialog;
        return nullptr;
    }
    // A dialog may have a loop of its own, or none: either way it is judged and closed meanwhile.
    void judge(const QString& name, const std::function<void()>& open_it) {
        bool judged = false;
        QTimer looks;
        QObject::connect(&looks, &QTimer::timeout, [&] {
            auto* dialog = shown();
            if (!dialog || judged)
                return;
            judged = true;
            const auto least = dialog->minimumSizeHint().expandedTo(dialog->minimumSize());
            const auto size = dialog->size();
            EXPECT_LE(least.width(), kRoom.width()) << name.toStdString();
            EXPECT_LE(least.height(), kRoom.height()) << name.toStdString();
            EXPECT_LE(dialog->sizeHint().height(), kRoom.height()) << name.toStdString();
            EXPECT_LE(size.width(), kRoom.width()) << name.toStdString();
            EXPECT_LE(size.height(), kRoom.height()) << name.toStdString();
            dialog->reject();
        });
        looks.start(20);
        open_it();
        EXPECT_TRUE(wait_until([&] { return judged && !shown(); }, 20)) << name.toStdString();
    }
    void judge_all() {
        // With lines about the selection, to be removed.
        open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"}, 1280, 680);
        click({"out", 0, "yi"});
        ASSERT_TRUE(window_->show_panel("source"));
        ASSERT_TRUE(settle());
        for (const auto& name : kDialogs) {
            const auto all = entries(*window_);
            const auto entry = std::find_if(
                all.begin(), all.end(), [&](const QAction* each) { return plain(*each) == name; });
            ASSERT_NE(entry, all.end()) << name.toStdString();
            judge(name, [&] { (*entry)->trigger(); });
        }
        judge("Remote GPUs", [&] {
            auto* dialog = new RemoteGpus(window_->session(), window_.get());
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->open();
        });
    }
};

TEST_F(Dialogs, EachEntryThatOpensOneIsInTheList) {
    open("harris.loop");
    for (const auto* entry : entries(*window_))
        if (const auto name = plain(*entry); name.endsWith(QChar(0x2026))) {
            EXPECT_TRUE(kDialogs.contains(name)) << name.toStdString();
        }
}

TEST_F(Dialogs, AllFitASmallScreen) { judge_all(); }

TEST_F(Dialogs, AllFitInTheLargestType) {
    QSettings().setValue("text/points", kMostPoints);
    judge_all();
}

} // namespace test_dialogs
} // namespace loopscope::app::test
