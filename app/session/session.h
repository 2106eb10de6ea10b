#pragma once
// The session: one document, what is derived from it, and the selection. Views show its snapshots and send it intents;
// an intent becomes a directive in the script, the script a revision in the document. Estimates run in the background
// (newest wins); everything compiled, checked or measured runs in the worker.

#include "app/session/document.h"
#include "app/session/edits.h"
#include "app/session/script_edit.h"
#include "core/device/device.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <optional>

class QUndoStack;

namespace loopscope::session {

using DevicePtr = std::shared_ptr<const device::Device>;
using ScheduledPtr = std::shared_ptr<const Scheduled>;

struct OpenOptions {
    std::string schedule_file; // -s; empty: the default schedule
    std::map<std::string, std::int64_t> params;
    std::string device; // empty: the one that the schedule names as its target, else the host
};

class EditQuestions;
class Estimates;
class PassPrograms;
class PinnedBaseline;
class SourceTexts;
class WorkerTasks;

class Session : public QObject {
    Q_OBJECT
public:
    // `recovery_folder`: where untitled documents live; empty: in the user's data folder.
    explicit Session(QObject* parent = nullptr, const std::string& recovery_folder = {});
    ~Session() override;

    // Opens a .loop (a new untitled document that autosaves), a .loopscope, or a .sched: for the open pipeline if it is
    // that one's, else with the pipeline of its name beside it. On failure what was open stays open.
    Status open(const std::string& path, const OpenOptions& options = {});
    void close();
    bool is_open() const { return document_ != nullptr; }
    bool untitled() const { return untitled_; }
    QString title() const;                               // file name shown in the window
    Status save_document(const std::string& path);       // .loopscope
    Status save_schedule(const std::string& path) const; // .sched
    Status save_pipeline(const std::string& path) const; // .loop
    // Untitled documents that hold something and that no process edits, newest first. Those that are not `closed` are of
    // sessions that crashed.
    std::vector<DocumentSummary> recoverable() const;
    // It stays on the list, as one that was closed.
    void stop_offering(const std::string& path);
    bool untitled_path(const std::string& path) const; // does an untitled document live there?
    static std::string default_recovery_folder();

    // Snapshots; null while nothing is open.
    const Document* document() const { return document_.get(); }
    PipelinePtr pipeline() const { return pipeline_; }
    ScheduleTreePtr tree() const { return scheduled_ ? scheduled_->tree : nullptr; }
    const Schedule& schedule() const;
    // The script's lines, from 1, that speak of a node (script_edit.h); none while nothing is open.
    std::vector<int> lines_about(const NodeId& id) const;
    std::shared_ptr<const Schedule> schedule_snapshot() const; // null while nothing is open
    DevicePtr device() const { return device_; }               // never null
    DevicePtr host() const { return host_; }                   // never null
    const std::string& script() const { return script_; }      // the last legal script
    const std::string& draft() const {
        return draft_;
    } // the editor's text; differs while it has errors
    const Diagnostics& diagnostics() const { return diagnostics_; } // of the draft
    const NodeId& selection() const { return selection_; }
    // How often a document was opened: answers that were asked for at another opening are none of this one's.
    std::uint64_t opening() const { return opening_; }

    PresentPtr present() const; // for questions about edits; null while nothing is open

    // Services: what is done with the document and the selection.
    Estimates& estimates() const { return *estimates_; }
    PinnedBaseline& baseline() const { return *baseline_; }
    EditQuestions& questions() const { return *questions_; }
    WorkerTasks& tasks() const { return *tasks_; }
    SourceTexts& sources() const { return *sources_; }
    PassPrograms& passes() const { return *passes_; }

