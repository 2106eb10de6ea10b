// Rows leave the window: as lines in the clipboard, and as files.
#include "tests/gui/gui_support.h"

#include "tests/support/support.h"
#include "views/widgets/history_view.h"
#include "views/widgets/schedule_tree_view.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QTimer>

#include <filesystem>

namespace loopscope::app::test {
namespace test_copying {

using Copying = WindowTest;

TEST_F(Copying, ARowOfTheTreeIsCopiedAndNotChanged) {
    open("harris.loop");
    const auto before = script();
    click({"out", 0, "y"});
    key(Qt::Key_C, Qt::ControlModifier);
    const auto text = QApplication::clipboard()->text();
    const auto row = tree_view(*window_)->currentIndex();
    EXPECT_TRUE(text.startsWith(row.siblingAtColumn(0).data().toString() + '\t'))
        << text.toStdString();
    EXPECT_FALSE(text.contains('\n'));
    EXPECT_EQ(script(), before);
}

TEST_F(Copying, TheHistoryIsSavedAsCsv) {
    auto& window = open("harris.loop");
    click({"out", 0, "y"});
    key(Qt::Key_P);
    ASSERT_TRUE(settle());
    auto* history = history_view(window);
    ASSERT_TRUE(window.show_panel("history"));
    const auto at = history->visualRect(history->currentIndex()).center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, history->viewport()->mapToGlobal(at));
    QApplication::sendEvent(history->viewport(), &event);
    const auto path = loopscope::test::scratch_folder() + "/history.csv";
    QTimer answer; // the dialog has a loop of its own
    QObject::connect(&answer, &QTimer::timeout, [&] {
        auto* dialog = window.findChild<QFileDialog*>();
        if (!dialog || !dialog->isVisible())
            return;
        answer.stop();
        dialog->selectFile(QString::fromStdString(path));
        QMetaObject::invokeMethod(dialog, "accept");
    });
    answer.start(20);
    choose("Save as CSV…");
    ASSERT_TRUE(std::filesystem::exists(path));
    const auto csv = QString::fromStdString(loopscope::test::read_file(path));
    EXPECT_EQ(csv.count("\r\n"), 3)
        << "headings, the first schedule, and the parallel one: " << csv.toStdString();
}

} // namespace test_copying
} // namespace loopscope::app::test
