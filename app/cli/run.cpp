// run: the pipeline on the user's own data.
#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace loopscope::cli {

using nlohmann::json;

namespace {

// The worker has the same current folder now, but a path must not come to mean something else when that changes.
json absolute_paths(const std::map<std::string, std::string>& files) {
    json paths = json::object();
    for (const auto& [name, file] : files)
        paths[name] = std::filesystem::absolute(file).string();
    return paths;
}

void print_text(const json& answer, const Options& options, std::ostream& out) {
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Left, Align::Left, Align::Left});
    table.header({"output", "type", "extents", "file"});
    for (const auto& output : answer.at("outputs")) {
        auto name = output.at("name").get<std::string>();
        table.row({name, output.at("type"), extents_text(output.at("extents")),
                   options.outputs.at(name)});
    }
    out << table.text() << "\n  ran in " << seconds_text(answer.at("seconds")) << " on "
        << answer.at("threads") << " threads";
    std::string params;
    for (const auto& [name, value] : answer.at("params").items())
        params +=
            (params.empty() ? "" : ", ") + name + " = " + std::to_string(value.get<std::int64_t>());
    out << (params.empty() ? "" : "; " + params) << "\n";
}

} // namespace

int run_run(const Options& options, const Console& console) {
    if (auto target = check_target(options); !target)
        return console.fail(target.errors());
    auto program = program_text(options);
    if (!program)
        return console.fail(program.errors());
    auto arguments = measure::program_json(*program);
    arguments["target"] = options.target;
    arguments["threads"] = options.threads;
    arguments["inputs"] = absolute_paths(options.inputs);
    arguments["outputs"] = absolute_paths(options.outputs);
    auto answer = ask_worker("run", arguments, options, console);
    if (!answer)
        return console.fail(answer.errors());
    if (options.json) {
        for (auto& output : answer->at("outputs"))
            output["file"] = options.outputs.at(output.at("name").get<std::string>());
        return console.print(*answer);
    }
    print_text(*answer, options, console.out);
    return kRight;
}

} // namespace loopscope::cli