    // Intents. A gesture is refused while the draft has errors: it would overwrite what the person writes.
    Status apply_directive(const QString& line);
    // The directive that stands on a line of the script becomes another one, in its place.
    Status replace_directive(int line, const QString& directive);
    // The recipe that stands on a line becomes the lines that it stands for, as one step.
    Status write_recipe_out(int line);
    // Several edits as one step; their lines are those of the present script.
    Status apply_edits(const std::vector<views::DirectiveEdit>& edits);
    Removal
    remove_line(int line,
                bool remove_dependents); // the directive that stands on a line of the script
    // A legal text becomes a revision; else it stays a draft. What is typed on one line without a long pause is one step:
    // its legal states on the way replace one another.
    void edit_script(const QString& text);
    void end_typing(); // what is typed next is a step of its own
    void go_to_revision(std::int64_t revision);
    Status rename_revision(std::int64_t revision, const std::string& name);
    void select(const NodeId& id);
    // A GPU by its name becomes the script's `target`, as an edit of it; any other device takes that line's place.
    Status set_device(const std::string& name_or_path);

    // Undo first drops a draft with errors, then walks over revisions.
    void undo();
    void redo();
    bool can_undo() const;
    bool can_redo() const;
    QString undo_text() const; // "split C.k by 32"
    QString redo_text() const;

    std::string measurement_key_on(const std::string& device) const; // of the present schedule

    // For services.
    void add_measurement(Measurement measurement);
    void keep_state(const char* key, const std::string& value); // of the document
    void take_host(DevicePtr host); // with its peaks, in place of the one that was known
    void report(const Diagnostics& diagnostics);
    void say(const QString& text, bool is_error) { emit message(text, is_error); }

signals:
    void opened();       // another document, or none
    void released();     // the document was let go, and everything that was derived from it
    void treeChanged();  // script, tree, pipeline
    void draftChanged(); // the draft and its diagnostics
    void undoChanged();
    void deviceChanged();
    void selectionChanged(const loopscope::NodeId& id);
    void measurementsChanged();
    void message(const QString& text, bool is_error); // for the status bar

private:
    friend class RevisionCommand;
    // The line that is being typed on, as one step of the history.
    struct Typing {
        std::int64_t revision = 0; // that it made; 0: nobody types
        std::size_t line = 0;
        QElapsedTimer since;
    };

    Result<DevicePtr> find_device(const std::string& name_or_path) const;
    Status open_pipeline(const std::string& path, const OpenOptions& options);
    Status open_document(const std::string& path, const OpenOptions& options);
    Status open_schedule(const std::string& path, const OpenOptions& options);
    // What opening a document has to find out, so far as it is known already.
    struct Prepared {
        PipelinePtr pipeline;
        std::optional<Scheduled> scheduled; // what the document's script means, on its device
    };
    Status adopt(std::unique_ptr<Document> document, bool untitled, Prepared prepared = {});
    void release();
    void restore_undo();
    // What a script means, on the device that it is for.
    struct ReadScript {
        DevicePtr device;
        Scheduled scheduled;
    };
    Result<ReadScript> read_script(const std::string& script, const std::string& name = "schedule");
    Result<DevicePtr> device_for(const std::string& script, const std::string& name) const;
    // `device`: null where it is the present one.
    Status commit(const std::string& script, const std::string& description, Scheduled scheduled,
                  DevicePtr device = nullptr);
    Status commit_typed(const std::string& script, ReadScript read);
    void show(const std::string& script, Scheduled scheduled, DevicePtr device = nullptr);
    void show_revision(std::int64_t revision);
    Status no_draft() const;
    void keep_draft(const std::string& text);

    std::string recovery_folder_;
    std::unique_ptr<Document> document_;
    std::uint64_t opening_ = 0;
    bool untitled_ = false;
    PipelinePtr pipeline_;
    ScheduledPtr scheduled_;
    mutable PresentPtr present_; // made when first asked for
    std::string script_, draft_;
    Diagnostics diagnostics_;
    DevicePtr device_, host_;
    DevicePtr own_device_; // of the document, where its script names none
    NodeId selection_;
    QUndoStack* undo_;
    Typing typing_;
    std::unique_ptr<Estimates> estimates_;
    std::unique_ptr<PinnedBaseline> baseline_;
    std::unique_ptr<EditQuestions> questions_;
    std::unique_ptr<WorkerTasks> tasks_;
    std::unique_ptr<SourceTexts> sources_;
    std::unique_ptr<PassPrograms> passes_;
};

} // namespace loopscope::session
