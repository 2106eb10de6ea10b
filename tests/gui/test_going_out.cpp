// What goes out of the window: pictures of every view, and the report.

#include "app/session/expert_schedule.h"
#include "app/session/program_edits.h"
#include "app/windows/notice_bar.h"
#include "app/windows/panel.h"
#include "app/windows/reports.h"
#include "app/windows/screenshot.h"
#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_tree_view.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>
#include <QTimer>
#include <QXmlStreamReader>

namespace loopscope::app::test {

class GoingOut : public WindowTest {
protected:
    QMenu* menu(const QString& title) const {
        for (auto* each : window_->findChildren<QMenu*>())
            if (each->title().remove('&') == title)
                return each;
        return nullptr;
    }
    static QAction* entry(const QMenu* in, const QString& text) {
        for (auto* each : in->actions())
            if (each->text().remove('&') == text)
                return each;
        return nullptr;
    }
    QFileDialog* dialog() {
        for (auto* each : window_->findChildren<QFileDialog*>())
            if (each->isVisible())
                return each;
        return nullptr;
    }
    // Answers the dialog that is open, or will be.
    void answer(const QString& path, const QString& filter = {}) {
        ASSERT_TRUE(wait_until([&] { return dialog() != nullptr; }));
        auto* open = dialog();
        if (!filter.isEmpty()) {
            open->selectNameFilter(filter);
            emit open->filterSelected(filter);
        }
        // A field with the keyboard keeps what a person types: selectFile() would leave it.
        open->findChild<QLineEdit*>("fileNameEdit")->setText(path);
        QMetaObject::invokeMethod(open, "accept");
        QTest::qWait(1);
    }
    // The name that would be saved to, when a form is chosen after it was typed.
    QString name_after_choosing(const QString& typed, const QString& filter) {
        auto* open = dialog();
        auto* field = open ? open->findChild<QLineEdit*>("fileNameEdit") : nullptr;
        auto* forms = open ? open->findChild<QComboBox*>("fileTypeCombo") : nullptr;
        if (!field || !forms)
            return {};
        field->setText(typed);
        forms->setFocus();
        open->selectNameFilter(filter);
        emit open->filterSelected(filter);
        return QFileInfo(open->selectedFiles().value(0)).fileName();
    }
    // Saves the schedule under a name and answers what is asked about it; this is returned.
    QString save_schedule(const QString& typed, QMessageBox::StandardButton button) {
        QString question;
        bool is_typed = false;
        QTimer answer; // the dialog has a loop of its own
        QObject::connect(&answer, &QTimer::timeout, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            auto* open = dialog();
            if (box) {
                question = box->text();
                box->button(button)->click();
            } else if (open && is_typed) {
                open->reject();
            } else if (open) {
                is_typed = true;
                open->findChild<QLineEdit*>("fileNameEdit")->setText(typed);
                QMetaObject::invokeMethod(open, "accept", Qt::QueuedConnection);
            }
        });
        answer.start(20);
        entry(menu("File"), "Save schedule as…")->trigger();
        return question;
    }
    QByteArray bytes_of(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    // A page that is well-formed; empty: it is not, or there is none.
    QByteArray page_of(const QString& path) {
        const auto page = bytes_of(path);
        QXmlStreamReader reader(page);
        while (!reader.atEnd())
            reader.readNext();
        EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
        return reader.hasError() ? QByteArray() : page;
    }
    static bool has_parts(const QByteArray& page, const QStringList& parts) {
        bool all = true;
        for (const auto& part : parts) {
            EXPECT_TRUE(page.contains(part.toUtf8())) << part.toStdString();
            all = all && page.contains(part.toUtf8());
        }
        return all;
    }
    // By the File menu, as a person does.
    QByteArray report() {
        const auto path = folder_ + "/report.html";
        entry(menu("File"), "Report…")->trigger();
        answer(path);
        EXPECT_TRUE(wait_until([&] { return !window_->reports().busy(); }));
        return page_of(path);
    }

    QString folder_ = QString::fromStdString(loopscope::test::scratch_folder());
};

TEST_F(GoingOut, EveryPictureOfAGpusScheduleIsSavedFromTheFileMenuWhetherItIsSeenOrNot) {
    open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"});
    for (const char* panel :
         {"Pipeline", "Schedule tree", "Roofline", "Timeline", "Shared memory"}) {
        auto* action = entry(menu("Save picture"), QString(panel) + "…");
        ASSERT_TRUE(action) << panel;
        ASSERT_TRUE(action->isEnabled()) << panel;
        ASSERT_TRUE(entry(menu("Print"), QString(panel) + "…")) << panel;
        action->trigger();
        const auto path = folder_ + '/' + panel + ".svg";
        answer(path, "Vector picture (*.svg)");
        const auto svg = page_of(path);
        EXPECT_TRUE(svg.contains("<svg"))
            << panel << window_->findChild<NoticeBar*>()->text().toStdString();
        EXPECT_TRUE(svg.contains("matmul_f16 · "))
            << panel << " has no line that says what it is of";
        EXPECT_TRUE(svg.contains("h200, described")) << panel;
    }
}

TEST_F(GoingOut, APictureIsOfTheDeviceUnderItsTitleAlsoRightAfterAChange) {
    auto& window = open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"});
    const auto saved = [&](const QString& name) {
        entry(menu("Save picture"), "Timeline…")->trigger();
        answer(folder_ + '/' + name, "Vector picture (*.svg)");
        return page_of(folder_ + '/' + name);
    };
    EXPECT_TRUE(saved("before.svg").contains("h200, described"));
    ASSERT_TRUE(window.session().set_device("a100-sxm-40gb").ok());
    // An estimate that takes longer than a step waits for is not there yet: the picture waits.
    const auto at_once = saved("at_once.svg");
    ASSERT_TRUE(settle());
    EXPECT_TRUE(at_once.contains("a100"));
    EXPECT_EQ(at_once, saved("later.svg"));
}

TEST_F(GoingOut, APictureOfADocumentThatIsClosedMeanwhileIsNotAskedFor) {
    auto& window = open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"});
    entry(menu("Save picture"), "Shared memory…")->trigger();
    EXPECT_FALSE(dialog()) << "it waits for how shared memory is used";
    window.session().close();
    QTest::qWait(200);
    EXPECT_FALSE(dialog());
    ASSERT_TRUE(window.session().open(bundled("blur.loop")).ok());
    EXPECT_TRUE(settle()) << "nothing is waited for that was of the one before";
    EXPECT_FALSE(dialog());
}

TEST_F(GoingOut, ADocumentThatIsClosedBelowTheDialogLeavesNoFile) {
    auto& window = open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"});
    entry(menu("Save picture"), "Timeline…")->trigger();
    ASSERT_TRUE(wait_until([&] { return dialog() != nullptr; }));
    window.session().close();
    answer(folder_ + "/gone.svg", "Vector picture (*.svg)");
    EXPECT_FALSE(QFile::exists(folder_ + "/gone.svg"));
    EXPECT_TRUE(notice(window)->text().contains("no document is open"));
}

TEST_F(GoingOut, AReportThatCannotBeMadeInTimeSaysSo) {
    auto& window = open("blur.loop");
    ASSERT_TRUE(window.session().apply_directive("out.parallel(y)").ok());
    window.reports().set_patience(0);
    std::optional<Status> done;
    window.reports().write(folder_ + "/late.html", [&](const Status& status) { done = status; });
    ASSERT_TRUE(wait_until([&] { return done.has_value(); }));
    ASSERT_FALSE(*done);
    EXPECT_FALSE(done->errors().front().remedy.empty());
    EXPECT_FALSE(QFile::exists(folder_ + "/late.html"));
    EXPECT_FALSE(window.reports().busy());
}

TEST_F(GoingOut, AReportListsNoMeasurementOfOtherParams) {
    auto& window = open("blur.loop", {{}, {{"H", 480}, {"W", 640}}, "host"});
    auto& session = window.session();
    session.tasks().measure(0.05);
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }, 120));
    ASSERT_TRUE(session.program().set_params({{"H", 100}}).ok());
    ASSERT_TRUE(settle());
    const auto page = report();
    EXPECT_TRUE(
        has_parts(page, {"H = 100", "Nothing was measured with these.", "other parameters: 1."}));
    EXPECT_FALSE(page.contains("The present schedule is revision")) << "a row is listed";
}

