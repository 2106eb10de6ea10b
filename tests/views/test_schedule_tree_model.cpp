#include "core/schedule/levels.h"
#include "tests/views/fixtures.h"
#include "views/models/node_text.h"
#include "views/models/pipeline_graph.h"
#include "views/models/schedule_tree_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>

#include <algorithm>
#include <map>

namespace loopscope::views::test {

namespace test_schedule_tree_model {

using Tester = QAbstractItemModelTester;
constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

const char* kBlur = "schedule for blur\n";

// The rows as indented text: name, detail and tag.
QString print(const QAbstractItemModel& model, const QModelIndex& parent = {}, int depth = 0) {
    QString text;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex at = model.index(row, 0, parent);
        text += QString(2 * depth, ' ') + at.data().toString();
        const QString tag = at.data(ScheduleTreeModel::TagRole).toString();
        text += (tag.isEmpty() ? QString() : " (" + tag + ')') + '\n';
        text += print(model, at, depth + 1);
    }
    return text;
}

TEST(ScheduleTreeModel, IsAModel) {
    ScheduleTreeModel model;
    Tester tester(&model, kFatal);
    model.set_tree(bundled_tree("harris"));
    model.set_estimate(estimate_of(model.tree()));
    model.set_search("gray");
    model.set_tree(default_tree("harris"));
    model.set_tree(bundled_tree("matmul"));
    model.set_tree(nullptr);
    model.set_tree(bundled_tree("histogram_equalise"));
    print(model); // asks for every row
}

TEST(ScheduleTreeModel, PrintsAsTheTree) {
    ScheduleTreeModel model;
    model.set_tree(bundled_tree(
        "matmul",
        "schedule for matmul\nC.split(i, io, ii, 8)\nC.parallel(io)\nC.vectorize(j, 16)\n"));
    const QString printed = print(model).remove(QChar(0x202f));
    EXPECT_EQ(printed.toStdString(), "C storage f32 [2048, 2048] · 16MiB (output)\n"
                                     "C sum → f32 [2048, 2048]\n"
                                     "  io 256 (parallel)\n"
                                     "    ii 8 (serial)\n"
                                     "      j 128 (serial)\n"
                                     "        j_v 16 (vector ×16)\n"
                                     "          C initial value\n"
                                     "          k 2048 · reduction (serial)\n"
                                     "            C one term of the sum\n");
}

TEST(ScheduleTreeModel, RowsAreFoundByIdentity) {
    ScheduleTreeModel model;
    model.set_tree(bundled_tree("harris"));
    for (const NodeId& id :
         {NodeId{"out", 0, "yo"}, NodeId{"gray", -1, "@storage"}, NodeId{"gray", 0, "@compute"}}) {
        const QModelIndex index = model.index_of(id);
        ASSERT_TRUE(index.isValid()) << id.text();
        EXPECT_EQ(model.node_id(index), id);
    }
    EXPECT_FALSE(model.index_of({"no such stage", 0, "x"}).isValid());
    EXPECT_EQ(model.node_id({}), NodeId{});
}

TEST(ScheduleTreeModel, SharesAreOfTheWholeTime) {
    ScheduleTreeModel model;
    model.set_tree(bundled_tree("harris"));
    const EstimatePtr estimate = estimate_of(model.tree());
    model.set_estimate(estimate);
    double sum = 0;
    for (int row = 0; row < model.rowCount(); ++row)
        sum += model.index(row, 0).data(ScheduleTreeModel::ShareRole).toDouble();
    EXPECT_NEAR(sum, 1, 0.02) << "the stages at root take all the time";
    const QModelIndex loop = model.index_of({"out", 0, "yo"});
    EXPECT_DOUBLE_EQ(loop.data(ScheduleTreeModel::SecondsRole).toDouble(),
                     estimate->nodes.at({"out", 0, "yo"}).seconds_subtree);
    model.set_estimate(nullptr);
    EXPECT_FALSE(loop.data(ScheduleTreeModel::ShareRole).isValid())
        << "without an estimate there is no figure";
}

TEST(ScheduleTreeModel, AnEstimateOfAnotherTreeGivesNoFiguresToUnknownNodes) {
    ScheduleTreeModel model;
    model.set_tree(bundled_tree("harris"));
    model.set_estimate(estimate_of(bundled_tree("matmul")));
    EXPECT_FALSE(model.index_of({"out", 0, "yo"}).data(ScheduleTreeModel::ShareRole).isValid());
}

TEST(ScheduleTreeModel, ATreeOfTheSameShapeKeepsItsRows) {
    ScheduleTreeModel model;
    model.set_tree(bundled_tree("blur", std::string(kBlur) + "out.parallel(y)\n"));
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset),
        changed(&model, &QAbstractItemModel::dataChanged);
    const QPersistentModelIndex kept = model.index_of({"out", 0, "y"});
    ASSERT_TRUE(kept.isValid());
    EXPECT_EQ(kept.data(ScheduleTreeModel::TagRole).toString(), "parallel");
    model.set_tree(bundled_tree("blur", kBlur));
    EXPECT_EQ(reset.count(), 0);
    EXPECT_GT(changed.count(), 0);
    ASSERT_TRUE(kept.isValid());
    EXPECT_EQ(kept.data(ScheduleTreeModel::TagRole).toString(), "serial");
    model.set_tree(bundled_tree("blur", std::string(kBlur) + "out.split(y, yo, yi, 8)\n"));
    EXPECT_EQ(reset.count(), 1);
}

