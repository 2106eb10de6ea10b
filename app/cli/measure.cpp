// measure: compiled and timed in a worker.
#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include "compiler/measure/other_work.h"

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

std::string clocks_text(const json& clocks) {
    return clocks.is_null() ? "not known"
                            : rate_text(clocks.at("multiprocessor_hertz"), "Hz") + ", memory " +
                                  rate_text(clocks.at("memory_hertz"), "Hz");
}

// What the driver made of the kernels, and how they were timed.
void print_gpu_times(const json& answer, std::ostream& out) {
    const bool several = answer.at("kernels").size() > 1;
    for (const auto& kernel : answer.at("kernels"))
        out << "  " << kernel.at("name").get<std::string>() << ": "
            << (several ? seconds_text(kernel.at("median_s")) + ", grid " : "grid ")
            << extents_text(kernel.at("grid")) << ", block " << extents_text(kernel.at("block"))
            << ", " << kernel.at("registers") << " registers, "
            << memory_text(kernel.at("shared_bytes")) << " of shared memory, "
            << kernel.at("local_bytes") << " B of local memory, "
            << kernel.at("blocks_per_multiprocessor") << " blocks a multiprocessor\n";
    out << "  " << answer.at("cache").get<std::string>() << " L2"
        << (answer.at("graph") ? ", replayed as a graph of " +
                                     grouped(answer.at("executions_per_sample")) + " executions"
                               : "")
        << "; clocks before: " << clocks_text(answer.at("clocks").at("before"))
        << "; after: " << clocks_text(answer.at("clocks").at("after")) << "\n";
}

// A wrong result has no time.
bool has_time(const json& answer) { return answer.at("median_s").is_number(); }

void print_agreement(const json& answer, std::ostream& out) {
    if (!answer.contains("check"))
        return;
    const auto& check = answer["check"];
    out << "  result " << check.at("status").get<std::string>() << ": "
        << check.at("method").get<std::string>() << "\n";
    if (!has_time(answer))
        out << "  not timed: a wrong result has no time\n";
    if (!has_time(answer) && check.contains("first_difference"))
        out << "  first difference: " << check["first_difference"].get<std::string>() << "\n";
}

void print_measure(const json& answer, std::ostream& out) {
    if (!has_time(answer))
        return print_agreement(answer, out);
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
    out << table.text() << "\n  " << grouped(answer.at("samples")) << " samples, ";
    if (!answer.contains("kernels"))
        out << threads << (threads == 1 ? " thread, " : " threads, ");
    out << answer.at("device").get<std::string>() << "; compiled in "
        << seconds_text(answer.at("seconds_compile")) << "\n";
    if (answer.contains("kernels"))
        print_gpu_times(answer, out);
    if (const auto others = answer.value("other_work_cores", json());
        others.is_number() && others.get<double>() >= measure::kDisturbingCores)
        out << "  the machine was busy: other work had " << significant(others.get<double>())
            << " cores on average; measure again when it is quiet\n";
    print_agreement(answer, out);
}

} // namespace

int run_measure(const Options& options, const Console& console) {
    json arguments;
    arguments["seed"] = options.seed;
    arguments["check"] = options.check_first;
    if (!options.cache.empty())
        arguments["cache"] = options.cache;
    if (options.budget_seconds > 0)
        arguments["budget_s"] = options.budget_seconds;
    auto answer = ask_to_execute("measure", arguments, options, console);
    if (!answer)
        return console.fail(answer.errors());
    if (options.json)
        console.print(*answer);
    else
        print_measure(*answer, console.out);
    return answer->contains("check") && answer->at("check").at("status") != "right" ? kWrong
                                                                                    : kRight;
}

} // namespace loopscope::cli
