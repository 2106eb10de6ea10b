#pragma once
// From the files of the command line to values: pipeline, schedule, tree, device, and the texts
// that a worker gets.

#include "app/cli/command.h"

#include "compiler/measure/requests.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/result.h"
#include "core/device/device.h"
#include "core/language/schedule_parser.h"

namespace loopscope::cli {

// The text of the pipeline. Errors: it cannot be read, or is a schedule.
Result<SourceFilePtr> read_pipeline(const Options& options);
// The pipeline, with `--param`. Warnings go to the console.
Result<PipelinePtr> load_pipeline(const Options& options, const Console& console);

// The device that the command line, else the script's `target` line, names; else the host. Errors:
// those of the script's text too.
Result<device::Device> load_device(const Options& options, const PartialSchedule& script);

struct LoadedTree {
    PipelinePtr pipeline;
    Schedule schedule;
    device::Device device;
    ScheduleTreePtr tree;
};
Result<LoadedTree> load_tree(const Options& options, const Console& console);

// The script of `-s`, with the errors of its text, or the default schedule: no directives. Errors:
// the file cannot be read, or is no schedule.
Result<PartialSchedule> load_schedule(const Options& options, const Pipeline& pipeline);

// What a worker needs to do the same. Errors: a file cannot be read or is not UTF-8; the script's
// `target` line names no device; the command would write over one of these files (overwrite.h).
Result<measure::ProgramText> program_text(const Options& options);

// `-s auto` belongs to the tuner, which is not in this version.
Status refuse_automatic(const Options& options);

// Is --target one of this version (status 3)?
Status check_target(const Options& options);

} // namespace loopscope::cli
