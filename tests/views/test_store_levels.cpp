// Store levels, warm-up iterations, copies that rotate, caches and shared loops, as rows, facts,
// choices and nodes say them.

#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/shared_loops.h"
#include "tests/views/fixtures.h"
#include "views/models/directive_lines.h"
#include "views/models/drop_proposals.h"
#include "views/models/node_facts.h"
#include "views/models/pipeline_graph.h"
#include "views/models/schedule_form.h"
#include "views/models/schedule_tree_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loopscope::views::test {

namespace test_store_levels {

const char* const kSlide = "schedule for blur\n"
                           "out.split(y, yo, yi, 16)\n"
                           "out.parallel(yo)\n"
                           "blur_x.compute_at(out, yi)\n"
                           "blur_x.store_at(out, yo)\n";

const char* const kPipelined = "schedule for matmul\n"
                               "C.split(k, ko, ki, 64)\n"
                               "C.reorder(i, ko, j, ki)\n"
                               "Bp = C.cache_read(B, local)\n"
                               "Bp.compute_at(C, ko)\n"
                               "Bp.pipeline(3)\n";

struct Scheduled {
    SchedulePtr schedule;
    ScheduleTreePtr tree;
};

Scheduled scheduled(const PipelinePtr& pipeline, const std::string& text) {
    auto schedule = std::make_shared<Schedule>(
        parse_schedule(std::make_shared<SourceFile>("test.sched", text), pipeline.get()).value());
    return {schedule, schedule_tree(pipeline, *schedule, {described_device().get()}).value()};
}

Scheduled pair(const std::string& last = "high.compute_with(low, y)\n") {
    static const PipelinePtr pipeline =
        load_pipeline(std::make_shared<SourceFile>("pair.loop",
                                                   "pipeline pair\n"
                                                   "input img[y, x]: f32[64, 96] boundary edge\n"
                                                   "stage low[y, x] = img[y, x-1] + img[y, x+1]\n"
                                                   "stage high[y, x] = img[y, x] - low[y, x]\n"
                                                   "output low: [64, 96]\noutput high: [64, 96]\n"))
            .value()
            .pipeline;
    return scheduled(pipeline, "schedule for pair\n" + last);
}

// Name, detail and tag of each row, without the thin spaces between numbers and units.
QString print(const QAbstractItemModel& model, const QModelIndex& parent = {}, int depth = 0) {
    QString text;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex at = model.index(row, 0, parent);
        text += QString(2 * depth, ' ') + at.data().toString();
        const QString tag = at.data(ScheduleTreeModel::TagRole).toString();
        text += (tag.isEmpty() ? QString() : " (" + tag + ')') + '\n';
        text += print(model, at, depth + 1);
    }
    return text.remove(QChar(0x202f));
}

std::string rows_of(const ScheduleTreePtr& tree) {
    ScheduleTreeModel model;
    model.set_tree(tree);
    return print(model).toStdString();
}

int look_of(const ScheduleTreePtr& tree, const NodeId& id) {
    ScheduleTreeModel model;
    model.set_tree(tree);
    return model.index_of(id).data(ScheduleTreeModel::LookRole).toInt();
}

QString fact(const ScheduleTreePtr& tree, const NodeId& id, const QString& name) {
    for (const Fact& each : node_facts(*tree, nullptr, id))
        if (each.name == name)
            return QString(each.value).remove(QChar(0x202f));
    return {};
}

std::vector<QString> lines_of(const ScheduleTreePtr& tree, const NodeId& id, const QString& verb) {
    std::vector<QString> lines;
    const auto groups = directive_groups(*tree, id);
    if (const DirectiveGroup* group = find_group(groups, verb))
        for (const DirectiveChoice& choice : group->choices)
            lines.push_back(choice.line);
    return lines;
}

QString absent(const ScheduleTreePtr& tree, const NodeId& id, const QString& verb) {
    const auto groups = directive_groups(*tree, id);
    const DirectiveGroup* group = find_group(groups, verb);
    return group ? group->absent : QStringLiteral("no such group");
}

