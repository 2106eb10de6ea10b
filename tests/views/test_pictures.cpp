// Every widget with real snapshots in both themes: pictures to be looked at
// (LOOPSCOPE_PICTURES=FOLDER keeps them), and a check that something was drawn.

#include "tests/views/fixtures.h"
#include "views/style/theme.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/source_view.h"
#include "views/widgets/start_page.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QMenu>

namespace loopscope::views::test {

namespace {

class Pictures : public testing::TestWithParam<bool> {
protected:
    void SetUp() override { use_theme(GetParam()); }
    void TearDown() override { use_theme(false); }
};

const NodeId kTile{"out", 0, "xo"};

MeasurementRows some_measurements() {
    std::vector<MeasurementRow> rows;
    const char* names[] = {"default", "tiled 32 × 256", "parallel rows", "vectorised"};
    for (int i = 0; i < 4; ++i) {
        MeasurementRow row;
        row.id = i;
        row.revision = 10 + i;
        row.schedule = names[i];
        row.device = "host";
        row.when = QDateTime(QDate(2026, 11, 20), QTime(20, 10 + i));
        row.median_seconds = 0.0412 / (1 << i);
        row.min_seconds = row.median_seconds * 0.97;
        row.interval_seconds = row.median_seconds * 0.008;
        row.samples = 31;
        row.threads = i > 1 ? 2 : 1;
        row.predicted_seconds = row.median_seconds * (0.8 + 0.1 * i);
        row.flops_per_second = 4.1e9 * (1 << i);
        row.bytes_per_second = 1.2e9 * (1 << i);
        row.stale = i == 1;
        rows.push_back(row);
    }
    rows[2].failed = true;
    rows[2].message = "the worker ran out of memory";
    return std::make_shared<const std::vector<MeasurementRow>>(rows);
}

} // namespace

TEST_P(Pictures, ScheduleTree) {
    const auto tree = bundled_tree("harris");
    ScheduleTreeView view;
    view.set_tree(tree);
    view.set_estimate(estimate_of(tree));
    view.set_selected(kTile);
    EXPECT_GT(inked(picture(view, {720, 620}, "tree")), 0.03);
    EXPECT_GT(inked(picture(view, {330, 400}, "tree-narrow")), 0.03);
    ScheduleTreeView matmul;
    matmul.set_tree(bundled_tree("matmul"));
    matmul.set_estimate(estimate_of(bundled_tree("matmul")));
    EXPECT_GT(inked(picture(matmul, {720, 420}, "tree-matmul")), 0.03);
}

TEST_P(Pictures, TreeMenu) {
    const auto tree = bundled_tree("harris");
    ScheduleTreeView view;
    view.set_tree(tree);
    view.set_services(services_of(tree));
    QMenu* menu = view.make_menu(kTile);
    EXPECT_GT(inked(picture(*menu, menu->sizeHint(), "menu")), 0.03);
    delete menu;
}

TEST_P(Pictures, PipelineGraph) {
    const auto tree = bundled_tree("harris");
    PipelineGraphView view;
    view.set_tree(tree);
    view.set_estimate(estimate_of(tree));
    view.set_selected({"gray", -1, "@stage"});
    EXPECT_GT(inked(picture(view, {420, 620}, "graph")), 0.03);
    PipelineGraphView matmul;
    matmul.set_tree(bundled_tree("matmul"));
    matmul.set_estimate(estimate_of(bundled_tree("matmul")));
    EXPECT_GT(inked(picture(matmul, {290, 380}, "graph-matmul")), 0.03);
}

TEST_P(Pictures, Estimate) {
    const auto tree = bundled_tree("harris");
    EstimateView view;
    view.set_tree(tree);
    view.set_device(described_device());
    view.set_estimate(estimate_of(tree));
    view.set_baseline(estimate_of(default_tree("harris")));
    view.set_measured(MeasuredTime{0.00205, 0.00001, false, 31, {}});
    view.set_selected(kTile);
    EXPECT_GT(inked(picture(view, {390, 520}, "estimate")), 0.03);
}

TEST_P(Pictures, Inspector) {
    const auto tree = bundled_tree("harris");
    InspectorView view;
    view.set_services(services_of(tree));
    view.set_snapshot(tree, estimate_of(tree));
    view.set_selected(kTile);
    EXPECT_GT(inked(picture(view, {520, 460}, "inspector-loop")), 0.03);
    view.set_selected({"gray", -1, "@stage"});
    EXPECT_GT(inked(picture(view, {520, 380}, "inspector-stage")), 0.03);
    view.set_selected({"C", 0, "k"});
    const auto matmul = default_tree("matmul");
    view.set_services(services_of(matmul));
    view.set_snapshot(matmul, estimate_of(matmul));
    EXPECT_GT(inked(picture(view, {520, 460}, "inspector-reduction")), 0.03);
}

TEST_P(Pictures, Roofline) {
    const auto tree = bundled_tree("harris");
    RooflineView view;
    view.set_ceilings(model::roofline_ceilings(*described_device(), 2));
    view.set_tree(tree);
    view.set_estimate(estimate_of(tree));
    view.set_measured(MeasuredTime{*estimate_of(tree)->seconds * 1.4});
    EXPECT_GT(inked(picture(view, {390, 300}, "roofline")), 0.02);
    EXPECT_GT(inked(picture(view, {900, 560}, "roofline-large")), 0.01);
}

TEST_P(Pictures, Script) {
    ScriptEditor editor;
    editor.set_text(QString::fromStdString(bundled_schedule_text("harris")));
    editor.set_highlighted_lines({16, 17});
    EXPECT_GT(inked(picture(editor, {390, 360}, "script")), 0.03);
    const std::string wrong = "schedule for harris\nout.tile(y, x, yo, xo, yi, xi, 64, "
                              "256)\nout.paralel(yo)\nout.vectorize(xi, native)\n";
    auto file = std::make_shared<SourceFile>("harris.sched", wrong);
    editor.set_text(QString::fromStdString(wrong));
    Diagnostic d = error("there is no directive `paralel`", "did you mean `parallel`?",
                         SourceRange{file, 64, 71});
    editor.set_diagnostics(Diagnostics(1, d));
    EXPECT_GT(inked(picture(editor, {390, 240}, "script-error")), 0.03);
}

TEST_P(Pictures, Source) {
    SourceView view;
    SourceText source;
    source.text =
        "for yo in 0..32 parallel\n    for xo in 0..8\n        allocate gray: f32[68, 260]\n       "
        " for y in 0..68\n"
        "            for x in 0..17\n                gray[y*260 + x*16] = 0.299*f32(img[c])\n";
    source.lines = {{"out", 0, "yo"}, {"out", 0, "xo"}, {"gray", -1, "@storage"},
                    {"gray", 0, "y"}, {"gray", 0, "x"}, {"gray", 0, "@compute"}};
    view.set_source("loops", source);
    view.set_selected({"gray", 0, "y"});
    EXPECT_GT(inked(picture(view, {560, 240}, "source")), 0.03);
}

TEST_P(Pictures, Measurements) {
    MeasurementsView view;
    view.set_rows(some_measurements());
    EXPECT_GT(inked(picture(view, {860, 220}, "measurements")), 0.03);
    MeasurementsView empty;
    EXPECT_GT(inked(picture(empty, {520, 220}, "measurements-empty")), 0.005);
}

TEST_P(Pictures, StartPage) {
    StartPage page;
    page.set_programs(
        {{"copy", "First steps", "One stream in, one out: the speed of memory", 1, true,
          "/p/copy.loop"},
         {"harris", "Images", "Corners of a picture: stencils of products of stencils", 13, true,
          "/p/harris.loop"},
         {"matmul_s8", "Tensor cores", "8-bit integers: sums in 32 bits, exact in any order", 1,
          false, "/p/matmul_s8.loop"}},
        "v100");
    page.set_recent(
        {{"/home/ada/pictures/unsharp.loopscope", QDateTime(QDate(2026, 11, 20), QTime(20, 10))}});
    EXPECT_GT(inked(picture(page, {900, 560}, "start")), 0.02);
}

INSTANTIATE_TEST_SUITE_P(Themes, Pictures, testing::Bool(),
                         [](const auto& info) { return info.param ? "Dark" : "Light"; });

} // namespace loopscope::views::test
