#include "app/session/session.h"

#include "app/session/revision_command.h"
#include "compiler/measure/host_device.h"
#include "compiler/measure/requests.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"

#include <nlohmann/json.hpp>

#include <QUndoStack>

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

// Whole or not at all: written beside its place, then renamed.
Status write_text(const std::string& path, const std::string& text) {
    auto making = path + ".new";
    {
        std::ofstream out(making, std::ios::binary | std::ios::trunc);
        out << text;
        out.flush();
        if (!out)
            return error("cannot write " + path, "choose a folder that can be written");
    }
    std::error_code failed;
    fs::rename(making, path, failed);
    if (failed)
        return error("cannot write " + path + ": " + failed.message());
    return success();
}

std::string stem(const std::string& path) { return fs::path(path).stem().string(); }

bool has_ending(const std::string& path, const char* ending) { return fs::path(path).extension() == ending; }

} // namespace

Session::Session(QObject* parent) : QObject(parent), undo_(new QUndoStack(this)) {
    qRegisterMetaType<SourceAnswer>();
    estimate_job_ = std::make_unique<views::LatestJob<EstimateRequest, EstimatePtr>>(
        [](const EstimateRequest& request, const views::CancelToken&) {
            const auto* bottleneck = model::find_model("bottleneck");
            return std::make_shared<const model::Estimate>(bottleneck->estimate(*request.tree, *request.device, {}));
        },
        [this](const EstimateRequest&, const EstimatePtr& estimate) {
            estimate_ = estimate;
            estimate_current_ = true;
            emit estimateChanged();
        });
    auto run = [](const std::shared_ptr<measure::WorkerClient>& worker, const WorkRequest& request,
                  measure::RequestOptions options) {
        WorkAnswer answer;
        auto result = worker->request(request.verb, *request.arguments, options);
        if (result)
            answer.json = std::make_shared<const nlohmann::json>(std::move(*result));
        else
            answer.errors = result.errors();
        return answer;
    };
    worker_ = std::make_shared<measure::WorkerClient>();
    source_worker_ = std::make_shared<measure::WorkerClient>();
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    work_job_ = std::make_unique<views::LatestJob<WorkRequest, WorkAnswer>>(
        [this, run, worker = worker_, cancel = cancel_](const WorkRequest& request, const views::CancelToken&) {
            measure::RequestOptions options;
            options.cancel = cancel.get();
            options.on_progress = [this](const measure::Progress& p) {
                QMetaObject::invokeMethod(this, [this, p] { emit progress(QString::fromStdString(p.text), p.fraction); });
            };
            if (request.verb != "probe")
                return run(worker, request, options);
            WorkAnswer answer;
            auto device = measure::probe_host(*worker, options);
            if (!device)
                answer.errors = device.errors();
            else
                answer.json = std::make_shared<const nlohmann::json>();
            return answer;
        },
        [this](const WorkRequest& request, const WorkAnswer& answer) { finish_work(request, answer); });
    source_job_ = std::make_unique<views::LatestJob<WorkRequest, WorkAnswer>>(
        [run, worker = source_worker_](const WorkRequest& request, const views::CancelToken& token) {
            // A superseded text is not worth compiling: the worker is told to stop.
            std::atomic<bool> cancel{token.cancelled()};
            measure::RequestOptions options;
            options.cancel = &cancel;
            options.on_progress = [&](const measure::Progress&) { cancel = token.cancelled(); };
            options.timeout_seconds = 120;
            return run(worker, request, options);
        },
        [this](const WorkRequest& request, const WorkAnswer& answer) {
            SourceAnswer source;
            source.what = request.text;
            if (!answer.json) {
                source.failure = format(answer.errors);
            } else {
                source.text = answer.json->value("text", "");
                if (auto lines = answer.json->find("lines"); lines != answer.json->end())
                    for (const auto& line : *lines) {
                        NodeId id;
                        if (line.is_string())
                            NodeId::parse(line.get<std::string>(), id);
                        source.lines.push_back(id);
                    }
            }
            emit sourceReady(source);
        });
    device_ = std::make_shared<const device::Device>(measure::host_device());
}

Session::~Session() {
    *cancel_ = true;
    estimate_job_.reset();
    work_job_.reset();
    source_job_.reset();
    close();
}

ApplyContext Session::context() const {
    ApplyContext context;
    context.device = device_.get();
    return context;
}

std::string Session::default_recovery_folder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/loopscope/recovery";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::string(home) + "/.local/share/loopscope/recovery";
    return (fs::temp_directory_path() / "loopscope-recovery").string();
}

std::vector<std::string> Session::recoverable(const std::string& folder) {
    std::vector<std::pair<fs::file_time_type, std::string>> found;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder.empty() ? default_recovery_folder() : folder, failed)) {
        if (entry.path().extension() != ".loopscope")
            continue;
        // A document that another process edits is locked; one without an edit has nothing to recover.
        auto document = Document::open(entry.path().string());
        if (document && (*document)->revisions().size() > 1)
            found.emplace_back(entry.last_write_time(failed), entry.path().string());
    }
    std::sort(found.rbegin(), found.rend());
    std::vector<std::string> out;
    for (auto& [time, path] : found)
        out.push_back(std::move(path));
    return out;
}

