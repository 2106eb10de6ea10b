// check: compiled and run on random inputs in a worker, compared with the reference interpreter.
#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

using nlohmann::json;

namespace {

std::string number_text(const json& value) {
    return value.is_number() ? significant(value.get<double>()) : "not finite";
}

// What the interpreter of SIMT programs found wrong with the kernels, whatever they computed.
void print_findings(const json& answer, std::ostream& out) {
    if (!answer.contains("findings") || answer["findings"].empty())
        return;
    out << "\n";
    for (const auto& finding : answer["findings"])
        out << "  " << finding.at("kind").get<std::string>()
            << (finding.at("node").is_string() ? " at " + finding["node"].get<std::string>() : "")
            << ": " << finding.at("message").get<std::string>() << " ("
            << finding.at("count").get<std::uint64_t>() << " times)\n";
}

void print_check(const json& answer, std::ostream& out) {
    const bool right = answer.at("status") == "right";
    const char* verdict = !right                    ? "WRONG"
                          : answer.at("conclusive") ? "right"
                                                    : "right, as far as it could be told";
    out << verdict << ": " << answer.at("method").get<std::string>() << "\n\n";
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Right,
                     Align::Right});
    table.header({"output", "type", "extents", "", "different", "max |error|", "max ulp"});
    for (const auto& output : answer.at("outputs"))
        table.row({output.at("name"), output.at("type"), extents_text(output.at("extents")),
                   output.at("status"), grouped(output.at("different")),
                   number_text(output.at("max_abs_error")), number_text(output.at("max_ulp"))});
    out << table.text();
    if (answer.contains("first_difference") && answer["first_difference"].is_string())
        out << "\n  first difference: " << answer["first_difference"].get<std::string>() << "\n";
    print_findings(answer, out);
    out << "\n  seed " << answer.at("seed");
    if (answer.contains("device"))
        out << ", on " << answer["device"].get<std::string>();
    else
        out << ", threads " << answer.at("threads");
    out << ", compiled in " << seconds_text(answer.at("seconds_compile"));
    if (answer.contains("seconds_reference"))
        out << ", ran in " << seconds_text(answer.at("seconds_run")) << ", reference in "
            << seconds_text(answer["seconds_reference"]) << "\n";
    else // of a GPU elsewhere: both are made here
        out << " with the reference, ran in " << seconds_text(answer.at("seconds_run")) << "\n";
}

} // namespace

int run_check(const Options& options, const Console& console) {
    json arguments;
    arguments["seed"] = options.seed;
    if (options.tolerance >= 0)
        arguments["tolerance"] = options.tolerance;
    auto answer = ask_to_execute("check", arguments, options, console);
    if (!answer)
        return console.fail(answer.errors());
    if (options.json)
        console.print(*answer);
    else
        print_check(*answer, console.out);
    return answer->at("status") == "right" ? kRight : kWrong;
}

} // namespace loopscope::cli
