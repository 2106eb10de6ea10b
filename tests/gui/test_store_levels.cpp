// Store levels, shared loops, copies and folded levels, by the gestures of somebody who never
// writes a line; and how long the window takes to follow in a program of a hundred stages.

#include "core/base/sanitized.h"
#include "tests/gui/gui_support.h"
#include "tests/support/large_pipeline.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"

#include "app/windows/notice_bar.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"

#include <Qsci/qsciscintilla.h>

#include <QAbstractButton>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace loopscope::app::test {

namespace test_store_levels {

const char* const kPair = "pipeline pair\n"
                          "input img[y, x]: f32[64, 96] boundary edge\n"
                          "stage low[y, x] = img[y, x-1] + img[y, x+1]\n"
                          "stage high[y, x] = img[y, x] - low[y, x]\n"
                          "output low: [64, 96]\noutput high: [64, 96]\n";

class StoreLevels : public WindowTest {
protected:
    MainWindow& open_text(const std::string& pipeline, const std::string& schedule) {
        const auto folder = loopscope::test::scratch_folder();
        std::ofstream(folder + "/own.loop") << pipeline;
        std::ofstream(folder + "/own.sched") << schedule;
        auto& window = show();
        EXPECT_TRUE(window.open_path(QString::fromStdString(folder + "/own.loop"),
                                     {folder + "/own.sched", {}, "host"}));
        EXPECT_TRUE(settle());
        return window;
    }
    MainWindow& open_with(const std::string& program, const std::string& schedule) {
        const auto file = loopscope::test::scratch_folder() + "/own.sched";
        std::ofstream(file) << schedule;
        return open(program + ".loop", {file, {}, "host"});
    }
    // Left of a loop's row.
    QPoint gutter_of(const NodeId& loop) {
        auto* tree = tree_view(*window_);
        const QRect row = tree->visualRect(tree->schedule_model()->index_of(loop));
        return {row.left() - 6, row.center().y()};
    }
    QString row_text(const NodeId& node) {
        return tree_view(*window_)->schedule_model()->index_of(node).data().toString().remove(
            QChar(0x202f));
    }
    void select_some(const std::vector<NodeId>& nodes, std::size_t step);
    // A choice of the inspector, once it is judged.
    QAbstractButton* choice(const QString& name) {
        EXPECT_TRUE(wait_until([&] { return !inspector_view(*window_)->judging(); }, 20));
        const auto found = inspector_view(*window_)->findChildren<QAbstractButton*>(name);
        return found.isEmpty() ? nullptr : found.last();
    }
    void press(const QString& name) {
        auto* button = choice(name);
        ASSERT_TRUE(button) << name.toStdString();
        ASSERT_TRUE(button->isEnabled())
            << name.toStdString() << ": " << button->property("reason").toString().toStdString();
        button->click();
        ASSERT_TRUE(settle());
    }
};

TEST_F(StoreLevels, TheGutterOfALoopStoresAndTheRootsStripToo) {
    open_with("blur", "schedule for blur\nout.split(y, yo, yi, 16)\n"
                      "blur_x.compute_at(out, yi)\n");
    const std::string before = script();
    drag({"blur_x", -1, "@stage"}, gutter_of({"out", 0, "yo"}), false);
    EXPECT_EQ(script(), before);
    const auto said = bubble_text(tree_view(*window_));
    EXPECT_TRUE(said.startsWith("blur_x.store_at(out, yo)\n")) << said.toStdString();
    keep_picture("drag-gutter");
    QTest::mouseRelease(tree_view(*window_)->viewport(), Qt::LeftButton, {},
                        gutter_of({"out", 0, "yo"}));
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), before + "blur_x.store_at(out, yo)\n");
    EXPECT_TRUE(row_text({"out", 0, "yi"}).contains(QStringLiteral("18 · 2 to warm up")));
    EXPECT_TRUE(
        row_text({"blur_x", -1, "@stage"}).contains(QStringLiteral("at yi · stored at yo")));
    EXPECT_TRUE(row_text({"blur_x", -1, "@storage"}).contains("3 of 18 rows, circular"));
    keep_picture("stored-at");
    // The right end of the strip below the rows is for its memory alone.
    auto* viewport = tree_view(*window_)->viewport();
    drag({"blur_x", -1, "@stage"}, QPoint(viewport->width() - 60, viewport->height() - 14));
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("blur_x.store_root()"), std::string::npos) << script();
    EXPECT_EQ(script().find("compute_root"), std::string::npos) << script();
}

