#include "app/session/session.h"

#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/pass_programs.h"
#include "app/session/pinned_baseline.h"
#include "app/session/revision_command.h"
#include "app/session/script_target.h"
#include "app/session/source_texts.h"
#include "app/session/worker_tasks.h"
#include "compiler/measure/host_device.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/run/whole_file.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"

#include <QUndoStack>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace loopscope::session {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLongestFile = 16u << 20; // bytes of a text file

Result<std::string> read_text(const std::string& path) {
    std::error_code failed;
    auto size = fs::file_size(path, failed);
    if (failed)
        return error("cannot read " + path + ": " + failed.message());
    if (size > kLongestFile)
        return error(path + " is larger than 16 MB", "open a .loop, .sched or .loopscope file");
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    if (!in)
        return error("cannot read " + path);
    return out.str();
}

std::string stem(const std::string& path) { return fs::path(path).stem().string(); }

Result<PipelinePtr> pipeline_of(const std::string& name, const std::string& text,
                                const std::map<std::string, std::int64_t>& params) {
    LoadOptions load;
    load.params = params;
    auto loaded = load_pipeline(std::make_shared<SourceFile>(name, text), load);
    if (!loaded)
        return loaded.errors();
    return loaded->pipeline;
}

bool has_ending(const std::string& path, const char* ending) {
    return fs::path(path).extension() == ending;
}

} // namespace

Session::Session(QObject* parent, const std::string& recovery_folder)
    : QObject(parent),
      recovery_folder_(recovery_folder.empty() ? default_recovery_folder() : recovery_folder),
      undo_(new QUndoStack(this)) {
    host_ = device_ = own_device_ = std::make_shared<const device::Device>(measure::host_device());
    connect(undo_, &QUndoStack::indexChanged, this, &Session::undoChanged);
    estimates_ = std::make_unique<Estimates>(*this);
    baseline_ = std::make_unique<PinnedBaseline>(*this, *estimates_);
    questions_ = std::make_unique<EditQuestions>(*this);
    tasks_ = std::make_unique<WorkerTasks>(*this, *estimates_);
    auto worker = std::make_shared<measure::WorkerClient>(); // a measurement delays no text
    sources_ = std::make_unique<SourceTexts>(*this, *baseline_, worker);
    passes_ = std::make_unique<PassPrograms>(*this, worker);
}

Session::~Session() {
    // Their threads end before anything that they report to.
    passes_.reset();
    sources_.reset();
    tasks_.reset();
    questions_.reset();
    baseline_.reset();
    estimates_.reset();
    release();
}

PresentPtr Session::present() const {
    if (document_ && !present_)
        present_ =
            std::make_shared<const Present>(Present{pipeline_, script_, scheduled_, device_});
    return present_;
}

const Schedule& Session::schedule() const {
    static const Schedule none;
    return scheduled_ ? scheduled_->schedule : none;
}

std::shared_ptr<const Schedule> Session::schedule_snapshot() const {
    return scheduled_ ? std::shared_ptr<const Schedule>(scheduled_, &scheduled_->schedule)
                      : nullptr;
}

std::string Session::default_recovery_folder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/loopscope/recovery";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::string(home) + "/.local/share/loopscope/recovery";
    return (fs::temp_directory_path() / "loopscope-recovery").string();
}

std::vector<DocumentSummary> Session::recoverable() const {
    std::vector<DocumentSummary> found;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(recovery_folder_, failed)) {
        if (entry.path().extension() != ".loopscope")
            continue;
        auto summary = Document::summary(entry.path().string());
        if (summary && (summary->revisions > 1 || summary->measurements > 0 || summary->has_draft))
            found.push_back(std::move(*summary));
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.time > b.time; });
    return found;
}

void Session::stop_offering(const std::string& path) {
    auto document = Document::open(path);
    if (!document)
        return report(document.errors());
    if (auto status = (*document)->set_state("closed", "1"); !status)
        report(status.errors());
}

