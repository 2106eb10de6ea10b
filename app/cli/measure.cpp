// measure: compiled and timed in a worker.
#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

using nlohmann::json;

namespace {

std::string interval_text(const json& answer) {
    const auto& interval = answer.at("ci95_s");
    if (!interval.is_array())
        return "no confidence interval: too few samples within the budget";
    return "95 % confidence: " + seconds_text(interval[0]) + " to " + seconds_text(interval[1]);
}

void print_text(const json& answer, std::ostream& out) {
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Right, Align::Left});
    table.row({"median", seconds_text(answer.at("median_s")), interval_text(answer)});
    table.row({"least", seconds_text(answer.at("min_s")), ""});
    if (answer.at("gflops").is_number())
        table.row({"arithmetic", rate_text(answer["gflops"].get<double>() * 1e9, "FLOP/s"),
                   amount_text(answer.at("flops"), "FLOP") +
                       " as the definitions state, recomputation not counted"});
    if (answer.at("gbytes_per_s").is_number())
        table.row(
            {"traffic", rate_text(answer["gbytes_per_s"].get<double>() * 1e9, "B/s"),
             amount_text(answer.at("bytes"), "B") + ": inputs read and outputs written, once"});
    int threads = answer.at("threads");
    out << table.text() << "\n  " << grouped(answer.at("samples")) << " samples, " << threads
        << (threads == 1 ? " thread" : " threads") << ", " << answer.at("device").get<std::string>()
        << "; compiled in " << seconds_text(answer.at("seconds_compile")) << "\n";
    if (answer.contains("check"))
        out << "  result " << answer["check"].at("status").get<std::string>() << ": "
            << answer["check"].at("method").get<std::string>() << "\n";
}

} // namespace

int run_measure(const Options& options, const Console& console) {
    json arguments;
    arguments["seed"] = options.seed;
    arguments["check"] = options.check_first;
    if (options.budget_seconds > 0)
        arguments["budget_s"] = options.budget_seconds;
    auto answer = ask_to_execute("measure", arguments, options, console);
    if (!answer)
        return console.fail(answer.errors());
    if (options.json)
        console.print(*answer);
    else
        print_text(*answer, console.out);
    return answer->contains("check") && answer->at("check").at("status") != "right" ? kWrong
                                                                                    : kRight;
}

} // namespace loopscope::cli