TEST_F(StoreLevels, ADropThatCannotStoreSaysWhy) {
    open_with("blur", "schedule for blur\nout.split(y, yo, yi, 16)\nout.parallel(yi)\n"
                      "blur_x.compute_at(out, yi)\n");
    const std::string before = script();
    drag({"blur_x", -1, "@stage"}, gutter_of({"out", 0, "yo"}));
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), before);
    EXPECT_TRUE(notice(*window_)->text().contains("run at once"))
        << notice(*window_)->text().toStdString();
}

TEST_F(StoreLevels, ARefusedPlaceForMemoryComesWithALegalOne) {
    open_with("blur", "schedule for blur\nout.split(y, yo, yi, 16)\nout.parallel(yo)\n"
                      "blur_x.compute_at(out, yi)\n");
    click({"blur_x", -1, "@stage"});
    key(Qt::Key_R, Qt::ShiftModifier);
    EXPECT_EQ(script().find("store_"), std::string::npos) << script();
    QPushButton* remedy = nullptr;
    ASSERT_TRUE(wait_until(
        [&] {
            for (auto* button : notice(*window_)->findChildren<QPushButton*>())
                if (button->isVisible() && button->text() == "Apply blur_x.store_at(out, yo)")
                    remedy = button;
            return remedy != nullptr;
        },
        10))
        << notice(*window_)->text().toStdString();
    QTest::mouseClick(remedy, Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("blur_x.store_at(out, yo)"), std::string::npos) << script();
}

TEST_F(StoreLevels, TheInspectorMovesMemoryAndCountsCopies) {
    open_with("blur", "schedule for blur\nout.split(y, yo, yi, 16)\n"
                      "blur_x.compute_at(out, yi)\n");
    click({"blur_x", -1, "@stage"});
    press("store/out.yo");
    EXPECT_NE(script().find("blur_x.store_at(out, yo)"), std::string::npos) << script();
    press("store/root");
    EXPECT_NE(script().find("blur_x.store_root()"), std::string::npos) << script();
    press("store/where it is computed");
    EXPECT_FALSE(row_text({"blur_x", -1, "@storage"}).contains("circular"));
    press("pipeline/3");
    EXPECT_NE(script().find("blur_x.pipeline(3)"), std::string::npos) << script();
    EXPECT_TRUE(row_text({"blur_x", -1, "@storage"}).contains(QStringLiteral("× 3, 2 ahead")));
    press("pipeline/2");
    EXPECT_EQ(script().find("blur_x.pipeline(3)"), std::string::npos) << "changed in its line";
    press("pipeline/1, not ahead");
    EXPECT_EQ(script().find("pipeline("), std::string::npos) << script();
}

TEST_F(StoreLevels, KeysDoTheSame) {
    open_with("blur", "schedule for blur\nout.split(y, yo, yi, 16)\n"
                      "blur_x.compute_at(out, yi)\n");
    click({"blur_x", -1, "@stage"});
    key(Qt::Key_M, Qt::ShiftModifier);
    ASSERT_TRUE(open_menu());
    choose("out, loop yo");
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("blur_x.store_at(out, yo)"), std::string::npos) << script();
    key(Qt::Key_R, Qt::ShiftModifier);
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("blur_x.store_root()"), std::string::npos) << script();
    key(Qt::Key_C);
    ASSERT_TRUE(open_menu());
    choose("img into img_local");
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("img_local = blur_x.cache_read(img, local)"), std::string::npos)
        << script();
    click({"out", 0, "x"});
    key(Qt::Key_B);
    ASSERT_TRUE(open_menu());
    choose("thread.x");
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("out.bind(x, thread.x)"), std::string::npos) << script();
    // What few schedules need stands in menus of its own.
    key(Qt::Key_F10, Qt::ShiftModifier);
    ASSERT_TRUE(open_menu());
    choose("Stream its stores");
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("out.non_temporal()"), std::string::npos) << script();
}

