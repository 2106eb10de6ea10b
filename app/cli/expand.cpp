// expand: a script with its recipes written out.
#include "app/cli/command.h"
#include "app/cli/load.h"

#include "core/language/expand_schedule.h"

namespace loopscope::cli {

int run_expand(const Options& options, const Console& console) {
    auto pipeline = load_pipeline(options, console);
    if (!pipeline)
        return console.fail(pipeline.errors());
    auto schedule = load_schedule(options, **pipeline);
    if (!schedule)
        return console.fail(schedule.errors());
    auto device = load_device(options, *schedule);
    if (!device)
        return console.fail(device.errors());
    auto text =
        expand_schedule_source(schedule->schedule.source, *pipeline, ApplyContext{&*device});
    if (!text)
        return console.fail(text.errors());
    console.out << *text;
    return kRight;
}

} // namespace loopscope::cli
