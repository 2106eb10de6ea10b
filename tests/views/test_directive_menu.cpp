// What cannot be had says why to those who have no mouse: in menus of directives, and in rows of
// choices.

#include "tests/views/fixtures.h"

#include "views/widgets/choice_line.h"
#include "views/widgets/directive_menu.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QStatusTipEvent>
#include <QTest>

#include <utility>
#include <vector>

namespace loopscope::views::test {

namespace test_directive_menu {

// Takes what a status line would show.
class StatusTaker : public QWidget {
public:
    QString shown;

protected:
    bool event(QEvent* event) override {
        if (event->type() == QEvent::StatusTip)
            shown = static_cast<QStatusTipEvent*>(event)->tip();
        return QWidget::event(event);
    }
};

class DirectiveList : public testing::Test {
protected:
    DirectiveList() {
        services_.judge = [this](const std::vector<DirectiveEdit>& edits,
                                 std::function<void(const DirectiveEdit&, const Verdict&)> answer) {
            asked_ = edits;
            answer_ = std::move(answer);
        };
        group_.verb = group_.title = "Split";
        group_.choices = {{"by 2", "split 2"}, {"by 4", "split 4"}};
    }
    void refuse(const QString& line) {
        for (const DirectiveEdit& edit : asked_)
            if (edit.line == line)
                answer_(edit, {false, "no " + line, nullptr});
    }

    EditServices services_;
    DirectiveGroup group_;
    std::vector<DirectiveEdit> asked_;
    std::function<void(const DirectiveEdit&, const Verdict&)> answer_;
    StatusTaker window_;
};

TEST_F(DirectiveList, WithoutALegalChoiceSaysWhyOfEach) {
    DirectiveMenu menu(services_, &window_);
    menu.add_choices(group_, "Split");
    refuse("split 2");
    refuse("split 4");
    menu.popup(QPoint(20, 20));
    menu.activate_first();
    ASSERT_NE(menu.activeAction(), nullptr) << "the keyboard stands on an entry, grey as it is";
    EXPECT_EQ(menu.activeAction()->text(), "by 2") << "and not on the heading";
    EXPECT_EQ(menu.preview_text(), "by 2\n✗ no split 2");
    EXPECT_EQ(menu.accessibleDescription(), "no split 2");
    EXPECT_EQ(window_.shown, "no split 2");
    QTest::keyClick(&menu, Qt::Key_Down);
    EXPECT_EQ(menu.preview_text(), "by 4\n✗ no split 4");
    EXPECT_EQ(menu.accessibleDescription(), "no split 4");
    QTest::keyClick(&menu, Qt::Key_Return);
    EXPECT_TRUE(menu.isVisible()) << "Enter takes nothing that cannot be had";
    menu.close();
    EXPECT_TRUE(menu.preview_text().isEmpty());
    EXPECT_TRUE(menu.accessibleDescription().isEmpty());
    EXPECT_TRUE(window_.shown.isEmpty());
}

TEST_F(DirectiveList, SaysWhyOfAnEntryThatIsJudgedUnderTheHand) {
    DirectiveMenu menu(services_, &window_);
    menu.add_choices(group_, "Split");
    menu.popup(QPoint(20, 20));
    menu.activate_first();
    EXPECT_TRUE(menu.preview_text().isEmpty()) << "nothing is known of it yet";
    refuse("split 2");
    EXPECT_EQ(menu.preview_text(), "by 2\n✗ no split 2");
    QTest::keyClick(&menu, Qt::Key_Down);
    EXPECT_EQ(menu.activeAction()->text(), "by 4");
    EXPECT_TRUE(menu.preview_text().isEmpty());
    EXPECT_TRUE(window_.shown.isEmpty());
}

TEST_F(DirectiveList, BeginsWithWhatCanBeHad) {
    DirectiveMenu menu(services_, &window_);
    menu.add_choices(group_, "Split");
    refuse("split 2");
    menu.popup(QPoint(20, 20));
    menu.activate_first();
    ASSERT_NE(menu.activeAction(), nullptr);
    EXPECT_EQ(menu.activeAction()->text(), "by 4");
}

TEST_F(DirectiveList, ThatIsGreyAsAWholeSaysWhyInItsMenu) {
    DirectiveMenu menu(services_, &window_);
    menu.add_groups({group_});
    refuse("split 2");
    refuse("split 4");
    menu.popup(QPoint(20, 20));
    QTest::keyClick(&menu, Qt::Key_Down);
    EXPECT_EQ(menu.preview_text(), "Split\n✗ no split 4");
}

// The keyboard reaches no button that is grey: where all are, two reasons and "point at one" would
// leave it without the others.
TEST(RowOfChoices, SaysAllReasonsWhereNothingCanBeChosen) {
    ChoiceRow row{"Split", "Makes two loops of it.", {}, {}};
    const QStringList names{"a", "b", "c", "d"};
    for (const QString& name : names)
        row.choices.push_back({Choice::Look::Command, "split/" + name, name, "Split " + name, "",
                               DirectiveEdit(name), false});
    ChoiceLine line(row, 80);
    const auto said = [&line] {
        for (const auto* label : line.findChildren<QLabel*>())
            if (label->accessibleName() == "Why a choice cannot be made")
                return label->text();
        return QString();
    };
    for (const QString& name : names)
        line.set_verdict(DirectiveEdit(name), {false, "no " + name, nullptr});
    line.explain();
    EXPECT_EQ(said(), "a: no a\nb: no b\nc: no c\nd: no d");
    line.set_verdict(DirectiveEdit("d"), {});
    line.explain();
    EXPECT_EQ(said(), "a: no a\nb: no b\n1 more: point at one for its reason");
}

} // namespace test_directive_menu

} // namespace loopscope::views::test
