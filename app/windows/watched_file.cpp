#include "app/windows/watched_file.h"

#include "core/language/loop_parser.h"
#include "views/models/snapshots.h"

#include <QFileInfo>

namespace loopscope::app {

namespace {

constexpr int kPause = 300; // milliseconds; who writes in several steps pauses for less

} // namespace

WatchedFile::WatchedFile() {
    pause_.setSingleShot(true);
    pause_.setInterval(kPause);
    connect(&pause_, &QTimer::timeout, this, &WatchedFile::look);
    // Many editors put another file in its place: the folder tells of that.
    for (auto happened : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
        connect(&watcher_, happened, &pause_, qOverload<>(&QTimer::start));
}

QString WatchedFile::name() const { return QFileInfo(views::to_qstring(path_)).fileName(); }

WatchedFile::State WatchedFile::read() const {
    const auto text = read_source_file(path_, FileKind::Regular);
    return text ? State{(*text)->text(), {}} : State{{}, text.errors().front().message};
}

void WatchedFile::follow(const std::string& path) {
    if (const auto watched = watcher_.files() + watcher_.directories(); !watched.isEmpty())
        watcher_.removePaths(watched);
    pause_.stop();
    awaited_.reset();
    path_ = path;
    last_ = path_.empty() ? State{} : read();
    if (!last_.problem.empty())
        path_.clear();
    known_ = last_.text;
    if (path_.empty())
        return;
    watcher_.addPath(QFileInfo(views::to_qstring(path_)).absolutePath());
    watch();
}

// The file itself, also another one that has its name now. Of what is no file, such as a pipe, the
// folder tells.
void WatchedFile::watch() {
    const QFileInfo file(views::to_qstring(path_));
    if (file.isFile() && !watcher_.files().contains(file.filePath()))
        watcher_.addPath(file.filePath());
}

void WatchedFile::look() {
    if (path_.empty())
        return;
    watch();
    auto now = read();
    if (now == last_) {
        awaited_.reset();
    } else if (awaited_ != now) { // it may be half written
        awaited_ = std::move(now);
        pause_.start();
    } else {
        awaited_.reset();
        last_ = std::move(now);
        if (!last_.problem.empty())
            emit lost(views::to_qstring(last_.problem));
        else if (std::exchange(known_, last_.text) != last_.text)
            emit changed(last_.text);
    }
}

} // namespace loopscope::app
