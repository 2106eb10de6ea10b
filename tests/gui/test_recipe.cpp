// A recipe in the window: the tree shows what it stands for, the script says the word, and the
// lines can be had in its place.

#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/widgets/schedule_tree_view.h"

#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QMenuBar>

#include <fstream>

namespace loopscope::app::test {

class Recipes : public WindowTest {
protected:
    MainWindow& open_with(const std::string& lines) {
        const auto path = loopscope::test::scratch_folder() + "/recipe.sched";
        std::ofstream(path) << "schedule for matmul_f16\ntarget h200\n" << lines;
        auto& window = open("matmul_f16.loop", {path, {}, ""});
        EXPECT_TRUE(settle());
        return window;
    }
    QAction* action(const char* text) {
        for (auto* each : window_->menuBar()->findChildren<QAction*>())
            if (each->text().remove('&') == text)
                return each;
        return nullptr;
    }
};

TEST_F(Recipes, AreWrittenOutByAnActionAsOneStep) {
    auto& window = open_with("C.tensor_core()\n");
    const std::string word = script();
    ASSERT_TRUE(window.session().tree()->find({"C_sums", 0, "k_step"}));
    auto* write_out = action("Write out a recipe");
    ASSERT_TRUE(write_out);
    EXPECT_TRUE(write_out->isEnabled());
    click({"C", 0, "i_block"});
    write_out->trigger();
    EXPECT_NE(script().find("# C.tensor_core():\nC_sums = C.cache_write(fragment)\n"),
              std::string::npos);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(window.session().tree()->find({"C_sums", 0, "k_step"}));
    EXPECT_FALSE(write_out->isEnabled()) << "there is no recipe left";
    keep_picture("recipe-written-out");
    action("Undo write out C.tensor_core()")->trigger();
    EXPECT_EQ(script(), word);
    EXPECT_TRUE(write_out->isEnabled());
}

// From the menu of the stage, on a target that has tensor cores.
TEST_F(Recipes, AreAddedFromTheMenu) {
    open_with("");
    EXPECT_FALSE(action("Write out a recipe")->isEnabled());
    click({"C", 0, "i"});
    auto* tree = tree_view(*window_);
    const QPoint at = row_centre({"C", 0, "i"});
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, tree->viewport()->mapToGlobal(at));
    QApplication::sendEvent(tree->viewport(), &event);
    choose("Tensor cores");
    EXPECT_EQ(script(), "schedule for matmul_f16\ntarget h200\nC.tensor_core()\n");
    EXPECT_TRUE(action("Write out a recipe")->isEnabled());
}

} // namespace loopscope::app::test