TEST_F(StoreLevels, LoopsAreSharedByADragAndTheSharedOneIsSelected) {
    open_text(kPair, "schedule for pair\nlow.split(y, yo, yi, 8)\nhigh.split(y, yo, yi, 8)\n");
    drag({"high", 0, "yi"}, row_centre({"low", 0, "yi"}));
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("high.compute_with(low, yi)"), std::string::npos) << script();
    EXPECT_TRUE(row_text({"low", 0, "yi"}).contains("shared by low, high"));
    // The loop that was dragged has become the other's.
    EXPECT_EQ(window_->session().selection(), (NodeId{"low", 0, "yi"}));
    EXPECT_EQ(tree_view(*window_)->selected(), (NodeId{"low", 0, "yi"}));
    // From its line in the script, too.
    window_->session().select({"low", -1, "@storage"});
    auto* editor = script_editor(*window_)->findChild<QsciScintilla*>();
    window_->show_panel("script");
    editor->setFocus();
    editor->setCursorPosition(2, 3); // high.split
    EXPECT_TRUE(
        wait_until([&] { return window_->session().selection() == NodeId{"low", 0, "yo"}; }, 5));
    // The inspector of the one without loops of its own lists those that it shares, and gives them
    // back.
    auto* graph = graph_view(*window_);
    QTest::mouseClick(graph, Qt::LeftButton, {}, graph->node_rectangle("high").center().toPoint());
    EXPECT_EQ(window_->session().selection(), (NodeId{"high", -1, "@stage"}));
    EXPECT_EQ(tree_view(*window_)->selected(), (NodeId{"high", -1, "@stage"}));
    keep_picture("shared-loops");
    press("compute_with/none");
    EXPECT_EQ(script().find("compute_with"), std::string::npos) << script();
    EXPECT_TRUE(tree_view(*window_)->schedule_model()->index_of({"high", 0, "yi"}).isValid());
}

TEST_F(StoreLevels, ALevelOfAPyramidFoldsInGraphAndTree) {
    LOOPSCOPE_LONG_TEST();
    open("local_laplacian.loop", {bundled("local_laplacian.cpu.sched"), {}, "host"});
    auto* tree = tree_view(*window_);
    auto* graph = graph_view(*window_);
    const auto& model = *tree->schedule_model();
    EXPECT_TRUE(graph->folded().count("#3")) << "it has too many nodes to be read";
    key(Qt::Key_G, Qt::ShiftModifier);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(graph->folded().empty());
    const int rows = model.rowCount();
    click({"result3", -1, "@stage"});
    key(Qt::Key_G);
    EXPECT_EQ(graph->folded(), std::set<std::string>{"#3"});
    EXPECT_LT(model.rowCount(), rows);
    EXPECT_TRUE(model.is_group(tree->currentIndex())) << "its row stands for what was selected";
    EXPECT_FALSE(tree->isExpanded(tree->currentIndex()));
    EXPECT_EQ(window_->session().selection(), (NodeId{"result3", -1, "@stage"}));
    EXPECT_TRUE(tree->viewport()->rect().intersects(tree->visualRect(tree->currentIndex())));
    keep_picture("folded-level");
    // It opens in its place, and stays open through an edit.
    QTest::keyClick(tree, Qt::Key_Right);
    EXPECT_TRUE(tree->isExpanded(tree->currentIndex()));
    ASSERT_TRUE(window_->session().apply_directive("tone.compute_root()").ok() ||
                window_->session().apply_directive("bright0.unroll(yi, 2)").ok());
    ASSERT_TRUE(settle());
    EXPECT_TRUE(
        tree->isExpanded(model.index(model.index_of({"result3", -1, "@stage"}).parent().row(), 0)));
    window_->session().select({"remapped3", 0, "xi"}); // in the other one, which is closed
    EXPECT_TRUE(model.is_group(tree->currentIndex()));
    key(Qt::Key_S);
    EXPECT_TRUE(notice(*window_)->text().contains("Unfold"))
        << notice(*window_)->text().toStdString();
    key(Qt::Key_G);
    EXPECT_TRUE(graph->folded().empty());
    EXPECT_EQ(model.rowCount(), rows);
    EXPECT_EQ(tree->selected(), (NodeId{"remapped3", 0, "xi"}));
    key(Qt::Key_G, Qt::ShiftModifier);
    EXPECT_FALSE(graph->folded().empty());
    EXPECT_LT(model.rowCount(), rows / 2);
    EXPECT_TRUE(graph->folded().count("#5")) << "of a pyramid every level is a node";
    EXPECT_LT(graph->graph().nodes.size(), 20u);
    keep_picture("folded-all");
}

void collect(const TreeNode& node, std::vector<NodeId>& into) {
    if (node.kind != TreeKind::Root)
        into.push_back(node.id);
    for (const auto& child : node.children)
        collect(*child, into);
}

