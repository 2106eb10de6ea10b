// The start page: programs by group, the field that narrows them, recent files below.

#include "tests/views/fixtures.h"
#include "views/widgets/link_list.h"
#include "views/widgets/start_page.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

namespace loopscope::views::test {

namespace test_start_page {

std::vector<ProgramEntry> some_programs() {
    return {{"copy", "First steps", "One stream in, one out", 1, true, "/p/copy.loop"},
            {"blur", "First steps", "Two stages in one tile", 2, true, "/p/blur.loop"},
            {"harris", "Images", "Corners: stencils of products", 13, true, "/p/harris.loop"},
            {"matmul_s8", "Tensor cores", "Integers of 8 bits", 1, false, "/p/matmul_s8.loop"}};
}

std::vector<RecentEntry> many_recent(int number) {
    std::vector<RecentEntry> recent;
    for (int i = 0; i < number; ++i)
        recent.push_back({QStringLiteral("/work/%1/blur.loopscope").arg(i), {}});
    return recent;
}

class StartPageTest : public testing::Test {
protected:
    void SetUp() override {
        page_.set_programs(some_programs(), "v100");
        page_.resize(1000, 620);
        page_.show();
        settle();
    }
    template <typename Widget> Widget* named(const QString& name) {
        for (auto* each : page_.findChildren<Widget*>())
            if (each->accessibleName() == name)
                return each;
        return nullptr;
    }
    LinkList& programs() { return *named<LinkList>("Programs to explore"); }
    LinkList& recent() { return *named<LinkList>("Recent files"); }
    QLineEdit& field() { return *named<QLineEdit>("Find a program"); }
    QString found() { return named<QLabel>("Programs that are shown")->text(); }
    QStringList rows() {
        QStringList texts;
        for (int i = 0; i < programs().count(); ++i)
            texts << programs().item(i)->text();
        return texts;
    }
    QString chosen() {
        const auto* item = programs().currentItem();
        return item ? item->text() : QString();
    }

    StartPage page_;
};

TEST(ProgramList, FindsEveryWordInNameGroupOrWhatIsTaught) {
    const auto all = some_programs();
    auto found = [&](const QString& words) {
        QStringList names;
        for (const auto& group : programs_with(all, words))
            for (const auto& program : group.programs)
                names << program.name;
        return names.join(' ').toStdString();
    };
    EXPECT_EQ(found(""), "copy blur harris matmul_s8");
    EXPECT_EQ(found("  "), "copy blur harris matmul_s8");
    EXPECT_EQ(found("MATMUL"), "matmul_s8");
    EXPECT_EQ(found("first"), "copy blur") << "by the group";
    EXPECT_EQ(found("stencils"), "harris") << "by what is taught";
    EXPECT_EQ(found("tile first"), "blur") << "in any order, anywhere";
    EXPECT_EQ(found("first stencils"), "");
}

TEST_F(StartPageTest, ProgramsStandBelowTheHeadingsOfTheirGroups) {
    EXPECT_EQ(rows(), QStringList({"First steps", "copy", "blur", "Images", "harris",
                                   "Tensor cores", "matmul_s8"}));
    for (int i = 0; i < programs().count(); ++i) {
        const bool heading = i == 0 || i == 3 || i == 5;
        EXPECT_EQ(programs().item(i)->flags() == Qt::NoItemFlags, heading) << i;
    }
    EXPECT_EQ(found(), "4 programs");
}

TEST_F(StartPageTest, ARowSaysWhatIsTaughtItsStagesAndItsExpertSchedule) {
    auto said = [&](int row) {
        return programs().item(row)->data(Qt::AccessibleDescriptionRole).toString().toStdString();
    };
    EXPECT_EQ(programs().item(4)->data(Qt::AccessibleTextRole).toString(), "harris");
    EXPECT_EQ(said(4), "Corners: stencils of products, 13 stages, expert schedule");
    EXPECT_EQ(said(1), "One stream in, one out, 1 stage, expert schedule");
    EXPECT_EQ(said(6), "Integers of 8 bits, 1 stage");
    EXPECT_TRUE(programs().item(4)->toolTip().contains("An expert schedule is shipped for v100"));
    EXPECT_TRUE(programs().item(6)->toolTip().contains("No expert schedule is shipped for v100"));
}

TEST_F(StartPageTest, TypingDownAndEnterOpensAProgram) {
    QSignalSpy opened(&page_, &StartPage::openRequested);
    QTest::keyClick(&field(), Qt::Key_Return);
    EXPECT_EQ(opened.count(), 0) << "nothing is marked yet";
    QTest::keyClicks(&field(), "first");
    EXPECT_EQ(rows(), QStringList({"First steps", "copy", "blur"}));
    EXPECT_EQ(found(), "2 of 4 programs");
    EXPECT_EQ(chosen(), "copy");
    QTest::keyClick(&field(), Qt::Key_Down);
    EXPECT_EQ(page_.focusWidget(), &programs());
    EXPECT_EQ(chosen(), "copy") << "the first one, not the second";
    QTest::keyClick(&programs(), Qt::Key_Down);
    QTest::keyClick(&programs(), Qt::Key_Return);
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toString(), "/p/blur.loop");
    QTest::keyClick(&field(), Qt::Key_Return);
    ASSERT_EQ(opened.count(), 2) << "Enter in the field opens what is marked";
}

TEST_F(StartPageTest, TheArrowsPassOverHeadingsAndLeadBackToTheField) {
    QTest::keyClick(&field(), Qt::Key_Down);
    EXPECT_EQ(chosen(), "copy");
    QStringList passed;
    for (int i = 0; i < 5; ++i) {
        passed << chosen();
        QTest::keyClick(&programs(), Qt::Key_Down);
    }
    EXPECT_EQ(passed, QStringList({"copy", "blur", "harris", "matmul_s8", "matmul_s8"}));
    for (int i = 0; i < 3; ++i)
        QTest::keyClick(&programs(), Qt::Key_Up);
    EXPECT_EQ(chosen(), "copy");
    EXPECT_EQ(page_.focusWidget(), &programs());
    QTest::keyClick(&programs(), Qt::Key_Up);
    EXPECT_EQ(page_.focusWidget(), &field());
}

TEST_F(StartPageTest, AClickOpensAProgramAndNoHeading) {
    QSignalSpy opened(&page_, &StartPage::openRequested);
    auto click = [&](int row) {
        QTest::mouseClick(programs().viewport(), Qt::LeftButton, Qt::NoModifier,
                          programs().visualItemRect(programs().item(row)).center());
    };
    click(3);
    EXPECT_EQ(opened.count(), 0);
    click(4);
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toString(), "/p/harris.loop");
}

