#include "app/cli/bundle.h"

#include "app/cli/text_table.h"
#include "app/cli/units.h"

#include "compiler/run/whole_file.h"

#include <fstream>

namespace loopscope::cli {

using nlohmann::json;

namespace {

constexpr std::int64_t kMaxResults = std::int64_t{1} << 30;
constexpr const char* kResultsFormat = "loopscope-results/1";
constexpr const char* kPeerFormat = "loopscope-peer/1";

Result<json> read_json(const std::string& file, const std::string& format) {
    auto size = file_size(file);
    if (!size)
        return size.errors();
    if (*size > kMaxResults)
        return error(file + " has " + std::to_string(*size) + " bytes, more than any results");
    std::ifstream stream(file, std::ios::binary);
    auto object = json::parse(stream, nullptr, false);
    if (!object.is_object())
        return error(file + " is no JSON object");
    if (!object.contains("format") || object["format"] != format)
        return error(file + " is not of the format `" + format + "`",
                     "it is what `loopscope-agent run` and `peer.py` write");
    return object;
}

// Seconds of a job under a cache state by a peer; 0: it has none.
double peer_seconds(const json& peer, const std::string& job, const std::string& cache) {
    for (const auto& one : peer.value("jobs", json::array()))
        if (one.value("name", "") == job)
            for (const auto& time : one.value("times", json::array()))
                if (time.value("cache", "") == cache)
                    return time.value("median_s", 0.0);
    return 0;
}

std::string failure_of(const json& job) {
    const auto errors = job.value("errors", json::array());
    return errors.empty() ? "failed" : "failed: " + errors[0].value("message", "");
}

std::string device_of(const json& results) {
    for (const auto& job : results.at("jobs"))
        if (job.contains("gpu"))
            return job["gpu"].at("name").get<std::string>() + ", " +
                   job["gpu"].at("architecture").get<std::string>();
    return "no GPU that answered";
}

std::string time_rate(const json& time, const char* key, const char* unit) {
    const auto& value = time.at(key);
    return value.is_number() ? rate_text(value.get<double>() * 1e9, unit) : "";
}

std::string registers(const json& job) {
    std::string text;
    for (const auto& kernel : job.at("kernels")) {
        const int local = kernel.at("local_bytes");
        text += (text.empty() ? "" : ", ") + std::to_string(kernel.at("registers").get<int>()) +
                (local > 0 ? "+" + std::to_string(local) + " B" : "");
    }
    return text;
}

void print_table(const json& results, const json& peer, std::ostream& out) {
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Left, Align::Left, Align::Right, Align::Right,
                     Align::Right, Align::Right, Align::Right, Align::Right});
    table.header(
        {"job", "result", "L2", "median", "arithmetic", "traffic", "registers", "peer", "of peer"});
    for (const auto& job : results.at("jobs")) {
        const auto name = job.at("name").get<std::string>();
        const auto status = job.value("status", "failed");
        if (status != "right") {
            table.row({name, status == "wrong" ? "WRONG" : "failed", "", "", "", "", "", "", ""});
            continue;
        }
        for (const auto& time : job.at("times")) {
            const auto cache = time.at("cache").get<std::string>();
            const double median = time.at("median_s"), other = peer_seconds(peer, name, cache);
            table.row({name, status, cache, seconds_text(median),
                       time_rate(time, "gflops", "FLOP/s"), time_rate(time, "gbytes_per_s", "B/s"),
                       registers(job), other > 0 ? seconds_text(other) : "",
                       other > 0 ? significant(100 * other / median) + " %" : ""});
        }
    }
    out << "  " << device_of(results) << "; " << results.value("agent", "") << "\n\n"
        << table.text();
    for (const auto& job : results.at("jobs"))
        if (job.value("status", "failed") == "failed")
            out << "\n  " << job.at("name").get<std::string>() << ": " << failure_of(job) << "\n";
}

int status_of(const json& results) {
    int status = kRight;
    for (const auto& job : results.at("jobs")) {
        const auto said = job.value("status", "failed");
        status = std::max<int>(status, said == "right"   ? kRight
                                       : said == "wrong" ? kWrong
                                                         : kLimitReached);
    }
    return status;
}

} // namespace

int show_results(const Options& options, const Console& console) {
    auto results = read_json(options.results_file, kResultsFormat);
    if (!results)
        return console.fail(results.errors());
    json peer = json::object();
    if (!options.peer_file.empty()) {
        auto read = read_json(options.peer_file, kPeerFormat);
        if (!read)
            return console.fail(read.errors());
        peer = std::move(*read);
    }
    try {
        if (options.json)
            console.print({{"results", *results}, {"peer", peer}});
        else
            print_table(*results, peer, console.out);
        return status_of(*results);
    } catch (const json::exception& reason) {
        return console.fail(
            {error(options.results_file + " is not as an agent writes it: " + reason.what())});
    }
}

} // namespace loopscope::cli