bool contains(const std::vector<QString>& lines, const QString& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

const PipelineNode& node_of(const PipelineGraph& graph, const std::string& stage) {
    return graph.nodes.at(static_cast<std::size_t>(graph.index_of(stage)));
}

// "title: value, ✓ value"
QString form_text(const Scheduled& s, const NodeId& id, const QString& name) {
    for (const OptionForm& form : option_forms(*s.tree, s.schedule.get(), id))
        if (form.name == name) {
            QStringList values;
            for (const FormValue& value : form.values)
                values << (value.present ? QStringLiteral("✓ ") : QString()) + value.label;
            return form.title + ": " + values.join(", ");
        }
    return {};
}

DirectiveEdit form_edit(const Scheduled& s, const NodeId& id, const QString& name,
                        const QString& label) {
    for (const OptionForm& form : option_forms(*s.tree, s.schedule.get(), id))
        for (const FormValue& value : form.values)
            if (form.name == name && value.label == label)
                return value.edit;
    return {};
}

TEST(StoreLevels, RowsSayWhereMemoryLivesAndWhatWarmsUp) {
    const auto tree = bundled_tree("blur", kSlide);
    EXPECT_EQ(rows_of(tree),
              "out storage u16 [4800, 6400] · 58.6MiB (output)\n"
              "out → u16 [4800, 6400]\n"
              "  yo 300 (parallel)\n"
              "    blur_x u16 [3, 6400] · 3 of 18 rows, circular · 37.5KiB, saves 188KiB "
              "(host)\n"
              "    yi 18 · 2 to warm up (serial)\n"
              "      blur_x → u16 [1, 6400] · at yi · stored at yo\n"
              "        y 1 (serial)\n"
              "          x 6400 (serial)\n"
              "            blur_x value\n"
              "      x 6400 (serial)\n"
              "        out value\n");
    EXPECT_EQ(look_of(tree, {"blur_x", -1, "@storage"}), ScheduleTreeModel::Circular);
    EXPECT_EQ(look_of(tree, {"out", -1, "@storage"}), ScheduleTreeModel::Plain);
}

TEST(StoreLevels, TheInspectorSaysTheSame) {
    const auto tree = bundled_tree("blur", kSlide);
    const NodeId storage{"blur_x", -1, "@storage"}, stage{"blur_x", -1, "@stage"};
    EXPECT_EQ(fact(tree, storage, "keeps"), "3 of 18 rows, circular");
    EXPECT_EQ(fact(tree, storage, "saves"), "188KiB of 225KiB");
    EXPECT_TRUE(fact(tree, storage, "stored at").contains("loop yo"));
    EXPECT_TRUE(fact(tree, storage, "computed at").contains("loop yi"));
    EXPECT_TRUE(fact(tree, stage, "stored at").contains("loop yo"));
    EXPECT_TRUE(fact(tree, stage, "warms up").startsWith("2 iterations before the first of out.yi"))
        << fact(tree, stage, "warms up").toStdString();
    EXPECT_EQ(fact(tree, {"out", 0, "yi"}, "iterations"), QStringLiteral("18 · 2 to warm up"));
    const auto whole = bundled_tree("blur", "schedule for blur\nout.split(y, yo, yi, 16)\n"
                                            "blur_x.compute_at(out, yo)\n");
    EXPECT_EQ(fact(whole, storage, "saves"), "") << "nothing folds";
    EXPECT_EQ(fact(whole, stage, "stored at"), "") << "it is stored where it is computed";
}

TEST(StoreLevels, FactorsAreOfTheIterationsWithoutThoseThatWarmUp) {
    const auto tree = bundled_tree("blur", kSlide);
    EXPECT_FALSE(contains(lines_of(tree, {"out", 0, "yi"}, "split"), "out.split(yi, yio, yii, 9)"))
        << "9 divides the 18 trips, not the 16 rows";
    EXPECT_TRUE(contains(lines_of(tree, {"out", 0, "yi"}, "split"), "out.split(yi, yio, yii, 8)"));
    EXPECT_FALSE(
        contains(lines_of(tree, {"out", 0, "yi"}, "split"), "out.split(yi, yio, yii, 16)"));
}

TEST(StoreLevels, RowsSayWhatIsPipelinedAndCopied) {
    const auto tree = bundled_tree("matmul", kPipelined);
    EXPECT_EQ(rows_of(tree), "C storage f32 [2048, 2048] · 16MiB (output)\n"
                             "C sum → f32 [2048, 2048]\n"
                             "  i 2048 (serial)\n"
                             "    Bp f32 [64, 2048] · × 3, 2 ahead · 1.5MiB (local)\n"
                             "    j 2048 · initialisation (serial)\n"
                             "      C initial value\n"
                             "    ko 34 · 2 to fill the pipeline · reduction (pipelined ×3)\n"
                             "      Bp copy of B → f32 [64, 2048] · 2 ahead\n"
                             "        k 64 (serial)\n"
                             "          j 2048 (serial)\n"
                             "            Bp value\n"
                             "      j 2048 (serial)\n"
                             "        ki 64 · reduction (serial)\n"
                             "          C one term of the sum\n");
    EXPECT_EQ(look_of(tree, {"Bp", -1, "@storage"}), ScheduleTreeModel::Rotating);
    EXPECT_EQ(look_of(tree, {"Bp", -1, "@stage"}), ScheduleTreeModel::Made);
    EXPECT_EQ(fact(tree, {"Bp", -1, "@stage"}, "copies"), "B");
    EXPECT_EQ(fact(tree, {"Bp", -1, "@stage"}, "pipelined"), "2 ahead");
    EXPECT_EQ(fact(tree, {"Bp", -1, "@storage"}, "copies"), QStringLiteral("× 3, 2 ahead"));
}

TEST(StoreLevels, CopiesAndCachesAreNodesOfTheGraph) {
    const auto graph =
        pipeline_graph(*bundled_tree("matmul", "schedule for matmul\nAcc = C.cache_write(local)\n"
                                               "Bp = Acc.cache_read(B, local)\n"));
    EXPECT_TRUE(node_of(graph, "Bp").made);
    EXPECT_TRUE(node_of(graph, "Bp").detail.startsWith("copy of B"));
    EXPECT_TRUE(node_of(graph, "Acc").made);
    EXPECT_TRUE(node_of(graph, "Acc").detail.startsWith("cache of C"))
        << node_of(graph, "Acc").detail.toStdString();
    EXPECT_FALSE(node_of(graph, "C").made);
    const auto tree = bundled_tree("matmul", "schedule for matmul\nAcc = C.cache_write(local)\n");
    EXPECT_NE(rows_of(tree).find("Acc cache of C, sum → f32 [2048, 2048]"), std::string::npos)
        << rows_of(tree);
    EXPECT_EQ(fact(tree, {"Acc", -1, "@stage"}, "caches"), "C");
    const auto slide = pipeline_graph(*bundled_tree("blur", kSlide));
    EXPECT_TRUE(node_of(slide, "blur_x").detail.contains("3 of 18 rows, circular"));
}

TEST(SharedLoops, AreOneRowThatSaysWhose) {
    const auto tree = pair().tree;
    EXPECT_NE(rows_of(tree).find("y 64 · shared by low, high (serial)"), std::string::npos)
        << rows_of(tree);
    EXPECT_EQ(shown_loop(*tree, {"high", 0, "y"}), (NodeId{"low", 0, "y"}));
    EXPECT_EQ(shown_loop(*tree, {"high", 0, "x"}), (NodeId{"high", 0, "x"})) << "its own";
    EXPECT_EQ(shown_loop(*tree, {"high", 0, "nothing"}), (NodeId{"high", 0, "nothing"}));
    EXPECT_EQ(fact(tree, {"high", -1, "@stage"}, "shares loops"), "low.y");
    EXPECT_EQ(fact(tree, {"low", -1, "@stage"}, "shares loops"), "") << "it gives them";
    EXPECT_EQ(fact(tree, {"low", 0, "y"}, "shared by"), "low, high");
    EXPECT_TRUE(sharers(*pair("").tree, {"low", 0, "y"}).empty());
}

TEST(SharedLoops, TheTimeOfEachStageIsItsOwn) {
    const auto tree = pair().tree;
    const auto seconds = stage_seconds(*tree, *estimate_of(tree));
    EXPECT_GT(seconds.at("high"), 0) << "high stands around low in the tree";
    EXPECT_GT(seconds.at("low"), 0);
    EXPECT_NEAR(seconds.at("high") + seconds.at("low"), *estimate_of(tree)->seconds,
                *estimate_of(tree)->seconds * 0.05);
}

TEST(StoreLines, StorePlacesAreTheLoopsAroundTheStage) {
    const auto tree = bundled_tree("blur", kSlide);
    const NodeId stage{"blur_x", -1, "@stage"};
    EXPECT_EQ(lines_of(tree, stage, "store_at"), std::vector<QString>{"blur_x.store_at(out, yi)"})
        << "it is at yo already";
    EXPECT_EQ(lines_of(tree, stage, "store_root"), std::vector<QString>{"blur_x.store_root()"});
    EXPECT_TRUE(refusal(tree, "blur_x.store_root()")) << "yo is parallel: greyed by the judge";
    const auto root = default_tree("blur");
    EXPECT_TRUE(absent(root, stage, "store_at").contains("computed at root"));
    EXPECT_TRUE(absent(root, stage, "store_root").contains("computed at root"));
    EXPECT_EQ(store_group(*tree, stage).choices.size(), 2u);
}

TEST(StoreLines, SharedLoopsAreOfferedWhereTripsAgree) {
    const auto tree = pair("").tree;
    EXPECT_EQ(lines_of(tree, {"high", -1, "@stage"}, "compute_with"),
              (std::vector<QString>{"high.compute_with(low, y)", "high.compute_with(low, x)"}));
    EXPECT_TRUE(absent(default_tree("matmul"), {"C", -1, "@stage"}, "compute_with")
                    .contains("as many iterations"));
}

TEST(StoreLines, FieldsGiveRealChoices) {
    const auto tree = bundled_tree("matmul", kPipelined);
    const NodeId i{"C", 0, "i"}, bp{"Bp", -1, "@stage"};
    EXPECT_TRUE(contains(lines_of(tree, bp, "pipeline"), "Bp.pipeline(4)"));
    EXPECT_TRUE(contains(lines_of(tree, bp, "scope"), "Bp.scope(shared)"));
    EXPECT_TRUE(contains(lines_of(tree, bp, "specialize"), "Bp.specialize(2)"));
    EXPECT_TRUE(contains(lines_of(tree, bp, "reorder_storage"), "Bp.reorder_storage(j, k)"));
    EXPECT_FALSE(contains(lines_of(tree, bp, "reorder_storage"), "Bp.reorder_storage(k, j)"))
        << "it is so";
    EXPECT_TRUE(contains(lines_of(tree, bp, "pad_storage"), "Bp.pad_storage(k, 8)"));
    EXPECT_TRUE(contains(lines_of(tree, i, "bind"), "C.bind(i, block.x)"));
    EXPECT_TRUE(contains(lines_of(tree, i, "prefetch"), "C.prefetch(A, i, 2)"));
    EXPECT_TRUE(contains(lines_of(tree, i, "reorder"), "C.reorder(ko, j, i)"));
    EXPECT_TRUE(contains(lines_of(default_tree("matmul"), i, "gpu_tile"),
                         "C.gpu_tile(i, j, io, jo, ii, ji, 8, 32)"));
    EXPECT_TRUE(contains(lines_of(default_tree("matmul"), i, "cache_write"),
                         "C_i = C.cache_write(shared)"));
    EXPECT_TRUE(contains(lines_of(default_tree("matmul"), i, "cache_read"),
                         "B_shared = C.cache_read(B, shared)"));
    EXPECT_TRUE(contains(lines_of(default_tree("harris"), {"ix", -1, "@stage"}, "cache_read"),
                         "gray_local = ix.cache_read(gray, local, iy)"));
    EXPECT_TRUE(contains(lines_of(tree, i, "tensorize"), "C.tensorize(i, mma_m16n8k16_f16)"));
}

// Every node of every kind, and no group that sends people to the script.
TEST(StoreLines, NothingHasToBeWrittenByHand) {
    for (const auto& tree : {bundled_tree("blur", kSlide), bundled_tree("matmul", kPipelined),
                             pair().tree, bundled_tree("histogram_equalise")}) {
        auto check = [&](auto&& self, const TreeNode& node) -> void {
            for (const DirectiveGroup& group : directive_groups(*tree, node.id)) {
                EXPECT_FALSE(group.absent.contains("script")) << group.absent.toStdString();
                EXPECT_NE(group.choices.empty(), group.absent.isEmpty())
                    << node.id.text() << ' ' << group.verb.toStdString();
                for (const DirectiveChoice& choice : group.choices) {
                    const auto parsed = parse_directive(choice.line.toStdString());
                    EXPECT_TRUE(parsed) << choice.line.toStdString();
                    if (parsed) {
                        EXPECT_EQ((*parsed)->text(), choice.line.toStdString());
                    }
                }
            }
            for (const auto& child : node.children)
                self(self, *child);
        };
        check(check, *tree->root);
    }
}

TEST(StoreForms, WhereItIsStoredStandsBesideWhereItIsComputed) {
    const Scheduled slide = scheduled(bundled_pipeline("blur"), kSlide);
    const NodeId stage{"blur_x", -1, "@stage"};
    EXPECT_EQ(form_text(slide, stage, "store"),
              QStringLiteral("Stored at: ✓ out.yo, root, where it is computed"));
    EXPECT_EQ(form_edit(slide, stage, "store", "where it is computed").line,
              "blur_x.store_at(out, yi)");
    EXPECT_EQ(form_text(scheduled(bundled_pipeline("blur"), "schedule for blur\n"), stage, "store"),
              "");
}

TEST(StoreForms, CopiesAreChangedInTheirLineAndGoWithIt) {
    const Scheduled s = scheduled(bundled_pipeline("matmul"), kPipelined);
    const NodeId stage{"Bp", -1, "@stage"};
    EXPECT_EQ(form_text(s, stage, "pipeline"),
              QStringLiteral("Copies: 1, not ahead, 2, ✓ 3, 4, 6"));
    EXPECT_EQ(form_edit(s, stage, "pipeline", "4"), DirectiveEdit("Bp.pipeline(4)", 6));
    EXPECT_EQ(form_edit(s, stage, "pipeline", "1, not ahead"), DirectiveEdit(QString(), 6));
}

TEST(StoreForms, SharingCanBeTakenBack) {
    const Scheduled s = pair();
    const NodeId stage{"high", -1, "@stage"};
    EXPECT_EQ(form_text(s, stage, "compute_with"),
              QStringLiteral("Shares loops: none, ✓ to low.y, to low.x"));
    EXPECT_EQ(form_edit(s, stage, "compute_with", "none"), DirectiveEdit(QString(), 2));
    EXPECT_EQ(form_edit(s, stage, "compute_with", "to low.x"),
              DirectiveEdit("high.compute_with(low, x)", 2));
}

TEST(StoreDrops, TheGutterStoresAndTheRowComputes) {
    const auto tree = bundled_tree("blur", kSlide);
    const NodeId stage{"blur_x", -1, "@stage"}, yo{"out", 0, "yo"}, yi{"out", 0, "yi"};
    EXPECT_EQ(drop_proposal(*tree, stage, yi, DropPlace::Gutter).line, "blur_x.store_at(out, yi)");
    EXPECT_EQ(drop_proposal(*tree, stage, yo, DropPlace::On).line, "blur_x.compute_at(out, yo)");
    const DropProposal there = drop_proposal(*tree, stage, yo, DropPlace::Gutter);
    EXPECT_TRUE(there.line.isEmpty());
    EXPECT_TRUE(there.sentence.contains("already")) << there.sentence.toStdString();
    EXPECT_EQ(drop_proposal(*tree, stage, {}, DropPlace::RootStore).line, "blur_x.store_root()");
}

TEST(StoreDrops, ALoopOnAnothersIsShared) {
    const auto tree = pair("").tree;
    EXPECT_EQ(drop_proposal(*tree, {"high", 0, "x"}, {"low", 0, "x"}, DropPlace::On).line,
              "high.compute_with(low, x)");
    const DropProposal deeper =
        drop_proposal(*tree, {"high", 0, "x"}, {"low", 0, "y"}, DropPlace::On);
    EXPECT_TRUE(deeper.line.isEmpty());
    EXPECT_TRUE(deeper.sentence.contains("outermost")) << deeper.sentence.toStdString();
}

} // namespace test_store_levels
} // namespace loopscope::views::test
