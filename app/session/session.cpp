#include "app/session/session.h"

#include "app/session/attached_gpus.h"
#include "app/session/check_verdicts.h"
#include "app/session/data_runs.h"
#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/expert_schedule.h"
#include "app/session/gpu_script.h"
#include "app/session/gpus_elsewhere.h"
#include "app/session/handed_on.h"
#include "app/session/opencl_devices.h"
#include "app/session/pass_programs.h"
#include "app/session/pinned_baseline.h"
#include "app/session/program_edits.h"
#include "app/session/script_target.h"
#include "app/session/source_texts.h"
#include "app/session/worker_tasks.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/whole_file.h"
#include "core/language/loop_parser.h"

#include <filesystem>

namespace loopscope::session {

namespace fs = std::filesystem;

Session::Session(QObject* parent, const std::string& recovery_folder)
    : QObject(parent),
      recovery_(recovery_folder),
      undo_([this](std::int64_t revision) { show_revision(revision); }),
      unsaved_(recovery_) {
    connect(&undo_, &RevisionUndo::changed, this, &Session::undoChanged);
    estimates_ = std::make_unique<Estimates>(*this);
    baseline_ = std::make_unique<PinnedBaseline>(*this, *estimates_);
    questions_ = std::make_unique<EditQuestions>(*this);
    verdicts_ = std::make_unique<CheckVerdicts>(*this);
    expert_ = std::make_unique<ExpertSchedule>(*this);
    program_ = std::make_unique<ProgramEdits>(*this);
    tasks_ = std::make_unique<WorkerTasks>(*this, *estimates_);
    auto worker = std::make_shared<measure::WorkerClient>(); // a measurement delays no text
    sources_ = std::make_unique<SourceTexts>(*this, *baseline_, worker);
    attached_gpus_ = std::make_unique<AttachedGpus>(*this);
    gpus_elsewhere_ = std::make_unique<GpusElsewhere>(*this);
    opencl_devices_ = std::make_unique<OpenclDevices>(*this);
    passes_ = std::make_unique<PassPrograms>(*this, worker);
    data_ = std::make_unique<DataRuns>(*this, *tasks_);
}

Session::~Session() {
    // Their threads end before anything that they report to.
    data_.reset();
    opencl_devices_.reset();
    gpus_elsewhere_.reset();
    attached_gpus_.reset();
    passes_.reset();
    sources_.reset();
    tasks_.reset();
    program_.reset();
    expert_.reset();
    questions_.reset();
    baseline_.reset();
    estimates_.reset();
    release();
}

const Schedule& Session::schedule() const {
    static const Schedule none;
    return scheduled_ ? scheduled_->schedule : none;
}

std::shared_ptr<const Schedule> Session::schedule_snapshot() const {
    return scheduled_ ? std::shared_ptr<const Schedule>(scheduled_, &scheduled_->schedule)
                      : nullptr;
}

PresentPtr Session::present() const {
    if (document_ && !present_)
        present_ =
            std::make_shared<const Present>(Present{pipeline_, script_, scheduled_, device_.now()});
    return present_;
}

std::vector<int> Session::lines_about(const NodeId& id) const {
    return scheduled_ ? session::lines_about(*scheduled_, id) : std::vector<int>{};
}

std::string Session::measurement_key_on(const std::string& device) const {
    return measurement_key(to_text(*pipeline_), schedule().text(), device);
}

void Session::report(const Diagnostics& diagnostics) {
    emit message(QString::fromStdString(format(diagnostics)), true);
}

Status Session::open(const std::string& path, const OpenOptions& options) {
    const auto ending = fs::path(path).extension();
    if (ending == ".loopscope")
        return open_own(path, options);
    if (ending == ".sched")
        return open_schedule(path, options);
    auto with = options;
    if (with.schedule_file.empty())
        with.device = device_for_next(options);
    return adopt(open_pipeline(path, with, device_.without_carried(), recovery_));
}

std::string Session::device_for_next(const OpenOptions& options) const {
    return !document_ && options.device.empty() ? device_.name_of_now() : options.device;
}

// A document, which has its device already: another one that is asked for with it is an edit, as it
// is in the open document.
Status Session::open_own(const std::string& path, const OpenOptions& options) {
    if (!options.params.empty())
        return error("a document has its parameters already",
                     "set parameters when opening the .loop file");
    if (auto asked = device_.find(options.device); !asked)
        return asked.errors();
    std::error_code ignored;
    const bool is_another =
        !document_ ||
        !fs::equivalent(path, copy_of_.empty() ? document_->path() : copy_of_, ignored);
    if (is_another)
        if (auto status = adopt(open_document(path, options.on_a_copy, device_, recovery_));
            !status)
            return status;
    if (!options.device.empty())
        if (auto status = set_device(options.device); !status) {
            if (!is_another)
                return status;
            report(status.errors()); // the document is open all the same
        }
    return options.schedule_file.empty()
               ? success()
               : open_schedule(options.schedule_file, {{}, {}, options.device});
}

Status Session::open_schedule(const std::string& path, const OpenOptions& options) {
    auto file = read_schedule_file(path);
    if (!file)
        return file.errors();
    if (!is_open() || pipeline_->name != file->pipeline) {
        std::error_code ignored;
        if (!fs::exists(file->pipeline_file, ignored))
            return error(path + " is a schedule for " + file->pipeline + ", which is not open",
                         "open its .loop file first");
        auto with = options;
        with.schedule_file = path;
        if (target_of(file->text).empty())
            with.device = device_for_next(options);
        return adopt(
            open_pipeline(file->pipeline_file, with, device_.without_carried(), recovery_));
    }
    auto asked = device_.find(options.device);
    if (!asked)
        return asked.errors();
    auto script = script_for(options, **asked, file->text);
    DevicePtr gpu;
    if (options.device.empty() && !device_.now()->gpu)
        gpu = gpu_for(script, pipeline_, device_);
    if (gpu)
        script = with_target(script, gpu->name);
    auto read = read_script(pipeline_, script, path);
    if (!read)
        return read.errors();
    if (auto status = commit(script, "open " + fs::path(path).filename().string(),
                             std::move(read->scheduled), std::move(read->device));
        !status)
        return status;
    say_chosen(gpu);
    set_schedule_file(path);
    return success();
}

void Session::set_schedule_file(const std::string& path) {
    std::error_code failed;
    schedule_file_ = fs::absolute(path, failed).string();
    emit scheduleFileChanged();
}

void Session::say_chosen(const DevicePtr& gpu) {
    chosen_at_ = gpu && !gpu->is_here() ? document_->current().id : 0;
    if (gpu)
        say((gpu->is_here() ? tr("The schedule binds loops to levels of a GPU: it is for %1")
                            : tr("The schedule binds loops to levels of a GPU: it is estimated for "
                                 "%1, which is described"))
                .arg(QString::fromStdString(gpu->name)),
            false);
}

Status Session::adopt(Result<OpenedDocument> next) {
    if (!next)
        return next.errors();
    release();
    document_ = std::move(next->document);
    untitled_ = next->untitled;
    copy_of_ = std::move(next->copy_of);
    schedule_file_ = std::move(next->schedule_file);
    pipeline_ = std::move(next->pipeline);
    device_.carry(std::move(next->carried));
    device_.show(next->device);
    device_.set_own(next->own_device);
    NodeId::parse(document_->current().selection, selection_);
    if (selection_.stage.empty() &&
        !pipeline_->outputs.empty()) // something to look at: what the program computes
        selection_ = {pipeline_->outputs.front().stage, -1, "@stage"};
    if (untitled_ && !document_->state("closed").empty())
        if (auto status = mark_closed(*document_, false); !status)
            report(status.errors());
    keep_state(kUnsavedState, {}); // from here on it is a document as others
    auto draft = document_->state(kScriptDraft);
    if (draft.empty())
        draft = next->refused;
    show(next->script, std::move(next->scheduled));
    undo_.restore(*document_);
    emit opened();
    emit deviceChanged();
    emit measurementsChanged();
    emit selectionChanged(selection_);
    estimates_->settle();
    if (!draft.empty())
        edit_script(QString::fromStdString(draft));
    say_chosen(next->chosen_gpu);
    if (!next->missing_device.empty())
        say(tr("Device %1 is not here; the host stands in")
                .arg(QString::fromStdString(next->missing_device)),
            true);
    return success();
}

void Session::close() {
    if (!document_)
        return;
    release();
    const bool other_device = device_.end_carried();
    emit opened();
    if (other_device)
        emit deviceChanged();
}

// Lets go of the document and of everything derived from it.
void Session::release() {
    if (!document_)
        return;
    end_typing();
    const bool unsaved = unsaved_.any();
    unsaved_.leave();
    ++opening_; // what is under way belongs to another document from now on
    undo_.clear();
    auto path = document_->path();
    // An untitled document without an edit holds nothing that a person made.
    bool discard = untitled_ && !unsaved && document_->revisions().size() == 1 &&
                   document_->measurements().empty() && document_->state(kScriptDraft).empty() &&
                   document_->state(kPipelineDraft).empty();
    // unmarked it would be offered as after a crash
    if (untitled_ && !discard)
        (void)mark_closed(*document_, true).ok();
    document_.reset();
    copy_of_.clear();
    schedule_file_.clear();
    if (discard) {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
    pipeline_.reset();
    scheduled_.reset();
    present_.reset();
    script_.clear();
    draft_.clear();
    diagnostics_.clear();
    selection_ = {};
    selected_too_.clear();
    emit released();
}

QString Session::title() const {
    if (!document_)
        return {};
    const auto& path = !copy_of_.empty() ? copy_of_
                       : untitled_       ? document_->source().pipeline_file
                                         : document_->path();
    return QString::fromStdString(fs::path(path).filename().string());
}

Status Session::save_document(const std::string& path) {
    if (!document_)
        return error("nothing is open");
    auto old = document_->path();
    std::error_code ignored;
    bool same = fs::equivalent(path, old, ignored); // onto its own file: nothing to move
    if (auto status = document_->save_as(path); !status)
        return status;
    if (untitled_ && !same)
        fs::remove(old, ignored);
    untitled_ = false;
    copy_of_.clear();
    take_unsaved();
    emit opened();
    return unsaved_.any() ? Status(unsaved_.reason()) : success();
}

Status Session::hand_on(const std::string& path) const {
    if (!document_)
        return error("nothing is open");
    if (unsaved_.any()) // what was kept elsewhere would be missing
        return unsaved_.reason();
    std::error_code ignored;
    if (!copy_of_.empty() && std::filesystem::equivalent(path, copy_of_, ignored))
        return error(path + " is the document itself", "choose another name for the copy");
    const auto source = handed_on_source(*document_, device_);
    return source ? document_->write_copy(path, *source) : Status(source.errors());
}

void Session::take_unsaved() {
    if (auto status = unsaved_.write_measurements(*document_); !status)
        report(status.errors());
    if (has_draft())
        edit_script(QString::fromStdString(draft_));
    if (program_->has_draft())
        program_->edit_text(QString::fromStdString(program_->draft()));
}

Status Session::save_schedule(const std::string& path) {
    if (!document_)
        return error("nothing is open");
    auto status = write_whole(path, {script_});
    if (status)
        set_schedule_file(path);
    return status;
}

Status Session::save_pipeline(const std::string& path) const {
    if (!document_)
        return error("nothing is open");
    return write_whole(path, {document_->program()->text});
}

void Session::keep_state(const char* key, const std::string& value) {
    if (document_->state(key) == value)
        return;
    if (auto status = document_->set_state(key, value); !status)
        report(status.errors());
}

void Session::add_measurement(Measurement measurement) {
    // In their order: what was not taken before comes first.
    auto written = unsaved_.write_measurements(*document_);
    if (written)
        if (auto added = document_->add_measurement(measurement); !added)
            written = added.errors();
    if (!written) {
        unsaved_.keep_measurement(*document_, measurement, written.errors());
        report(written.errors());
    }
    emit measurementsChanged();
}

} // namespace loopscope::session
