// Help, About Loopscope, held to THIRD_PARTY.md.
#include "tests/gui/gui_support.h"

#include "app/windows/about.h"
#include "compiler/protocol/protocol.h"
#include "tests/support/support.h"

#include <QAction>
#include <QClipboard>
#include <QDialog>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include <algorithm>

namespace loopscope::app::test {
namespace test_about {

using About = WindowTest;

// Rows of THIRD_PARTY.md about what the window or the worker links itself: "SQLite | 3.40.1 | …".
QStringList linked_rows() {
    const auto text = QString::fromStdString(
        loopscope::test::read_file(loopscope::test::source_path("THIRD_PARTY.md")));
    QStringList rows;
    for (const auto& line : text.split('\n')) {
        const auto cells = line.split(" | ");
        if (cells.size() < 4 || !line.startsWith("| "))
            continue;
        const auto& by = cells[3];
        // What comes along through others says no version of its own.
        if ((by == "window" || by == "worker" || by == "all") && !cells[0].contains("(through"))
            rows << line.mid(2);
    }
    return rows;
}

// The lines of the text that name a library.
QStringList named_libraries(const QString& text) {
    QStringList names;
    for (const auto& line : text.split('\n'))
        if (line.startsWith("  "))
            names << line.trimmed().section(' ', 0, 0);
    return names;
}

TEST_F(About, NamesWhatIsLinkedAndCopiesIt) {
    auto& window = show();
    for (auto* action : window.findChildren<QAction*>())
        if (action->text().remove('&') == "About Loopscope")
            action->trigger();
    auto* dialog = window.findChild<QDialog*>("about");
    ASSERT_TRUE(dialog);
    auto* shown = dialog->findChild<QPlainTextEdit*>();
    ASSERT_TRUE(shown);
    ASSERT_TRUE(wait_until([&] { return shown->toPlainText().contains("LLVM"); }, 60));
    const auto text = shown->toPlainText();
    keep_picture("about", *dialog);
    EXPECT_TRUE(text.startsWith(QString("Loopscope %1\n").arg(measure::kProgramVersion)));
    EXPECT_TRUE(text.contains("GPL-3.0-or-later"));
    const auto names = named_libraries(text);
    const auto rows = linked_rows();
    ASSERT_FALSE(rows.isEmpty());
    for (const auto& row : rows)
        EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const QString& name) {
            return row.startsWith(name);
        })) << row.toStdString();
    for (const auto& name : names)
        EXPECT_TRUE(std::any_of(rows.begin(), rows.end(),
                                [&](const QString& row) { return row.startsWith(name); }))
            << name.toStdString() << " is not in THIRD_PARTY.md";
    for (auto* button : dialog->findChildren<QPushButton*>())
        if (button->text().remove('&') == "Copy")
            QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(), text);
    dialog->reject();
}

TEST_F(About, VersionsAreNumbers) {
    for (const auto& [name, version] : window_libraries())
        EXPECT_TRUE(!version.empty() && version[0] >= '0' && version[0] <= '9')
            << name << " " << version;
}

} // namespace test_about
} // namespace loopscope::app::test
