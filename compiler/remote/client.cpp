#include "compiler/remote/client.h"

#include "compiler/gpu/bundle/bundle.h"
#include "compiler/measure/gpu_devices.h"
#include "compiler/protocol/protocol.h"
#include "compiler/remote/answers.h"
#include "compiler/remote/said_gpus.h"
#include "compiler/remote/slurm_run.h"
#include "compiler/run/array_file.h"
#include "core/base/clock.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/base/private_directory.h"

#include <algorithm>
#include <cstring>

namespace loopscope::remote {

using nlohmann::json;

namespace {

constexpr const char* kJob = "job";
constexpr double kDefaultSeconds = 3600;
constexpr double kJobSeconds = 60;          // to load the driver, and for arrays
constexpr double kDefaultBudgetSeconds = 5; // as of a GPU that is here

Waiting waiting_of(const measure::RequestOptions& options) {
    return {options.timeout_seconds > 0 ? options.timeout_seconds : kDefaultSeconds,
            options.cancel};
}

void tell(const measure::RequestOptions& options, const std::string& text) {
    if (options.on_progress)
        options.on_progress({"remote", text, -1});
}

// Outputs come back as raw elements, and are written to the files that the request names; `written`
// lists them.
Status fetch_outputs(const json& packed, const std::map<std::string, std::string>& files,
                     BundleRun& run, json& written) {
    auto job = gpu::job_from_json(packed, "job");
    if (!job)
        return job.errors();
    std::map<std::string, std::string> names; // of the outputs, by their files there
    for (const auto& [name, file] : files) {
        const auto* planned = job->plan.find(name);
        std::size_t bytes = static_cast<std::size_t>(loopscope::bytes(planned->type));
        for (const auto extent : planned->window)
            bytes *= static_cast<std::size_t>(extent);
        run.fetch[gpu::outputs_path(kJob, name)] = bytes;
        names[gpu::outputs_path(kJob, name)] = name;
    }
    run.on_fetched = [&written, names, files, plan = job->plan](const std::string& there,
                                                                std::string bytes) -> Status {
        const auto& name = names.at(there);
        const auto* planned = plan.find(name);
        auto array = make_buffer(planned->type, planned->window);
        if (!array)
            return array.errors();
        std::memcpy(array->data.data(), bytes.data(), array->data.size());
        if (auto done = write_array(files.at(name), *array); !done)
            return done;
        written.push_back({{"name", name},
                           {"file", files.at(name)},
                           {"type", loopscope::name(array->type)},
                           {"extents", array->extents}});
        return success();
    };
    return success();
}

} // namespace

RemoteClient::RemoteClient(Place place) : place_(std::move(place)), shell_(place_.host) {}

Result<json> RemoteClient::ask_devices(bool measure, bool copy_anew, const Waiting& waiting,
                                       const measure::RequestOptions& options) {
    const auto program = find_agent(shell_, waiting, copy_anew);
    if (!program)
        return program.errors();
    if (place_.kind == Place::Kind::Slurm)
        return slurm_devices(
            shell_, *program, place_.partition, measure,
            [&](const std::string& text) { tell(options, text); }, waiting);
    ShellRun run;
    run.script = kFolderThere + program->command + " devices" + kHeartbeatOption +
                 (measure ? " --measure" : "");
    run.heartbeat = true;
    run.waiting = waiting;
    auto end = shell_.run(run);
    if (!end)
        return end.errors();
    return devices_of(shell_.name(), *end, program->hash);
}

Result<json> RemoteClient::gpus(bool measure, const Waiting& waiting,
                                const measure::RequestOptions& options) {
    tell(options, "asking " + place_.machine() + " for its GPUs");
    auto answer = ask_devices(measure, false, waiting, options);
    // What lies there under the agent's name is damaged.
    if (!answer && answer.errors().front().code == measure::kCodeProtocol)
        answer = ask_devices(measure, true, waiting, options);
    if (!answer)
        return answer;
    auto list = said_gpus(place_, *answer);
    if (!list)
        return list.errors();
    gpus_ = std::move(*list);
    return json{{"gpus", gpus_}};
}

// The one that the place means.
Result<json> RemoteClient::gpu(const Waiting& waiting, const measure::RequestOptions& options) {
    if (gpus_.is_null())
        if (auto asked = gpus(false, waiting, options); !asked)
            return asked.errors();
    const auto number = static_cast<std::size_t>(place_.gpu);
    if (number >= gpus_.size())
        return coded_error(measure::kCodeTarget,
                           shell_.name() + " has no GPU " + std::to_string(number) + ": it has " +
                               std::to_string(gpus_.size()),
                           "`loopscope-cli devices --on " + place_.machine() + "` lists them");
    return gpus_[number];
}

// A partition may have GPUs of several models, and a machine another one than yesterday: a time of
// one is none of the other.
Status RemoteClient::same_gpu(const json& there, const json& result) const {
    const auto gpu = result.find("gpu");
    if (gpu == result.end() || !gpu->is_object())
        return success(); // it failed before
    const auto name = printable_text(text_or(*gpu, "name", "?"), 100);
    if (name == there.at("name"))
        return success();
    return coded_error(measure::kCodeTarget,
                       place_.machine() + ": the job ran on " + name + ", and not on " +
                           there["name"].get<std::string>() + ", which it was compiled for",
                       "ask again; of a partition each model of GPU needs one of its own");
}

Status RemoteClient::run_there(const BundleRun& run) {
    const auto program = find_agent(shell_, run.waiting);
    if (!program)
        return program.errors();
    return place_.kind == Place::Kind::Slurm ? run_by_slurm(shell_, *program, place_.partition, run)
                                             : run_by_ssh(shell_, *program, place_.gpu, run);
}

Status RemoteClient::run_bundle(const BundleRun& run) {
    const std::lock_guard lock(one_at_a_time_);
    return run_there(run);
}

Result<json> RemoteClient::execute(measure::WorkerClient& worker, const std::string& verb,
                                   const json& arguments, const measure::RequestOptions& options) {
    const auto waiting = waiting_of(options);
    const auto there = gpu(waiting, options);
    if (!there)
        return there.errors();
    auto directory = PrivateDirectory::make();
    if (!directory)
        return directory.errors();
    const auto begin = Clock::now();
    auto pack = arguments;
    pack.update({{"name", kJob},
                 {"folder", directory->path()},
                 {"architecture_there", (*there)["architecture"]},
                 {"multiprocessors", (*there)["multiprocessors"]}});
    auto in_time = options;
    in_time.timeout_seconds = waiting.left();
    auto job = worker.request("bundle", pack, in_time);
    if (!job)
        return job.errors();
    const auto facts_of_run = job->value("answer", json::object());
    job->erase("answer");
    if (auto written =
            directory->write(gpu::kManifest, gpu::manifest_text({*job}, measure::kProgramVersion));
        !written)
        return written.errors();
    const JobFacts facts{place_.machine(), arguments.value("seed", std::uint64_t{1}),
                         seconds_since(begin)};
    BundleRun run;
    run.folder = directory->path();
    run.jobs = {kJob};
    run.cache = verb == "measure" ? arguments.value("cache", "warm") : "none";
    run.budget_seconds = arguments.value("budget_s", kDefaultBudgetSeconds);
    run.kernel_seconds = arguments.value("kernel_timeout_s", run.kernel_seconds);
    run.waiting = waiting;
    run.job_seconds = kJobSeconds + 10 * (run.budget_seconds + run.kernel_seconds);
    run.on_progress = [&](const std::string& text) { tell(options, text); };
    json result;
    run.on_result = [&](json one) { result = std::move(one); };
    auto outputs = json::array();
    if (verb == "run")
        if (auto ready = fetch_outputs(*job, arguments.at("outputs"), run, outputs); !ready)
            return ready.errors();
    if (auto done = run_there(run); !done)
        return done.errors();
    if (auto same = same_gpu(*there, result); !same) {
        gpus_ = nullptr; // which they are now is asked anew
        return same.errors();
    }
    auto answer = verb == "check"     ? check_answer(result, facts)
                  : verb == "measure" ? measure_answer(result, facts)
                                      : run_answer(result, facts);
    if (!answer)
        return answer;
    if (verb == "run") {
        answer->update(facts_of_run);
        (*answer)["outputs"] = std::move(outputs);
    }
    if (job->contains("warnings"))
        (*answer)["warnings"] = (*job)["warnings"];
    return answer;
}

Result<json> RemoteClient::request(measure::WorkerClient& worker, const std::string& verb,
                                   const json& arguments, const measure::RequestOptions& options) {
    const std::lock_guard lock(one_at_a_time_);
    if (verb == "gpus")
        return gpus(arguments.value("measure", false), waiting_of(options), options);
    if (verb == "measure" || verb == "check" || verb == "run")
        return execute(worker, verb, arguments, options);
    return coded_error(measure::kCodeTarget, "`" + verb + "` does not go to " + place_.text());
}

Result<device::Device> RemoteClient::probe(measure::WorkerClient& worker, const std::string& target,
                                           const measure::RequestOptions& options) {
    const auto answer = request(worker, "gpus", {{"measure", true}}, options);
    if (!answer)
        return answer.errors();
    for (const auto& gpu : answer->at("gpus")) {
        if (gpu.at("target") != target)
            continue;
        if (!gpu.contains("ceilings"))
            return coded_error(measure::kCodeProtocol,
                               shell_.name() + ": the agent there measured nothing");
        // Figures that cannot be kept hold for this process all the same.
        static_cast<void>(measure::keep_ceilings(gpu));
        return measure::device_of_gpu(gpu);
    }
    return coded_error(measure::kCodeTarget, shell_.name() + " has no such GPU any more");
}

} // namespace loopscope::remote