bool Session::untitled_path(const std::string& path) const {
    std::error_code ignored;
    return fs::equivalent(fs::absolute(path, ignored).parent_path(), recovery_folder_, ignored);
}

Status Session::open(const std::string& path, const OpenOptions& options) {
    if (has_ending(path, ".sched"))
        return open_schedule(path, options);
    if (has_ending(path, ".loopscope"))
        return open_document(path, options);
    return open_pipeline(path, options);
}

Status Session::open_schedule(const std::string& path, const OpenOptions& options) {
    auto text = read_text(path);
    if (!text)
        return text.errors();
    auto parsed = parse_schedule(std::make_shared<SourceFile>(path, *text));
    if (!parsed)
        return parsed.errors();
    if (!is_open() || pipeline_->name != parsed->pipeline) {
        auto pipeline = (fs::path(path).parent_path() / (parsed->pipeline + ".loop")).string();
        std::error_code ignored;
        if (!fs::exists(pipeline, ignored))
            return error(path + " is a schedule for " + parsed->pipeline + ", which is not open",
                         "open its .loop file first");
        auto with = options;
        with.schedule_file = path;
        return open_pipeline(pipeline, with);
    }
    auto read = read_script(*text, path);
    if (!read)
        return read.errors();
    return commit(*text, "open " + fs::path(path).filename().string(), std::move(read->scheduled),
                  std::move(read->device));
}

Status Session::open_document(const std::string& path, const OpenOptions& options) {
    std::error_code ignored;
    if (document_ && fs::equivalent(path, document_->path(), ignored))
        return success();
    if (!options.params.empty())
        return error("a document has its parameters already",
                     "set parameters when opening the .loop file");
    auto document = Document::open(path);
    if (!document)
        return document.errors();
    if (auto status = adopt(std::move(*document), untitled_path(path)); !status)
        return status;
    return options.schedule_file.empty() ? success() : open_schedule(options.schedule_file, {});
}

Status Session::open_pipeline(const std::string& path, const OpenOptions& options) {
    auto text = read_text(path);
    if (!text)
        return text.errors();
    auto pipeline = pipeline_of(path, *text, options.params);
    if (!pipeline)
        return pipeline.errors();
    auto asked = find_device(options.device);
    if (!asked)
        return asked.errors();
    Prepared prepared{*pipeline, {}};
    std::error_code failed;
    DocumentSource source;
    source.pipeline_text = *text;
    source.pipeline_file = fs::absolute(path, failed).lexically_normal().string();
    source.params = options.params;
    // A GPU is named by the script, any other machine by the document.
    const bool gpu = (*asked)->gpu && (*asked)->name == options.device;
    source.device = gpu || options.device.empty() ? "host" : options.device;
    auto for_device = [&](const std::string& script) {
        return options.device.empty() ? script : with_target(script, gpu ? options.device : "");
    };
    source.script = for_device(default_script(**pipeline));
    if (!options.schedule_file.empty()) {
        auto script = read_text(options.schedule_file);
        if (!script)
            return script.errors();
        source.script = for_device(*script);
        const auto target = target_of(source.script);
        auto device = target.empty() ? asked : find_device(target);
        if (!device)
            return device.errors();
        ApplyContext at;
        at.device = device->get();
        at.intrinsics = &declared_intrinsics();
        auto scheduled = schedule_script(*pipeline, source.script, at, options.schedule_file);
        if (!scheduled)
            return scheduled.errors();
        prepared.scheduled = std::move(*scheduled);
        source.script_name = fs::path(options.schedule_file).filename().string();
    }
    fs::create_directories(recovery_folder_, failed);
    std::string place;
    for (int n = 1; place.empty() || fs::exists(place, failed); ++n)
        place = recovery_folder_ + "/" + stem(path) + "-" + std::to_string(n) + ".loopscope";
    auto document = Document::create(place, source);
    if (!document)
        return document.errors();
    return adopt(std::move(*document), true, std::move(prepared));
}

