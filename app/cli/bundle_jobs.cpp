#include "app/cli/bundle.h"

#include "compiler/gpu/bundle/bundle.h"
#include "compiler/gpu/json_reader.h"
#include "core/base/json_text.h"

#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>

namespace loopscope::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxJobBytes = 16 << 20;
constexpr std::size_t kMaxJobs = 10000;
constexpr std::size_t kMaxArchitectures = 16; // of one job

// "NAME=P.loop,S.sched,M=512": the files by their endings, in any order.
Result<BundleJobRequest> job_of(const std::string& text) {
    BundleJobRequest job;
    const auto equals = text.find('=');
    job.name = text.substr(0, equals);
    std::istringstream parts(equals == std::string::npos ? "" : text.substr(equals + 1));
    for (std::string part; std::getline(parts, part, ',');) {
        const auto at = part.find('=');
        std::int64_t value = 0;
        const char* end = part.data() + part.size();
        if (part.ends_with(".loop") && job.pipeline.empty())
            job.pipeline = part;
        else if (part.ends_with(".sched") && job.schedule.empty())
            job.schedule = part;
        else if (at != std::string::npos && at > 0 &&
                 std::from_chars(part.data() + at + 1, end, value).ptr == end &&
                 at + 1 < part.size())
            job.params[part.substr(0, at)] = value;
        else
            return error("`--job " + text + "`: `" + part +
                             "` is no .loop file, no .sched file and "
                             "no param",
                         "as in --job small=matmul.loop,matmul.gpu.sched,M=512");
    }
    if (job.pipeline.empty())
        return error("`--job " + text + "` names no .loop file",
                     "as in --job small=matmul.loop,matmul.gpu.sched,M=512");
    return job;
}

// Files stand beside the file that names them.
std::string beside(const std::string& file, const std::string& named) {
    return named.empty() ? named : (fs::path(file).parent_path() / named).string();
}

Result<BundleJobRequest> read_job(const json& object, const std::string& path,
                                  const std::string& file) {
    gpu::JsonReader read(object, path);
    BundleJobRequest job;
    job.name = read.text("name", 200);
    job.pipeline = beside(file, read.text("pipeline"));
    job.schedule = beside(file, read.text_or("schedule", ""));
    job.kind = FileKind::Regular;
    if (read.has("params"))
        job.params = read.wholes_by_name("params");
    if (read.has("architectures"))
        job.architectures = read.texts("architectures", kMaxArchitectures);
    if (read.has("peer"))
        job.peer = read.object("peer");
    if (!read)
        return read.errors();
    static const std::set<std::string> known{"name",   "pipeline",      "schedule",
                                             "params", "architectures", "peer"};
    for (const auto& [key, value] : object.items())
        if (!known.count(key))
            return error("`" + path + "." + key + "` is not understood",
                         "a job has name, pipeline, schedule, params, architectures and peer");
    return job;
}

Result<std::vector<BundleJobRequest>> read_jobs(const std::string& file) {
    const auto object =
        read_json_file(file, kMaxJobBytes,
                       "a list of jobs is an object with \"jobs\" (`loopscope-cli help bundle`)");
    if (!object)
        return object.errors();
    gpu::JsonReader read(*object, file);
    std::vector<BundleJobRequest> jobs;
    for (const auto& one : read.array("jobs", kMaxJobs)) {
        auto job = read_job(one, file + ": jobs[" + std::to_string(jobs.size()) + "]", file);
        if (!job)
            return job.errors();
        jobs.push_back(std::move(*job));
    }
    if (!read)
        return read.errors();
    return jobs;
}

} // namespace

Result<std::vector<BundleJobRequest>> bundle_jobs(const Options& options) {
    if (options.file.empty())
        return error("`bundle` needs the folder to make, or --results",
                     "as in bundle OUT --job small=matmul.loop,matmul.gpu.sched");
    std::vector<BundleJobRequest> jobs;
    for (const auto& text : options.bundle_jobs) {
        auto job = job_of(text);
        if (!job)
            return job.errors();
        jobs.push_back(std::move(*job));
    }
    if (!options.jobs_file.empty()) {
        auto listed = read_jobs(options.jobs_file);
        if (!listed)
            return listed.errors();
        jobs.insert(jobs.end(), listed->begin(), listed->end());
    }
    std::set<std::string> names;
    for (const auto& job : jobs) {
        if (!gpu::is_bundle_path(job.name) || job.name.find('/') != std::string::npos)
            return error("`" + job.name + "` is no name of a job",
                         "letters, digits, '.', '_' and '-'");
        if (!names.insert(job.name).second)
            return error("two jobs have the name " + job.name);
    }
    if (jobs.empty())
        return error("a bundle needs at least one job",
                     "--job NAME=P.loop,S.sched, or --jobs FILE");
    return jobs;
}

} // namespace loopscope::cli
