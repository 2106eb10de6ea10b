// Closing with work that could not be saved: the window asks, and does what is answered.
#include "app/session/session.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QLabel>
#include <QMessageBox>
#include <QStatusBar>
#include <QTimer>

#include <filesystem>

namespace loopscope::app::test {
namespace {

class UnsavedWindow : public WindowTest {
protected:
    // A titled document whose folder goes, and what is typed then.
    MainWindow& with_unsaved_work() {
        auto& window = open("blur.loop");
        const auto folder = loopscope::test::scratch_folder();
        EXPECT_TRUE(window.session().save_document(folder + "/mine.loopscope"));
        std::filesystem::remove_all(folder);
        window.session().edit_script(
            QString::fromStdString(window.session().script() + "out.split(y, yo, yi, 8)\n"));
        EXPECT_TRUE(window.session().unsaved().any());
        return window;
    }

    // Presses the button of that text in the next question, and keeps what it said.
    void answer(const QString& button) {
        QTimer::singleShot(100, window_.get(), [this, button] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            ASSERT_NE(box, nullptr);
            said_ = box->text() + '\n' + box->informativeText();
            for (auto* each : box->buttons())
                if (each->text().remove('&') == button) {
                    each->click();
                    return;
                }
            box->reject();
            ADD_FAILURE() << "no button " << button.toStdString();
        });
    }

    QString said_;
};

TEST_F(UnsavedWindow, ClosingAsksAndCancelKeepsItOpen) {
    auto& window = with_unsaved_work();
    const auto kept = QString::fromStdString(window.session().unsaved().kept_at());
    answer("Cancel");
    window.close();
    EXPECT_TRUE(window.isVisible());
    EXPECT_TRUE(window.session().is_open());
    EXPECT_NE(said_.indexOf("could not be saved"), -1) << said_.toStdString();
    EXPECT_NE(said_.indexOf("was moved or removed"), -1) << said_.toStdString();
    EXPECT_NE(said_.indexOf(kept), -1) << said_.toStdString();
    answer("Close");
    close_window();
}

TEST_F(UnsavedWindow, WhatIsClosedAnywayIsOfferedAtTheNextStart) {
    auto& window = with_unsaved_work();
    const auto draft = window.session().draft();
    answer("Close");
    window.close();
    EXPECT_FALSE(window.isVisible());
    auto& next = show();
    EXPECT_NE(notice(next)->text().indexOf("could not be saved"), -1)
        << notice(next)->text().toStdString();
    for (auto* button : notice(next)->findChildren<QAbstractButton*>())
        if (button->text() == "Recover it")
            button->click();
    ASSERT_TRUE(settle());
    EXPECT_EQ(next.session().draft(), draft);
}

TEST_F(UnsavedWindow, TheNoticeOffersAnotherName) {
    auto& window = with_unsaved_work();
    bool offered = false;
    for (auto* button : notice(window)->findChildren<QAbstractButton*>())
        offered = offered || (button->text() == "Save as…" && button->isVisible());
    EXPECT_TRUE(offered);
    bool said = false;
    for (auto* label : window.statusBar()->findChildren<QLabel*>())
        said = said || label->text().contains("did not take the last edit");
    EXPECT_TRUE(said);
    const auto path = loopscope::test::scratch_folder() + "/other.loopscope";
    ASSERT_TRUE(window.session().save_document(path));
    EXPECT_FALSE(window.session().unsaved().any());
    EXPECT_NE(window.session().script().find("split"), std::string::npos);
}

TEST_F(UnsavedWindow, AnotherFileIsOpenedOnlyWhereThePersonLetsGo) {
    auto& window = with_unsaved_work();
    answer("Cancel");
    EXPECT_FALSE(window.open_path(QString::fromStdString(bundled("copy.loop"))));
    EXPECT_EQ(window.session().title(), "mine.loopscope");
    answer("Close");
    EXPECT_TRUE(window.open_path(QString::fromStdString(bundled("copy.loop"))));
}

} // namespace
} // namespace loopscope::app::test
