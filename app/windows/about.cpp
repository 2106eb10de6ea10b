#include "app/windows/about.h"

#include "app/document/database.h"
#include "compiler/measure/library_versions.h"
#include "compiler/protocol/protocol.h"
#include "views/geometry/graphviz_layout.h"
#include "views/jobs/latest_job.h"
#include "views/models/snapshots.h"

#include <Qsci/qsciglobal.h>
#include <qcustomplot.h>

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopscope::app {

namespace {

using Versions = Result<LibraryVersions>;
using VersionsJob = views::LatestJob<int, Versions>;

constexpr double kWorkerSeconds = 30; // to start, and to say what it is

Versions ask_worker(const int&, const views::CancelToken& cancelled) {
    measure::WorkerClient worker;
    measure::RequestOptions options;
    options.cancel = cancelled.flag();
    options.timeout_seconds = kWorkerSeconds;
    return measure::worker_libraries(worker, options);
}

QString lines_of(const LibraryVersions& libraries) {
    QString lines;
    for (const auto& [name, version] : libraries)
        lines +=
            QStringLiteral("  %1 %2\n").arg(views::to_qstring(name), views::to_qstring(version));
    return lines;
}

// `of_worker`: its lines, or why there are none.
QString about_text(const QString& of_worker) {
    return QObject::tr("Loopscope %1\n"
                       "Free software under the GNU General Public License, version 3 or later "
                       "(GPL-3.0-or-later), without any warranty.\n\n"
                       "The window links:\n%2\n"
                       "The worker, which compiles and runs, links:\n%3")
        .arg(QString::fromLatin1(measure::kProgramVersion), lines_of(window_libraries()),
             of_worker);
}

// The worker's answer comes while the dialog is read.
void ask_worker_for(QDialog& dialog, QPlainTextEdit& text) {
    auto* job = new VersionsJob(
        ask_worker,
        [&text](const int&, const Versions& found) {
            text.setPlainText(about_text(found ? lines_of(*found)
                                               : views::to_qstring("  " + format(found.errors()))));
        },
        &dialog);
    QObject::connect(job, &views::LatestJobBase::failed, &text,
                     [&text](const QString& why) { text.setPlainText(about_text("  " + why)); });
    job->request(0);
}

} // namespace

LibraryVersions window_libraries() {
    LibraryVersions all{{"Qt", qVersion()},
                        {"QCustomPlot", QCUSTOMPLOT_VERSION_STR},
                        {"QScintilla", QSCINTILLA_VERSION_STR},
                        {"Graphviz", views::graphviz_version()},
                        {"SQLite", session::sqlite_version()}};
    const auto common = measure::common_libraries();
    all.insert(all.end(), common.begin(), common.end());
    return all;
}

void show_about(QWidget& window) {
    auto* dialog = new QDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("about"));
    dialog->setWindowTitle(QObject::tr("About Loopscope"));
    dialog->resize(560, 480);
    auto* column = new QVBoxLayout(dialog);
    auto* text = new QPlainTextEdit(about_text(QObject::tr("  being asked…")), dialog);
    text->setReadOnly(true);
    text->setTabChangesFocus(true);
    text->setAccessibleName(QObject::tr("Version, licence and libraries"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    auto* copy = buttons->addButton(QObject::tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setToolTip(QObject::tr("Copies all of it, as for a report of a fault"));
    column->addWidget(text);
    column->addWidget(buttons);
    QObject::connect(copy, &QPushButton::clicked, text,
                     [text] { QApplication::clipboard()->setText(text->toPlainText()); });
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    ask_worker_for(*dialog, *text);
    dialog->open();
}

} // namespace loopscope::app
