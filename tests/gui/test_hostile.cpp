// What nobody means to do and somebody does: fast clicks, drags that mean nothing, tiny windows,
// files that are too large or broken, names that are too long, and closing the window in the middle
// of everything.

#include "tests/gui/gui_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include "views/widgets/inspector_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"

#include <Qsci/qsciscintilla.h>

#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QTimer>

#include <cstdio>
#include <fstream>
#include <random>

namespace loopscope::app::test {

class Hostile : public WindowTest {
protected:
    static std::string file(const std::string& name, const std::string& text) {
        const auto path = loopscope::test::scratch_folder() + "/" + name;
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    MainWindow& open_text(const std::string& pipeline, const std::string& schedule = {}) {
        auto& window = show();
        session::OpenOptions options;
        if (!schedule.empty())
            options.schedule_file = file("own.sched", schedule);
        options.device = "host";
        EXPECT_TRUE(window.open_path(QString::fromStdString(file("own.loop", pipeline)), options));
        EXPECT_TRUE(settle());
        return window;
    }
    QsciScintilla* editor() { return script_editor(*window_)->findChild<QsciScintilla*>(); }
    // What is shown is of one schedule: script, editor and tree.
    void expect_one_state() {
        ASSERT_TRUE(settle());
        EXPECT_EQ(editor()->text().toStdString(), window_->session().draft());
        EXPECT_EQ(tree_view(*window_)->schedule_model()->tree(), window_->session().tree());
    }
    void record_block(const char* what) {
        auto& recorder = LatencyRecorder::instance();
        std::printf("[ RECORD   ] %s: longest block %.0f ms, by %s\n", what, recorder.worst(),
                    recorder.worst_by().c_str());
        recorder.restart();
    }
};

TEST_F(Hostile, FastClicksAndKeysLoseNothing) {
    LOOPSCOPE_LONG_TEST();
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    const auto first = script();
    std::mt19937 random(7);
    auto any = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    const Qt::Key keys[] = {Qt::Key_P, Qt::Key_Z,  Qt::Key_Y,   Qt::Key_I,
                            Qt::Key_R, Qt::Key_Up, Qt::Key_Down};
    auto* tree = tree_view(window);
    for (int step = 0; step < 150; ++step) {
        const QPoint at(any(tree->viewport()->width()), any(tree->viewport()->height()));
        if (any(4) == 0)
            QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, at);
        else
            QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, at);
        if (any(3) == 0)
            QTest::mouseClick(
                graph_view(window), Qt::LeftButton, {},
                {any(graph_view(window)->width()), any(graph_view(window)->height())});
        const auto pressed = keys[any(7)];
        const bool step_back = pressed == Qt::Key_Z || pressed == Qt::Key_Y,
                   arrow = pressed == Qt::Key_Up || pressed == Qt::Key_Down;
        QTest::keyClick(tree, pressed,
                        step_back ? Qt::ControlModifier
                        : arrow   ? Qt::ShiftModifier
                                  : Qt::NoModifier);
        if (auto* menu = open_menu())
            menu->close();
        // The inspector's choices are made anew under the pointer.
        const auto choices = inspector_view(window)->findChildren<QPushButton*>();
        if (any(5) == 0 && !choices.isEmpty()) {
            auto* choice = choices[any(static_cast<int>(choices.size()))];
            QTest::mouseDClick(choice, Qt::LeftButton);
        }
        if (auto* menu = open_menu())
            menu->close();
    }
    expect_one_state();
    while (window.session().can_undo())
        key(Qt::Key_Z, Qt::ControlModifier);
    expect_one_state();
    EXPECT_EQ(script(), first) << "all of it is undone";
}