TEST_F(GoingOut, AProcessorHasNoPicturesOfAGpu) {
    open("blur.loop");
    EXPECT_FALSE(entry(menu("Save picture"), "Timeline…")->isEnabled());
    EXPECT_FALSE(entry(menu("Print"), "Shared memory…")->isEnabled());
    EXPECT_TRUE(entry(menu("Save picture"), "Roofline…")->isEnabled());
    window_->session().close();
    EXPECT_FALSE(entry(menu("Save picture"), "Roofline…")->isEnabled());
    EXPECT_FALSE(entry(menu("File"), "Report…")->isEnabled());
}

TEST_F(GoingOut, TheScaleOfAPngIsChosenInTheDialog) {
    open("blur.loop");
    QSize sizes[2];
    for (const int scale : {1, 4}) {
        entry(menu("Save picture"), "Roofline…")->trigger();
        const auto path = folder_ + QStringLiteral("/roofline-%1.png").arg(scale);
        answer(path,
               QStringLiteral("Pixels, %1 times as many as on the screen (*.png)").arg(scale));
        sizes[scale / 4] = QImage(path).size();
    }
    EXPECT_GT(sizes[0].width(), 900);
    EXPECT_EQ(sizes[1], sizes[0] * 4);
}

TEST_F(GoingOut, AFormThatIsChosenLaterKeepsTheNameThatWasTyped) {
    open("blur.loop");
    entry(menu("Save picture"), "Roofline…")->trigger();
    ASSERT_TRUE(wait_until([&] { return dialog() != nullptr; }));
    EXPECT_EQ(name_after_choosing("mine", "PDF (*.pdf)").toStdString(), "mine.pdf");
    EXPECT_EQ(name_after_choosing("mine.pdf", "Vector picture (*.svg)").toStdString(), "mine.svg");
    EXPECT_TRUE(name_after_choosing("", "PDF (*.pdf)").startsWith("blur-"));
    dialog()->reject();
    entry(menu("File"), "Export…")->trigger();
    ASSERT_TRUE(wait_until([&] { return dialog() != nullptr; }));
    EXPECT_EQ(name_after_choosing("mine", "Schedule (*.sched)").toStdString(), "mine.sched");
    EXPECT_EQ(name_after_choosing("", "C (*.c)").toStdString(), "blur.c");
    dialog()->reject();
}

