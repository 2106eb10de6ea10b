// Every directive of the language, as a person gives it: by its key if it has one, and by the mouse
// from the context menu. Each is undone and done again.

#include "tests/gui/gui_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include "core/schedule/directive.h"
#include "views/models/directive_lines.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/schedule_tree_view.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <set>

namespace loopscope::app::test {

namespace test_every_directive {

const char* const kPair = "pipeline pair\n"
                          "input img[y, x]: f32[64, 96] boundary edge\n"
                          "stage low[y, x] = img[y, x-1] + img[y, x+1]\n"
                          "stage high[y, x] = img[y, x] - low[y, x]\n"
                          "output low: [64, 96]\noutput high: [64, 96]\n";

struct Case {
    const char* verb;
    const char* program;
    const char* before; // lines of the schedule
    NodeId node;
    QKeySequence key;   // empty: it has none
    const char* choice; // of the key's list; empty: the key does it at once
    QStringList path;   // in the context menu
    const char* line;   // that the schedule then has
};

const QString kMemory = "Memory", kArithmetic = "Arithmetic",
              kTarget = "Blocks, threads, tensor cores";

QString section_menu(DirectiveSection section) {
    switch (section) {
    case DirectiveSection::Loop:
    case DirectiveSection::Place: return {};
    case DirectiveSection::Memory: return kMemory;
    case DirectiveSection::Arithmetic: return kArithmetic;
    case DirectiveSection::Target: return kTarget;
    }
    return {};
}

std::vector<Case> cases() {
    const NodeId y{"out", 0, "y"}, x{"out", 0, "x"}, blur_x{"blur_x", -1, "@stage"}, k{"C", 0, "k"},
        i{"C", 0, "i"}, c{"C", -1, "@stage"}, high{"high", -1, "@stage"};
    const char* const at_y = "blur_x.compute_at(out, y)\n";
    const char* const inside = "out.split(y, yo, yi, 16)\nblur_x.compute_at(out, yi)\n";
    return {
        {"split", "blur", "", y, {"S"}, "by 16", {"Split", "by 16"}, "out.split(y, yo, yi, 16)"},
        {"tile",
         "blur",
         "",
         y,
         {"T"},
         "16 × 16, with x",
         {"Tile", "16 × 16, with x"},
         "out.tile(y, x, yo, xo, yi, xi, 16, 16)"},
        {"fuse", "blur", "", y, {"F"}, "", {"Fuse with the loop inside"}, "out.fuse(y, x, y_x)"},
        {"reorder", "blur", "", y, {"Shift+Down"}, "", {"Move inwards"}, "out.reorder(x, y)"},
        {"serial", "blur", "out.parallel(y)\n", y, {}, "", {"Serial"}, "out.serial(y)"},
        {"parallel", "blur", "", y, {"P"}, "", {"Parallel"}, "out.parallel(y)"},
        {"unroll", "blur", "", x, {"U"}, "4", {"Unroll", "4"}, "out.unroll(x, 4)"},
        {"vectorize", "blur", "", x, {"V"}, "8", {"Vectorise", "8"}, "out.vectorize(x, 8)"},
        {"bind",
         "blur",
         "",
         x,
         {"B"},
         "thread.x",
         {kTarget, "Bind to a level", "thread.x"},
         "out.bind(x, thread.x)"},
        {"gpu_tile",
         "blur",
         "",
         y,
         {},
         "",
         {kTarget, "Tile for blocks and threads", "16 × 32"},
         "out.gpu_tile(y, x, yo, xo, yi, xi, 16, 32)"},
        {"persistent",
         "blur",
         "out.bind(y, block.x)\n",
         y,
         {},
         "",
         {kTarget, "Persistent blocks"},
         "out.persistent(y)"},
        {"inline", "blur", "", blur_x, {"I"}, "", {"Inline"}, "blur_x.inline()"},
        {"compute_root",
         "blur",
         at_y,
         blur_x,
         {"R"},
         "",
         {"Compute at root"},
         "blur_x.compute_root()"},
        {"compute_at",
         "blur",
         "",
         blur_x,
         {"M"},
         "out, loop y",
         {"Move to a loop", "out, loop y"},
         "blur_x.compute_at(out, y)"},
        {"compute_with",
         "pair",
         "",
         high,
         {"W"},
         "low, loop y",
         {"Share loops with", "low, loop y"},
         "high.compute_with(low, y)"},
        {"reverse_compute_at",
         "pair",
         "",
         high,
         {},
         "",
         {"Compute in the loops of what it reads", "low, loop y"},
         "high.reverse_compute_at(low, y)"},
        {"store_root",
         "blur",
         at_y,
         blur_x,
         {"Shift+R"},
         "",
         {"Store at root"},
         "blur_x.store_root()"},
        {"store_at",
         "blur",
         inside,
         blur_x,
         {"Shift+M"},
         "out, loop yo",
         {"Store at a loop", "out, loop yo"},
         "blur_x.store_at(out, yo)"},
        {"pipeline",
         "blur",
         at_y,
         blur_x,
         {"L"},
         "3 copies",
         {"Pipeline", "3 copies"},
         "blur_x.pipeline(3)"},
        {"specialize",
         "blur",
         "blur_x.compute_at(out, y)\nblur_x.pipeline(3)\n",
         blur_x,
         {},
         "",
         {kTarget, "Specialise warps", "2 warps"},
         "blur_x.specialize(2)"},
        {"scope", "blur", "", blur_x, {}, "", {kMemory, "Scope", "shared"}, "blur_x.scope(shared)"},
        {"cache_read",
         "matmul",
         "",
         c,
         {"C"},
         "B into B_local",
         {"Copy what it reads", "B into B_local"},
         "B_local = C.cache_read(B, local)"},
        {"cache_write",
         "matmul",
         "",
         c,
         {"Shift+C"},
         "local",
         {"Write through a cache", "local"},
         "C_cache = C.cache_write(local)"},
        {"reorder_storage",
         "blur",
         "",
         blur_x,
         {},
         "",
         {kMemory, "Reorder storage", "x, y"},
         "blur_x.reorder_storage(x, y)"},
        {"pad_storage",
         "blur",
         "",
         blur_x,
         {},
         "",
         {kMemory, "Pad storage", "x, 16 elements"},
         "blur_x.pad_storage(x, 16)"},
        {"swizzle", "blur", "", blur_x, {}, "", {kMemory, "Swizzle banks"}, "blur_x.swizzle()"},
        {"contract", "matmul", "", c, {}, "", {kArithmetic, "Contract to fma"}, "C.contract()"},
        {"rfactor",
         "matmul",
         "",
         k,
         {},
         "",
         {kArithmetic, "Factor the reduction"},
         "C_k = C.rfactor(k)"},
        {"atomic", "matmul", "", c, {}, "", {kArithmetic, "Atomic"}, "C.atomic()"},
        {"fast_math", "matmul", "", c, {}, "", {kArithmetic, "Fast math"}, "C.fast_math()"},
        {"non_temporal",
         "blur",
         "",
         y,
         {},
         "",
         {kMemory, "Stream its stores"},
         "out.non_temporal()"},
        {"prefetch",
         "matmul",
         "",
         i,
         {"H"},
         "A, 2 ahead",
         {kMemory, "Prefetch", "A, 2 ahead"},
         "C.prefetch(A, i, 2)"},
    };
}

class EveryDirective : public WindowTest {
protected:
    void open_case(const Case& each) {
        const auto folder = loopscope::test::scratch_folder();
        const std::string program = each.program;
        std::ofstream(folder + "/own.sched") << "schedule for " << program << "\n" << each.before;
        if (program == "pair") {
            std::ofstream(folder + "/pair.loop") << kPair;
            auto& window = show();
            ASSERT_TRUE(window.open_path(QString::fromStdString(folder + "/pair.loop"),
                                         {folder + "/own.sched", {}, "host"}));
            ASSERT_TRUE(settle());
        } else {
            open(program + ".loop", {folder + "/own.sched", {}, "host"});
        }
    }
    static QAction* entry(QMenu* menu, const QString& text) {
        for (auto* action : menu->actions())
            if (action->text().section('\t', 0, 0) == text)
                return action;
        return nullptr;
    }
    // Opens each list of the path in turn, and clicks its last entry.
    void pick(const QStringList& path) {
        auto* menu = open_menu();
        for (const auto& text : path) {
            ASSERT_TRUE(menu) << "no list for " << text.toStdString();
            auto* action = entry(menu, text);
            ASSERT_TRUE(action) << text.toStdString();
            wait_until([&] { return !window_->session().questions().judging(); }, 10);
            ASSERT_TRUE(action->isEnabled())
                << text.toStdString() << ": " << action->toolTip().toStdString();
            menu->setActiveAction(action);
            if (!action->menu()) {
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                break;
            }
            menu = action->menu();
            ASSERT_TRUE(wait_until([&] { return menu->isVisible(); }, 5)) << text.toStdString();
        }
        EXPECT_FALSE(QApplication::activePopupWidget()) << "the click closes the menu";
        window_->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    }
    void open_context_menu(const NodeId& node) {
        click(node);
        auto* tree = tree_view(*window_);
        const QPoint at = row_centre(node);
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, tree->viewport()->mapToGlobal(at));
        QApplication::sendEvent(tree->viewport(), &event);
        ASSERT_TRUE(open_menu());
    }
    // What the gesture made, and that it is undone and done again.
    void expect_line(const Case& each, const std::string& before) {
        ASSERT_TRUE(settle());
        const std::string after = script();
        EXPECT_NE(("\n" + after).find(std::string("\n") + each.line + "\n"), std::string::npos)
            << each.verb << " made:\n"
            << after;
        const auto shown = window_->session().tree();
        key(Qt::Key_Z, Qt::ControlModifier);
        EXPECT_EQ(script(), before) << each.verb;
        key(Qt::Key_Y, Qt::ControlModifier);
        EXPECT_EQ(script(), after) << each.verb;
        EXPECT_EQ(window_->session().tree()->root->hash, shown->root->hash) << each.verb;
        key(Qt::Key_Z, Qt::ControlModifier);
        EXPECT_EQ(script(), before) << each.verb;
    }
};

TEST_F(EveryDirective, ByItsKeyAndByTheMouse) {
    LOOPSCOPE_LONG_TEST();
    std::set<std::string> done;
    for (std::size_t number = 0; const auto& each : cases()) {
        done.insert(each.verb); // if not at this commit, at others
        if (!loopscope::test::has_turn(number++, 2))
            continue;
        SCOPED_TRACE(each.verb);
        open_case(each);
        const std::string before = script();
        if (!each.key.isEmpty()) {
            click(each.node);
            key(each.key[0].key(), each.key[0].keyboardModifiers());
            if (*each.choice)
                pick({QString::fromUtf8(each.choice)});
            expect_line(each, before);
        }
        open_context_menu(each.node);
        pick(each.path);
        expect_line(each, before);
    }
    done.insert({"tensorize", "tensor_core"}); // the test below
    // Others that came later are where their line in the list says, and do what their fields say.
    for (const auto& kind : directive_kinds())
        if (!done.count(kind.verb)) {
            SCOPED_TRACE(kind.verb);
            open("blur.loop");
            const NodeId y{"out", 0, "y"};
            const auto groups = views::directive_groups(*window_->session().tree(), y);
            const auto* group = views::find_group(groups, kind.verb);
            ASSERT_TRUE(group && !group->choices.empty()) << "it needs a case of its own";
            QStringList path{group->title};
            if (const auto menu = section_menu(kind.section); !menu.isEmpty())
                path.prepend(menu);
            if (group->choices.size() > 1)
                path << group->choices.front().label;
            open_context_menu(y);
            pick(path);
            ASSERT_TRUE(settle());
            EXPECT_TRUE(script().find(group->choices.front().line.toStdString()) !=
                        std::string::npos)
                << script();
        }
}

// The instructions that are declared multiply other types than this program: the menu says so in
// place.
TEST_F(EveryDirective, TensorInstructionsAreGreyAndSayWhy) {
    open("matmul.loop");
    open_context_menu({"C", 0, "k"});
    auto* list = entry(open_menu(), kTarget);
    ASSERT_TRUE(list && list->menu());
    open_menu()->setActiveAction(list);
    ASSERT_TRUE(wait_until([&] { return list->menu()->isVisible(); }, 5));
    const std::pair<const char*, const char*> reasons[] = {
        {"Tensorise", "is of f16, and A in C of f32"},
        {"Tensor cores", "this machine has no tensor cores"}};
    for (const auto& [title, reason] : reasons) {
        auto* action = entry(list->menu(), title);
        ASSERT_TRUE(action) << title;
        EXPECT_TRUE(wait_until([&] { return !action->isEnabled(); }, 10)) << title;
        EXPECT_TRUE(action->toolTip().contains(reason)) << action->toolTip().toStdString();
    }
    keep_picture("menu-target");
    open_menu()->close();
}

// A schedule as an expert builds it, from the first gesture back to nothing and on to the last
// again.
TEST_F(EveryDirective, ALongWayBackAndForth) {
    open("matmul.loop");
    std::vector<std::string> scripts{script()};
    auto did = [&] {
        ASSERT_TRUE(settle());
        ASSERT_NE(script(), scripts.back());
        scripts.push_back(script());
    };
    auto by_key = [&](const NodeId& node, const QKeySequence& keys, const QString& choice) {
        SCOPED_TRACE(keys.toString().toStdString());
        click(node);
        key(keys[0].key(), keys[0].keyboardModifiers());
        if (!choice.isEmpty())
            pick({choice});
        did();
    };
    auto by_menu = [&](const NodeId& node, const QStringList& path) {
        SCOPED_TRACE(path.join('/').toStdString());
        open_context_menu(node);
        pick(path);
        did();
    };
    by_key({"C", -1, "@stage"}, {"Shift+C"}, "local");
    by_key({"C", 0, "i"}, {"T"}, "16 × 64, with j");
    by_key({"C", 0, "ji"}, {"V"}, "native: one vector of the target");
    by_key({"C", 0, "io"}, {"P"}, {});
    by_key({"C_cache", -1, "@stage"}, {"M"}, "C, loop jo");
    by_key({"C_cache", 0, "k"}, {"Shift+Up"}, {});
    by_key({"C_cache", 0, "k"}, {"S"}, "by 8");
    by_menu({"C_cache", -1, "@stage"}, {kArithmetic, "Contract to fma"});
    by_key({"C_cache", 0, "j"}, {"V"}, "native: one vector of the target");
    by_key({"C_cache", 0, "i"}, {"U"}, "4");
    by_key({"C_cache", -1, "@stage"}, {"C"}, "B into B_local");
    by_key({"B_local", -1, "@stage"}, {"M"}, "C_cache, loop ko");
    by_key({"B_local", -1, "@stage"}, {"L"}, "2 copies");
    by_menu({"B_local", -1, "@stage"}, {kMemory, "Scope", "register"});
    keep_picture("long-way");
    ASSERT_EQ(scripts.size(), 15u);
    for (int round = 0; round < 2; ++round) {
        for (std::size_t at = scripts.size() - 1; at > 0; --at) {
            key(Qt::Key_Z, Qt::ControlModifier);
            EXPECT_EQ(script(), scripts[at - 1]);
        }
        key(Qt::Key_Z, Qt::ControlModifier);
        EXPECT_EQ(script(), scripts.front()) << "there is nothing before";
        for (std::size_t at = 1; at < scripts.size(); ++at) {
            key(Qt::Key_Y, Qt::ControlModifier);
            EXPECT_EQ(script(), scripts[at]);
        }
        key(Qt::Key_Y, Qt::ControlModifier);
        EXPECT_EQ(script(), scripts.back()) << "there is nothing after";
    }
    ASSERT_TRUE(settle());
    EXPECT_EQ(window_->session().document()->revisions().size(), scripts.size())
        << "undo and redo make none";
}

} // namespace test_every_directive
} // namespace loopscope::app::test
