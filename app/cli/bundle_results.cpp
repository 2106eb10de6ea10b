#include "app/cli/bundle.h"

#include "app/cli/results_file.h"
#include "app/cli/text_table.h"
#include "app/cli/units.h"

#include <algorithm>

namespace loopscope::cli {

using nlohmann::json;

namespace {

std::string device_of(const Results& results) {
    for (const auto& job : results.jobs)
        if (!job.gpu.empty())
            return job.gpu;
    return "no GPU that answered";
}

std::string giga_rate(const std::optional<double>& rate, const char* unit) {
    return rate ? rate_text(*rate * 1e9, unit) : "";
}

std::string registers(const JobResult& job) {
    std::string text;
    for (const auto& kernel : job.kernels)
        text += (text.empty() ? "" : ", ") + std::to_string(kernel.registers) +
                (kernel.local_bytes > 0 ? "+" + std::to_string(kernel.local_bytes) + " B" : "");
    return text;
}

void print_table(const Results& results, const PeerResults& peer, std::ostream& out) {
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Left, Align::Left, Align::Right, Align::Right,
                     Align::Right, Align::Right, Align::Right, Align::Right});
    table.header(
        {"job", "result", "L2", "median", "arithmetic", "traffic", "registers", "peer", "of peer"});
    for (const auto& job : results.jobs) {
        if (job.status != "right") {
            table.row(
                {job.name, job.status == "wrong" ? "WRONG" : "failed", "", "", "", "", "", "", ""});
            continue;
        }
        for (const auto& time : job.times) {
            const auto found = peer.median_s.find({job.name, time.cache});
            const bool compared = found != peer.median_s.end() && found->second > 0;
            table.row({job.name, job.status, time.cache, seconds_text(time.median_s),
                       giga_rate(time.gflops, "FLOP/s"), giga_rate(time.gbytes_per_s, "B/s"),
                       registers(job), compared ? seconds_text(found->second) : "",
                       compared && time.median_s > 0
                           ? significant(100 * found->second / time.median_s) + " %"
                           : ""});
        }
    }
    out << "  " << device_of(results) << "; " << results.agent << "\n\n" << table.text();
    for (const auto& job : results.jobs)
        if (job.status == "failed")
            out << "\n  " << job.name << ": failed" << (job.reason.empty() ? "" : ": ")
                << job.reason << "\n";
}

int status_of(const Results& results) {
    int status = kRight;
    for (const auto& job : results.jobs)
        status = std::max<int>(status, job.status == "right"   ? kRight
                                       : job.status == "wrong" ? kWrong
                                                               : kLimitReached);
    return status;
}

} // namespace

int show_results(const Options& options, const Console& console) {
    auto results = read_results(options.results_file);
    if (!results)
        return console.fail(results.errors());
    PeerResults peer;
    peer.json = json::object();
    if (!options.peer_file.empty()) {
        auto read = read_peer_results(options.peer_file);
        if (!read)
            return console.fail(read.errors());
        peer = std::move(*read);
    }
    if (options.json)
        console.print({{"results", results->json}, {"peer", peer.json}});
    else
        print_table(*results, peer, console.out);
    return status_of(*results);
}

} // namespace loopscope::cli
