#include "app/windows/recent_files.h"

#include "app/session/session.h"
#include "views/style/number_format.h"
#include "views/widgets/start_page.h"

#include <QDateTime>
#include <QFileInfo>
#include <QMenu>

namespace loopscope::app {

using namespace views;

namespace {

constexpr int kMaxFiles = 10;
constexpr std::size_t kMaxUnnamed = 5; // of the documents that were never saved under a name
const QString kRecent = QStringLiteral("recent"), kOpened = QStringLiteral("recent_opened");

QDateTime time_of(const session::DocumentSummary& document) {
    return QDateTime::fromSecsSinceEpoch(static_cast<qint64>(document.time));
}

} // namespace

QString revisions_text(std::size_t number) {
    return QStringLiteral("%1 %2").arg(number).arg(
        QLatin1String(number == 1 ? "schedule" : "schedules"));
}

QString pipeline_name(const session::DocumentSummary& document) {
    return QFileInfo(to_qstring(document.pipeline_file)).fileName();
}

void RecentFiles::remember(const QString& path) const {
    const auto absolute = QFileInfo(path).absoluteFilePath();
    if (!settings_.kept() || session_.recovery().holds(absolute.toStdString()))
        return;
    auto recent = settings_.value(kRecent).toStringList();
    recent.removeAll(absolute);
    recent.prepend(absolute);
    while (recent.size() > kMaxFiles)
        recent.removeLast();
    settings_.set(kRecent, recent);
    auto opened = settings_.value(kOpened).toMap();
    opened[absolute] = QDateTime::currentDateTime();
    for (const auto& known : opened.keys())
        if (!recent.contains(known))
            opened.remove(known);
    settings_.set(kOpened, opened);
}

QStringList RecentFiles::files() const {
    QStringList files;
    for (const auto& path : settings_.value(kRecent).toStringList())
        if (QFileInfo::exists(path))
            files << path;
    return files;
}

std::vector<session::DocumentSummary> RecentFiles::unnamed() const {
    if (!settings_.kept())
        return {};
    auto documents = session_.recovery().documents();
    if (documents.size() > kMaxUnnamed)
        documents.resize(kMaxUnnamed);
    return documents;
}

void RecentFiles::fill(QMenu& menu, const std::function<void(const QString&)>& open) const {
    menu.clear();
    for (const auto& document : unnamed())
        menu.addAction(tr("%1 · not saved under a name · %2, %3")
                           .arg(pipeline_name(document), revisions_text(document.revisions),
                                format_when(time_of(document))),
                       &menu, [open, path = to_qstring(document.path)] { open(path); });
    for (const auto& path : files())
        menu.addAction(path, &menu, [open, path] { open(path); });
    if (menu.isEmpty())
        menu.addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void RecentFiles::fill(StartPage& page) const {
    std::vector<RecentEntry> recent;
    // By their names they would look like the files that they were begun with.
    for (const auto& document : unnamed())
        recent.push_back(
            {to_qstring(document.path), time_of(document),
             tr("Unsaved: %1").arg(pipeline_name(document)),
             tr("not saved under a name · %1").arg(revisions_text(document.revisions))});
    const auto opened = settings_.value(kOpened).toMap();
    for (const auto& path : files())
        recent.push_back(
            {path,
             opened.contains(path) ? opened[path].toDateTime() : QFileInfo(path).lastModified(),
             {},
             {}});
    page.set_recent(recent);
}

} // namespace loopscope::app
