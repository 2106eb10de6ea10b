#include "app/windows/changed_files.h"

#include "app/session/program_edits.h"
#include "app/session/script_target.h"
#include "app/session/session.h"
#include "app/windows/editing.h"
#include "app/windows/notice_bar.h"
#include "compiler/measure/host_device.h"
#include "views/models/snapshots.h"

#include <QFileInfo>

#include <algorithm>

namespace loopscope::app {

using session::Session;

namespace {

constexpr int kPause = 300; // milliseconds

// The file of the present device, where it is a person's own; empty: it is not.
std::string own_device_file(const Session& session) {
    const auto& device = session.device();
    const auto& carried = session.carried();
    const bool of_document = std::any_of(carried.begin(), carried.end(),
                                         [&](const auto& each) { return each.second == device; });
    return device->is_here() || of_document || device->file == measure::device_file(device->name)
               ? std::string()
               : device->file;
}

// A script's file may leave the device to whoever opens it.
std::string for_present_target(const Session& session, const std::string& script) {
    const auto target = session::target_of(session.script());
    return target.empty() || !session::target_of(script).empty()
               ? script
               : session::with_target(script, target);
}

} // namespace

ChangedFiles::ChangedFiles(Session& session, Editing& editing, NoticeBar& notice)
    : session_(session), editing_(editing), notice_(notice) {
    connect(&pipeline_, &WatchedFile::changed, this, &ChangedFiles::pipeline_changed);
    connect(&script_, &WatchedFile::changed, this, &ChangedFiles::script_changed);
    connect(&device_, &WatchedFile::changed, this, &ChangedFiles::device_changed);
    for (auto* file : {&pipeline_, &script_, &device_})
        connect(file, &WatchedFile::lost, this, [this, file](const QString& why) {
            withdraw(*file);
            session_.say(tr("%1; what is open stays as it is").arg(why), false);
        });
    pause_.setSingleShot(true);
    pause_.setInterval(kPause);
    connect(&pause_, &QTimer::timeout, this, &ChangedFiles::look_at_document);
    for (auto happened : {&QFileSystemWatcher::fileChanged, &QFileSystemWatcher::directoryChanged})
        connect(&document_, happened, &pause_, qOverload<>(&QTimer::start));
    connect(&session_, &Session::opened, this, &ChangedFiles::follow);
    connect(&session_, &Session::scheduleFileChanged, this, [this] {
        withdraw(script_);
        script_.follow(session_.schedule_file());
    });
    connect(&session_, &Session::deviceChanged, this, &ChangedFiles::follow_device);
    connect(&session_, &Session::released, this, &ChangedFiles::release);
}

void ChangedFiles::release() {
    for (auto* file : {&pipeline_, &script_}) {
        withdraw(*file);
        file->follow({});
    }
    if (const auto watched = document_.files() + document_.directories(); !watched.isEmpty())
        document_.removePaths(watched);
    pause_.stop();
}

void ChangedFiles::follow() {
    if (!session_.is_open())
        return;
    follow_document(); // it may have been saved under another name
    if (opening_ == session_.opening())
        return;
    opening_ = session_.opening();
    // One that was handed on names a file of another machine, without a folder.
    const auto& file = session_.document()->source().pipeline_file;
    pipeline_.follow(QFileInfo(views::to_qstring(file)).isAbsolute() ? file : std::string());
    script_.follow(session_.schedule_file());
}

void ChangedFiles::follow_device() {
    const auto file = own_device_file(session_);
    if (file == device_.path())
        return;
    withdraw(device_);
    device_.follow(file);
}

void ChangedFiles::follow_document() {
    if (const auto watched = document_.files() + document_.directories(); !watched.isEmpty())
        document_.removePaths(watched);
    const QFileInfo file(views::to_qstring(session_.document()->path()));
    document_.addPath(file.filePath());
    document_.addPath(file.absolutePath());
    moved_ = false;
}

// Before the next edit would fail, or a save replace what another program has put there.
void ChangedFiles::look_at_document() {
    if (!session_.is_open() || moved_)
        return;
    if (const auto status = session_.document()->check_place(); !status) {
        moved_ = true;
        session_.report(status.errors());
    }
}

void ChangedFiles::pipeline_changed(const std::string& text) {
    const auto& program = session_.program();
    if (text == program.draft() || text == session_.document()->program()->text)
        return withdraw(pipeline_);
    offer(pipeline_,
          program.has_draft() ? tr("Take its text, and lose what is written here")
                              : tr("Take its text"),
          [this, text] { take_pipeline(text); });
}

void ChangedFiles::script_changed(const std::string& text) {
    const auto script = for_present_target(session_, text);
    if (script == session_.script() || script == session_.draft())
        return withdraw(script_);
    offer(script_,
          session_.has_draft() ? tr("Take its text, and lose what is written here")
                               : tr("Take its text"),
          [this, text] { take_script(text); });
}

void ChangedFiles::device_changed() {
    const auto described = measure::load_device_file(device_.path());
    if (described)
        return offer(device_, tr("Take it"), [this] { take_device(); });
    withdraw(device_);
    session_.say(tr("%1 changed on disk, and describes no device now: %2")
                     .arg(device_.name(), views::to_qstring(described.errors().front().message)),
                 false);
}

void ChangedFiles::take_pipeline(const std::string& text) {
    editing_.flush();
    auto& program = session_.program();
    program.end_typing(); // a step of its own
    program.edit_text(views::to_qstring(text));
    program.end_typing();
    if (program.has_draft())
        session_.report(program.diagnostics());
}

// A step of its own; one with errors is a draft, as if it were typed.
void ChangedFiles::take_script(const std::string& text) {
    editing_.flush();
    session_.end_typing();
    session_.edit_script(views::to_qstring(for_present_target(session_, text)));
    session_.end_typing();
    if (session_.has_draft())
        session_.report(session_.diagnostics());
}

void ChangedFiles::take_device() {
    editing_.flush();
    if (const auto status = session_.set_device(device_.path()); !status)
        session_.report(status.errors());
}

void ChangedFiles::offer(WatchedFile& file, const QString& button, std::function<void()> take) {
    withdraw(file);
    offers_[&file] = {tr("%1 changed on disk.").arg(file.name()), button, std::move(take)};
    show_offer();
}

void ChangedFiles::show_offer() {
    if (offers_.empty())
        return;
    auto* file = offers_.begin()->first;
    const auto& next = offers_.begin()->second;
    notice_.offer(
        next.sentence, next.button,
        [this, file] {
            const auto take = std::move(offers_[file].take);
            offers_.erase(file);
            take();
            show_offer();
        },
        [this, file] {
            offers_.erase(file);
            show_offer();
        });
}

void ChangedFiles::withdraw(WatchedFile& file) {
    const auto found = offers_.find(&file);
    if (found == offers_.end())
        return;
    notice_.withdraw(found->second.sentence);
    offers_.erase(found);
    show_offer();
}

} // namespace loopscope::app
