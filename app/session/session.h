#pragma once
// The session: one document, what is derived from it, and the selection. Views show its snapshots and send it intents;
// an intent becomes a directive in the script, the script a revision in the document. Estimates run in the background
// (newest wins); everything compiled, checked or measured runs in the worker.

#include "app/session/document.h"
#include "app/session/script_edit.h"
#include "compiler/measure/worker_client.h"
#include "core/device/device.h"
#include "tuner/model/estimate.h"
#include "views/jobs/latest_job.h"

#include <QObject>
#include <QString>

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>

class QUndoStack;

namespace loopscope::session {

using EstimatePtr = std::shared_ptr<const model::Estimate>;
using DevicePtr = std::shared_ptr<const device::Device>;

struct OpenOptions {
    std::string schedule_file;                   // -s; empty: the document's own, or NAME.cpu.sched beside a .loop if `shipped`
    bool shipped_schedule = false;
    std::map<std::string, std::int64_t> params;
    std::string device = "host";
    std::string recovery_folder;                 // where untitled documents live; empty: the user's data folder
};

// A text made by the worker for the source view.
struct SourceAnswer {
    std::string what;            // "loops", "llvm"
    std::string text;
    std::vector<NodeId> lines;   // the origin of each line
    std::string failure;         // not empty: why there is no text
};

class Session : public QObject {
    Q_OBJECT
public:
    explicit Session(QObject* parent = nullptr);
    ~Session() override;

    // Opens a .loop (a new untitled document that autosaves), a .loopscope, or a .sched for the open pipeline.
    // On failure what was open stays open.
    Status open(const std::string& path, const OpenOptions& options = {});
    void close();
    bool is_open() const { return document_ != nullptr; }
    bool untitled() const { return untitled_; }
    QString title() const;                           // file name shown in the window
    Status save_document(const std::string& path);   // .loopscope
    Status save_schedule(const std::string& path) const; // .sched
    Status save_pipeline(const std::string& path) const; // .loop
    // Untitled documents of crashed sessions, newest first.
    static std::vector<std::string> recoverable(const std::string& recovery_folder = {});
    static std::string default_recovery_folder();

    // Snapshots; null while nothing is open.
    const Document* document() const { return document_.get(); }
    PipelinePtr pipeline() const { return pipeline_; }
    ScheduleTreePtr tree() const { return tree_; }
    const Schedule& schedule() const { return schedule_; }
    EstimatePtr estimate() const { return estimate_; }      // may lag behind the tree: `estimate_current`
    bool estimate_current() const { return estimate_current_; }
    EstimatePtr baseline() const { return baseline_; }
    DevicePtr device() const { return device_; }
    const std::string& script() const { return script_; }   // the last legal script
    const std::string& draft() const { return draft_; }     // the editor's text; differs while it has errors
    const Diagnostics& diagnostics() const { return diagnostics_; } // of the draft
    const NodeId& selection() const { return selection_; }
    QUndoStack* undo_stack() const { return undo_; }
    QString busy_text() const { return busy_text_; }         // what the worker does; empty: nothing

    // Intents.
    Status apply_directive(const QString& line);
    std::optional<QString> why_refused(const QString& line) const; // nullopt: it would apply
    // The estimate that the schedule would have with this directive; nullopt when it would not apply.
    std::optional<model::Estimate> estimate_with(const QString& line) const;
    Removal remove_line(int line, bool remove_dependents);   // the directive that begins on a line of the script
    void edit_script(const QString& text);                   // a legal text becomes a revision; else it stays a draft
    void go_to_revision(std::int64_t revision);
    Status rename_revision(std::int64_t revision, const std::string& name);
    void select(const NodeId& id);
    void pin_baseline();
    void clear_baseline();
    Status set_device(const std::string& name_or_path);

    // In the worker. One at a time; a second request of these is refused while one runs.
    void measure(double budget_seconds = 2);
    void check();
    void probe_host();                                       // measures the host's peaks, if they are not known
    void cancel();
    void request_source(const std::string& what);            // newest wins; answered by sourceReady
    std::string measurement_key_now() const;                 // of the present schedule and device
    bool busy() const { return !busy_text_.isEmpty(); }

signals:
    void opened();                       // another document, or none
    void treeChanged();                  // script, tree, pipeline
    void draftChanged();                 // diagnostics of the draft
    void estimateChanged();
    void baselineChanged();
    void deviceChanged();
    void selectionChanged(const loopscope::NodeId& id);
    void measurementsChanged();
    void busyChanged();
    void progress(const QString& text, double fraction);
    void sourceReady(const loopscope::session::SourceAnswer& answer);
    void message(const QString& text, bool is_error); // for the status bar

private:
    friend class RevisionCommand;
    struct WorkRequest {
        std::string verb;
        std::string text; // for people
        std::shared_ptr<const nlohmann::json> arguments;
        std::int64_t revision = 0;
        std::string key;  // of the schedule that is measured, which may not be the present one when the answer comes
    };
    struct WorkAnswer {
        std::shared_ptr<const nlohmann::json> json;
        Diagnostics errors;
    };
    struct EstimateRequest {
        ScheduleTreePtr tree;
        DevicePtr device;
    };

    ApplyContext context() const;
    Status adopt(std::unique_ptr<Document> document, bool untitled);
    Status commit(const std::string& script, const std::string& description, Scheduled scheduled);
    void show(const std::string& script, Scheduled scheduled);
    void show_revision(std::int64_t revision);
    void request_estimate();
    void start_work(WorkRequest request);
    void finish_work(const WorkRequest& request, const WorkAnswer& answer);
    void set_busy(const QString& text);
    nlohmann::json program_arguments() const;

    std::unique_ptr<Document> document_;
    bool untitled_ = false;
    PipelinePtr pipeline_;
    Schedule schedule_;
    ScheduleTreePtr tree_;
    std::string script_, draft_;
    Diagnostics diagnostics_;
    EstimatePtr estimate_, baseline_;
    bool estimate_current_ = false;
    DevicePtr device_;
    NodeId selection_;
    QUndoStack* undo_;
    QString busy_text_;
    std::shared_ptr<measure::WorkerClient> worker_;         // measuring, checking
    std::shared_ptr<measure::WorkerClient> source_worker_;  // emitting, so that a measurement does not delay it
    std::shared_ptr<std::atomic<bool>> cancel_;
    std::unique_ptr<views::LatestJob<EstimateRequest, EstimatePtr>> estimate_job_;
    std::unique_ptr<views::LatestJob<WorkRequest, WorkAnswer>> work_job_;
    std::unique_ptr<views::LatestJob<WorkRequest, WorkAnswer>> source_job_;
};

} // namespace loopscope::session

Q_DECLARE_METATYPE(loopscope::session::SourceAnswer)
