// What a check found belongs to the schedule that was checked: in the status line, in the history,
// and in the document.

#include "app/session/check_verdicts.h"
#include "app/windows/verdict_text.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/widgets/history_view.h"

#include <QLabel>

namespace loopscope::app::test {

namespace {

class Verdicts : public WindowTest {
protected:
    void check() {
        window_->session().tasks().check();
        ASSERT_TRUE(wait_until([&] { return !window_->session().tasks().busy(); }));
        ASSERT_TRUE(settle());
    }
    QString status() {
        for (const auto* label : window_->findChildren<QLabel*>())
            if (label->accessibleName() == "Legality of the schedule")
                return label->text();
        return {};
    }
    QString row(int number) {
        const auto* model = window_->findChild<views::HistoryView*>()->history_model();
        return model
            ->data(model->index_of(model->rows()[static_cast<std::size_t>(number)].id),
                   Qt::DisplayRole)
            .toString();
    }
};

} // namespace

TEST_F(Verdicts, StayWithTheScheduleThatWasChecked) {
    auto& session = open("blur.loop", {{}, {{"H", 40}, {"W", 70}}, ""}).session();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(status().contains("result"));
    check();
    EXPECT_TRUE(status().contains("✓ result checked")) << status().toStdString();
    EXPECT_TRUE(row(0).startsWith("✓ "));
    keep_picture("verdict");
    ASSERT_TRUE(session.apply_directive("out.parallel(y)").ok());
    ASSERT_TRUE(settle());
    EXPECT_FALSE(status().contains("result")) << "of another schedule";
    EXPECT_FALSE(row(1).startsWith("✓"));
    EXPECT_TRUE(row(0).startsWith("✓ "));
    session.undo();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(status().contains("✓ result checked"));
    const auto file = loopscope::test::scratch_folder() + "/kept.loopscope";
    ASSERT_TRUE(session.save_document(file).ok());
    show();
    ASSERT_TRUE(window_->open_path(file));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(row(0).startsWith("✓ "));
    EXPECT_TRUE(status().contains("✓ result checked"));
    const auto* kept = window_->session().verdicts().now();
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->at, "H = 40, W = 70") << "the sizes go with it";
    EXPECT_TRUE(verdict_text(*kept).contains("this machine, with H = 40, W = 70"));
    EXPECT_TRUE(kept->text.contains("bit for bit")) << kept->text.toStdString();
}

// What is typed may amend a step that was made again: another script, and nobody has checked it.
TEST_F(Verdicts, AnotherScriptOfTheRevisionHasNone) {
    auto& session = open("matmul.loop", {{}, {{"M", 32}, {"N", 32}, {"K", 32}}, ""}).session();
    ASSERT_TRUE(settle());
    const auto before = session.script();
    auto typed = [&](const char* factor) {
        session.edit_script(
            QString::fromStdString(before + "C.split(k, ko, ki, " + factor + ")\n"));
    };
    typed("3");
    ASSERT_TRUE(settle());
    check();
    EXPECT_TRUE(status().contains("✓ result checked")) << status().toStdString();
    const auto checked = session.document()->current().id;
    session.undo();
    typed("3");
    typed("32");
    ASSERT_TRUE(settle());
    EXPECT_FALSE(status().contains("result")) << status().toStdString();
    if (session.document()->current().id == checked) {
        EXPECT_EQ(session.verdicts().of(checked), nullptr);
    }
}

// `native` is another width there.
TEST_F(Verdicts, AnotherDeviceHasNone) {
    auto& session = open("blur.loop", {{}, {{"H", 40}, {"W", 70}}, ""}).session();
    ASSERT_TRUE(settle());
    check();
    EXPECT_TRUE(status().contains("✓ result checked"));
    ASSERT_TRUE(session.set_device("i7-6700").ok());
    ASSERT_TRUE(settle());
    EXPECT_FALSE(status().contains("result")) << status().toStdString();
}

// A document may be a stranger's.
TEST_F(Verdicts, OfAStrangerArePassedOver) {
    const auto file = loopscope::test::scratch_folder() + "/odd.loopscope";
    for (const auto* text : {"[", "{}", "[1]", "{\"1\": 1, \"x\": {\"right\": true}}",
                             "{\"1\": {\"right\": \"yes\"}, \"9999999999999999999\": {}}",
                             "{\"1\": {\"right\": true, \"machine\": 3}}"}) {
        auto& session = open("blur.loop").session();
        session.keep_state("checks", text);
        ASSERT_TRUE(session.save_document(file).ok());
        show();
        ASSERT_TRUE(window_->open_path(file)) << text;
        ASSERT_TRUE(settle());
        EXPECT_FALSE(status().contains("result")) << text;
    }
}

} // namespace loopscope::app::test