// As the pipeline graph folds it: levels that are passed twice have two rows, in the order in which
// they run.
TEST(ScheduleTreeModel, FoldedGroupsAreRows) {
    ScheduleTreeModel model;
    Tester tester(&model, kFatal);
    const auto tree = bundled_tree("local_laplacian");
    model.set_tree(tree);
    model.set_estimate(estimate_of(tree));
    const int before = model.rowCount();
    std::map<std::string, std::string> level;
    for (const PipelineNode& node : pipeline_graph(*tree).nodes)
        if (std::find(node.folds.begin(), node.folds.end(), "#3") != node.folds.end())
            level[node.stage] = "#3";
    model.set_folded(level);
    EXPECT_LT(model.rowCount(), before);
    std::vector<QString> rows;
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.is_group(model.index(row, 0)))
            rows.push_back(model.index(row, 0).data().toString());
    EXPECT_EQ(rows, (std::vector<QString>{"level 3 2 stages: bright3, remapped3",
                                          "level 3 1 stage: result3"}));
    const QModelIndex inside = model.index_of({"remapped3", 0, "yo"});
    ASSERT_TRUE(inside.isValid());
    QModelIndex top = inside;
    while (top.parent().isValid())
        top = top.parent();
    EXPECT_TRUE(model.is_group(top));
    EXPECT_EQ(model.stage_of(top), "bright3");
    EXPECT_TRUE(top.data(Qt::ToolTipRole).toString().endsWith('.'));
    EXPECT_DOUBLE_EQ(
        top.data(ScheduleTreeModel::SecondsRole).toDouble(),
        model.index_of({"bright3", -1, "@stage"}).data(ScheduleTreeModel::SecondsRole).toDouble() +
            model.index_of({"remapped3", -1, "@stage"})
                .data(ScheduleTreeModel::SecondsRole)
                .toDouble());
    const NodeId group = model.node_id(top);
    EXPECT_EQ(model.index_of(group), top);
    model.set_folded({});
    EXPECT_EQ(model.rowCount(), before);
    EXPECT_FALSE(model.index_of(group).isValid());
}

TEST(ScheduleTreeModel, SearchFindsNamesDetailsAndTags) {
    ScheduleTreeModel model;
    model.set_tree(bundled_tree("harris"));
    model.set_search("parallel");
    const QModelIndex first = model.next_match();
    EXPECT_EQ(model.node_id(first), (NodeId{"out", 0, "yo"}));
    EXPECT_TRUE(first.data(ScheduleTreeModel::MatchRole).toBool());
    const QModelIndex second = model.next_match(model.node_id(first));
    ASSERT_TRUE(second.isValid());
    EXPECT_NE(second, first);
    EXPECT_EQ(model.next_match(model.node_id(second)), first) << "from the beginning again";
    EXPECT_EQ(model.next_match({"gone", 0, "x"}), first);
    model.set_search("no such thing");
    EXPECT_FALSE(model.next_match().isValid());
    model.set_search("");
    EXPECT_FALSE(model.next_match().isValid());
}

TEST(ScheduleTreeModel, EveryRowSaysWhatItIs) {
    ScheduleTreeModel model;
    model.set_tree(bundled_tree("harris"));
    model.set_estimate(estimate_of(model.tree()));
    auto check = [&](auto&& self, const QModelIndex& parent) -> void {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex at = model.index(row, 0, parent);
            EXPECT_FALSE(at.data(Qt::AccessibleTextRole).toString().isEmpty());
            EXPECT_TRUE(at.data(Qt::ToolTipRole).toString().endsWith('.'))
                << at.data(Qt::ToolTipRole).toString().toStdString();
            const QModelIndex share = at.siblingAtColumn(ScheduleTreeModel::Share);
            EXPECT_EQ(share.data(Qt::ToolTipRole).toString().contains("% of the time, with"),
                      share.data().isValid() && !share.data().toString().isEmpty())
                << share.data(Qt::ToolTipRole).toString().toStdString();
            self(self, at);
        }
    };
    check(check, {});
}

TEST(NodeText, MeaningsFollowTheBinding) {
    TreeNode loop;
    loop.kind = TreeKind::Loop;
    loop.id = {"C", 0, "io"};
    loop.extent = Extent(8);
    EXPECT_EQ(node_meaning(loop), Meaning::Serial);
    loop.loop_kind = LoopKind::Vectorized;
    EXPECT_EQ(node_meaning(loop), Meaning::Vector);
    EXPECT_EQ(node_tag(loop), QStringLiteral("vector ×8"));
    loop.binding = "block.x";
    loop.numbers = numbered_by("block.x", {});
    EXPECT_EQ(node_meaning(loop), Meaning::Block);
    EXPECT_EQ(node_tag(loop), "block.x");
    loop.binding = "thread.x";
    loop.numbers = numbered_by("thread.x", {});
    EXPECT_EQ(node_meaning(loop), Meaning::Thread);
}

TEST(NodeText, TitlesOfAllKindsOfNodes) {
    EXPECT_EQ(node_title({"C", 0, "ko"}), QStringLiteral("C · loop ko"));
    EXPECT_EQ(node_title({"C", 0, "ii@init"}), QStringLiteral("C · loop ii, initialisation"));
    EXPECT_EQ(node_title({"H", 1, "r"}), QStringLiteral("H.update(0) · loop r"));
    EXPECT_EQ(node_title({"C", -1, "@storage"}), QStringLiteral("C · storage"));
    EXPECT_EQ(node_title({}), "");
}

} // namespace test_schedule_tree_model
} // namespace loopscope::views::test
