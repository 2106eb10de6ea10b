// Against the pinned baseline: numbers with signs, directives, loops, sources.

#include "tests/support/support.h"
#include "tests/views/fixtures.h"
#include "views/models/comparison.h"
#include "views/models/measurement_table.h"
#include "views/models/node_facts.h"
#include "views/models/schedule_tree_model.h"
#include "views/widgets/compare_view.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/source_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAbstractTextDocumentLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>

namespace loopscope::views::test {

namespace test_comparison {

const ComparedNumber* find(const std::vector<ComparedNumber>& numbers, const QString& name) {
    for (const ComparedNumber& n : numbers)
        if (n.name == name)
            return &n;
    return nullptr;
}

struct Pair {
    ScheduleTreePtr before = default_tree("harris"), now = bundled_tree("harris");
    EstimatePtr was = estimate_of(before), is = estimate_of(now);
};

TEST(Comparison, NumbersStandSideBySideWithSigns) {
    const Pair p;
    const auto numbers = compare_numbers(*p.was, *p.is, {0.1, 0.05});
    const auto* time = find(numbers, "time, predicted");
    ASSERT_TRUE(time);
    EXPECT_EQ(time->sign, *p.is->seconds < *p.was->seconds ? -1 : 1);
    EXPECT_TRUE(time->change.startsWith(*p.is->seconds < *p.was->seconds ? "▾" : "▴"));
    const auto* measured = find(numbers, "time, measured");
    ASSERT_TRUE(measured);
    EXPECT_EQ(measured->sign, -1);
    EXPECT_TRUE(measured->change.contains("50")) << measured->change.toStdString();
    const auto* rate = find(numbers, "rate, predicted");
    ASSERT_TRUE(rate);
    const bool higher = p.is->flops / *p.is->seconds > p.was->flops / *p.was->seconds;
    EXPECT_EQ(rate->sign, higher ? -1 : 1) << "of a rate more is better";
    const auto* gone = find(numbers, "kernel gray");
    ASSERT_TRUE(gone) << "gray is a kernel of its own before, and inside another now";
    EXPECT_EQ(gone->now, "–");
    EXPECT_TRUE(gone->change.isEmpty());
    EXPECT_FALSE(find(compare_numbers(*p.was, *p.is), "time, measured"));
    const auto equal = compare_numbers(*p.is, *p.is);
    const auto* same = find(equal, "time, predicted");
    ASSERT_TRUE(same);
    EXPECT_EQ(same->sign, 0);
    EXPECT_TRUE(same->change.startsWith("="));
}

TEST(Comparison, ScriptsDifferByDirectivesAlone) {
    const std::string before =
        "schedule for m\n# tiles\nC.tile(i, j, io, jo, ii, ji, 8, 8)\nC.parallel(io)\n";
    EXPECT_TRUE(
        compare_scripts(before,
                        "schedule for m\n\nC.tile(i,j,io,jo,ii,ji,8,8)  # same\nC.parallel(io)\n")
            .empty());
    const auto lines = compare_scripts(before, "schedule for m\nC.tile(i, j, io, jo, ii, ji, 16, "
                                               "8)\nC.parallel(io)\n# more\nC.vectorize(ji)\n");
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].change, LineChange::Before);
    EXPECT_EQ(lines[0].line, 3);
    EXPECT_EQ(lines[1].change, LineChange::After);
    EXPECT_EQ(lines[1].text, "C.tile(i, j, io, jo, ii, ji, 16, 8)");
    EXPECT_EQ(lines[2].change, LineChange::Added);
    EXPECT_EQ(lines[2].line, 5);
}

TEST(Comparison, FactsOfANodeShowTheirChange) {
    const Pair p;
    const auto facts = node_facts(*p.now, p.is.get(), {"corners", -1, "@stage"}, {p.was, p.before});
    int changed = 0;
    for (const Fact& fact : facts)
        if (fact.name == "time") {
            const double before = p.was->nodes.at({"corners", -1, "@stage"}).seconds_subtree,
                         now = p.is->nodes.at({"corners", -1, "@stage"}).seconds_subtree;
            EXPECT_EQ(fact.sign, now < before ? -1 : now > before ? 1 : 0);
            EXPECT_FALSE(fact.change.isEmpty());
            ++changed;
        }
    EXPECT_EQ(changed, 1);
    for (const Fact& fact : node_facts(*p.now, p.is.get(), {"corners", -1, "@stage"}))
        EXPECT_TRUE(fact.change.isEmpty()) << "nothing is pinned";
    // A loop that the baseline has not has nothing to be compared with.
    for (const Fact& fact : node_facts(*p.now, p.is.get(), {"out", 0, "yo"}, {p.was, p.before}))
        EXPECT_TRUE(fact.change.isEmpty()) << fact.name.toStdString();
}

