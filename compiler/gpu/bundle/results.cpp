#include "compiler/gpu/bundle/results.h"

#include "compiler/gpu/exit_status.h"
#include "compiler/protocol/protocol.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/printable.h"
#include "core/base/whole_file.h"

#include <algorithm>
#include <filesystem>

namespace loopscope::gpu {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxResults = 256 << 20; // bytes of a file that may be an earlier run's
constexpr JsonLimits kResultsLimits{64, 8 << 20};
constexpr std::size_t kMaxMessage = 500;

bool lies_in(const std::string& path, const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const auto inside = fs::weakly_canonical(path, ignored)
                            .lexically_relative(fs::weakly_canonical(folder, ignored));
    return !inside.empty() && *inside.begin() != ".." && fs::exists(path, ignored);
}

// One that did not fail: it need not be made again.
bool is_result(const json& job) {
    const auto status = job.is_object() ? text_or(job, "status", "failed") : "failed";
    return status == "right" || status == "wrong" || status == "done";
}

bool is_of(const json& results, const Bundle& bundle) {
    const auto found = results.find("bundle");
    return found != results.end() && text_or(*found, "hash", "") == hash_text(bundle.hash);
}

} // namespace

Result<ResultsFile> ResultsFile::open(const std::string& path, const Bundle& bundle, bool keep) {
    ResultsFile file;
    file.path_ = path;
    file.json_ = {{"format", kResultsFormat},
                  {"agent", std::string("loopscope ") + measure::kProgramVersion},
                  {"bundle", {{"hash", hash_text(bundle.hash)}}},
                  {"jobs", json::array()}};
    const bool inside = lies_in(path, bundle.folder);
    if (inside || keep) {
        const auto there = read_json_file(path, kMaxResults, "", kResultsLimits);
        const bool are_results = there && text_or(*there, "format", "") == kResultsFormat;
        if (inside && !are_results)
            return error("`--out " + path + "` is a file in the bundle's folder, and no results",
                         "name a new file, such as results.json");
        if (keep && std::filesystem::exists(path) && !(are_results && is_of(*there, bundle)))
            return error(path + " is there already, and has no results of this bundle",
                         "`--out` names another file");
        if (keep && are_results)
            for (const auto& job : list_or_none(*there, "jobs"))
                if (is_result(job) && bundle.find(text_or(job, "name", "")))
                    file.json_["jobs"].push_back(job);
    }
    if (auto writable = check_writable(path); !writable)
        return writable.errors();
    return file;
}

bool ResultsFile::has(const std::string& job) const {
    const auto& jobs = json_.at("jobs");
    return std::any_of(jobs.begin(), jobs.end(), [&](const json& one) {
        return is_result(one) && text_or(one, "name", "") == job;
    });
}

Status ResultsFile::add(json result) {
    json_["jobs"].push_back(std::move(result));
    return write_whole(path_, {json_.dump(1, ' ', false, json::error_handler_t::replace) + "\n"});
}

std::string line_of(const json& result) {
    const auto status = text_or(result, "status", "failed");
    if (status != "right" && status != "wrong" && status != "done") {
        const auto& errors = list_or_none(result, "errors");
        return "failed: " +
               printable_text(errors.empty() ? "" : text_or(errors.front(), "message", ""),
                              kMaxMessage);
    }
    auto text = status;
    for (const auto& time : list_or_none(result, "times")) {
        const auto median = time.is_object() ? time.value("median_s", json()) : json();
        if (median.is_number())
            text += ", " + printable_text(text_or(time, "cache", "?"), 10) + " " +
                    fixed_text(1e6 * median.get<double>(), 2) + " us";
    }
    return text;
}

int exit_status_of(const json& result) {
    const auto status = text_or(result, "status", "failed");
    return status == "right" || status == "done" ? kRight
           : status == "wrong"                   ? kWrong
                                                 : kLimitReached;
}

} // namespace loopscope::gpu
