#pragma once
// The session: one document, the selection in it, and what a person does to its schedule. Views
// show its snapshots and send it intents; an intent becomes a directive in the script, the script a
// revision in the document. What else is done with a document is a service's: each knows the
// session by what is public here, and follows its signals.

#include "app/document/document.h"
#include "app/document/recovery_folder.h"
#include "app/document/unsaved_work.h"
#include "app/session/carried_script.h"
#include "app/session/document_device.h"
#include "app/session/edits.h"
#include "app/session/opening.h"
#include "app/session/revision_undo.h"
#include "app/session/script_edit.h"
#include "app/session/typed_line.h"
#include "core/device/device.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::session {

class AttachedGpus;
class CheckVerdicts;
class DataRuns;
class EditQuestions;
class Estimates;
class ExpertSchedule;
class GpusElsewhere;
class OpenclDevices;
class PassPrograms;
class PinnedBaseline;
class ProgramEdits;
class SourceTexts;
class WorkerTasks;

using ScheduledPtr = std::shared_ptr<const Scheduled>;

// What became of several edits.
struct AppliedEach {
    Status status;                     // of the step
    std::vector<Diagnostics> refusals; // of each edit; empty: it is in the step
};

class Session : public QObject {
    Q_OBJECT
public:
    // `recovery_folder`: where untitled documents live; empty: in the user's data folder.
    explicit Session(QObject* parent = nullptr, const std::string& recovery_folder = {});
    ~Session() override;

    // Services.
    Estimates& estimates() const { return *estimates_; }
    PinnedBaseline& baseline() const { return *baseline_; }
    EditQuestions& questions() const { return *questions_; }
    WorkerTasks& tasks() const { return *tasks_; }
    CheckVerdicts& verdicts() const { return *verdicts_; }
    ExpertSchedule& expert() const { return *expert_; }
    ProgramEdits& program() const { return *program_; }
    SourceTexts& sources() const { return *sources_; }
    PassPrograms& passes() const { return *passes_; }
    DataRuns& data() const { return *data_; }
    AttachedGpus& attached_gpus() const { return *attached_gpus_; }
    GpusElsewhere& gpus_elsewhere() const { return *gpus_elsewhere_; }
    OpenclDevices& opencl_devices() const { return *opencl_devices_; }
    const RecoveryFolder& recovery() const { return recovery_; }

    // Opens a .loop (a new untitled document that autosaves), a .loopscope, or a .sched: for the
    // open pipeline if it is that one's, else with the pipeline of its name beside it. On failure
    // what was open stays open.
    Status open(const std::string& path, const OpenOptions& options = {});
    void close();
    bool is_open() const { return document_ != nullptr; }
    bool untitled() const { return untitled_; }
    QString title() const;                         // file name shown in the window
    Status save_document(const std::string& path); // .loopscope
    // A copy that needs no other file, nor this machine: for somebody else. Errors: those of the
    // document; the script or the pipeline is a draft that no file has.
    Status hand_on(const std::string& path) const;
    // What the document's file did not take of the work: before it is let go, a person is asked.
    const UnsavedWork& unsaved() const { return unsaved_; }
    Status save_schedule(const std::string& path);       // .sched
    Status save_pipeline(const std::string& path) const; // .loop

    // The .sched that was opened or written last for this document; empty: none.
    const std::string& schedule_file() const { return schedule_file_; }

