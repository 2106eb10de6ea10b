// lint: diagnostics only, for a pipeline and perhaps a schedule.
#include "app/cli/command.h"
#include "app/cli/load.h"

#include "core/language/loop_parser.h"

namespace loopscope::cli {

int run_lint(const Options& options, const Console& console) {
    LoadOptions load;
    load.params = options.params;
    auto source = read_pipeline(options);
    if (!source)
        return console.fail(source.errors());
    auto loaded = loopscope::load_pipeline(*source, load);
    if (!loaded)
        return console.fail(loaded.errors());
    console.warn(lint(*loaded));
    if (options.schedule.empty())
        return kRight;
    auto schedule = load_schedule(options, *loaded->pipeline);
    if (!schedule)
        return console.fail(schedule.errors());
    auto device = load_device(options, *schedule);
    if (!device)
        return console.fail(device.errors());
    auto tree = schedule_tree(loaded->pipeline, *schedule, ApplyContext{&*device});
    return tree ? kRight : console.fail(tree.errors());
}

} // namespace loopscope::cli