TEST_F(GoingOut, AFileIsReplacedOnlyIfThePersonSaysSo) {
    open("blur.loop");
    const auto path = folder_ + "/there.sched";
    EXPECT_EQ(save_schedule(folder_ + "/there", QMessageBox::No), "") << "there is none yet";
    EXPECT_EQ(bytes_of(path).toStdString(), script());
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("of another person");
    file.close();
    // Typed without its ending, as it was before.
    EXPECT_TRUE(save_schedule(folder_ + "/there", QMessageBox::No).contains("there.sched"));
    EXPECT_EQ(bytes_of(path), "of another person");
    EXPECT_TRUE(save_schedule(folder_ + "/there", QMessageBox::Yes).contains("there.sched"));
    EXPECT_EQ(bytes_of(path).toStdString(), script());
}

TEST_F(GoingOut, TheContextMenusOfTreeAndGraphSaveThePicture) {
    auto& window = open("blur.loop");
    auto* tree = tree_view(window);
    const auto at = tree->visualRect(tree->model()->index(0, 0)).center();
    QContextMenuEvent in_tree(QContextMenuEvent::Mouse, at, tree->viewport()->mapToGlobal(at));
    QApplication::sendEvent(tree->viewport(), &in_tree);
    choose("Save picture…");
    answer(folder_ + "/tree.pdf", "PDF (*.pdf)");
    EXPECT_TRUE(bytes_of(folder_ + "/tree.pdf").startsWith("%PDF"));

    auto* graph = graph_view(window);
    const QPoint ground(2, 2);
    QContextMenuEvent in_graph(QContextMenuEvent::Mouse, ground, graph->mapToGlobal(ground));
    QApplication::sendEvent(graph, &in_graph);
    choose("Save picture…");
    answer(folder_ + "/graph.pdf", "PDF (*.pdf)");
    EXPECT_TRUE(bytes_of(folder_ + "/graph.pdf").startsWith("%PDF"));
}