    // Snapshots; null while nothing is open.
    const Document* document() const { return document_.get(); }
    PipelinePtr pipeline() const { return pipeline_; }
    ScheduleTreePtr tree() const { return scheduled_ ? scheduled_->tree : nullptr; }
    std::shared_ptr<const Schedule> schedule_snapshot() const;
    // for questions about edits: another one whenever the schedule or its device changes
    PresentPtr present() const;
    const Schedule& schedule() const;                  // while nothing is open an empty one
    DevicePtr device() const { return device_.now(); } // never null
    DevicePtr host() const { return device_.host(); }  // never null
    // On which programs can be run: the attached ones first.
    const std::vector<DevicePtr>& gpus() const { return device_.gpus(); }
    const std::vector<DevicePtr>& attached() const { return device_.attached(); }
    // That the document brought with it.
    const CarriedDevices& carried() const { return device_.carried(); }
    const std::vector<DevicePtr>& elsewhere() const { return device_.elsewhere(); }
    const std::vector<DevicePtr>& opencl() const { return device_.opencl(); } // through it, here
    const std::string& script() const { return script_; } // the last legal script
    // The editor's text; it differs from the script while it has errors.
    const std::string& draft() const { return draft_; }
    bool has_draft() const { return draft_ != script_; }
    const Diagnostics& diagnostics() const { return diagnostics_; } // of the draft
    const NodeId& selection() const { return selection_; }
    // Selected beside it: a directive that is chosen for one is for all of them.
    const std::vector<NodeId>& selected_too() const { return selected_too_; }
    std::vector<NodeId> selected_nodes() const; // `selection` first
    // The script's lines, from 1, that speak of a node (script_edit.h); none while nothing is open.
    std::vector<int> lines_about(const NodeId& id) const;
    std::string measurement_key_on(const std::string& device) const; // of the present schedule
    // How often a document was opened: what was asked for at another opening is answered for
    // another document.
    std::uint64_t opening() const { return opening_; }

    // Intents. A gesture is refused while the draft has errors: it would overwrite what the person
    // writes.
    Status apply_directive(const QString& line);
    // The directive that stands on a line of the script becomes another one, in its place.
    Status replace_directive(int line, const QString& directive);
    // The recipe that stands on a line becomes the lines that it stands for, as one step.
    Status write_recipe_out(int line);
    // Several edits as one step; their lines are those of the present script.
    Status apply_edits(const std::vector<views::DirectiveEdit>& edits);
    // Those of them that apply, as one step. `first_decides`: if that one is refused, none is made.
    AppliedEach apply_each(const std::vector<views::DirectiveEdit>& edits, bool first_decides);
    // A whole script takes the present one's place.
    Status take_script(const std::string& script, const std::string& description);
    // The directive that stands on a line of the script goes.
    Removal remove_line(int line, bool remove_dependents);
    // A legal text becomes a revision; else it stays a draft. What is typed on one line without a
    // long pause is one step: its legal states on the way replace one another.
    void edit_script(const QString& text);
    void end_typing(); // what is typed next is a step of its own
    void go_to_revision(std::int64_t revision);
    Status rename_revision(std::int64_t revision, const std::string& name);
    void select(const NodeId& id);                       // alone
    void select_nodes(const std::vector<NodeId>& nodes); // the first is `selection`
    void select_also(const std::vector<NodeId>& nodes);
    void toggle_selected(const NodeId& id); // beside the others, or no more
    // A GPU or a device of OpenCL, by its name or by its target ("cuda:1", "ssh:gpu1", "opencl:0"),
    // or the document's own by name_of_carried, becomes the script's `target`, as an edit of it;
    // any other device takes that line's place.
    Status set_device(const std::string& name_or_path);

    // Undo first drops a draft with errors, then walks over revisions.
    void undo();
    void redo() { undo_.redo(); }
    bool can_undo() const { return has_draft() || undo_.can_undo(); }
    bool can_redo() const { return undo_.can_redo(); }
    QString undo_text() const; // "split C.k by 32"
    QString redo_text() const { return undo_.redo_text(); }

