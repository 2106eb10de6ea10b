// Stepping through the passes: the list of them, both programs as one, what is said, and the links
// to the tree.

#include "tests/views/fixtures.h"
#include "views/models/pass_list.h"
#include "views/widgets/linked_code.h"
#include "views/widgets/passes_view.h"
#include "views/widgets/source_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

namespace loopscope::views::test {

namespace test_passes {

const char* const kBuilt = "for yo in 0..32\n    for x in 0..8\n        if yo < 32\n            "
                           "store a[yo, x]\n";
const char* const kSimple = "for yo in 0..32\n    for x in 0..8\n        store a[yo, x]\n";
const char* const kVector = "for yo in 0..32 parallel\n    store a[yo, ramp(0, 1, 8)]\n";

std::shared_ptr<const SourceText> program(const char* text) {
    SourceText source;
    source.text = QString::fromUtf8(text);
    for (const QString& line : source.text.split('\n', Qt::SkipEmptyParts))
        source.lines.push_back(line.contains("for yo")  ? NodeId{"a", 0, "yo"}
                               : line.contains("for x") ? NodeId{"a", 0, "x"}
                                                        : NodeId{"a", 0, "@compute"});
    return std::make_shared<const SourceText>(std::move(source));
}

// build, simplify (2 lines go), hoist (nothing), vectorise (2 lines change, 1 goes), unroll: as
// many are known as `known`.
PassSteps some_steps(int known = 5) {
    const std::pair<const char*, const char*> passes[] = {{"build", kBuilt},
                                                          {"simplify", kSimple},
                                                          {"hoist_lets", kSimple},
                                                          {"vectorize", kVector},
                                                          {"unroll", kVector}};
    std::vector<PassStep> steps;
    for (const auto& [name, text] : passes) {
        PassStep step;
        step.name = name;
        step.summary = QStringLiteral("what %1 does").arg(name);
        const bool made = static_cast<int>(steps.size()) < known;
        if (made)
            step.source = program(text);
        if (made && !steps.empty())
            step.difference = std::make_shared<const LineDiff>(
                line_diff(steps.back().source->text.toStdString(), text));
        steps.push_back(std::move(step));
    }
    return std::make_shared<const std::vector<PassStep>>(std::move(steps));
}

QString rows(const PassListModel& model) {
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex at = model.index(row);
        lines << at.data().toString() + ' ' + at.data(PassListModel::CountRole).toString() +
                     (at.data(PassListModel::IdleRole).toBool() ? " idle" : "");
    }
    return lines.join('\n');
}

TEST(Passes, TheListSaysWhatEachChanges) {
    PassListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_EQ(model.rowCount(), 0);
    model.set_steps(some_steps(2));
    EXPECT_EQ(rows(model), "build \nsimplify 2\nhoist_lets …\nvectorize …\nunroll …");
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset),
        changed(&model, &QAbstractItemModel::dataChanged);
    model.set_steps(some_steps());
    EXPECT_EQ(rows(model), "build \nsimplify 2\nhoist_lets – idle\nvectorize 3\nunroll – idle");
    EXPECT_EQ(reset.count(), 0) << "the same passes: what is selected stays";
    EXPECT_EQ(changed.count(), 1);
    EXPECT_TRUE(model.index(2).data(Qt::ToolTipRole).toString().contains("changes nothing"));
    EXPECT_TRUE(model.index(3).data(Qt::AccessibleTextRole).toString().contains("3 lines differ"));
    EXPECT_EQ(model.next(0, true), 1);
    EXPECT_EQ(model.next(1, true), 3) << "what changes nothing is passed over";
    EXPECT_EQ(model.next(3, true), -1);
    EXPECT_EQ(model.next(3, false), 1);
    auto failed = *some_steps(2);
    failed[2].failure = "too large";
    model.set_steps(std::make_shared<const std::vector<PassStep>>(failed));
    EXPECT_EQ(model.index(2).data(PassListModel::CountRole).toString(), "✗");
    EXPECT_TRUE(model.index(2).data(Qt::ToolTipRole).toString().contains("too large"));
    model.set_steps(nullptr);
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(Passes, StepsShowBothProgramsAsOneAndKeepTheLinks) {
    PassesView view;
    view.resize(760, 320);
    view.show();
    QSignalSpy node(&view, &PassesView::nodeSelected);
    view.set_steps(some_steps());
    EXPECT_EQ(view.pass(), "build");
    EXPECT_EQ(view.code()->shown_text(), kBuilt);
    EXPECT_EQ(view.code()->runs(), 0);
    ASSERT_TRUE(view.step(true));
    EXPECT_EQ(view.pass(), "simplify");
    EXPECT_EQ(view.code()->shown_text().count('\n'), 5) << "the lines of both";
    EXPECT_EQ(view.code()->runs(), 1);
    EXPECT_TRUE(view.note().contains("1 line changed (~)")) << view.note().toStdString();
    EXPECT_TRUE(view.note().contains("1 line removed (−)"));
    // Lines that went lead to the tree too.
    EXPECT_EQ(view.code()->lines_of({"a", 0, "@compute"}), (std::vector<int>{2, 3, 4}));
    view.set_selected({"a", 0, "x"}, true);
    EXPECT_EQ(view.code()->lines_of({"a", 0, "x"}), std::vector<int>{1});
    ASSERT_TRUE(view.step(true));
    EXPECT_EQ(view.pass(), "vectorize");
    EXPECT_FALSE(view.step(true));
    // One that changes nothing can still be looked at.
    ASSERT_TRUE(view.set_pass("hoist_lets"));
    EXPECT_EQ(view.code()->shown_text(), kSimple);
    EXPECT_TRUE(view.note().contains("changes nothing")) << view.note().toStdString();
    EXPECT_FALSE(view.set_pass("no_such_pass"));
    EXPECT_EQ(node.count(), 0) << "nobody pointed at anything";
}

TEST(Passes, WhatArrivesLaterIsShownThenAndThePassStays) {
    PassesView view;
    view.resize(760, 320);
    view.show();
    QSignalSpy wanted(&view, &PassesView::passShown);
    view.set_steps(some_steps(2));
    view.set_pass("vectorize");
    ASSERT_GE(wanted.count(), 1);
    EXPECT_EQ(wanted.back()[0].toInt(), 3);
    EXPECT_TRUE(view.note().contains("being made")) << view.note().toStdString();
    view.set_steps(some_steps());
    EXPECT_EQ(view.pass(), "vectorize");
    EXPECT_EQ(view.code()->runs(), 1);
    auto failed = *some_steps(2);
    for (std::size_t i = 2; i < failed.size(); ++i)
        failed[i].failure = "more than 10,000 statements";
    view.set_steps(std::make_shared<const std::vector<PassStep>>(failed));
    EXPECT_EQ(view.pass(), "vectorize");
    EXPECT_TRUE(view.note().contains("more than 10,000 statements"));
    EXPECT_TRUE(view.code()->shown_text().isEmpty());
    view.set_steps(nullptr);
    EXPECT_EQ(view.current(), -1);
    EXPECT_TRUE(view.note().isEmpty());
}

TEST(Passes, KeysAndButtonsStepAndGoToWhatDiffers) {
    PassesView view;
    view.resize(760, 320);
    view.show();
    view.set_steps(some_steps());
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
    view.code()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right, Qt::AltModifier);
    EXPECT_EQ(view.pass(), "simplify");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_F8);
    EXPECT_EQ(view.code()->run(), 0);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right, Qt::AltModifier);
    EXPECT_EQ(view.pass(), "vectorize");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Left, Qt::AltModifier);
    EXPECT_EQ(view.pass(), "simplify");
    // The list takes the arrow keys, to every pass.
    auto* list = view.findChild<QListView*>();
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Down);
    EXPECT_EQ(view.pass(), "hoist_lets");
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualRect(view.pass_list()->index(3)).center());
    EXPECT_EQ(view.pass(), "vectorize");
    for (auto* button : view.findChildren<QToolButton*>())
        if (button->text() == "‹") {
            QTest::mouseClick(button, Qt::LeftButton);
            EXPECT_EQ(view.pass(), "simplify");
        }
    // Narrow: the list is behind a button.
    view.resize(420, 320);
    settle();
    EXPECT_FALSE(list->isVisible());
    QToolButton* all = nullptr;
    for (auto* button : view.findChildren<QToolButton*>())
        if (button->isVisible() && button->text().startsWith("simplify"))
            all = button;
    ASSERT_TRUE(all);
    all->click();
    auto* menu = view.findChild<QMenu*>();
    ASSERT_TRUE(menu);
    ASSERT_EQ(menu->actions().size(), 5);
    menu->actions()[3]->trigger();
    menu->close();
    EXPECT_EQ(view.pass(), "vectorize");
}