Status Session::open(const std::string& path, const OpenOptions& options) {
    if (has_ending(path, ".sched")) {
        if (!is_open())
            return error("a schedule needs its pipeline: " + path, "open the .loop file first");
        auto text = read_text(path);
        if (!text)
            return text.errors();
        auto scheduled = schedule_script(pipeline_, *text, context(), path);
        if (!scheduled)
            return scheduled.errors();
        return commit(*text, "open " + fs::path(path).filename().string(), std::move(*scheduled));
    }
    if (has_ending(path, ".loopscope")) {
        auto document = Document::open(path);
        if (!document)
            return document.errors();
        auto folder = options.recovery_folder.empty() ? default_recovery_folder() : options.recovery_folder;
        std::error_code ignored;
        bool untitled = fs::equivalent(fs::path(path).parent_path(), folder, ignored);
        return adopt(std::move(*document), untitled);
    }
    auto text = read_text(path);
    if (!text)
        return text.errors();
    LoadOptions load;
    load.params = options.params;
    auto loaded = load_pipeline(std::make_shared<SourceFile>(path, *text), load);
    if (!loaded)
        return loaded.errors();
    DocumentSource source;
    source.pipeline_text = *text;
    source.pipeline_file = path;
    source.params = options.params;
    source.device = options.device;
    source.script = default_script(*loaded->pipeline);
    auto shipped = (fs::path(path).parent_path() / (stem(path) + ".cpu.sched")).string();
    std::error_code ignored;
    auto schedule_file = !options.schedule_file.empty()                                  ? options.schedule_file
                         : options.shipped_schedule && fs::exists(shipped, ignored) ? shipped
                                                                                         : std::string();
    if (!schedule_file.empty()) {
        auto script = read_text(schedule_file);
        if (!script)
            return script.errors();
        if (auto scheduled = schedule_script(loaded->pipeline, *script, context(), schedule_file); !scheduled)
            return scheduled.errors();
        source.script = *script;
    }
    auto folder = options.recovery_folder.empty() ? default_recovery_folder() : options.recovery_folder;
    std::error_code failed;
    fs::create_directories(folder, failed);
    std::string place;
    for (int n = 1; place.empty() || fs::exists(place, failed); ++n)
        place = folder + "/" + stem(path) + "-" + std::to_string(n) + ".loopscope";
    auto document = Document::create(place, source);
    if (!document)
        return document.errors();
    return adopt(std::move(*document), true);
}

Status Session::adopt(std::unique_ptr<Document> document, bool untitled) {
    const auto& source = document->source();
    LoadOptions load;
    load.params = source.params;
    auto name = source.pipeline_file.empty() ? "pipeline.loop" : source.pipeline_file;
    auto loaded = load_pipeline(std::make_shared<SourceFile>(name, source.pipeline_text), load);
    if (!loaded)
        return loaded.errors();
    // The document's device; one that is not here any more is said, and the host stands in.
    auto device = measure::find_device(source.device);
    ApplyContext at;
    auto new_device = std::make_shared<const device::Device>(device ? *device : measure::host_device());
    at.device = new_device.get();
    auto script = document->current().script;
    auto scheduled = schedule_script(loaded->pipeline, script, at);
    if (!scheduled)
        return scheduled.errors();
    close();
    document_ = std::move(document);
    untitled_ = untitled;
    pipeline_ = loaded->pipeline;
    device_ = new_device;
    NodeId::parse(document_->current().selection, selection_);
    show(script, std::move(*scheduled));
    emit opened();
    emit deviceChanged();
    emit measurementsChanged();
    emit selectionChanged(selection_);
    if (!device)
        emit message(QStringLiteral("Device %1 is not here; the host stands in").arg(QString::fromStdString(source.device)), true);
    return success();
}

