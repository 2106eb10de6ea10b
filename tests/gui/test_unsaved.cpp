// Closing with work that could not be saved: the window asks, and does what is answered.
#include "app/document/recovery_folder.h"
#include "app/session/session.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QStatusBar>
#include <QTimer>

#include <filesystem>
#include <fstream>

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
        if (without_other_folders_)
            take_the_other_folders();
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

    // The same for one question after the other. Of a file dialog: the name that is given, or
    // "Cancel".
    void answer_in_turn(const QStringList& answers) {
        auto* timer = new QTimer(window_.get());
        QObject::connect(timer, &QTimer::timeout, timer, [this, left = answers]() mutable {
            auto* asked = qobject_cast<QDialog*>(QApplication::activeModalWidget());
            if (!asked || asked->property("answered").toBool())
                return;
            const auto given = left.isEmpty() ? QStringLiteral("Cancel") : left.first();
            asked->setProperty("answered", true);
            left.removeOne(given);
            ++questions_;
            auto* name = asked->findChild<QLineEdit*>();
            if (name && given != "Cancel") {
                name->setText(given); // as a person types it: selecting a file takes its time
                return static_cast<QDialog*>(asked)->accept();
            }
            for (auto* each : asked->findChildren<QAbstractButton*>())
                if (each->text().remove('&') == given)
                    return each->click();
            asked->reject();
        });
        timer->start(50);
    }

    void TearDown() override {
        WindowTest::TearDown();
        for (const auto& [name, value] : environment_)
            value.isNull() ? qunsetenv(name) : qputenv(name, value);
        if (without_other_folders_)
            std::filesystem::remove(session::RecoveryFolder::default_path());
    }

    // No other folder takes a copy of the work.
    void take_the_other_folders() {
        for (const char* name : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
            environment_.emplace_back(name, qgetenv(name));
            qputenv(name, "/dev/null/none"); // where nobody can make a folder
        }
        const auto folder = session::RecoveryFolder::default_path();
        std::filesystem::remove_all(folder);
        std::ofstream(folder) << "no folder";
    }

    QString said_;
    int questions_ = 0;
    bool without_other_folders_ = false;
    std::vector<std::pair<const char*, QByteArray>> environment_;
};

TEST_F(UnsavedWindow, ClosingSavesUnderAnotherNameAndAsksUntilItDid) {
    auto& window = with_unsaved_work();
    const auto path = loopscope::test::scratch_folder() + "/other.loopscope";
    answer_in_turn({"Save as…", "Cancel", "Save as…", QString::fromStdString(path)});
    window.close();
    EXPECT_FALSE(window.isVisible());
    EXPECT_EQ(questions_, 4) << "without a name it asks again";
    auto saved = session::Document::open(path);
    ASSERT_TRUE(saved) << format(saved.errors());
    EXPECT_NE((*saved)->current().script.find("split"), std::string::npos);
}

TEST_F(UnsavedWindow, WhereNothingTookItTheQuestionSaysSo) {
    without_other_folders_ = true;
    auto& window = with_unsaved_work();
    EXPECT_EQ(window.session().unsaved().kept_at(), "");
    answer("Cancel");
    window.close();
    EXPECT_TRUE(window.isVisible());
    EXPECT_NE(said_.indexOf("without saving it is lost"), -1) << said_.toStdString();
    answer("Lose it");
    window.close();
    EXPECT_FALSE(window.isVisible());
}

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