TEST(Comparison, TreeRowsShowTheirChange) {
    const Pair p;
    ScheduleTreeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.set_tree(p.now);
    model.set_estimate(p.is);
    const auto cell = [&](const NodeId& id) {
        return model.index_of(id).siblingAtColumn(ScheduleTreeModel::Change);
    };
    EXPECT_TRUE(cell({"out", -1, "@stage"}).data().toString().isEmpty());
    model.set_baseline(p.was);
    const double before = p.was->nodes.at({"out", -1, "@stage"}).seconds_subtree,
                 now = p.is->nodes.at({"out", -1, "@stage"}).seconds_subtree;
    EXPECT_EQ(cell({"out", -1, "@stage"}).data(ScheduleTreeModel::SignRole).toInt(),
              now < before ? -1 : 1);
    EXPECT_FALSE(cell({"out", -1, "@stage"}).data().toString().isEmpty());
    EXPECT_EQ(cell({"out", 0, "yo"}).data().toString(), "new");
    EXPECT_EQ(cell({"out", 0, "yo"}).data(ScheduleTreeModel::SignRole).toInt(), 0);
    model.set_baseline(nullptr);
    EXPECT_TRUE(cell({"out", 0, "yo"}).data().toString().isEmpty());

    ScheduleTreeView view;
    view.resize(720, 500);
    view.set_tree(p.now);
    view.set_estimate(p.is);
    view.show();
    EXPECT_TRUE(view.isColumnHidden(ScheduleTreeModel::Change));
    view.set_baseline(p.was);
    EXPECT_FALSE(view.isColumnHidden(ScheduleTreeModel::Change));
}

TEST(Comparison, MeasurementsShowTheirChange) {
    MeasurementTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    std::vector<MeasurementRow> rows(2);
    rows[0].median_seconds = 0.002;
    rows[0].baseline_seconds = 0.004;
    rows[1].median_seconds = 0.003;
    model.set_rows(std::make_shared<const std::vector<MeasurementRow>>(rows));
    const auto cell = [&](int row) { return model.index(row, MeasurementTableModel::Change); };
    EXPECT_TRUE(cell(0).data().toString().startsWith("▾ 50"))
        << cell(0).data().toString().toStdString();
    EXPECT_EQ(cell(0).data(MeasurementTableModel::SignRole).toInt(), -1);
    EXPECT_EQ(cell(1).data().toString(), "–");
    EXPECT_LT(cell(0).data(MeasurementTableModel::SortRole).toDouble(),
              cell(1).data(MeasurementTableModel::SortRole).toDouble());
}

TEST(Comparison, ThePanelShowsAllThreeAndLinksToNodes) {
    const Pair p;
    CompareView view;
    view.resize(520, 400);
    view.show();
    QSignalSpy pin(&view, &CompareView::pinRequested), node(&view, &CompareView::nodeSelected);
    for (auto* button : view.findChildren<QPushButton*>())
        if (button->isVisible())
            button->click();
    EXPECT_EQ(pin.count(), 1) << "the empty panel offers to pin";
    auto made = std::make_shared<Comparison>();
    made->title = "Against “default”";
    made->numbers = compare_numbers(*p.was, *p.is);
    made->script = compare_scripts("schedule for harris\n", bundled_schedule_text("harris"));
    made->tree = difference(*p.before, *p.now);
    ASSERT_FALSE(made->tree.empty());
    view.set_comparison(made);
    EXPECT_TRUE(view.text().contains("time, predicted"));
    EXPECT_TRUE(view.text().contains("+ out.tile(y, x"));
    EXPECT_TRUE(view.text().contains("Loops and storage"));
    auto* browser = view.findChild<QTextBrowser*>();
    const auto id = NodeId{"out", 0, "yo"};
    emit browser->anchorClicked(
        QUrl(QString::fromLatin1(QUrl::toPercentEncoding(to_qstring(id.text())))));
    ASSERT_EQ(node.count(), 1);
    EXPECT_EQ(node[0][0].value<NodeId>(), id);
    view.set_comparison(nullptr);
    EXPECT_TRUE(view.text().isEmpty());
}