TEST(Passes, TheSourceViewStepsOrComparesButNotBoth) {
    SourceView view;
    view.resize(760, 320);
    view.show();
    view.set_source("loops", *program(kVector));
    view.set_baseline_pinned(true);
    QSignalSpy wanted(&view, &SourceView::passesWanted);
    view.set_comparing(true);
    view.set_stepping(true);
    EXPECT_FALSE(view.comparing());
    EXPECT_EQ(wanted.count(), 1);
    view.set_passes(some_steps(2));
    EXPECT_EQ(wanted.count(), 1) << "nobody stepped";
    EXPECT_TRUE(view.passes_view()->isVisible());
    view.passes_view()->set_pass("vectorize");
    EXPECT_EQ(wanted.count(), 2) << "it is not made yet";
    EXPECT_EQ(wanted.back()[0].toInt(), 3);
    view.set_passes(some_steps());
    view.passes_view()->set_pass("simplify");
    view.copy();
    EXPECT_EQ(QApplication::clipboard()->text(), kSimple) << "the program behind the pass";
    EXPECT_EQ(view.text("loops"), kVector);
    view.set_current("c");
    EXPECT_FALSE(view.passes_view()->isVisible());
    view.set_current("loops");
    view.set_comparing(true);
    EXPECT_FALSE(view.stepping());
    EXPECT_FALSE(view.passes_view()->isVisible());
}