TEST_F(GoingOut, AFolderThatIsGoneIsSaidAndNothingIsLeft) {
    auto& window = open("blur.loop");
    const auto gone = folder_ + "/gone";
    std::optional<Status> done;
    window.reports().write(gone + "/report.html", [&](const Status& status) { done = status; });
    ASSERT_TRUE(wait_until([&] { return done.has_value(); }));
    ASSERT_FALSE(*done);
    EXPECT_NE(done->errors().front().message.find("gone"), std::string::npos);
    EXPECT_FALSE(QDir(gone).exists());
}

TEST_F(GoingOut, AReportOfAProcessorComparesWithTheBaselineAndTheExpert) {
    auto& window = open("blur.loop", {{}, {{"H", 480}, {"W", 640}}, "host"});
    auto& session = window.session();
    session.baseline().pin();
    ASSERT_TRUE(session.apply_directive("out.parallel(y)").ok());
    ASSERT_TRUE(settle());
    session.tasks().measure(0.05);
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }, 120));
    session.tasks().check();
    ASSERT_TRUE(wait_until([&] { return !session.tasks().busy(); }, 120));
    const auto page = report();
    EXPECT_TRUE(
        has_parts(page, {"<h1>blur</h1>", "Present schedule", "Pinned baseline", "Expert schedule",
                         "blur.cpu.sched", "out.parallel(y)", "H = 480", "Pipeline graph",
                         "Schedule tree", "Roofline of", "Peaks", "Loopscope", "<h2>Checks</h2>"}));
    EXPECT_FALSE(page.contains("Nothing was measured.")) << "it was";
    EXPECT_FALSE(page.contains("Nothing was checked.")) << "it was";
    EXPECT_FALSE(page.contains("Timeline")) << "that is a GPU's";
    EXPECT_EQ(page.count("<svg "), 3);
}

TEST_F(GoingOut, AReportOfADescribedGpuHasThePicturesThatNobodySees) {
    open("matmul_f16.loop", {bundled("matmul_f16.gpu.sched"), {}, "h200"});
    const auto page = report();
    EXPECT_TRUE(
        has_parts(page, {"<h1>matmul_f16</h1>", "a described device", "Timeline of",
                         "Shared memory of", "Roofline of", "Expert schedule", "matmul_f16.gpu",
                         "Nothing was measured.", "mma_m16n8k16_f16", "Kernels"}));
    EXPECT_EQ(page.count("<svg "), 5);
}

TEST_F(GoingOut, AReportIsWrittenWithoutAnybodyAtTheWindow) {
    const auto blur = [&]() -> MainWindow& {
        return open("blur.loop", {bundled("blur.cpu.sched"), {}, "host"});
    };
    EXPECT_EQ(write_report(blur(), folder_ + "/gone/alone.html"), 2);
    const auto path = folder_ + "/alone.html";
    EXPECT_EQ(write_report(blur(), path), 0);
    EXPECT_TRUE(has_parts(page_of(path), {"<h1>blur</h1>", "Present schedule"}));
}

