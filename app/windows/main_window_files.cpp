// Opening, saving, recent files, and what the start page lists.

#include "app/windows/main_window.h"

#include "app/windows/notice_bar.h"
#include "compiler/measure/host_device.h"
#include "compiler/protocol/paths.h"
#include "views/models/snapshots.h"
#include "views/style/number_format.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/start_page.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTimer>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace loopscope::app {

using namespace views;

namespace {

constexpr int kRecentFiles = 10;
constexpr std::size_t kRecentUnnamed = 5; // of the documents that were never saved under a name

QString counted(std::size_t number, const char* one, const char* many) {
    return QStringLiteral("%1 %2").arg(number).arg(QLatin1String(number == 1 ? one : many));
}

} // namespace

QString MainWindow::folder() const {
    return settings_ == Settings::Keep ? QSettings().value("folder").toString() : QString();
}

void MainWindow::set_folder(const QString& path) {
    if (settings_ == Settings::Keep)
        QSettings().setValue("folder", QFileInfo(path).absolutePath());
}

void MainWindow::open_dialog() {
    auto path = QFileDialog::getOpenFileName(
        this, tr("Open"), folder(),
        tr("Loopscope files (*.loop *.loopscope *.sched);;All files (*)"));
    if (path.isEmpty())
        return;
    set_folder(path);
    open_path(path);
}

QString MainWindow::save_path(const QString& filter, const QString& ending) {
    auto name = QFileInfo(session_->title()).completeBaseName() + ending;
    auto path = QFileDialog::getSaveFileName(
        this, tr("Save"), folder().isEmpty() ? name : folder() + "/" + name, filter);
    if (path.isEmpty())
        return {};
    set_folder(path);
    return QFileInfo(path).suffix().isEmpty() ? path + ending : path;
}

void MainWindow::save(const QString& filter, const QString& ending,
                      const std::function<Status(const std::string&)>& write) {
    script_->flush();
    auto path = save_path(filter, ending);
    if (path.isEmpty())
        return;
    if (auto status = write(path.toStdString()); !status)
        refused({}, status.errors());
    else
        say(tr("Saved %1").arg(path), false);
}

void MainWindow::save_document() {
    save(tr("Loopscope document (*.loopscope)"), ".loopscope", [this](const std::string& path) {
        auto status = session_->save_document(path);
        if (status)
            remember(to_qstring(path));
        return status;
    });
}

void MainWindow::remove_selected_line() {
    script_->flush();
    const auto lines = session_->lines_about(session_->selection());
    if (lines.empty()) {
        say(tr("No directive speaks of the selection"), true);
        return;
    }
    if (const int line = chosen_line(lines, tr("Remove a directive"), tr("Which directive goes?")))
        remove_line(line);
}

// Of several lines of the script the one that a person chooses, the last unless they choose; 0: none.
int MainWindow::chosen_line(const std::vector<int>& lines, const QString& title,
                            const QString& question) {
    if (lines.size() == 1)
        return lines.front();
    const auto all = to_qstring(session_->script()).split('\n');
    QStringList choices;
    for (int line : lines)
        choices << tr("%1: %2").arg(line).arg(all.value(line - 1).trimmed());
    bool chosen = true;
    const auto choice = QInputDialog::getItem(this, title, question, choices,
                                              static_cast<int>(choices.size()) - 1, false, &chosen);
    const auto which = choices.indexOf(choice);
    return chosen && which >= 0 ? lines[static_cast<std::size_t>(which)] : 0;
}

// The selection's recipe; where none speaks of it, any of the script.
void MainWindow::write_recipe_out() {
    script_->flush();
    auto lines = session::recipe_lines(session_->schedule());
    const auto about = session_->lines_about(session_->selection());
    std::vector<int> selected;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(selected), [&](int line) {
        return std::find(about.begin(), about.end(), line) != about.end();
    });
    if (!selected.empty())
        lines = std::move(selected);
    if (lines.empty()) {
        say(tr("The script holds no recipe, such as tensor_core()"), true);
        return;
    }
    const int line = chosen_line(lines, tr("Write out a recipe"), tr("Which recipe?"));
    if (line == 0)
        return;
    if (auto status = session_->write_recipe_out(line); !status)
        refused({}, status.errors());
}

void MainWindow::remove_line(int line) {
    const auto all = to_qstring(session_->script()).split('\n');
    auto text_of = [&](int number) { return all.value(number - 1).trimmed(); };
    auto removal = session_->remove_line(line, false);
    if (!removal.change && !removal.dependents.empty()) {
        QStringList list;
        for (int dependent : removal.dependents)
            list << text_of(dependent);
        QMessageBox box(QMessageBox::Question, tr("Remove a directive"),
                        tr("Later directives need %1. Remove these too?").arg(text_of(line)),
                        QMessageBox::NoButton, this);
        box.setInformativeText(list.join('\n'));
        const QAbstractButton* all_too = box.addButton(tr("Remove all"), QMessageBox::AcceptRole);
        box.addButton(QMessageBox::Cancel);
        box.exec();
        if (box.clickedButton() != all_too)
            return;
        removal = session_->remove_line(line, true);
    }
    if (!removal.change)
        refused({}, removal.change.errors());
}

