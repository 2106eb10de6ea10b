// The panel of what is scheduled: params and the pipeline's text, as a person changes them.
#include "app/session/program_edits.h"
#include "app/windows/notice_bar.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/widgets/params_view.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/script_editor.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace loopscope::app::test {
namespace test_program {

class ProgramWindow : public WindowTest {
protected:
    views::ParamsView* params() { return window_->findChild<views::ParamsView*>(); }
    views::ScriptEditor* text() {
        for (auto* editor : window_->findChildren<views::ScriptEditor*>())
            if (editor->accessibleName() == "Pipeline text")
                return editor;
        return nullptr;
    }
    std::int64_t param(const std::string& name) {
        for (const auto& each : window_->session().pipeline()->params)
            if (each.name == name)
                return each.value;
        return -1;
    }
    void give(const std::string& name, const QString& value) {
        auto* field = params()->field(name);
        ASSERT_TRUE(field);
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, value);
        QTest::keyClick(field, Qt::Key_Return);
    }
};

TEST_F(ProgramWindow, AParamIsTypedAndTakenBack) {
    auto& window = open("blur.loop");
    window.show_panel("program");
    ASSERT_TRUE(settle());
    const auto before = param("H");
    give("H", "100");
    ASSERT_TRUE(settle());
    EXPECT_EQ(param("H"), 100);
    keep_picture("program_params");
    give("H", "0");
    EXPECT_EQ(param("H"), 100);
    bool said = false;
    for (const auto* label : params()->findChildren<QLabel*>())
        said = said || (label->accessibleName() == "Why the values were refused" &&
                        label->isVisible() && !label->text().isEmpty());
    EXPECT_TRUE(said);
    keep_picture("program_refused");
    auto* field = params()->field("H");
    field->setFocus();
    field->clear();
    params()->field("W")->setFocus();
    EXPECT_EQ(field->text(), "100") << "a field without a value has its own again";
    QTest::keyClick(params()->field("W"), Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(settle());
    EXPECT_EQ(param("H"), before);
    EXPECT_EQ(params()->field("H")->text(), QString::number(before));
}

// What is folded and zoomed stays: it is the same pipeline.
TEST_F(ProgramWindow, AnotherSizeKeepsThePictureOfTheGraph) {
    auto& window = open("stencil_chain.loop");
    ASSERT_TRUE(settle());
    auto* graph = window.findChild<views::PipelineGraphView*>();
    ASSERT_TRUE(graph);
    graph->setFocus();
    QTest::keyClick(graph, Qt::Key_Plus);
    QTest::keyClick(graph, Qt::Key_Plus);
    const auto zoom = graph->zoom();
    for (const auto& each : window.session().pipeline()->params) {
        ASSERT_TRUE(window.session().program().set_params({{each.name, each.value + 16}}).ok());
        break;
    }
    ASSERT_TRUE(settle());
    EXPECT_DOUBLE_EQ(graph->zoom(), zoom);
}

TEST_F(ProgramWindow, SizesOfATableAreChosen) {
    auto& window = open("conv2d.loop");
    window.show_panel("program");
    ASSERT_TRUE(settle());
    QPushButton* button = nullptr;
    for (auto* each : params()->findChildren<QPushButton*>())
        if (each->menu())
            button = each;
    ASSERT_TRUE(button && button->isVisible());
    QAction* chosen = nullptr;
    for (auto* action : button->menu()->actions())
        if (action->text() == "resnet18: c2")
            chosen = action;
    ASSERT_TRUE(chosen);
    chosen->trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(param("H"), 56);
    EXPECT_EQ(param("C"), 64);
    EXPECT_EQ(button->text(), "resnet18: c2");
    keep_picture("program_sizes");
}

TEST_F(ProgramWindow, TheTextIsEdited) {
    auto& window = open("blur.loop");
    window.show_panel("program");
    ASSERT_TRUE(settle());
    ASSERT_TRUE(text());
    auto* area = text()->focusProxy();
    area->setFocus();
    QTest::keyClick(area, Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(area, "stage wrong");
    ASSERT_TRUE(wait_until([&] { return window.session().program().has_draft(); }));
    EXPECT_FALSE(window.session().program().diagnostics().empty());
    keep_picture("program_draft");
    QTest::keyClick(area, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_FALSE(window.session().program().has_draft());
    QTest::keyClick(area, Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(area, "# mine");
    ASSERT_TRUE(wait_until([&] { return window.session().document()->revisions().size() == 2; }));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(window.session().document()->program()->text.ends_with("# mine"));
    EXPECT_EQ(text()->text(), views::to_qstring(window.session().document()->program()->text));
}

TEST_F(ProgramWindow, AFileThatChangesOnDiskIsOffered) {
    const auto path = loopscope::test::scratch_folder() + "/mine.loop";
    const auto text = loopscope::test::read_file(bundled("blur.loop"));
    auto write = [&](const std::string& what) {
        std::ofstream(path + ".new") << what;
        std::filesystem::rename(path + ".new", path); // as editors do
    };
    write(text);
    auto& window = show();
    ASSERT_TRUE(window.open_path(path));
    ASSERT_TRUE(settle());
    auto* bar = window.findChild<NoticeBar*>();
    auto take = [&] {
        for (auto* button : bar->findChildren<QPushButton*>())
            if (button->text() == "Take its text" && button->isVisible())
                return button->click(), true;
        return false;
    };
    write(text + "# one\n");
    ASSERT_TRUE(wait_until([&] { return bar->text().contains("mine.loop changed on disk"); }));
    keep_picture("program_changed");
    bar->show_error("refused"); // an offer is there again once an error has gone
    bar->clear_error();
    EXPECT_TRUE(bar->text().contains("changed on disk"));
    ASSERT_TRUE(take());
    EXPECT_EQ(window.session().document()->program()->text, text + "# one\n");
    write(text + "# two\n"); // and once more, with another file under its name
    ASSERT_TRUE(wait_until([&] { return bar->text().contains("changed on disk"); }));
    window.session().close();
    EXPECT_FALSE(bar->text().contains("changed on disk")) << "it is not open any more";
}

} // namespace test_program
} // namespace loopscope::app::test