TEST(Comparison, HeadingsStandOverTheirColumns) {
    const Pair p;
    CompareView view;
    view.resize(640, 500);
    view.show();
    auto made = std::make_shared<Comparison>();
    made->numbers = compare_numbers(*p.was, *p.is);
    view.set_comparison(made);
    const auto* document = view.findChild<QTextBrowser*>()->document();
    const auto frames = document->rootFrame()->childFrames();
    ASSERT_FALSE(frames.isEmpty());
    const auto* table = qobject_cast<QTextTable*>(frames.front());
    ASSERT_TRUE(table);
    ASSERT_EQ(table->columns(), 4);
    ASSERT_GT(table->rows(), 5);
    // Where the text of a cell begins and ends.
    auto text = [&](int row, int column) {
        const QTextBlock block = table->cellAt(row, column).firstCursorPosition().block();
        const QRectF line = block.layout()->lineAt(0).naturalTextRect();
        return line.translated(document->documentLayout()->blockBoundingRect(block).topLeft());
    };
    for (int column = 1; column < 4; ++column)
        for (int row = 1; row < table->rows(); ++row)
            if (!table->cellAt(row, column).firstCursorPosition().block().text().isEmpty()) {
                EXPECT_NEAR(text(row, column).right(), text(0, column).right(), 1)
                    << "row " << row << ", column " << column;
            }
    for (int row = 2; row < table->rows(); ++row)
        EXPECT_NEAR(text(row, 0).left(), text(1, 0).left(), 1) << "names stand to the left";
    for (int row = 1; row < table->rows(); ++row)
        EXPECT_GE(text(row, 1).left() - text(row, 0).right(), 8) << "columns keep apart";
}

TEST(Comparison, TheEstimateOfADescribedDeviceSaysSo) {
    const Pair p;
    auto described = std::make_shared<model::Estimate>(*p.is);
    described->described = true;
    described->device = "i7-6700";
    EstimateView view;
    view.set_estimate(described);
    QString text;
    for (auto* label : view.findChildren<QLabel*>())
        text += label->text() + '\n';
    EXPECT_TRUE(text.contains("≈ ")) << text.toStdString();
    EXPECT_TRUE(text.contains("i7-6700, which is described")) << text.toStdString();
}

SourceText some_loops(const char* kind) {
    return {QStringLiteral("for y in 0..32 %1\n    for x in 0..8\n        store a\n").arg(kind),
            {{"a", 0, "y"}, {"a", 0, "x"}, {"a", 0, "@compute"}}};
}

TEST(SourceComparison, ShowsBothTextsAsOneAndKeepsTheLinks) {
    SourceView view;
    view.resize(600, 300);
    view.show();
    view.set_source("loops", some_loops("parallel"));
    QSignalSpy wanted(&view, &SourceView::baselineWanted);
    view.set_comparing(true);
    EXPECT_FALSE(view.comparing()) << "nothing is pinned";
    view.set_baseline_pinned(true);
    view.set_comparing(true);
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(view.shown_text("loops"), view.text("loops")) << "not there yet";
    view.set_baseline_text("loops", "for y in 0..32\n    for x in 0..8\n        store a\n");
    EXPECT_EQ(view.difference("loops").changed, 1);
    EXPECT_EQ(view.shown_text("loops").count('\n'), 4);
    EXPECT_EQ(view.lines_of("loops", {"a", 0, "y"}), std::vector<int>{1}) << "after the older form";
    EXPECT_EQ(view.lines_of("loops", {"a", 0, "x"}), std::vector<int>{2});
    EXPECT_EQ(view.text("loops"), some_loops("parallel").text);
    // An edit: the other text stays to be compared with.
    view.set_source("loops", some_loops("vectorised"));
    EXPECT_EQ(view.difference("loops").changed, 1);
    view.set_current("c");
    EXPECT_EQ(wanted.count(), 2) << "each form is asked for when it is seen";
    view.set_current("loops");
    view.set_comparing(false);
    EXPECT_EQ(view.shown_text("loops"), some_loops("vectorised").text);
    view.set_comparing(true);
    view.set_baseline_pinned(false);
    EXPECT_FALSE(view.comparing()) << "unpinned";
}

TEST(SourceComparison, SavesWhatIsOfThePresentSchedule) {
    SourceView view;
    const auto path =
        QString::fromStdString(loopscope::test::scratch_folder() + "/saved.loops.txt");
    EXPECT_FALSE(view.save_to("loops", path).ok()) << "there is nothing";
    view.set_source("loops", some_loops("parallel"));
    view.set_baseline_pinned(true);
    view.set_comparing(true);
    view.set_baseline_text("loops", "other\n");
    ASSERT_TRUE(view.save_to("loops", path).ok());
    EXPECT_EQ(loopscope::test::read_file(path.toStdString()),
              some_loops("parallel").text.toStdString());
    const auto failed = view.save_to("loops", "/no/such/folder/x.txt");
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.errors().front().message.find("/no/such/folder"), std::string::npos);
}

} // namespace test_comparison
} // namespace loopscope::views::test
