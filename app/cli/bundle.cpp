// bundle: packs jobs for a GPU elsewhere (docs/bundles.md), and shows what came back.
#include "app/cli/bundle.h"
#include "app/cli/bundle_texts.h"

#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/worker.h"

#include "compiler/gpu/bundle/bundle.h"
#include "compiler/protocol/paths.h"
#include "compiler/protocol/protocol.h"
#include "core/base/system_error.h"
#include "core/base/whole_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace loopscope::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// A folder that is new, empty, or a bundle already: what else is in it stays as it is.
Status check_folder(const std::string& folder) {
    std::error_code failed;
    if (!fs::exists(folder, failed))
        return success();
    if (!fs::is_directory(folder, failed))
        return error(folder + " is no folder");
    if (fs::is_empty(folder, failed) || fs::exists(fs::path(folder) / gpu::kManifest, failed))
        return success();
    return error(folder + " is neither empty nor a bundle", "name a new folder");
}

Status copy_program(const std::string& folder) {
    const fs::path agent = fs::path(measure::executable_folder()) / "loopscope-agent";
    std::error_code failed;
    fs::copy_file(agent, fs::path(folder) / "loopscope-agent", fs::copy_options::overwrite_existing,
                  failed);
    return failed ? Status(system_error("copy", agent.string(), failed.value())) : success();
}

Result<json> pack(const BundleJobRequest& job, const Options& options, const Console& console) {
    auto of_job = options;
    of_job.file = job.pipeline;
    of_job.schedule = job.schedule;
    of_job.kind = job.kind;
    of_job.params = job.params;
    auto program = program_text(of_job);
    if (!program)
        return program.errors();
    auto arguments = measure::program_json(*program);
    arguments["name"] = job.name;
    arguments["folder"] = fs::absolute(options.file).string();
    arguments["architectures"] =
        job.architectures.empty() ? options.architectures : job.architectures;
    arguments["seed"] = options.seed;
    if (!job.peer.is_null())
        arguments["peer"] = job.peer;
    return ask_worker("bundle", arguments, options, console);
}

std::string counted(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void print_job(const json& job, std::ostream& out) {
    out << job.at("name").get<std::string>() << ": "
        << counted(job.at("plan").at("kernels").size(), "kernel") << ", "
        << counted(job.at("checks").size(), "check") << "\n"
        << std::flush;
}

int make_bundle(const Options& options, const Console& console) {
    auto requests = bundle_jobs(options);
    if (!requests)
        return console.fail(requests.errors());
    if (auto folder = check_folder(options.file); !folder)
        return console.fail(folder.errors());
    std::vector<json> jobs;
    int status = kRight;
    for (const auto& request : *requests) {
        auto job = pack(request, options, console);
        if (!job) { // of a hundred jobs that take minutes the others are not lost
            console.err << "the job " << request.name << " is left out:\n";
            status = std::max(status, console.fail(job.errors()));
            continue;
        }
        jobs.push_back(std::move(*job));
        if (!options.json)
            print_job(jobs.back(), console.out);
    }
    if (jobs.empty())
        return status;
    const auto manifest = gpu::manifest_text(jobs, measure::kProgramVersion);
    if (auto written = gpu::write_file(options.file, gpu::kManifest, manifest); !written)
        return console.fail(written.errors());
    for (const auto& script : bundle_texts())
        if (auto written =
                gpu::write_file(options.file, std::string(script.name) + ".py", script.text);
            !written)
            return console.fail(written.errors());
    if (auto copied = options.with_agent ? copy_program(options.file) : success(); !copied)
        return console.fail(copied.errors());
    if (options.json)
        console.print({{"folder", options.file}, {"jobs", jobs}});
    else
        console.out << "run it with: loopscope-agent run " << options.file
                    << " --out results.json\n";
    return status;
}

} // namespace

int run_bundle(const Options& options, const Console& console) {
    const bool shows = !options.results_file.empty();
    if (shows &&
        (!options.bundle_jobs.empty() || !options.jobs_file.empty() || !options.file.empty()))
        return console.fail(
            {error("`--results` shows what an agent has written; it makes no bundle",
                   "leave out the folder and the jobs")});
    if (!options.on.empty() &&
        (shows || !options.bundle_jobs.empty() || !options.jobs_file.empty()))
        return console.fail(
            {error("`--on` runs a bundle that is there already", "make it first, without --on")});
    if (!options.on.empty())
        return run_bundle_elsewhere(options, console);
    return shows ? show_results(options, console) : make_bundle(options, console);
}

} // namespace loopscope::cli