// MiB; sanitizers keep shadows of theirs beside.
#if defined(LOOPSCOPE_SANITIZED)
constexpr double kMaxMemory = 16384;
#else
constexpr double kMaxMemory = 1024;
#endif

// Resident memory of this process, MiB.
double resident() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:"))
            return std::stod(line.substr(6)) / 1024;
    return 0;
}

// Every so many of them; how long the window was away for each.
void StoreLevels::select_some(const std::vector<NodeId>& nodes, std::size_t step) {
    auto& latency = LatencyRecorder::instance();
    latency.restart();
    std::vector<double> busy;
    for (std::size_t n = 0; n < nodes.size(); n += step) {
        latency.begin("select one of " + std::to_string(nodes.size()) + " rows");
        const Stopwatch watch;
        window_->session().select(nodes[n]);
        QApplication::processEvents();
        busy.push_back(watch.busy());
        EXPECT_EQ(tree_view(*window_)->selected(), nodes[n]) << nodes[n].text();
    }
    std::sort(busy.begin(), busy.end());
    std::printf("[ RECORD   ] selecting of %zu rows: median %.1f ms, worst %.1f ms busy; longest "
                "block %.0f ms, by %s\n",
                nodes.size(), busy[busy.size() / 2], busy.back(), latency.worst(),
                latency.worst_by().c_str());
    RecordProperty("median_busy_ms", static_cast<int>(busy[busy.size() / 2]));
    RecordProperty("worst_busy_ms", static_cast<int>(busy.back()));
}

// What a directive of many choices has beyond its buttons.
TEST_F(StoreLevels, TheInspectorListsWhatHasManyChoices) {
    open_with("matmul", "schedule for matmul\nBp = C.cache_read(B, local)\n");
    click({"Bp", -1, "@storage"});
    auto* more = choice("pad_storage/more");
    ASSERT_TRUE(more);
    QTest::mouseClick(more, Qt::LeftButton);
    ASSERT_TRUE(open_menu());
    choose("k, 64 elements");
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("Bp.pad_storage(k, 64)"), std::string::npos) << script();
    press("reorder_storage/j, k");
    EXPECT_NE(script().find("Bp.reorder_storage(j, k)"), std::string::npos) << script();
    // Levels of memory are a GPU's.
    EXPECT_FALSE(choice("scope/shared"));
    ASSERT_TRUE(window_->session().set_device("h200").ok());
    ASSERT_TRUE(settle());
    press("scope/shared");
    EXPECT_NE(script().find("Bp.scope(shared)"), std::string::npos) << script();
}

TEST_F(StoreLevels, AThousandLoopsStayFluid) {
    LOOPSCOPE_LONG_TEST();
    const auto text = loopscope::test::chain_of_a_thousand_loops();
    auto& window = open_text(text.pipeline, text.schedule);
    std::vector<NodeId> nodes;
    collect(*window.session().tree()->root, nodes);
    ASSERT_GE(nodes.size(), 1200u);
    select_some(nodes, 31);
}

// Times are recorded, not asserted: the machine is shared. What the thread itself was busy for is
// nearly its own.
TEST_F(StoreLevels, AHundredStagesStayFluid) {
    LOOPSCOPE_LONG_TEST();
    auto& window = open("local_laplacian.loop", {bundled("local_laplacian.cpu.sched"), {}, "host"});
    std::vector<NodeId> nodes;
    collect(*window.session().tree()->root, nodes);
    ASSERT_GE(nodes.size(), 400u);
    key(Qt::Key_G, Qt::ShiftModifier); // it opens folded
    ASSERT_TRUE(settle());
    auto& latency = LatencyRecorder::instance();
    latency.restart();
    click({"remapped3", 0, "xi"});
    key(Qt::Key_F10, Qt::ShiftModifier);
    ASSERT_TRUE(open_menu());
    open_menu()->close();
    key(Qt::Key_Up, Qt::ShiftModifier);
    ASSERT_TRUE(settle());
    std::printf("[ RECORD   ] menu and step: longest block %.0f ms, by %s\n", latency.worst(),
                latency.worst_by().c_str());
    select_some(nodes, 7);
    std::printf("[ RECORD   ] memory: %.0f MiB\n", resident());
    EXPECT_LT(resident(), kMaxMemory);
}

} // namespace test_store_levels
} // namespace loopscope::app::test