void MainWindow::remember(const QString& path) {
    auto absolute = QFileInfo(path).absoluteFilePath();
    if (settings_ == Settings::Ignore || session_->recovery().holds(absolute.toStdString()))
        return;
    QSettings settings;
    auto recent = settings.value("recent").toStringList();
    recent.removeAll(absolute);
    recent.prepend(absolute);
    while (recent.size() > kRecentFiles)
        recent.removeLast();
    settings.setValue("recent", recent);
    auto opened = settings.value("recent_opened").toMap();
    opened[absolute] = QDateTime::currentDateTime();
    for (const auto& known : opened.keys())
        if (!recent.contains(known))
            opened.remove(known);
    settings.setValue("recent_opened", opened);
}

QStringList MainWindow::recent_files() const {
    QStringList files;
    if (settings_ == Settings::Keep)
        for (const auto& path : QSettings().value("recent").toStringList())
            if (QFileInfo::exists(path))
                files << path;
    return files;
}

std::vector<session::DocumentSummary> MainWindow::recent_unnamed() const {
    auto documents = session_->recovery().documents(); // the newest first
    if (documents.size() > kRecentUnnamed)
        documents.resize(kRecentUnnamed);
    return documents;
}

void MainWindow::say_where_kept() {
    const auto* document = session_->document();
    if (settings_ == Settings::Keep && document && session_->untitled() &&
        (document->revisions().size() > 1 || !document->measurements().empty()))
        notice_->offer(
            tr("The work on %1 is kept, though it has no name yet: it is the first under "
               "Recent.")
                .arg(session_->title()),
            tr("Open it again"), [this, path = to_qstring(document->path())] { open_path(path); },
            [] {});
    else
        return;
    // Gone as soon as there is other work.
    QTimer::singleShot(0, this, [this] {
        connect(session_, &session::Session::opened, notice_, &QWidget::hide,
                Qt::SingleShotConnection);
    });
}

void MainWindow::fill_recent() {
    recent_menu_->clear();
    if (settings_ == Settings::Keep)
        for (const auto& document : recent_unnamed())
            recent_menu_->addAction(
                tr("%1 · not saved under a name · %2, %3")
                    .arg(QFileInfo(to_qstring(document.pipeline_file)).fileName(),
                         counted(document.revisions, "schedule", "schedules"),
                         format_when(
                             QDateTime::fromSecsSinceEpoch(static_cast<qint64>(document.time)))),
                this, [this, path = to_qstring(document.path)] { open_path(path); });
    for (const auto& path : recent_files())
        recent_menu_->addAction(path, this, [this, path] { open_path(path); });
    if (recent_menu_->isEmpty())
        recent_menu_->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void MainWindow::fill_start_page() {
    std::vector<ProgramEntry> programs;
    std::error_code failed;
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(measure::resource_folder() + "/pipelines", failed))
        if (entry.path().extension() == ".loop")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        std::ifstream in(file);
        std::ostringstream text;
        text << in.rdbuf();
        programs.push_back({to_qstring(file.stem().string()),
                            first_sentence(to_qstring(text.str())), to_qstring(file.string())});
    }
    start_->set_programs(programs);
    std::vector<RecentEntry> recent;
    if (settings_ == Settings::Keep)
        for (const auto& document : recent_unnamed())
            recent.push_back({to_qstring(document.path),
                              QDateTime::fromSecsSinceEpoch(static_cast<qint64>(document.time)),
                              QFileInfo(to_qstring(document.pipeline_file)).fileName(),
                              tr("not saved under a name · %1")
                                  .arg(counted(document.revisions, "schedule", "schedules"))});
    const auto opened =
        settings_ == Settings::Keep ? QSettings().value("recent_opened").toMap() : QVariantMap();
    for (const auto& path : recent_files())
        recent.push_back(
            {path,
             opened.contains(path) ? opened[path].toDateTime() : QFileInfo(path).lastModified(),
             {},
             {}});
    start_->set_recent(recent);
}

// After a crash: the newest document that its session did not close.
void MainWindow::offer_recovery() {
    if (settings_ == Settings::Ignore)
        return;
    for (const auto& document : session_->recovery().documents())
        if (!document.closed) {
            auto when =
                format_when(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(document.time)));
            notice_->offer(
                tr("An earlier session ended unexpectedly. Its work on %1 is kept: %2, %3.")
                    .arg(QFileInfo(to_qstring(document.pipeline_file)).fileName(),
                         counted(document.revisions, "schedule", "schedules"), when),
                tr("Recover it"), [this, path = to_qstring(document.path)] { open_path(path); },
                [this, path = document.path] {
                    if (auto status = session_->recovery().stop_offering(path); !status)
                        session_->report(status.errors());
                });
            return;
        }
}

} // namespace loopscope::app
