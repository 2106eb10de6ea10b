#include "app/cli/results_file.h"

#include "compiler/gpu/json_reader.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"

namespace loopscope::cli {

using gpu::JsonReader;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxBytes = 256 << 20;
constexpr JsonLimits kLimits{64, 8 << 20}; // some hundreds of values a job
constexpr std::size_t kMaxResults = 10000, kMaxTimes = 16, kMaxKernels = 4096, kMaxErrors = 1000;
constexpr double kMaxSeconds = 1e9, kMaxRate = 1e15; // of GFLOP/s and GB/s
constexpr std::int64_t kMaxRegisters = 1 << 16, kMaxLocalBytes = std::int64_t{1} << 40;
constexpr const char* kResultsFormat = "loopscope-results/1";
constexpr const char* kPeerFormat = "loopscope-peer/1";
constexpr const char* kRemedy = "it is what `loopscope-agent run` and `peer.py` write";

std::string printable(JsonReader& read, const char* key, std::size_t most = 4096) {
    return printable_text(read.text(key, most));
}

std::string printable_or(JsonReader& read, const char* key, const std::string& otherwise) {
    return read.has(key) ? printable(read, key) : otherwise;
}

std::string element_path(const std::string& list, std::size_t index) {
    return list + "[" + std::to_string(index) + "]";
}

// A rate that may be missing or null.
std::optional<double> rate(JsonReader& read, const json& object, const char* key) {
    if (!object.contains(key) || object[key].is_null())
        return std::nullopt;
    return read.number(key, 0, kMaxRate);
}

// Each element of a list by `one`, which gets its object and path. A list that is missing has none.
template <typename Element, typename One>
Result<std::vector<Element>> read_list(JsonReader& read, const char* key, std::size_t most,
                                       One one) {
    std::vector<Element> list;
    if (!read.has(key))
        return list;
    for (const auto& object : read.array(key, most)) {
        Result<Element> element = one(object, element_path(read.path(key), list.size()));
        if (!element)
            return element.errors();
        list.push_back(std::move(*element));
    }
    return list;
}

Result<JobTime> time_of(const json& object, const std::string& path) {
    JsonReader read(object, path);
    JobTime time{printable(read, "cache", 100), read.number("median_s", 0, kMaxSeconds),
                 std::nullopt, std::nullopt};
    if (read) {
        time.gflops = rate(read, object, "gflops");
        time.gbytes_per_s = rate(read, object, "gbytes_per_s");
    }
    return read ? Result<JobTime>(std::move(time)) : read.errors();
}

Result<JobKernel> kernel_of(const json& object, const std::string& path) {
    JsonReader read(object, path);
    JobKernel kernel{read.whole("registers", 0, kMaxRegisters),
                     read.whole("local_bytes", 0, kMaxLocalBytes)};
    return read ? Result<JobKernel>(kernel) : read.errors();
}

Result<std::string> message_of(const json& object, const std::string& path) {
    JsonReader read(object, path);
    auto message = printable(read, "message", 1 << 20);
    return read ? Result<std::string>(std::move(message)) : read.errors();
}

Result<JobResult> job_of(const json& object, const std::string& path) {
    JsonReader read(object, path);
    JobResult job;
    job.name = printable(read, "name", 200);
    job.status = read.text("status", 100);
    if (read && job.status != "right" && job.status != "wrong" && job.status != "failed")
        read.fail("status", "\"right\", \"wrong\" or \"failed\"");
    if (read.has("gpu")) {
        JsonReader gpu(read.object("gpu"), read.path("gpu"));
        job.gpu = printable(gpu, "name") + ", " + printable(gpu, "architecture");
        if (read && !gpu)
            return gpu.errors();
    }
    auto times = read_list<JobTime>(read, "times", kMaxTimes, time_of);
    auto kernels = read_list<JobKernel>(read, "kernels", kMaxKernels, kernel_of);
    auto errors = read_list<std::string>(read, "errors", kMaxErrors, message_of);
    if (!read)
        return read.errors();
    if (!times || !kernels || !errors)
        return !times ? times.errors() : !kernels ? kernels.errors() : errors.errors();
    job.times = std::move(*times);
    job.kernels = std::move(*kernels);
    job.reason = errors->empty() ? "" : errors->front();
    return job;
}

Result<json> read_format(const std::string& file, const char* format) {
    auto object = read_json_file(file, kMaxBytes, kRemedy, kLimits);
    if (!object)
        return object;
    if (const auto is = object->is_object() ? text_or(*object, "format", "") : ""; is != format)
        return error(file + " is not of the format `" + format + "`", kRemedy);
    return object;
}

// What is wrong with a value follows the file's name.
Diagnostics in_file(const std::string& file, Diagnostics errors) {
    for (auto& e : errors) {
        e.message = file + ": " + e.message;
        e.remedy = e.remedy.empty() ? kRemedy : e.remedy;
    }
    return errors;
}

} // namespace

Result<Results> read_results(const std::string& file) {
    auto object = read_format(file, kResultsFormat);
    if (!object)
        return object.errors();
    JsonReader read(*object, "results");
    Results results;
    results.agent = printable_or(read, "agent", "");
    for (const auto& one : read.array("jobs", kMaxResults)) {
        auto job = job_of(one, element_path("jobs", results.jobs.size()));
        if (!job)
            return in_file(file, job.errors());
        results.jobs.push_back(std::move(*job));
    }
    if (!read)
        return in_file(file, read.errors());
    results.json = std::move(*object);
    return results;
}

Result<PeerResults> read_peer_results(const std::string& file) {
    auto object = read_format(file, kPeerFormat);
    if (!object)
        return object.errors();
    JsonReader read(*object, "peer");
    PeerResults peer;
    std::size_t count = 0;
    for (const auto& one : read.array("jobs", kMaxResults)) {
        JsonReader job(one, element_path("jobs", count++));
        const auto name = printable(job, "name", 200);
        auto times = read_list<JobTime>(job, "times", kMaxTimes, time_of);
        if (!job || !times)
            return in_file(file, job ? times.errors() : job.errors());
        for (const auto& time : *times)
            peer.median_s.emplace(std::pair(name, time.cache), time.median_s);
    }
    if (!read)
        return in_file(file, read.errors());
    peer.json = std::move(*object);
    return peer;
}

} // namespace loopscope::cli