Status Session::adopt(std::unique_ptr<Document> document, bool untitled, Prepared prepared) {
    const auto& source = document->source();
    auto pipeline = std::move(prepared.pipeline);
    if (!pipeline) {
        auto name = source.pipeline_file.empty() ? "pipeline.loop" : source.pipeline_file;
        auto loaded = pipeline_of(name, source.pipeline_text, source.params);
        if (!loaded)
            return loaded.errors();
        pipeline = std::move(*loaded);
    }
    // The document's device; one that is not here any more is said, and the host stands in.
    auto script = document->current().script;
    const auto target = target_of(script);
    auto own = find_device(source.device);
    auto device = target.empty() ? own : find_device(target);
    ApplyContext at;
    auto new_device = device ? *device : host_;
    at.device = new_device.get();
    at.intrinsics = &declared_intrinsics();
    auto scheduled = prepared.scheduled ? Result<Scheduled>(std::move(*prepared.scheduled))
                                        : schedule_script(pipeline, script, at);
    std::string refused;
    if (!scheduled) {
        // Another device, or a version with other rules: the document opens all the same, with the default schedule, and
        // its script as a draft that shows the errors. No revision is touched.
        refused = script;
        script = default_script(*pipeline);
        scheduled = schedule_script(pipeline, script, at);
        if (!scheduled)
            return scheduled.errors();
    }
    release();
    document_ = std::move(document);
    untitled_ = untitled;
    pipeline_ = std::move(pipeline);
    device_ = new_device;
    own_device_ = own ? *own : host_;
    NodeId::parse(document_->current().selection, selection_);
    if (selection_.stage.empty() &&
        !pipeline_->outputs.empty()) // something to look at: what the program computes
        selection_ = {pipeline_->outputs.front().stage, -1, "@stage"};
    if (untitled_ && !document_->state("closed").empty())
        if (auto status = document_->set_state("closed", ""); !status)
            report(status.errors());
    auto draft = document_->state("draft");
    if (draft.empty())
        draft = refused;
    show(script, std::move(*scheduled));
    restore_undo();
    emit opened();
    emit deviceChanged();
    emit measurementsChanged();
    emit selectionChanged(selection_);
    if (!draft.empty())
        edit_script(QString::fromStdString(draft));
    if (!device)
        emit message(tr("Device %1 is not here; the host stands in")
                         .arg(QString::fromStdString(target.empty() ? source.device : target)),
                     true);
    return success();
}

void Session::close() {
    if (!document_)
        return;
    release();
    emit opened();
}

// Lets go of the document and of everything derived from it.
void Session::release() {
    if (!document_)
        return;
    end_typing();
    ++opening_; // what is under way belongs to another document from now on
    undo_->clear();
    auto path = document_->path();
    // An untitled document without an edit holds nothing that a person made.
    bool discard = untitled_ && document_->revisions().size() == 1 &&
                   document_->measurements().empty() && document_->state("draft").empty();
    if (untitled_ && !discard)
        (void)document_->set_state("closed", "1")
            .ok(); // without the mark it is offered as of a crashed session
    document_.reset();
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
    emit released();
}

QString Session::title() const {
    if (!document_)
        return {};
    auto path = untitled_ ? document_->source().pipeline_file : document_->path();
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
    emit opened();
    return success();
}

std::string Session::measurement_key_on(const std::string& device) const {
    return measurement_key(to_text(*pipeline_), schedule().text(), device);
}

void Session::keep_state(const char* key, const std::string& value) {
    if (document_->state(key) == value)
        return;
    if (auto status = document_->set_state(key, value); !status)
        report(status.errors());
}

void Session::add_measurement(Measurement measurement) {
    if (auto added = document_->add_measurement(std::move(measurement)); !added)
        report(added.errors());
    emit measurementsChanged();
}

Status Session::save_schedule(const std::string& path) const {
    if (!document_)
        return error("nothing is open");
    return write_whole(path, {script_});
}

Status Session::save_pipeline(const std::string& path) const {
    if (!document_)
        return error("nothing is open");
    return write_whole(path, {document_->source().pipeline_text});
}

} // namespace loopscope::session