// Every row onto every row: on it, between two, in the gutter, and out of the window.
TEST_F(Hostile, EverythingDroppedOnEverything) {
    LOOPSCOPE_LONG_TEST();
    const auto schedule = file("own.sched", "schedule for blur\nout.split(y, yo, yi, 16)\n"
                                            "blur_x.compute_at(out, yi)\n");
    auto& window = open("blur.loop", {schedule, {{"H", 64}, {"W", 64}}, "host"});
    std::vector<NodeId> nodes;
    auto collect = [&](auto&& self, const TreeNode& node) -> void {
        if (node.kind != TreeKind::Root)
            nodes.push_back(node.id);
        for (const auto& child : node.children)
            self(self, *child);
    };
    collect(collect, *window.session().tree()->root);
    const auto before = script();
    int changed = 0;
    auto* tree = tree_view(window);
    for (const auto& from : nodes)
        for (std::size_t to = 0; to < nodes.size() + 2; ++to)
            for (const int place : {0, 10, -10, 1000}) {
                QPoint at;
                if (to < nodes.size()) {
                    const QRect row = tree->visualRect(tree->schedule_model()->index_of(nodes[to]));
                    at = place == 1000 ? QPoint(row.left() - 6, row.center().y())
                                       : row.center() + QPoint(0, place);
                } else {
                    at = to == nodes.size() ? QPoint(-300, -300) : QPoint(40, 5000);
                }
                const QPoint start = row_centre(from);
                QTest::mousePress(tree->viewport(), Qt::LeftButton, {}, start);
                QTest::mouseMove(tree->viewport(), (start + at) / 2);
                QTest::mouseMove(tree->viewport(), at);
                QTest::mouseRelease(tree->viewport(), Qt::LeftButton, {}, at);
                if (script() == before)
                    continue;
                ++changed;
                EXPECT_NE(from, nodes[std::min(to, nodes.size() - 1)])
                    << from.text() << " dropped on itself";
                key(Qt::Key_Z, Qt::ControlModifier);
                ASSERT_EQ(script(), before);
            }
    EXPECT_GT(changed, 5) << "some of them mean something";
    expect_one_state();
}

TEST_F(Hostile, AnyWindowSizeAndBack) {
    auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
    QTest::qWait(30);
    const auto widths = [&] {
        QMap<QString, int> wide;
        for (const char* panel : {"pipeline", "history", "inspector", "estimate"})
            if (const auto* dock = window.findChild<QDockWidget*>(panel))
                wide[panel] = dock->isVisible() ? dock->width() : 0;
        return wide;
    };
    const auto before = widths();
    for (const QSize size : {QSize(1, 1), QSize(3000, 120), QSize(200, 2400), QSize(5120, 2880)}) {
        window.resize(size);
        QTest::qWait(20);
        for (const char* panel : {"source", "compare", "roofline", "inspector"})
            EXPECT_TRUE(window.show_panel(panel));
        window.grab();
    }
    window.show_panel("estimate");
    window.resize(1440, 900);
    QTest::qWait(50);
    const auto after = widths();
    for (auto at = before.begin(); at != before.end(); ++at)
        EXPECT_NEAR(after[at.key()], *at, 12) << at.key().toStdString();
    // What is as narrow as the window can be has its buttons and its numbers whole.
    window.resize(1, 1);
    QTest::qWait(30);
    keep_picture("narrowest");
    EXPECT_GE(window.width(), 790);
}

TEST_F(Hostile, AThousandStages) {
    LOOPSCOPE_LONG_TEST();
    LOOPSCOPE_TEST_IN_TURN(0, 2);
    std::string program = "pipeline thousand\ninput a[y, x]: f32[64, 64] boundary edge\n",
                schedule = "schedule for thousand\n", before = "a";
    for (int n = 0; n < 1000; ++n) {
        const auto name = "s" + std::to_string(n);
        program +=
            "stage " + name + "[y, x]: f32 = " + before + "[y, x - 1] + " + before + "[y + 1, x]\n";
        schedule += name + ".split(y, yo, yi, 8)\n";
        before = name;
    }
    program += "output s999: [64, 64]\n";
    LatencyRecorder::instance().restart();
    auto& window = open_text(program, schedule);
    record_block("open a thousand stages");
    EXPECT_GT(tree_view(window)->schedule_model()->rowCount({}), 900);
    click({"s500", 0, "yo"});
    ASSERT_TRUE(settle());
    record_block("select one of a thousand stages");
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    record_block("a loop of a thousand stages in parallel");
    EXPECT_NE(script().find("s500.parallel(yo)"), std::string::npos);
    key(Qt::Key_Z, Qt::ControlModifier);
    expect_one_state();
    record_block("undo, of a thousand stages");
}