// As large as programs become: 10,000 statements, each of them changed.
TEST(Passes, ALargeProgramIsShownAtOnce) {
    auto large = [](const char* form) {
        SourceText source;
        for (int i = 0; i < 10000; ++i) {
            source.text += QStringLiteral("    a[%1] = ").arg(i) + QLatin1String(form) + '\n';
            source.lines.push_back({"a", 0, "@compute"});
        }
        return std::make_shared<const SourceText>(std::move(source));
    };
    std::vector<PassStep> steps(2);
    steps[0] = {"build", "first", large("b[x*1]"), nullptr, {}};
    steps[1] = {"simplify", "second", large("b[x]"), nullptr, {}};
    QElapsedTimer clock;
    clock.start();
    steps[1].difference = std::make_shared<const LineDiff>(
        line_diff(steps[0].source->text.toStdString(), steps[1].source->text.toStdString()));
    EXPECT_LT(clock.elapsed(), 2000) << "in the background";
    EXPECT_EQ(steps[1].difference->changed, 10000);
    PassesView view;
    view.resize(760, 320);
    view.show();
    view.set_steps(std::make_shared<const std::vector<PassStep>>(steps));
    settle();
    clock.restart();
    ASSERT_TRUE(view.step(true));
    const auto elapsed = clock.elapsed();
    RecordProperty("milliseconds", static_cast<int>(elapsed));
    EXPECT_EQ(view.code()->runs(), 1);
    EXPECT_LT(elapsed, 1000);
}

class PassPictures : public testing::TestWithParam<bool> {
protected:
    void SetUp() override { use_theme(GetParam()); }
    void TearDown() override { use_theme(false); }
};

TEST_P(PassPictures, AreDrawn) {
    SourceView view;
    view.set_source("loops", *program(kVector));
    view.set_stepping(true);
    view.set_passes(some_steps());
    view.passes_view()->set_pass("simplify");
    view.set_selected({"a", 0, "x"});
    EXPECT_GT(inked(picture(view, {760, 300}, "passes")), 0.03);
    EXPECT_GT(inked(picture(view, {380, 300}, "passes-narrow")), 0.03);
}

INSTANTIATE_TEST_SUITE_P(Themes, PassPictures, testing::Bool(),
                         [](const auto& info) { return info.param ? "Dark" : "Light"; });

} // namespace test_passes
} // namespace loopscope::views::test
