// Two schedules side by side: rows of scripts and trees, numbers, the text of it all, and the panel
// that shows them.

#include "tests/views/fixtures.h"
#include "views/models/number_table.h"
#include "views/models/schedule_pair.h"
#include "views/widgets/schedules_view.h"
#include "views/widgets/side_by_side_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>

namespace loopscope::views::test {

namespace test_side_by_side {

const char* const kLeft = "schedule for harris\n"
                          "# tiles\n"
                          "out.tile(y, x, yo, xo, yi, xi, 64, 256)\n"
                          "out.vectorize(xi, 8)\n"
                          "out.parallel(yo)\n"
                          "ix.vectorize(x, 8)\n";
const char* const kRight = "schedule for harris\n"
                           "# tiles\n"
                           "out.tile(y,x, yo, xo, yi, xi, 64, 256)\n"
                           "out.parallel(yo)\n"
                           "ix.vectorize(x, 16)\n"
                           "gray.vectorize(x, 8)\n";

ComparedSchedule side_of(const QString& title, const std::string& script,
                         std::optional<double> measured = {}) {
    ComparedSchedule side;
    side.title = title;
    side.script = script;
    side.tree = bundled_tree("harris", script);
    side.estimate = estimate_of(side.tree);
    side.measured = measured;
    return side;
}

SchedulePair harris_pair() {
    return pair_of(side_of("default schedule", "schedule for harris\n"),
                   side_of("shipped", bundled_schedule_text("harris")), "this machine");
}

QString rows_text(const SideRows& rows) {
    QString text;
    for (const SideRow& row : rows)
        text += side_sign(row, true) + (row.left.present ? row.left.text : QString()) + " | " +
                side_sign(row, false) + (row.right.present ? row.right.text : QString()) + '\n';
    return text;
}

const ComparedNumber* find(const SchedulePair& pair, const QString& group, const QString& name) {
    for (const ComparedNumber& n : pair.numbers)
        if (n.group == group && n.name == name)
            return &n;
    return nullptr;
}

TEST(SideBySide, ScriptsArePairedByWhatTheirLinesSay) {
    EXPECT_EQ(rows_text(align_scripts(kLeft, kRight)).toStdString(),
              " schedule for harris |  schedule for harris\n"
              " # tiles |  # tiles\n"
              " out.tile(y, x, yo, xo, yi, xi, 64, 256) |  out.tile(y,x, yo, xo, yi, xi, 64, 256)\n"
              "−out.vectorize(xi, 8) |  \n"
              " out.parallel(yo) |  out.parallel(yo)\n"
              "~ix.vectorize(x, 8) | ~ix.vectorize(x, 16)\n"
              "  | +gray.vectorize(x, 8)\n");
    const SideRows rows = align_scripts(kLeft, kRight);
    EXPECT_EQ(differing_rows(rows), 3);
    EXPECT_EQ(rows[5].left.text.mid(rows[5].left.part_begin,
                                    rows[5].left.part_end - rows[5].left.part_begin),
              "8")
        << "what differs inside the line";
    EXPECT_EQ(rows[6].right.number, 6);
    EXPECT_TRUE(align_scripts("", "").empty());
    EXPECT_EQ(differing_rows(align_scripts(kLeft, kLeft)), 0);
}

TEST(SideBySide, TreesArePairedByIdentity) {
    const auto left = bundled_tree("harris", "schedule for harris\n"),
               right = bundled_tree("harris");
    const SideRows rows =
        align_trees(*left, estimate_of(left).get(), *right, estimate_of(right).get());
    // Both trees are there, whole and in order.
    QStringList of_left, of_right;
    std::map<NodeId, std::pair<int, int>> seen;
    for (const SideRow& row : rows) {
        if (row.left.present)
            ++seen[row.left.node].first;
        if (row.right.present)
            ++seen[row.right.node].second;
        EXPECT_TRUE(row.left.present || row.right.present);
        if (row.change == SideChange::Same || row.change == SideChange::Changed) {
            EXPECT_EQ(row.left.node, row.right.node);
        }
    }
    int nodes[2] = {0, 0};
    auto count = [](auto&& self, const TreeNode& node) -> int {
        int all = node.kind == TreeKind::Root ? 0 : 1;
        for (const auto& child : node.children)
            all += self(self, *child);
        return all;
    };
    for (const SideRow& row : rows) {
        nodes[0] += row.left.present;
        nodes[1] += row.right.present;
    }
    EXPECT_EQ(nodes[0], count(count, *left->root));
    EXPECT_EQ(nodes[1], count(count, *right->root));
    // What is only on one side is what difference() says.
    std::map<NodeId, TreeDifference::Kind> truth;
    for (const auto& each : difference(*left, *right))
        truth[each.id] = each.kind;
    ASSERT_FALSE(truth.empty());
    for (const SideRow& row : rows) {
        const NodeId& id = row.left.present ? row.left.node : row.right.node;
        const bool known = truth.count(id) > 0;
        switch (row.change) {
        case SideChange::Same: EXPECT_FALSE(known) << id.text(); break;
        case SideChange::OnlyLeft:
            EXPECT_TRUE(known && truth[id] == TreeDifference::Kind::Removed) << id.text();
            break;
        case SideChange::OnlyRight:
            EXPECT_TRUE(known && truth[id] == TreeDifference::Kind::Added) << id.text();
            break;
        case SideChange::Changed:
            EXPECT_TRUE(known && truth[id] == TreeDifference::Kind::Changed) << id.text();
            break;
        case SideChange::Moved:
            EXPECT_EQ(seen[id].first, 1) << id.text();
            EXPECT_EQ(seen[id].second, 1) << id.text();
            break;
        }
    }
    EXPECT_EQ(differing_rows(align_trees(*right, nullptr, *right, nullptr)), 0);
}

TEST(SideBySide, EqualRowsFoldAndUnfold) {
    SideBySideModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    std::string left = "schedule for m\n", right = left;
    for (int i = 0; i < 20; ++i)
        for (std::string* text : {&left, &right})
            *text += "# " + std::to_string(i) + '\n';
    left += "a.parallel(x)\n";
    right += "a.parallel(y)\n";
    for (int i = 0; i < 20; ++i)
        for (std::string* text : {&left, &right})
            *text += "# more " + std::to_string(i) + '\n';
    model.set_rows(align_scripts(left, right));
    EXPECT_EQ(model.rowCount(), 42);
    EXPECT_EQ(model.next_difference(-1, true), 21);
    EXPECT_EQ(model.next_difference(21, true), -1);
    EXPECT_EQ(model.next_difference(42, false), 21);
    model.set_folded(true);
    ASSERT_EQ(model.rowCount(), 9) << "a run, three rows, what differs, three rows, a run";
    EXPECT_EQ(model.run_length(0), 18);
    EXPECT_EQ(model.index(0, 0).data().toString(), "… 18 equal rows");
    EXPECT_EQ(model.next_difference(-1, true), 4);
    EXPECT_EQ(model.text(4), "− a.parallel(x)\n+ a.parallel(y)");
    EXPECT_TRUE(model.index(4, 1).data(Qt::AccessibleTextRole).toString().contains("changed"));
    model.unfold(0);
    EXPECT_EQ(model.rowCount(), 26);
    EXPECT_EQ(model.run_length(25), 17);
    model.set_folded(false);
    EXPECT_EQ(model.rowCount(), 42);
    model.set_rows({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(SideBySide, NumbersSayRatioChangeAndWhichIsBetter) {
    const auto pair = harris_pair();
    const auto* time = find(pair, whole_group(), "time, predicted");
    ASSERT_TRUE(time && time->ratio);
    EXPECT_DOUBLE_EQ(*time->ratio, *pair.right.estimate->seconds / *pair.left.estimate->seconds);
    EXPECT_TRUE(find(pair, whole_group(), "memory of intermediates"));
    int stages = 0;
    for (const ComparedNumber& n : pair.numbers)
        stages += n.group == "Time of a stage by itself";
    EXPECT_GE(stages, 5);
    const auto* gray = find(pair, "Memory of a stage", "gray");
    ASSERT_TRUE(gray);
    EXPECT_EQ(gray->sign, -1) << "a tile instead of the picture";
    NumberTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_numbers(pair.numbers);
    ASSERT_GT(model.rowCount(), 12);
    EXPECT_TRUE(model.is_heading(0));
    auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
    EXPECT_EQ(text(0, NumberTableModel::Quantity), whole_group());
    EXPECT_EQ(text(1, NumberTableModel::Quantity), "time, predicted");
    const bool faster = *pair.right.estimate->seconds < *pair.left.estimate->seconds;
    EXPECT_EQ(text(1, NumberTableModel::Better), faster ? "right ▸" : "◂ left");
    EXPECT_TRUE(text(1, NumberTableModel::Ratio).endsWith(QChar(0x00d7)));
    EXPECT_TRUE(text(1, NumberTableModel::Change).startsWith(faster ? "▾" : "▴"));
}

TEST(SideBySide, EqualSchedulesAreEqualInEveryNumber) {
    const auto pair = pair_of(side_of("a", bundled_schedule_text("harris")),
                              side_of("b", bundled_schedule_text("harris")), "this machine");
    for (const ComparedNumber& n : pair.numbers)
        if (n.ratio) {
            EXPECT_DOUBLE_EQ(*n.ratio, 1) << n.name.toStdString();
            EXPECT_EQ(n.sign, 0);
        }
    EXPECT_EQ(headline(pair).sign, 0);
    EXPECT_TRUE(headline(pair).text.contains("same time"));
}

TEST(SideBySide, TheHeadlineComparesLikeWithLike) {
    auto left = side_of("a", kLeft, 0.004), right = side_of("b", kRight, 0.001);
    auto pair = pair_of(left, right, "this machine");
    EXPECT_EQ(headline(pair).sign, -1);
    EXPECT_TRUE(headline(pair).text.contains("The right one is 4× faster, measured"))
        << headline(pair).text.toStdString();
    EXPECT_TRUE(times_text(pair.left).contains("measured"));
    pair.right.measured.reset();
    EXPECT_TRUE(headline(pair).text.contains("predicted, the right one not measured"))
        << headline(pair).text.toStdString();
    pair.right.tree.reset();
    pair.right.failure = "error: line 4: there is no axis `z`";
    EXPECT_TRUE(headline(pair).text.contains("no axis `z`"));
}

TEST(SideBySide, ItIsSaidAsText) {
    const auto pair = harris_pair();
    const auto markdown = to_text(pair, TextForm::Markdown);
    EXPECT_TRUE(markdown.startsWith("# Two schedules compared\n"));
    EXPECT_TRUE(markdown.contains("- right: shipped (≈ "));
    EXPECT_TRUE(markdown.contains("| quantity | left | right | right / left | change | better |\n"
                                  "| --- | ---: | ---: | ---: | ---: | ---: |\n"));
    EXPECT_TRUE(markdown.contains("| time, predicted | "));
    EXPECT_TRUE(markdown.contains("```diff\n"));
    EXPECT_TRUE(markdown.contains("\n+ out.parallel(yo)")) << markdown.toStdString();
    const auto plain = to_text(pair, TextForm::Plain);
    EXPECT_FALSE(plain.contains("```"));
    EXPECT_FALSE(plain.contains("| --- |"));
    EXPECT_TRUE(plain.contains("\nSchedule tree\n-------------\n"));
    auto same = pair_of(side_of("a", kLeft), side_of("b", kLeft), "this machine");
    EXPECT_TRUE(to_text(same, TextForm::Plain).contains("The scripts say the same."));
    same.left.title = "a|b";
    EXPECT_TRUE(to_text(same, TextForm::Markdown).contains("a|b"));
}

TEST(SideBySide, ThePanelAsAPersonUsesIt) {
    SchedulesView view;
    view.resize(1000, 640);
    view.show();
    view.set_choices(
        {{"Now: shipped", "1: default schedule", "A schedule file…"}, 1, 0, false, true});
    view.set_pair(std::make_shared<const SchedulePair>(harris_pair()));
    settle();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&view));
    auto button = [&](const QString& text, int which = 0) -> QPushButton* {
        for (auto* each : view.findChildren<QPushButton*>())
            if (each->text().remove('&') == text && which-- == 0)
                return each;
        return nullptr;
    };
    QSignalSpy swap(&view, &SchedulesView::swapRequested), left(&view, &SchedulesView::leftWanted),
        chosen(&view, &SchedulesView::rightChosen), node(&view, &SchedulesView::nodeSelected);
    ASSERT_TRUE(button("⇄ Swap"));
    QTest::mouseClick(button("⇄ Swap"), Qt::LeftButton);
    EXPECT_EQ(swap.count(), 1);
    EXPECT_FALSE(button("Make it current", 1)->isEnabled()) << "it is the schedule of now";
    QTest::mouseClick(button("Make it current"), Qt::LeftButton);
    EXPECT_EQ(left.count(), 1);
    auto boxes = view.findChildren<QComboBox*>();
    ASSERT_EQ(boxes.size(), 2);
    boxes[1]->setFocus();
    QTest::keyClick(boxes[1], Qt::Key_Down);
    EXPECT_EQ(chosen.count(), 1);
    // Keys go through what differs, and through the tabs.
    view.script_view()->setFocus();
    QTest::keyClick(view.script_view(), Qt::Key_F8);
    const int first = view.script_view()->currentIndex().row();
    ASSERT_TRUE(view.script_view()->side_model()->row_at(first));
    EXPECT_NE(view.script_view()->side_model()->row_at(first)->change, SideChange::Same);
    QTest::keyClick(view.script_view(), Qt::Key_2, Qt::AltModifier);
    EXPECT_EQ(view.tab(), SchedulesView::Tree);
    EXPECT_TRUE(view.tree_view()->isVisible());
    QTest::keyClick(view.tree_view(), Qt::Key_F8);
    const auto at = view.tree_view()->currentIndex();
    QTest::mouseClick(view.tree_view()->viewport(), Qt::LeftButton, {},
                      view.tree_view()->visualRect(at).center());
    EXPECT_EQ(node.count(), 1);
    const int folded = view.tree_view()->side_model()->rowCount();
    view.findChild<QCheckBox*>()->click();
    EXPECT_GE(view.tree_view()->side_model()->rowCount(), folded);
    EXPECT_FALSE(view.tree_view()->side_model()->folded());
    QTest::keyClick(view.tree_view(), Qt::Key_3, Qt::AltModifier);
    EXPECT_EQ(view.tab(), SchedulesView::Numbers);
    for (auto* action : view.findChild<QMenu*>()->actions())
        if (action->text().contains("arkdown"))
            action->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(), to_text(harris_pair(), TextForm::Markdown));
    // Nothing to show says why.
    view.set_tab(SchedulesView::Script);
    view.set_pair(std::make_shared<const SchedulePair>(
        pair_of(side_of("a", kLeft), side_of("b", kLeft), "this machine")));
    EXPECT_FALSE(view.script_view()->isVisible());
    view.set_pair(nullptr);
    EXPECT_FALSE(button("Export ▾")->isEnabled());
}

class SideBySidePictures : public testing::TestWithParam<bool> {
protected:
    void SetUp() override { use_theme(GetParam()); }
    void TearDown() override { use_theme(false); }
};

TEST_P(SideBySidePictures, AreDrawn) {
    SchedulesView view;
    view.set_choices({{"Now: shipped", "Baseline: first try", "2: tiled, vectors, parallel",
                       "1: default schedule", "A schedule file…"},
                      2,
                      0,
                      false,
                      true});
    auto left = side_of("2: tiled, vectors, parallel", kLeft, 0.0041),
         right = side_of("Now: shipped", bundled_schedule_text("harris"), 0.0023);
    view.set_pair(std::make_shared<const SchedulePair>(pair_of(left, right, "this machine")));
    EXPECT_GT(inked(picture(view, {1120, 720}, "side-script")), 0.03);
    view.set_tab(SchedulesView::Tree);
    EXPECT_GT(inked(picture(view, {1120, 720}, "side-tree")), 0.03);
    EXPECT_GT(inked(picture(view, {640, 480}, "side-tree-small")), 0.03);
    view.set_tab(SchedulesView::Numbers);
    EXPECT_GT(inked(picture(view, {1120, 720}, "side-numbers")), 0.02);
    view.set_tab(SchedulesView::Script);
    EXPECT_GT(inked(picture(view, {640, 480}, "side-script-small")), 0.03);
}

INSTANTIATE_TEST_SUITE_P(Themes, SideBySidePictures, testing::Bool(),
                         [](const auto& info) { return info.param ? "Dark" : "Light"; });

} // namespace test_side_by_side
} // namespace loopscope::views::test