TEST_F(StartPageTest, WhereNothingIsFoundItSaysSoAndHowToGetAllBack) {
    QTest::keyClicks(&field(), "xyzzy");
    EXPECT_FALSE(programs().isVisible());
    QString said;
    for (const auto* label : page_.findChildren<QLabel*>())
        if (label->isVisible())
            said += label->text() + '\n';
    EXPECT_TRUE(said.contains("xyzzy")) << said.toStdString();
    EXPECT_TRUE(said.contains("Escape")) << said.toStdString();
    EXPECT_EQ(found(), "0 of 4 programs");
    QTest::mouseClick(named<QPushButton>("Show all programs"), Qt::LeftButton);
    EXPECT_TRUE(programs().isVisible());
    EXPECT_EQ(rows().size(), 7);
    EXPECT_EQ(page_.focusWidget(), &field());
    QTest::keyClicks(&field(), "xyzzy");
    QTest::keyClick(&field(), Qt::Key_Escape);
    EXPECT_EQ(rows().size(), 7);
    EXPECT_EQ(field().text(), "");
}

TEST_F(StartPageTest, WithoutProgramsItSaysThat) {
    page_.set_programs({}, "v100");
    EXPECT_FALSE(programs().isVisible());
    EXPECT_FALSE(named<QPushButton>("Show all programs"));
}

TEST_F(StartPageTest, WhatIsSoughtStaysWhenTheDeviceChanges) {
    QTest::keyClicks(&field(), "matmul");
    auto programs_there = some_programs();
    programs_there.back().expert = true;
    page_.set_programs(programs_there, "h200");
    EXPECT_EQ(field().text(), "matmul");
    ASSERT_EQ(rows(), QStringList({"Tensor cores", "matmul_s8"}));
    EXPECT_TRUE(programs().item(1)->toolTip().contains("An expert schedule is shipped for h200"));
}

TEST_F(StartPageTest, ManyRecentFilesLeaveTheProgramsTheirRoom) {
    EXPECT_FALSE(recent().isVisible()) << "there are none";
    for (const int number : {1, 4, 15}) {
        page_.set_recent(many_recent(number));
        settle();
        ASSERT_TRUE(recent().isVisible());
        EXPECT_EQ(recent().count(), number) << "all of them, by scrolling";
        EXPECT_LE(recent().height(), page_.height() / 5);
        EXPECT_GE(programs().height(), page_.height() * 2 / 5) << number;
        EXPECT_GE(recent().mapTo(&page_, QPoint()).y(),
                  programs().mapTo(&page_, QPoint(0, programs().height())).y());
    }
    const int few = recent().height();
    page_.resize(1000, 1300);
    settle();
    EXPECT_GT(recent().height(), few) << "more of them in a large window";
}

TEST_F(StartPageTest, PathsOfRecentFilesAreShort) {
    EXPECT_EQ(short_folder(QDir::homePath() + "/pictures/a/blur.loop"), "~/pictures/a");
    EXPECT_EQ(short_folder(QDir::homePath() + "/blur.loop"), "~");
    EXPECT_EQ(short_folder("/photos/blur.loop"), "/photos");
    EXPECT_EQ(short_folder(QDir::homePath() + "s/blur.loop"), QDir::homePath() + "s");
    const QString path = QDir::homePath() + "/pictures/blur.loopscope";
    page_.set_recent({{path, {}}});
    const auto* row = recent().item(0);
    EXPECT_EQ(row->text(), "blur.loopscope");
    EXPECT_TRUE(row->data(Qt::AccessibleDescriptionRole).toString().startsWith("~/pictures"));
    EXPECT_EQ(row->toolTip(), path) << "the whole one";
}

// The tutorial first, then a file of one's own, the field, the programs, and recent files.
TEST_F(StartPageTest, TheTabKeyGoesFromTheTutorialDown) {
    page_.set_recent(many_recent(3));
    auto* tutorial = named<QPushButton>("Read the tutorial");
    ASSERT_TRUE(tutorial);
    std::vector<QWidget*> order{tutorial};
    for (auto* next = tutorial->nextInFocusChain(); next && next != tutorial;
         next = next->nextInFocusChain())
        if (page_.isAncestorOf(next) && next->isVisible() && !next->focusProxy() &&
            (next->focusPolicy() & Qt::TabFocus) && !next->objectName().startsWith("qt_"))
            order.push_back(next);
    EXPECT_EQ(order, std::vector<QWidget*>({tutorial, named<QPushButton>("Open a file"), &field(),
                                            &programs(), &recent()}));
    QSignalSpy asked(&page_, &StartPage::tutorialRequested);
    QTest::mouseClick(tutorial, Qt::LeftButton);
    EXPECT_EQ(asked.count(), 1);
}

} // namespace test_start_page
} // namespace loopscope::views::test
