#include "core/base/result.h"
#include "tests/views/fixtures.h"
#include "views/widgets/code_editor.h"
#include "views/widgets/error_list.h"
#include "views/widgets/long_lines.h"
#include "views/widgets/script_editor.h"

#include <gtest/gtest.h>

#include <Qsci/qsciscintilla.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

namespace loopscope::views::test {

namespace {

const QString kScript =
    "schedule for harris\nout.split(y, yo, yi, 8)\nout.parallel(yo)\n# a remark\n";

class Script : public testing::Test {
protected:
    void SetUp() override {
        editor.resize(400, 300);
        editor.set_text(kScript);
        editor.show();
        settle();
        inner = editor.findChild<QsciScintilla*>();
        inner->setFocus();
    }
    int indicator_at(int position, int indicator) {
        return static_cast<int>(inner->SendScintilla(QsciScintilla::SCI_INDICATORVALUEAT, indicator,
                                                     static_cast<long>(position)));
    }
    ScriptEditor editor;
    QsciScintilla* inner = nullptr;
};

} // namespace

TEST_F(Script, OffersNamesWhileTheyAreTyped) {
    editor.set_completions({"parade", "gray", "Parade"});
    inner->setCursorPosition(3, 10);
    QTest::keyClick(inner, Qt::Key_Return);
    QTest::keyClicks(inner, "out.");
    EXPECT_FALSE(inner->isListActive());
    QTest::keyClicks(inner, "para");
    ASSERT_TRUE(inner->isListActive());
    // The list is in order, and the case of letters counts.
    QTest::keyClick(inner, Qt::Key_Down);
    QTest::keyClick(inner, Qt::Key_Tab);
    EXPECT_TRUE(editor.text().endsWith("out.parallel\n")) << editor.text().toStdString();
    QTest::keyClicks(inner, "(gr");
    ASSERT_TRUE(inner->isListActive());
    QTest::keyClick(inner, Qt::Key_Tab);
    EXPECT_TRUE(editor.text().endsWith("out.parallel(gray\n")) << editor.text().toStdString();
}

// A line of many megabytes: each painting would take seconds. It is kept, and not shown whole.
TEST_F(Script, ALineOfAnyLengthIsKeptAndShownInPart) {
    for (const QString& text :
         {"schedule for p # " + QString(15'000'000, 'x') + "\n",
          "schedule for p\n# " + QString(15'000'000, QChar(0xe9)) + "\ns.y()"}) {
        editor.set_text(text);
        EXPECT_EQ(editor.text(), text);
        EXPECT_LT(inner->text().size(), 30'000);
        EXPECT_TRUE(inner->isReadOnly());
        EXPECT_TRUE(editor.findChild<QLabel*>()->text().contains("15,000,0"));
    }
    // An error behind what is shown is told, and leads to the end of what is.
    const auto script = editor.text().toStdString();
    const auto file = std::make_shared<SourceFile>("p.sched", script);
    editor.set_diagnostics({error("no verb", "", {file, script.size() - 3, script.size()}),
                            error("too long", "", {file, 1'000'000, 1'000'001})});
    EXPECT_TRUE(editor.findChild<QLabel*>()->text().contains("line 3"));
    EXPECT_TRUE(editor.findChild<QLabel*>()->text().contains("cannot be edited"));
    editor.go_to(2, 14'000'000);
    int line = 0, index = 0;
    inner->getCursorPosition(&line, &index);
    EXPECT_EQ(line, 1);
    editor.set_text(kScript);
    EXPECT_EQ(editor.text(), kScript);
    EXPECT_FALSE(inner->isReadOnly());
    EXPECT_TRUE(editor.findChild<QLabel*>()->isHidden());
}

TEST(LongLines, AreCutBetweenCharacters) {
    const auto smile = QString::fromUcs4(U"\U0001F600");
    const auto shown = shorten_lines("a\n" + QString(19'999, 'x') + smile + "yz\nb");
    EXPECT_EQ(shown.text, "a\n" + QString(19'999, 'x') + " … (4 more)\nb");
    EXPECT_EQ(shown.cut_line, 2);
    EXPECT_EQ(shorten_lines("a\n\nb\n").text, "a\n\nb\n");
}

TEST_F(Script, SuchALineIsNotPasted) {
    QGuiApplication::clipboard()->setText("# " + QString(1'000'000, 'x'));
    editor.flush();
    for (const bool selected : {false, true}) {
        selected ? inner->selectAll() : inner->setCursorPosition(1, 0);
        inner->paste();
        EXPECT_EQ(editor.text(), kScript) << "also what was selected stays";
        EXPECT_FALSE(editor.edit_pending());
        EXPECT_TRUE(editor.findChild<QLabel*>()->text().contains("Nothing was pasted"));
    }
    // Nor is one put together.
    inner->setCursorPosition(3, 0);
    QGuiApplication::clipboard()->setText(QString(15'000, 'x'));
    inner->paste();
    const auto once = editor.text();
    EXPECT_EQ(once.size(), kScript.size() + 15'000);
    inner->paste();
    EXPECT_EQ(editor.text(), once);
    // What is replaced makes room.
    inner->setSelection(3, 0, 3, 15'000);
    QGuiApplication::clipboard()->setText(QString(19'000, 'y'));
    inner->paste();
    EXPECT_EQ(editor.text().count('y'), QString(kScript).count('y') + 19'000);
    EXPECT_EQ(editor.text().size(), once.size() + 4'000);
    inner->setCursorPosition(1, 0);
    QGuiApplication::clipboard()->setText(QString("# x\n").repeated(100'000));
    inner->paste();
    EXPECT_EQ(editor.text().size(), once.size() + 404'000);
}

// An editor whose names were just given goes before anything else had time to run.
TEST(ScriptEditors, MayGoAsSoonAsTheyAreMade) {
    QStringList names;
    for (int n = 0; n < 500; ++n)
        names << QStringLiteral("stage_%1").arg(n);
    for (int round = 0; round < 1000; ++round) {
        ScriptEditor editor;
        editor.set_completions(names);
    }
}

TEST_F(Script, AnnouncesOnceAPause) {
    QSignalSpy edited(&editor, &ScriptEditor::textEdited);
    inner->setCursorPosition(2, 0);
    QTest::keyClicks(inner, "out.");
    EXPECT_TRUE(editor.edit_pending());
    EXPECT_EQ(edited.count(), 0);
    ASSERT_TRUE(edited.wait(3000));
    EXPECT_EQ(edited.count(), 1);
    EXPECT_EQ(edited[0][0].toString(), editor.text());
    EXPECT_TRUE(editor.text().contains("out.out.parallel"));
}

TEST_F(Script, FlushAnnouncesAtOnce) {
    QSignalSpy edited(&editor, &ScriptEditor::textEdited);
    QTest::keyClicks(inner, "#");
    editor.flush();
    EXPECT_EQ(edited.count(), 1);
    EXPECT_FALSE(editor.edit_pending());
    editor.flush();
    EXPECT_EQ(edited.count(), 1);
}

TEST_F(Script, SettingTheTextKeepsTheCursorWithItsLineAndAnnouncesNothing) {
    QSignalSpy edited(&editor, &ScriptEditor::textEdited),
        line(&editor, &ScriptEditor::lineSelected);
    inner->setCursorPosition(2, 4);
    settle();
    line.clear();
    editor.set_text("schedule for harris\nout.split(y, yo, yi, 8)\nout.vectorize(x, "
                    "native)\nout.parallel(yo)\n# a remark\n");
    int at = 0, index = 0;
    inner->getCursorPosition(&at, &index);
    EXPECT_EQ(at, 3) << "a line came in above";
    EXPECT_EQ(index, 4);
    QTest::qWait(ScriptEditor::kPauseMilliseconds + 50);
    EXPECT_EQ(edited.count(), 0);
    EXPECT_EQ(line.count(), 0);
}

TEST_F(Script, SettingTheTextDropsAWaitingEdit) {
    QSignalSpy edited(&editor, &ScriptEditor::textEdited);
    QTest::keyClicks(inner, "x");
    editor.set_text(kScript);
    EXPECT_EQ(editor.text(), kScript);
    QTest::qWait(ScriptEditor::kPauseMilliseconds + 50);
    EXPECT_EQ(edited.count(), 0);
}

TEST_F(Script, TextsWithWideCharactersSurvive) {
    for (const QString& text : {QStringLiteral("# größer ×2\n"), QStringLiteral("# größer ÷2\n"),
                                QStringLiteral("# 日本\n"), QString(), kScript}) {
        editor.set_text(text);
        EXPECT_EQ(editor.text(), text);
    }
}

TEST_F(Script, ErrorsAreMarkedInPlace) {
    auto file = std::make_shared<SourceFile>("a.sched", kScript.toStdString());
    const std::size_t begin = kScript.indexOf("parallel"), end = begin + 8;
    editor.set_diagnostics(
        Diagnostics(1, error("the iterations depend on one another", "use C.serial(yo)",
                             SourceRange{file, begin, end})));
    EXPECT_EQ(indicator_at(static_cast<int>(begin), 8), 1);
    EXPECT_EQ(indicator_at(static_cast<int>(end) + 1, 8), 0);
    EXPECT_TRUE(inner->annotation(2).isEmpty()) << "no line is pushed away by a message";
    EXPECT_NE(inner->markersAtLine(2), 0u);
    auto* status = editor.findChild<QLabel*>();
    ASSERT_NE(status, nullptr);
    EXPECT_TRUE(status->isVisible());
    EXPECT_TRUE(status->text().contains("line 3"));
    EXPECT_TRUE(status->text().contains("depend on one another"));
    editor.set_diagnostics({});
    EXPECT_EQ(indicator_at(static_cast<int>(begin), 8), 0);
    EXPECT_FALSE(status->isVisible());
}

TEST_F(Script, SeveralErrorsAreListedAndLeadToTheirPlaces) {
    auto file = std::make_shared<SourceFile>("a.sched", kScript.toStdString());
    const std::size_t split = kScript.indexOf("split"), parallel = kScript.indexOf("parallel");
    const Diagnostics two{error("no loop y", {}, SourceRange{file, split, split + 5}),
                          error("no loop yo", {}, SourceRange{file, parallel, parallel + 8})};
    auto* list = editor.findChild<ErrorList*>();
    ASSERT_NE(list, nullptr);
    editor.set_diagnostics({two.front()});
    EXPECT_FALSE(list->isVisible()) << "one is said already";
    editor.set_diagnostics(two);
    settle();
    ASSERT_TRUE(list->isVisible());
    ASSERT_EQ(list->model()->rowCount(), 2);
    const auto second = list->model()->index(1, 0);
    EXPECT_EQ(second.data().toString(), "line 3: error: no loop yo");
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(second).center());
    int line = 0, column = 0;
    inner->getCursorPosition(&line, &column);
    EXPECT_EQ(line, 2);
    EXPECT_EQ(column, 4);
    const auto has_keyboard = [&](QWidget* part) { return editor.focusWidget() == part; };
    EXPECT_TRUE(has_keyboard(list)) << "what is copied now is the error";
    QTest::keyClick(list, Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QGuiApplication::clipboard()->text(), "line 3: error: no loop yo");
    list->setCurrentIndex(list->model()->index(0, 0));
    QTest::keyClick(list, Qt::Key_Return);
    inner->getCursorPosition(&line, &column);
    EXPECT_EQ(line, 1);
    EXPECT_TRUE(has_keyboard(inner)) << "gone to";
    editor.set_diagnostics({});
    EXPECT_FALSE(list->isVisible());
}

TEST_F(Script, AnErrorBeyondTheTextDoesNoHarm) {
    auto file = std::make_shared<SourceFile>("a.sched", std::string(9000, 'x'));
    editor.set_diagnostics(Diagnostics(1, error("far away", {}, SourceRange{file, 8000, 8999})));
    editor.set_diagnostics(Diagnostics(1, error("nowhere")));
}

TEST_F(Script, UndoBelongsToTheDocument) {
    QSignalSpy edited(&editor, &ScriptEditor::textEdited),
        undo(&editor, &ScriptEditor::undoRequested), redo(&editor, &ScriptEditor::redoRequested);
    QTest::keyClicks(inner, "x");
    const QString typed = editor.text();
    QTest::keyClick(inner, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(undo.count(), 1);
    EXPECT_EQ(edited.count(), 1) << "what was typed last becomes a step first";
    EXPECT_EQ(editor.text(), typed);
    QTest::keySequence(inner, QKeySequence::Redo);
    EXPECT_EQ(redo.count(), 1);
}

TEST_F(Script, TheCursorsLineIsTold) {
    QSignalSpy line(&editor, &ScriptEditor::lineSelected);
    inner->setCursorPosition(1, 0);
    settle();
    line.clear();
    QTest::keyClick(inner, Qt::Key_Down);
    settle(); // the editor tells of its cursor when it paints
    ASSERT_EQ(line.count(), 1);
    EXPECT_EQ(line[0][0].toInt(), 3);
    editor.go_to(2, 5);
    int at = 0, index = 0;
    inner->getCursorPosition(&at, &index);
    EXPECT_EQ(at, 1);
    EXPECT_EQ(index, 4);
}

TEST(CodeTokens, VerbsHaveTheColourOfTheirMeaning) {
    const QByteArray line = "C.parallel(io)  # why";
    const auto tokens = tokenize_schedule(line);
    ASSERT_EQ(tokens.size(), 2u);
    EXPECT_EQ(line.mid(tokens[0].begin, tokens[0].end - tokens[0].begin), "parallel");
    EXPECT_EQ(tokens[0].style, style_of(Meaning::Parallel));
    EXPECT_EQ(line.mid(tokens[1].begin), "# why");
    EXPECT_EQ(tokens[1].style, static_cast<int>(CodeStyle::Comment));
    EXPECT_EQ(tokenize_schedule("C.split(k, ko, ki, 32)")[0].style,
              static_cast<int>(CodeStyle::Verb));
    EXPECT_EQ(tokenize_schedule("schedule for harris").size(), 2u);
    EXPECT_EQ(tokenize_schedule("x = C.cache_read(target, local)").size(), 2u)
        << "a header's word is one only in a header";
}

TEST(CodeTokens, TokensAreInOrderAndInsideTheirLine) {
    const char* lines[] = {"stage out[y, x]: f32 = let t = 1.5e-3 in 0..K # \"",
                           "%1 = load <16 x float>, ptr %p, align 64 ; c",
                           "\"unfinished",
                           "",
                           "##",
                           "0xff 1u8 a..b"};
    for (auto tokenize : {tokenize_schedule, tokenize_pipeline, tokenize_loops, tokenize_llvm})
        for (const char* line : lines) {
            int last = 0;
            for (const CodeToken& token : tokenize(line)) {
                EXPECT_GE(token.begin, last);
                EXPECT_GT(token.end, token.begin);
                last = token.end;
            }
            EXPECT_LE(last, static_cast<int>(strlen(line)));
        }
}

} // namespace loopscope::views::test
