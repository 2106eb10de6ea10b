// lint: diagnostics only, for a pipeline and perhaps a schedule.
#include "app/cli/command.h"
#include "app/cli/load.h"

namespace loopscope::cli {

int run_lint(const Options& options, const Console& console) {
    if (options.schedule.empty()) {
        auto pipeline = load_pipeline(options, console);
        return pipeline ? kRight : console.fail(pipeline.errors());
    }
    auto loaded = load_tree(options, console);
    return loaded ? kRight : console.fail(loaded.errors());
}

} // namespace loopscope::cli
