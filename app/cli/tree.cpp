// tree: the schedule tree.
#include "app/cli/command.h"
#include "app/cli/load.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

int run_tree(const Options& options, const Console& console) {
    auto loaded = load_tree(options, console);
    if (!loaded)
        return console.fail(loaded.errors());
    if (options.json)
        return console.print(to_json(*loaded->tree));
    console.out << to_text(*loaded->tree);
    return kRight;
}

} // namespace loopscope::cli