    // For services.
    struct ReadProgram {
        ProgramPtr program;
        PipelinePtr pipeline; // what it means
    };
    // Another program and the script that was carried over to it, on the present device, become a
    // revision; the newest one, where `in_place` and nothing was measured of it.
    Status commit_program(ReadProgram next, CarriedScript carried, const std::string& description,
                          bool in_place);
    void add_measurement(Measurement measurement);
    void keep_state(const char* key, const std::string& value); // of the document
    // A text with errors that is being written (unsaved_work.h); empty: there is none.
    void keep_draft(const char* key, const std::string& text);
    void take_host(DevicePtr host); // with its peaks, in place of the one that was known
    // Those that are attached, elsewhere, or OpenCL's; one of the name of the present device takes
    // its place.
    void take_gpus(std::vector<DevicePtr> attached);
    void take_gpus_elsewhere(std::vector<DevicePtr> gpus);
    void take_opencl(std::vector<DevicePtr> devices);
    void take_gpu(DevicePtr gpu); // one of them with its peaks, in place of what was known of it
    void report(const Diagnostics& diagnostics);
    void say(const QString& text, bool is_error) { emit message(text, is_error); }

signals:
    void opened();         // another document, or none
    void released();       // the document was let go: nothing that was made of it counts any more
    void treeChanged();    // script, tree, pipeline
    void programChanged(); // another pipeline, or other params, behind treeChanged
    void draftChanged();   // the draft and its diagnostics
    void undoChanged();
    void deviceChanged();
    void selectionChanged(const loopscope::NodeId& id); // or what is selected beside it
    void measurementsChanged();
    void scheduleFileChanged(); // within a document: another one, or it was written
    void message(const QString& text, bool is_error); // for the status bar

private:
    // What a script means, on the device that it is for.
    struct ReadScript {
        DevicePtr device;
        Scheduled scheduled;
    };

    Status open_schedule(const std::string& path, const OpenOptions& options);
    // The one that is asked for, else that was chosen while nothing was open.
    std::string device_for_next(const OpenOptions& options) const;
    Status open_own(const std::string& path, const OpenOptions& options);
    Status adopt(Result<OpenedDocument> next);
    void gpus_changed();
    bool move_to_better_gpu();
    void follow_gpus();
    Result<Scheduled> scheduled_for(const DevicePtr& device, const std::string& script) const;
    void say_chosen(const DevicePtr& gpu); // that a script is opened on; null: nothing was chosen
    void release();
    Result<ReadScript> read_script(const PipelinePtr& pipeline, const std::string& script,
                                   const std::string& name = "schedule") const;
    Result<PipelinePtr> pipeline_of_revision(std::int64_t revision) const;
    Status no_draft() const;
    // `device`: null where it is the present one.
    Status commit(const std::string& script, const std::string& description, Scheduled scheduled,
                  DevicePtr device = nullptr);
    Status commit(Result<ScriptChange> change);
    Status commit_typed(const std::string& script, ReadScript read);
    void show(const std::string& script, Scheduled scheduled, DevicePtr device = nullptr);
    void show_program(PipelinePtr pipeline, const std::string& script, Scheduled scheduled,
                      DevicePtr device = nullptr);
    void show_revision(std::int64_t revision);
    void set_schedule_file(const std::string& path);
    void take_unsaved(); // the document may take writes again

    RecoveryFolder recovery_;
    std::unique_ptr<Document> document_;
    std::uint64_t opening_ = 0;
    bool untitled_ = false;
    std::string schedule_file_;
    std::string copy_of_; // the document that was opened on a copy; empty: none was
    PipelinePtr pipeline_;
    ScheduledPtr scheduled_;
    mutable PresentPtr present_; // made when first asked for
    std::string script_, draft_;
    Diagnostics diagnostics_;
    DocumentDevice device_;
    // The revision that was opened on a GPU that is only described, as none was known to be
    // attached; 0: none was.
    std::int64_t chosen_at_ = 0;
    NodeId selection_;
    std::vector<NodeId> selected_too_;
    RevisionUndo undo_;
    TypedLine typing_;
    UnsavedWork unsaved_;
    std::unique_ptr<Estimates> estimates_;
    std::unique_ptr<PinnedBaseline> baseline_;
    std::unique_ptr<EditQuestions> questions_;
    std::unique_ptr<CheckVerdicts> verdicts_;
    std::unique_ptr<ExpertSchedule> expert_;
    std::unique_ptr<ProgramEdits> program_;
    std::unique_ptr<WorkerTasks> tasks_;
    std::unique_ptr<AttachedGpus> attached_gpus_;
    std::unique_ptr<GpusElsewhere> gpus_elsewhere_;
    std::unique_ptr<OpenclDevices> opencl_devices_;
    std::unique_ptr<SourceTexts> sources_;
    std::unique_ptr<PassPrograms> passes_;
    std::unique_ptr<DataRuns> data_;
};

} // namespace loopscope::session