TEST_F(Hostile, AScriptOfFiveMegabytesIsPastedAndTakenBack) {
    LOOPSCOPE_LONG_TEST();
    open("blur.loop");
    const auto before = script();
    struct Paste {
        const char* name;
        QString text;
        enum { Taken, Refused, Wrong } how;
    };
    const QString remark = "# " + QString(97, 'x') + "\n";
    const Paste pastes[] = {
        {"paste 5 MB of remarks", remark.repeated(50000), Paste::Taken},
        // Each painting of such a line would take seconds.
        {"paste a line of 5 MB", "# " + QString(5'000'000, 'y') + "\n", Paste::Refused},
        {"paste 5 MB of nonsense", QString("garbage garbage garbage\n").repeated(210000),
         Paste::Wrong},
    };
    window_->show_panel("script");
    for (const auto& paste : pastes) {
        QApplication::clipboard()->setText(paste.text);
        editor()->setFocus();
        editor()->setCursorPosition(1, 0);
        LatencyRecorder::instance().restart();
        LatencyRecorder::instance().begin(paste.name);
        QTest::keyClick(editor(), Qt::Key_V, Qt::ControlModifier);
        ASSERT_TRUE(settle());
        record_block(paste.name);
        if (paste.how == Paste::Taken) {
            EXPECT_GT(script().size(), 4'900'000u);
        } else if (paste.how == Paste::Wrong) {
            EXPECT_FALSE(window_->session().diagnostics().empty());
        }
        expect_one_state();
        if (paste.how == Paste::Refused) {
            EXPECT_EQ(script(), before);
            continue; // nothing to take back
        }
        LatencyRecorder::instance().begin("take it back");
        QTest::keyClick(editor(), Qt::Key_Z, Qt::ControlModifier);
        ASSERT_TRUE(settle());
        record_block("take it back");
        EXPECT_EQ(script(), before);
        expect_one_state();
    }
}

TEST_F(Hostile, FilesThatAreNotWhatTheyShouldBe) {
    auto& window = open("blur.loop");
    const auto before = script();
    const std::pair<std::string, std::string> files[] = {
        {file("bytes.sched", "schedule for blur\n# \xff\xc3(\nout.parallel(y)\n"), "UTF-8"},
        {file("bytes.loop", "pipeline p\n# \xff\n"), "UTF-8"},
        {file("zero.sched", std::string("schedule for blur\n\0\0out.parallel(y)\n", 36)),
         "control character"},
        {file("other.sched", "schedule for harris\nout.parallel(y)\n"), "harris"},
        {file("empty.sched", ""), ""},
        {file("empty.loop", ""), ""},
        {file("empty.loopscope", ""), ""},
        {file("cut.sched", "schedule for blur\nout.split(y, yo, "), "("},
        {loopscope::test::scratch_folder(), ""},
        {"/dev/zero", ""},
    };
    for (const auto& [path, word] : files) {
        SCOPED_TRACE(path);
        QString said;
        auto* timer = new QTimer(&window);
        QObject::connect(timer, &QTimer::timeout, &window, [&] {
            auto* box = QApplication::activeModalWidget();
            if (!box)
                return;
            for (auto* label : box->findChildren<QLabel*>())
                said += label->text();
            box->close();
        });
        timer->start(20);
        EXPECT_FALSE(window.open_path(QString::fromStdString(path)));
        delete timer;
        EXPECT_FALSE(said.isEmpty());
        EXPECT_TRUE(said.contains(QString::fromStdString(word))) << said.toStdString();
        EXPECT_TRUE(window.session().is_open());
        EXPECT_EQ(script(), before);
    }
    expect_one_state();
}