TEST_F(GoingOut, APictureOrAReportOfADocumentChangesNothingOfIt) {
    const auto document = folder_ + "/read.loopscope";
    auto& window = open("blur.loop");
    ASSERT_TRUE(window.session().save_document(document.toStdString()));
    ASSERT_TRUE(window.session().apply_directive("out.parallel(y)"));
    close_window();
    const auto before = bytes_of(document);
    ASSERT_FALSE(before.isEmpty());
    const auto made = [&](const QStringList& options) {
        QProcess program;
        program.start(QString::fromStdString(loopscope::test::program_path("loopscope")),
                      QStringList(document) + options);
        EXPECT_TRUE(program.waitForFinished(240'000));
        EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    };
    const auto page = folder_ + "/page.html", picture = folder_ + "/picture.png";
    const auto schedule = QString::fromStdString(bundled("blur.cpu.sched"));
    made({"--device", "i7-6700", "-s", schedule, "--baseline", schedule, "--report", page});
    EXPECT_EQ(bytes_of(document), before);
    EXPECT_TRUE(has_parts(page_of(page), {"read.loopscope", "a described device", "baseline"}));
    made({"--device", "i7-6700", "--screenshot", picture});
    EXPECT_EQ(bytes_of(document), before);
    EXPECT_FALSE(QImage(picture).isNull());
    EXPECT_EQ(QDir(folder_).entryList({"read*"}, QDir::Files), QStringList("read.loopscope"));
}

TEST_F(GoingOut, ADocumentIsHandedOnToSomebodyWithoutItsDevice) {
    const auto device = folder_ + "/own.json", handed = folder_ + "/handed.loopscope",
               alone = folder_ + "/alone.loopscope", page = folder_ + "/page.html";
    auto text = bytes_of(
        QString::fromStdString(loopscope::test::source_path("resources/devices/i7-6700.json")));
    QFile file(device);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text.replace("\"i7-6700\"", "\"mine\""));
    file.close();
    open("blur.loop", {{}, {}, device.toStdString()});
    QTimer answer; // the dialog has a loop of its own
    QObject::connect(&answer, &QTimer::timeout, [&] {
        if (auto* asks = dialog()) {
            answer.stop();
            asks->findChild<QLineEdit*>("fileNameEdit")->setText(handed);
            QMetaObject::invokeMethod(asks, "accept", Qt::QueuedConnection);
        }
    });
    answer.start(20);
    entry(menu("File"), "Hand on…")->trigger();
    close_window();
    const auto run = [&](const QStringList& words) {
        QProcess program;
        auto environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"})
            environment.insert(name, folder_ + "/elsewhere");
        program.setProcessEnvironment(environment);
        program.start(QString::fromStdString(loopscope::test::program_path("loopscope")), words);
        EXPECT_TRUE(program.waitForFinished(240'000));
        EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    };
    const auto loop = QString::fromStdString(bundled("blur.loop"));
    run({loop, "--device", device, "--hand-on", alone});
    ASSERT_TRUE(QFile::remove(device));
    for (const auto& document : {handed, alone}) {
        SCOPED_TRACE(document.toStdString());
        run({document, "--report", page});
        EXPECT_TRUE(has_parts(page_of(page), {"mine, a described device"}));
    }
    auto& window = show();
    ASSERT_TRUE(window.open_path(handed));
    ASSERT_TRUE(settle());
    EXPECT_EQ(window.session().device()->name, "mine");
    bool listed = false;
    for (const auto* box : window.findChildren<QComboBox*>())
        listed = listed || box->currentText() == QStringLiteral("mine · of the document");
    EXPECT_TRUE(listed);
}

} // namespace loopscope::app::test
