#include "app/windows/documents.h"

#include "app/session/data_runs.h"
#include "app/session/shipped_programs.h"
#include "app/windows/editing.h"
#include "app/windows/file_dialogs.h"
#include "app/windows/messages.h"
#include "app/windows/notice_bar.h"
#include "app/windows/open_error.h"
#include "app/windows/recent_files.h"
#include "views/style/number_format.h"
#include "views/widgets/start_page.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QTimer>
#include <QUrl>

#include <cstdio>
#include <vector>

namespace loopscope::app {

using namespace views;

namespace {

// The program's own list is in English (resources/translations has its texts as well).
QString in_words(const std::string& text) {
    return QCoreApplication::translate("programs", text.c_str());
}

ProgramEntry entry_of(const session::ShippedProgram& program, bool expert) {
    return {to_qstring(program.name),
            in_words(program.group),
            in_words(program.teaches),
            program.stages,
            expert,
            to_qstring(program.file)};
}

} // namespace

Documents::Documents(session::Session& session, Editing& editing, FileDialogs& files,
                     const RecentFiles& recent, const Messages& messages, NoticeBar& notice,
                     const PersonSettings& settings, QWidget& window)
    : session_(session),
      editing_(editing),
      files_(files),
      recent_(recent),
      messages_(messages),
      notice_(notice),
      settings_(settings),
      window_(window) {
    // Behind the message that says why.
    connect(&session_, &session::Session::draftChanged, this, [this] {
        if (session_.unsaved().any())
            notice_.offer_remedy(tr("Save as…"), tr("Saves all of the work under another name"),
                                 [this] { save_as(); });
    });
    // Opened otherwise, as from the start page, it is recovered, too.
    connect(&session_, &session::Session::opened, this, [this] {
        if (!offered_.empty() && session_.is_open() && session_.document()->path() == offered_) {
            offered_.clear();
            notice_.withdraw(offer_);
        }
    });
}

bool Documents::open(const QString& path, const session::OpenOptions& options) {
    return open(path.toStdString(), options);
}

bool Documents::open(const std::string& path, const session::OpenOptions& options) {
    editing_.flush();
    if (!may_let_go())
        return false;
    const auto shown = to_qstring(path);
    auto status = session_.open(path, options);
    if (status) {
        if (shown.toStdString() == path)
            recent_.remember(shown);
        return true;
    }
    const auto text = to_qstring(format(status.errors(), 20));
    if (window_.isVisible())
        show_open_error(window_, shown, text);
    else
        std::fprintf(stderr, "%s", text.toUtf8().constData());
    return false;
}

void Documents::open_dialog() {
    const auto path = files_.ask_to_open(
        tr("Open"), tr("Loopscope files (*.loop *.loopscope *.sched);;All files (*)"));
    if (!path.isEmpty())
        open(path);
}

void Documents::open_dropped(const QMimeData& files) {
    QString file, schedule;
    QStringList arrays;
    for (const auto& url : files.urls()) {
        const auto path = url.toLocalFile();
        if (path.isEmpty())
            continue;
        if (session::is_array_file(path.toStdString()))
            arrays << path;
        else
            (path.endsWith(".sched") ? schedule : file) = path;
    }
    session::OpenOptions options;
    if (!file.isEmpty())
        options.schedule_file = schedule.toStdString();
    const auto path = file.isEmpty() ? schedule : file;
    // After the drop, so that a message does not hold the other program.
    QTimer::singleShot(0, this, [this, path, options, arrays] {
        if (path.isEmpty() || open(path, options))
            offer_arrays(arrays);
    });
}

void Documents::offer_arrays(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    if (session_.is_open())
        session_.data().offer(paths);
    else
        messages_.say(tr("%1 is an input for a pipeline: open one first")
                          .arg(QFileInfo(paths.front()).fileName()),
                      true);
}

void Documents::save() {
    if (session_.untitled())
        save_as();
    else
        messages_.say(tr("Saved: every edit is saved as it is made"));
}

void Documents::save_as() {
    files_.save(tr("Loopscope document (*.loopscope)"), ".loopscope",
                [this](const std::string& path) {
                    auto status = session_.save_document(path);
                    if (status)
                        recent_.remember(to_qstring(path));
                    return status;
                });
}

void Documents::hand_on() {
    files_.save(
        tr("Loopscope document (*.loopscope)"), ".loopscope",
        [this](const std::string& path) { return session_.hand_on(path); }, tr("Hand on a copy"),
        tr("%1 is a copy for somebody else, with the devices that it is for"));
}

void Documents::save_schedule() {
    files_.save(tr("Schedule (*.sched)"), ".sched",
                [this](const std::string& path) { return session_.save_schedule(path); });
}

void Documents::save_pipeline() {
    files_.save(tr("Pipeline (*.loop)"), ".loop",
                [this](const std::string& path) { return session_.save_pipeline(path); });
}

void Documents::close() {
    editing_.flush();
    if (!may_let_go())
        return;
    emit closing();
    say_where_kept();
    session_.close();
}

bool Documents::may_let_go() {
    while (session_.unsaved().any()) {
        const auto& unsaved = session_.unsaved();
        const auto kept = to_qstring(unsaved.kept_at());
        QMessageBox box(QMessageBox::Warning, tr("Work that is not saved"),
                        tr("The last of the work on %1 could not be saved.").arg(session_.title()),
                        QMessageBox::Cancel, &window_);
        box.setInformativeText(
            session::reason_of(unsaved.reason()) + QStringLiteral("\n\n") +
            (kept.isEmpty() ? tr("No other folder took a copy either: without saving it is lost.")
                            : tr("A copy with all of it is kept in %1, and is offered at the next "
                                 "start.")
                                  .arg(kept)));
        auto* save = box.addButton(tr("Save as…"), QMessageBox::AcceptRole);
        const auto* leave = box.addButton(kept.isEmpty() ? tr("Lose it") : tr("Close"),
                                          QMessageBox::DestructiveRole);
        box.setDefaultButton(save);
        box.exec();
        if (box.clickedButton() == leave)
            return true;
        if (box.clickedButton() != save)
            return false;
        save_as();
    }
    return true;
}

void Documents::say_where_kept() {
    const auto* document = session_.document();
    if (!settings_.kept() || !document || !session_.untitled() ||
        (document->revisions().size() <= 1 && document->measurements().empty()))
        return;
    const auto text = tr("The work on %1 is kept, though it has no name yet: it is the first under "
                         "Recent.")
                          .arg(session_.title());
    notice_.offer(
        text, tr("Open it again"), [this, path = to_qstring(document->path())] { open(path); },
        [] {});
    // Gone as soon as there is other work.
    QTimer::singleShot(0, this, [this, text] {
        connect(
            &session_, &session::Session::opened, &notice_,
            [this, text] { notice_.withdraw(text); }, Qt::SingleShotConnection);
    });
}

void Documents::fill(StartPage& page) const {
    const auto& device = *session_.device();
    const auto shipped = session::shipped_programs();
    const session::ShippedSchedules schedules;
    std::vector<ProgramEntry> programs;
    if (shipped)
        for (const auto& program : *shipped)
            programs.push_back(entry_of(program, schedules.any_suits(program.name, device)));
    else
        session_.report(shipped.errors());
    page.set_programs(programs, device.is_host ? tr("this machine") : to_qstring(device.name));
    recent_.fill(page);
}

void Documents::offer_recovery() {
    if (!settings_.kept())
        return;
    for (const auto& document : session_.recovery().documents())
        if (!document.closed) {
            const auto when =
                format_when(QDateTime::fromSecsSinceEpoch(static_cast<qint64>(document.time)));
            const auto text =
                document.unsaved
                    ? tr("The work on %1 could not be saved in its own file. It is kept: %2, %3.")
                    : tr("An earlier session ended unexpectedly. Its work on %1 is kept: %2, %3.");
            offered_ = document.path;
            offer_ = text.arg(pipeline_name(document), revisions_text(document.revisions), when);
            notice_.offer(
                offer_, tr("Recover it"), [this, path = to_qstring(document.path)] { open(path); },
                [this, path = document.path] {
                    if (auto status = session_.recovery().stop_offering(path); !status)
                        session_.report(status.errors());
                });
            return;
        }
}

} // namespace loopscope::app
