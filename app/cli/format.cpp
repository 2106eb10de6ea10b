// format: the canonical text of a .loop or .sched file.
#include "app/cli/command.h"
#include "app/cli/load.h"

#include "core/language/loop_parser.h"

#include <filesystem>

namespace loopscope::cli {

int run_format(const Options& options, const Console& console) {
    auto source = read_source_file(options.file);
    if (!source)
        return console.fail(source.errors());
    auto ending = std::filesystem::path(options.file).extension().string();
    if (ending != ".loop" && ending != ".sched")
        return console.fail({error(options.file + " is neither a .loop nor a .sched file",
                                   "the ending says which language it is")});
    auto text =
        ending == ".loop" ? format_pipeline_source(*source) : format_schedule_source(*source);
    if (!text)
        return console.fail(text.errors());
    console.out << *text;
    return kRight;
}

} // namespace loopscope::cli
