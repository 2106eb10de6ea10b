#include "app/windows/changed_file.h"

#include "app/session/program_edits.h"
#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/notice_bar.h"
#include "core/language/loop_parser.h"
#include "views/models/snapshots.h"

#include <QFileInfo>

namespace loopscope::app {

using session::Session;

namespace {

constexpr int kPause = 300; // milliseconds

// Nothing: it is not there, or is no text that a pipeline could have.
std::optional<std::string> text_in(const std::string& path) {
    const auto text = read_source_file(path, FileKind::Regular);
    return text ? std::optional((*text)->text()) : std::nullopt;
}

} // namespace

ChangedFile::ChangedFile(Session& session, Editing& editing, NoticeBar& notice)
    : session_(session), editing_(editing), notice_(notice) {
    pause_.setSingleShot(true);
    pause_.setInterval(kPause);
    connect(&pause_, &QTimer::timeout, this, &ChangedFile::look);
    // Many editors put another file in its place: the folder tells of that.
    for (auto changed : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
        connect(&watcher_, changed, &pause_, qOverload<>(&QTimer::start));
    connect(&session_, &Session::opened, this, &ChangedFile::follow);
    connect(&session_, &Session::released, this, [this] {
        withdraw();
        if (const auto watched = watcher_.files() + watcher_.directories(); !watched.isEmpty())
            watcher_.removePaths(watched);
        pause_.stop();
        path_.clear();
    });
}

void ChangedFile::follow() {
    if (!session_.is_open() || opening_ == session_.opening())
        return;
    opening_ = session_.opening();
    path_ = session_.document()->source().pipeline_file;
    // One that was handed on names a file of another machine, without a folder.
    const bool has_place = QFileInfo(views::to_qstring(path_)).isAbsolute();
    const auto text = has_place ? text_in(path_) : std::nullopt;
    if (!text) {
        path_.clear();
        return;
    }
    seen_ = *text;
    const auto shown = views::to_qstring(path_);
    watcher_.addPath(shown);
    watcher_.addPath(QFileInfo(shown).absolutePath());
}

void ChangedFile::look() {
    const auto text = path_.empty() ? std::nullopt : text_in(path_);
    if (!text)
        return; // gone, perhaps for a moment: the folder tells of another one
    const auto shown = views::to_qstring(path_);
    if (!watcher_.files().contains(shown))
        watcher_.addPath(shown);
    if (*text == seen_)
        return;
    seen_ = *text;
    const auto& program = session_.program();
    if (seen_ == program.draft() || seen_ == session_.document()->program()->text)
        withdraw();
    else
        offer(seen_);
}

QString ChangedFile::sentence() const {
    return tr("%1 changed on disk.").arg(QFileInfo(views::to_qstring(path_)).fileName());
}

void ChangedFile::offer(const std::string& text) {
    const auto button = session_.program().has_draft()
                            ? tr("Take its text, and lose what is written here")
                            : tr("Take its text");
    notice_.offer(
        sentence(), button,
        [this, text] {
            editing_.flush();
            auto& program = session_.program();
            program.edit_text(views::to_qstring(text));
            if (program.has_draft())
                session_.report(program.diagnostics());
        },
        [] {});
}

void ChangedFile::withdraw() { notice_.withdraw(sentence()); }

} // namespace loopscope::app