TEST_F(Hostile, ClosedInTheMiddleOfEverything) {
    LOOPSCOPE_LONG_TEST();
    for (int round = 0; round < 6; ++round) {
        auto& window = open("harris.loop", {bundled("harris.cpu.sched"), {}, "host"});
        click({"out", 0, "yo"});
        // compiles and measures
        if (round % 3 == 0)
            key(Qt::Key_Space);
        if (round % 3 == 1)
            window.show_panel("source");
        // a second window
        if (round % 3 == 2)
            key(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        // a menu is open
        if (round % 2 == 0)
            key(Qt::Key_F10, Qt::ShiftModifier);
        else
            QTest::mousePress(tree_view(window)->viewport(), Qt::LeftButton, {},
                              row_centre({"out", 0, "yo"})); // a drag has begun
        key(Qt::Key_P);
        QTest::qWait(round * 7);
        close_window();
    }
    open("blur.loop");
    EXPECT_TRUE(window_->session().is_open());
}

// A menu that is open while the schedule goes another way: what is chosen from it is said of the
// schedule of now, or refused.
TEST_F(Hostile, AnOldMenuOnANewSchedule) {
    auto& window = open("blur.loop");
    click({"out", 0, "y"});
    key(Qt::Key_F10, Qt::ShiftModifier);
    auto* menu = open_menu();
    ASSERT_TRUE(menu);
    QAction* parallel = nullptr;
    for (auto* action : menu->actions())
        if (action->text().startsWith("Parallel"))
            parallel = action;
    ASSERT_TRUE(parallel);
    window.session().edit_script("schedule for blur\nout.split(y, a, b, 8)\n");
    parallel->trigger(); // of y, which is two loops now: the line goes before the one that split it
    menu->close();
    ASSERT_TRUE(settle());
    EXPECT_EQ(script(), "schedule for blur\nout.parallel(y)\nout.split(y, a, b, 8)\n");
    expect_one_state();
    key(Qt::Key_F10, Qt::ShiftModifier);
    menu = open_menu();
    ASSERT_TRUE(menu);
    window.session().edit_script("schedule for blur\nout.inline_all(\n"); // does not parse
    menu->actions().front()->trigger();
    menu->close();
    ASSERT_TRUE(settle());
    EXPECT_EQ(editor()->text(), "schedule for blur\nout.inline_all(\n") << "what is typed stays";
    expect_one_state();
}

TEST_F(Hostile, LongNamesAndForeignScripts) {
    const std::string name = [] {
        std::string text;
        for (int n = 0; n < 6; ++n)
            text += "a_stage_whose_name_goes_on_";
        return text;
    }();
    auto& window = open_text("# مرحبا שלום \u202e abc\npipeline p_" + name + "\ninput in_" + name +
                             "[y, x]: f32[64, 64] boundary edge\nstage mid_" + name + "[" + name +
                             "y, x]: f32 = in_" + name + "[" + name + "y, x-1]*2.0\nstage out_" +
                             name + "[y, x]: f32 = mid_" + name +
                             "[y, x] + 1.0 # שלום\noutput out_" + name + ": [64, 64]\n");
    editor()->append("# שלום مرحبا \u202e\n");
    ASSERT_TRUE(wait_until([&] { return script().find("שלום") != std::string::npos; }));
    for (const char* panel : {"inspector", "source", "compare", "estimate", "roofline"}) {
        window.show_panel(panel);
        ASSERT_TRUE(settle());
        keep_picture(QStringLiteral("long-names-") + panel);
    }
    // A node of the graph is no wider than the panel shows.
    const auto node = graph_view(window)->node_rectangle("mid_" + name);
    EXPECT_LT(node.width(), 330);
    click({"mid_" + name, 0, name + "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    EXPECT_NE(script().find("mid_" + name + ".parallel(" + name + "y)"), std::string::npos);
    expect_one_state();
}

} // namespace loopscope::app::test