void Session::close() {
    if (!document_)
        return;
    undo_->clear();
    auto path = document_->path();
    // An untitled document without an edit holds nothing that a person made.
    bool discard = untitled_ && document_->revisions().size() == 1 && document_->measurements().empty();
    document_.reset();
    if (discard) {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
    pipeline_.reset();
    tree_.reset();
    schedule_ = {};
    estimate_.reset();
    baseline_.reset();
    script_.clear();
    draft_.clear();
    diagnostics_.clear();
    selection_ = {};
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
    if (auto status = document_->save_as(path); !status)
        return status;
    if (untitled_) {
        std::error_code ignored;
        fs::remove(old, ignored);
    }
    untitled_ = false;
    emit opened();
    return success();
}

Status Session::save_schedule(const std::string& path) const { return write_text(path, script_); }

Status Session::save_pipeline(const std::string& path) const {
    if (!document_)
        return error("nothing is open");
    return write_text(path, document_->source().pipeline_text);
}

// -- editing ----------------------------------------------------------------------------------------------------------

void Session::show(const std::string& script, Scheduled scheduled) {
    script_ = draft_ = script;
    diagnostics_.clear();
    schedule_ = std::move(scheduled.schedule);
    tree_ = std::move(scheduled.tree);
    estimate_current_ = false;
    emit treeChanged();
    emit draftChanged();
    request_estimate();
}

Status Session::commit(const std::string& script, const std::string& description, Scheduled scheduled) {
    auto before = document_->current().id;
    auto added = document_->add_revision(script, description, selection_.text());
    if (!added)
        return added.errors();
    show(script, std::move(scheduled));
    undo_->push(new RevisionCommand(*this, before, *added, QString::fromStdString(description)));
    emit measurementsChanged(); // earlier ones are stale now
    return success();
}

Status Session::apply_directive(const QString& line) {
    if (!document_)
        return error("nothing is open");
    auto change = add_directive(pipeline_, script_, line.toStdString(), context());
    if (!change)
        return change.errors();
    return commit(change->script, change->description, std::move(change->scheduled));
}

std::optional<QString> Session::why_refused(const QString& line) const {
    if (!document_)
        return QStringLiteral("nothing is open");
    auto change = add_directive(pipeline_, script_, line.toStdString(), context());
    if (change)
        return std::nullopt;
    const auto& first = change.errors().front();
    return QString::fromStdString(first.remedy.empty() ? first.message : first.message + "; " + first.remedy);
}

std::optional<model::Estimate> Session::estimate_with(const QString& line) const {
    if (!document_)
        return std::nullopt;
    auto change = add_directive(pipeline_, script_, line.toStdString(), context());
    if (!change)
        return std::nullopt;
    return model::find_model("bottleneck")->estimate(*change->scheduled.tree, *device_, {});
}

Removal Session::remove_line(int line, bool remove_dependents) {
    if (!document_)
        return {error("nothing is open"), {}};
    auto removal = remove_directive(pipeline_, script_, line, remove_dependents, context());
    if (removal.change)
        if (auto status = commit(removal.change->script, removal.change->description, removal.change->scheduled); !status)
            removal.change = status.errors();
    return removal;
}

void Session::edit_script(const QString& text) {
    if (!document_)
        return;
    draft_ = text.toStdString();
    if (draft_ == script_) {
        diagnostics_.clear();
        emit draftChanged();
        return;
    }
    auto scheduled = schedule_script(pipeline_, draft_, context());
    if (!scheduled) {
        diagnostics_ = scheduled.errors();
        emit draftChanged();
        return;
    }
    auto script = draft_;
    if (auto status = commit(script, "edit the script", std::move(*scheduled)); !status)
        emit message(QString::fromStdString(format(status.errors())), true);
}

void Session::show_revision(std::int64_t revision) {
    const auto* r = document_->find(revision);
    auto scheduled = schedule_script(pipeline_, r->script, context());
    if (!scheduled) {
        emit message(QString::fromStdString(format(scheduled.errors())), true);
        return;
    }
    if (auto status = document_->go_to(revision); !status) {
        emit message(QString::fromStdString(format(status.errors())), true);
        return;
    }
    show(r->script, std::move(*scheduled));
    emit measurementsChanged();
}

void Session::go_to_revision(std::int64_t revision) {
    if (!document_ || !document_->find(revision) || revision == document_->current().id)
        return;
    auto before = document_->current().id;
    auto name = document_->find(revision)->name;
    show_revision(revision);
    if (document_->current().id == revision)
        undo_->push(new RevisionCommand(*this, before, revision, QStringLiteral("go to \"%1\"").arg(QString::fromStdString(name))));
}

Status Session::rename_revision(std::int64_t revision, const std::string& name) {
    if (!document_)
        return error("nothing is open");
    return document_->rename(revision, name);
}

void Session::select(const NodeId& id) {
    if (id == selection_)
        return;
    selection_ = id;
    emit selectionChanged(id);
}

void Session::pin_baseline() {
    if (!estimate_ || !estimate_current_)
        return;
    baseline_ = estimate_;
    if (document_)
        if (auto status = document_->set_state("baseline", std::to_string(document_->current().id)); !status)
            emit message(QString::fromStdString(format(status.errors())), true);
    emit baselineChanged();
}

void Session::clear_baseline() {
    baseline_.reset();
    if (document_)
        (void)document_->set_state("baseline", "").ok();
    emit baselineChanged();
}

Status Session::set_device(const std::string& name_or_path) {
    auto device = measure::find_device(name_or_path);
    if (!device)
        return device.errors();
    auto next = std::make_shared<const device::Device>(std::move(*device));
    if (document_) {
        // `native` may stand for another factor there: the script must still apply.
        ApplyContext at;
        at.device = next.get();
        auto scheduled = schedule_script(pipeline_, script_, at);
        if (!scheduled)
            return scheduled.errors();
        if (auto status = document_->set_device(name_or_path); !status)
            return status;
        device_ = next;
        show(script_, std::move(*scheduled));
    }
    device_ = next;
    emit deviceChanged();
    request_estimate();
    return success();
}

void Session::request_estimate() {
    estimate_current_ = false;
    if (tree_ && device_)
        estimate_job_->request({tree_, device_});
}

} // namespace loopscope::session
