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

#include <sys/stat.h>

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

// Files of one's own: the schedule and the device.
class OwnFiles : public ProgramWindow {
protected:
    static void write(const std::string& path, const std::string& what) {
        std::ofstream(path + ".new") << what;
        std::filesystem::rename(path + ".new", path); // as editors do
    }
    QString said() { return window_->findChild<NoticeBar*>()->text(); }
    bool press(const QString& what) {
        for (auto* button : window_->findChild<NoticeBar*>()->findChildren<QPushButton*>())
            if (button->text() == what && button->isVisible())
                return button->click(), true;
        return false;
    }
    // The window with blur, the schedule and the device.
    void open_own() {
        write(schedule_, script_text_);
        write(device_, device_text("mine"));
        auto& window = show();
        ASSERT_TRUE(window.open_path(bundled("blur.loop"), {schedule_, {}, device_}));
        ASSERT_TRUE(settle());
        QObject::connect(&window.session(), &session::Session::message, &window,
                         [this](const QString& text, bool) { messages_ += text + "\n"; });
    }
    static std::string device_text(const std::string& description) {
        auto text = loopscope::test::read_file(
            loopscope::test::source_path("resources/devices/i7-6700.json"));
        text.replace(text.find("i7-6700"), 7, "mine");
        const std::string before = "Intel Core i7-6700";
        return text.replace(text.find(before), before.size(), description);
    }

    const std::string folder_ = loopscope::test::scratch_folder();
    const std::string schedule_ = folder_ + "/mine.sched", device_ = folder_ + "/mine.json";
    const std::string script_text_ = "schedule for blur\nout.parallel(y)\n";
    QString messages_;
};

TEST_F(OwnFiles, AScheduleThatChangesOnDiskIsOfferedAsOneStep) {
    open_own();
    auto& session = window_->session();
    const auto revisions = session.document()->revisions().size();
    const auto next = script_text_ + "blur_x.parallel(y)\n";
    write(schedule_, next);
    ASSERT_TRUE(wait_until([&] { return said().contains("mine.sched changed on disk"); }));
    ASSERT_TRUE(press("Take its text"));
    EXPECT_EQ(script(), next);
    EXPECT_EQ(session.document()->revisions().size(), revisions + 1);
    session.undo();
    EXPECT_EQ(script(), script_text_);
    // Written anew elsewhere, that file is the one; what the window writes itself is no news.
    const auto other = folder_ + "/other.sched";
    ASSERT_TRUE(session.save_schedule(other));
    ASSERT_TRUE(session.apply_directive("blur_x.parallel(y)"));
    QTest::qWait(1000);
    EXPECT_EQ(said(), "");
    write(other, "schedule for blur\nnonsense\n");
    ASSERT_TRUE(wait_until([&] { return said().contains("other.sched changed on disk"); }));
    ASSERT_TRUE(press("Take its text"));
    EXPECT_TRUE(session.has_draft()) << "with its errors, as if it were typed";
}

TEST_F(OwnFiles, ADeviceThatChangesOnDiskIsOffered) {
    open_own();
    auto& session = window_->session();
    ASSERT_EQ(session.device()->file, device_);
    write(device_, device_text("another machine"));
    write(schedule_, script_text_ + "# two files at once\n");
    ASSERT_TRUE(wait_until([&] { return said().contains("changed on disk"); }));
    QTest::qWait(1000);           // both are known
    for (int i = 0; i < 2; ++i) { // the one behind the other
        ASSERT_TRUE(said().contains("changed on disk")) << i;
        ASSERT_TRUE(press(said().contains("mine.json") ? "Take it" : "Take its text"));
    }
    EXPECT_EQ(said(), "");
    EXPECT_TRUE(session.device()->description.starts_with("another machine"));
    EXPECT_EQ(script(), script_text_ + "# two files at once\n");
    write(device_, "{");
    ASSERT_TRUE(wait_until([&] { return messages_.contains("describes no device now"); }));
    EXPECT_TRUE(session.device()->description.starts_with("another machine"));
}

TEST_F(OwnFiles, WhatIsGoneOrNoFileIsSaidAndChangesNothing) {
    open_own();
    std::filesystem::remove(schedule_);
    ASSERT_TRUE(wait_until([&] { return messages_.contains("No such file"); }));
    ASSERT_EQ(::mkfifo(schedule_.c_str(), 0600), 0);
    ASSERT_TRUE(wait_until([&] { return messages_.contains("it is not a regular file"); }));
    std::filesystem::remove(schedule_);
    write(schedule_, "");
    std::filesystem::resize_file(schedule_, (16 << 20) + 1);
    ASSERT_TRUE(wait_until([&] { return messages_.contains("is larger than 16 MiB"); }));
    EXPECT_EQ(script(), script_text_);
    EXPECT_EQ(said(), "");
    write(schedule_, script_text_ + "# again\n");
    ASSERT_TRUE(wait_until([&] { return said().contains("mine.sched changed on disk"); }));
}

TEST_F(OwnFiles, ADocumentThatIsReplacedIsSaidBeforeTheNextEdit) {
    open_own();
    const auto document = folder_ + "/mine.loopscope";
    ASSERT_TRUE(window_->session().save_document(document));
    ASSERT_TRUE(window_->session().apply_directive("blur_x.parallel(y)"));
    QTest::qWait(1000);
    EXPECT_EQ(said(), "") << "its own edits are no news";
    write(document, "of another program");
    ASSERT_TRUE(wait_until([&] { return said().contains("was moved or removed"); }));
    const auto saved = folder_ + "/saved.loopscope";
    ASSERT_TRUE(window_->session().save_document(saved));
    EXPECT_EQ(loopscope::test::read_file(document), "of another program");
}

TEST_F(OwnFiles, ADocumentThatIsOverwrittenInPlaceIsSaidBeforeTheNextEdit) {
    open_own();
    const auto document = folder_ + "/mine.loopscope";
    ASSERT_TRUE(window_->session().save_document(document));
    const auto older = loopscope::test::read_file(document);
    ASSERT_TRUE(window_->session().apply_directive("blur_x.parallel(y)"));
    window_->session().undo();
    window_->session().redo();
    QTest::qWait(1000);
    EXPECT_EQ(said(), "") << "its own edits are no news";
    std::ofstream(document, std::ios::binary | std::ios::trunc) << older; // as `cp` does
    ASSERT_TRUE(wait_until([&] { return said().contains("was written to by another program"); }));
    const auto saved = folder_ + "/saved.loopscope";
    ASSERT_TRUE(window_->session().save_document(saved));
    EXPECT_EQ(loopscope::test::read_file(document), older);
    window_->session().undo();
    QTest::qWait(1000);
    EXPECT_FALSE(said().contains("written to")) << "it goes on in the other file";
}

} // namespace test_program
} // namespace loopscope::app::test
