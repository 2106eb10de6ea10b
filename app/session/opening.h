#pragma once
// From a file to a document and what it means, before anything of it is shown: what was open stays
// open on failure.

#include "app/document/document.h"
#include "app/document/recovery_folder.h"
#include "app/session/document_device.h"
#include "app/session/script_edit.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace loopscope::session {

// Errors: the text has some, or no such params.
Result<PipelinePtr> pipeline_of(const Program& program, const std::string& name);

struct OpenOptions {
    std::string schedule_file; // -s; empty: the default schedule
    std::map<std::string, std::int64_t> params;
    // Empty: the one that the schedule names as its target, else the host; of a pipeline alone or a
    // .sched without a target, while nothing is open, the one that is chosen.
    std::string device;
    // A .loopscope is only read: what is done with it is done to an untitled copy.
    bool on_a_copy = false;
};

struct OpenedDocument {
    std::unique_ptr<Document> document;
    std::string schedule_file; // that was opened with a .loop; empty: none
    CarriedDevices carried;
    std::string copy_of; // the document that was read; empty: it is that one itself
    bool untitled = false;
    PipelinePtr pipeline;
    DevicePtr device, own_device; // that estimates are for, and the one where the script names none
    std::string missing_device;   // that is named and not here: the host stands in; empty: none
    std::string script;           // that is shown,
    Scheduled scheduled;          // and what it means
    // The document's script, where it does not apply: a draft that shows its errors.
    std::string refused;
    DevicePtr chosen_gpu; // for a schedule that only a GPU can run, and that names none; else null
};

// A .loop: a new untitled document that saves itself.
// The script as it is opened: for the device that is asked for, where one is.
std::string script_for(const OpenOptions& options, const device::Device& asked,
                       const std::string& script);

Result<OpenedDocument> open_pipeline(const std::string& path, const OpenOptions& options,
                                     const DocumentDevice& devices, const RecoveryFolder& recovery);
// A .loopscope.
Result<OpenedDocument> open_document(const std::string& path, bool on_a_copy,
                                     const DocumentDevice& devices, const RecoveryFolder& recovery);

// A .sched.
struct ScheduleFile {
    std::string text;
    std::string pipeline;      // the name of its pipeline,
    std::string pipeline_file; // and of the file beside it that has it
};
Result<ScheduleFile> read_schedule_file(const std::string& path);

} // namespace loopscope::session
