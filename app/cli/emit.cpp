// emit: the program at one step of its compilation.
#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/text_table.h"
#include "app/cli/worker.h"

#include "core/base/output_forms.h"
#include "core/base/whole_file.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

namespace {

// `--as after:help`: the names that `after:` takes, in the order in which the passes run.
int list_passes(const Options& options, const Console& console) {
    auto answer = ask_worker("info", nlohmann::json::object(), options, console);
    if (!answer)
        return console.fail(answer.errors());
    auto passes = answer->at("passes");
    passes.insert(passes.begin(),
                  nlohmann::json{{"name", "build"}, {"summary", "the schedule tree as loops"}});
    if (options.json)
        return console.print({{"passes", passes}});
    TextTable table({TextTable::Align::Left, TextTable::Align::Left});
    for (const auto& pass : passes)
        table.row({pass.at("name"), pass.at("summary")});
    console.out << table.text();
    return kRight;
}

} // namespace

int run_emit(const Options& options, const Console& console) {
    if (auto form = check_output_form(options.as, options.with_main, options.arch); !form)
        return console.fail(form.errors());
    if (options.as == std::string(kAfterPass) + "help")
        return list_passes(options, console);
    auto program = program_text(options);
    if (!program)
        return console.fail(program.errors());
    const auto& file = options.output_file;
    if (auto writable = file.empty() ? success() : check_writable(file); !writable)
        return console.fail(writable.errors());
    auto arguments = measure::program_json(*program);
    arguments["as"] = options.as;
    arguments["target"] = options.emit_target;
    if (options.with_main)
        arguments["main"] = true;
    if (!options.arch.empty())
        arguments["arch"] = options.arch;
    auto answer = ask_worker("emit", arguments, options, console);
    if (!answer)
        return console.fail(answer.errors());
    auto text = options.json ? answer->dump(2) + "\n" : answer->at("text").get<std::string>();
    if (file.empty()) {
        console.out << text;
        return kRight;
    }
    auto written = write_whole(file, {text});
    return written ? kRight : console.fail(written.errors());
}

} // namespace loopscope::cli
