// run: the pipeline on the user's own data.
#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include "compiler/run/array_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace loopscope::cli {

using nlohmann::json;

namespace {

// The worker has the same current folder now, but a path must not come to mean something else when
// that changes.
json absolute_paths(const std::map<std::string, std::string>& files) {
    json paths = json::object();
    for (const auto& [name, file] : files)
        paths[name] = std::filesystem::absolute(file).string();
    return paths;
}

void print_run(const json& answer, const Options& options, std::ostream& out) {
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Left, Align::Left, Align::Left});
    table.header({"output", "type", "extents", "file"});
    for (const auto& output : answer.at("outputs")) {
        auto name = output.at("name").get<std::string>();
        table.row({name, output.at("type"), extents_text(output.at("extents")),
                   options.outputs.at(name)});
    }
    out << table.text() << "\n  ran in " << seconds_text(answer.at("seconds")) << " on ";
    if (answer.contains("device"))
        out << answer["device"].get<std::string>();
    else
        out << answer.at("threads") << (answer["threads"] == 1 ? " thread" : " threads");
    std::string params;
    for (const auto& [name, value] : answer.at("params").items())
        params +=
            (params.empty() ? "" : ", ") + name + " = " + std::to_string(value.get<std::int64_t>());
    out << (params.empty() ? "" : "; " + params) << "\n";
    // Most programs call the rows the first index of an image; here its channels are.
    for (const auto& input : answer.at("inputs")) {
        auto name = input.at("name").get<std::string>();
        bool png = !is_numpy_file(options.inputs.at(name));
        if (png && input.at("extents").size() == 3)
            out << "  " << options.inputs.at(name) << " was read as " << name
                << "[channel, row, column]: " << extents_text(input.at("extents")) << "\n";
    }
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

// Files as the user has named them. Longer paths first: another may be the beginning of one.
Diagnostics with_given_paths(Diagnostics errors, const Options& options) {
    std::vector<std::pair<std::string, std::string>> given;
    for (const auto* files : {&options.inputs, &options.outputs})
        for (const auto& [name, file] : *files)
            if (auto path = std::filesystem::absolute(file).string(); path != file)
                given.emplace_back(std::move(path), file);
    std::sort(given.begin(), given.end(),
              [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    for (auto& each : errors)
        for (const auto& [path, file] : given) {
            replace_all(each.message, path, file);
            replace_all(each.remedy, path, file);
        }
    return errors;
}

} // namespace

int run_run(const Options& options, const Console& console) {
    json arguments;
    arguments["inputs"] = absolute_paths(options.inputs);
    arguments["outputs"] = absolute_paths(options.outputs);
    auto answer = ask_to_execute("run", arguments, options, console);
    if (!answer)
        return console.fail(with_given_paths(answer.errors(), options));
    if (options.json) {
        for (auto& input : answer->at("inputs"))
            input["file"] = options.inputs.at(input.at("name").get<std::string>());
        for (auto& output : answer->at("outputs"))
            output["file"] = options.outputs.at(output.at("name").get<std::string>());
        return console.print(*answer);
    }
    print_run(*answer, options, console.out);
    return kRight;
}

} // namespace loopscope::cli
