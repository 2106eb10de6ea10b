#include "app/agent/agent.h"

#include "app/agent/child.h"
#include "app/agent/heartbeat.h"
#include "app/agent/options.h"

#include "compiler/gpu/bundle/job_run.h"
#include "compiler/gpu/bundle/results.h"
#include "compiler/gpu/ceilings.h"
#include "compiler/protocol/protocol.h"
#include "compiler/protocol/worker_client.h"

#include <fstream>
#include <optional>
#include <sstream>

namespace loopscope::agent {

using nlohmann::json;

namespace {

int fail(const Diagnostics& errors, std::ostream& err) {
    err << format(errors) << std::flush;
    return exit_status(errors);
}

json errors_json(const Diagnostics& errors) {
    auto list = json::array();
    for (const auto& e : errors)
        list.push_back({{"message", e.message}, {"remedy", e.remedy}, {"code", e.code}});
    return list;
}

std::string compact(const json& object) {
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The whole of a child's output: the job's result, or its errors.
int run_one(const Options& options, std::ostream& out) {
    auto answer = [&](const json& object) {
        out << compact(object) << std::flush;
        return kRight;
    };
    auto bundle = gpu::read_bundle(options.folder);
    if (!bundle)
        return answer({{"status", "failed"}, {"errors", errors_json(bundle.errors())}});
    const auto* job = options.jobs.empty() ? nullptr : bundle->find(options.jobs.front());
    if (!job)
        return answer(
            {{"status", "failed"}, {"errors", errors_json({error("the bundle has no such job")})}});
    gpu::JobOptions how;
    how.warm = options.cache == "warm" || options.cache == "both";
    how.cold = options.cache == "cold" || options.cache == "both";
    how.budget_seconds = options.budget_seconds;
    how.kernel_seconds = options.kernel_seconds;
    how.device = options.device;
    auto result = gpu::run_job(*bundle, *job, how);
    return answer(result ? *result
                         : json{{"status", "failed"}, {"errors", errors_json(result.errors())}});
}

// By which whoever has copied this program here tells that it came whole (compiler/remote).
std::string own_hash() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return hash_text(hash_of(bytes.str()));
}

int devices(const Options& options, std::ostream& out, std::ostream& err) {
    auto attached = gpu::attached_gpus();
    if (!attached)
        return fail(attached.errors(), err);
    auto list = json::array();
    for (const auto& gpu : *attached) {
        auto one = gpu::to_json(gpu);
        if (options.measure) {
            auto session = gpu::GpuSession::open(gpu.ordinal);
            if (!session)
                return fail(session.errors(), err);
            auto ceilings = gpu::measure_ceilings(**session, {options.kernel_seconds, nullptr});
            if (!ceilings)
                return fail(ceilings.errors(), err);
            one["ceilings"] = gpu::to_json(*ceilings);
        }
        list.push_back(std::move(one));
    }
    out << json{{"agent", {{"version", measure::kProgramVersion}, {"hash", own_hash()}}},
                {"gpus", list}}
               .dump(2)
        << "\n";
    return kRight;
}

bool has_no_driver(const json& job) {
    const auto errors = job.value("errors", json::array());
    return !errors.empty() && errors[0].value("code", "") == measure::kCodeTarget;
}

class BundleRun {
public:
    BundleRun(const Options& options, std::ostream& out, std::ostream& err)
        : options_(options), out_(out), err_(err) {}

    int run() {
        auto bundle = gpu::read_bundle(options_.folder);
        if (!bundle)
            return fail(bundle.errors(), err_);
        for (const auto& name : options_.jobs)
            if (!bundle->find(name))
                return fail({error("the bundle has no job " + name)}, err_);
        if (!lines_) {
            auto file = gpu::ResultsFile::open(options_.out, *bundle, false);
            if (!file)
                return fail(file.errors(), err_);
            file_ = std::move(*file);
        }
        int status = kRight;
        for (const auto& job : bundle->jobs) {
            if (!wanted(job.name))
                continue;
            const auto one = run_job(job);
            if (!one)
                return kNoTarget;
            status = std::max(status, *one);
        }
        return status;
    }

private:
    bool wanted(const std::string& name) const {
        return options_.jobs.empty() ||
               std::find(options_.jobs.begin(), options_.jobs.end(), name) != options_.jobs.end();
    }

    // The exit status that it means; nothing: no driver, and so no other job will do better.
    std::optional<int> run_job(const gpu::BundleJob& job) {
        if (!lines_)
            out_ << job.name << ": " << std::flush;
        auto result = run_child(options_.job_arguments(job.name), options_.job_seconds);
        result["name"] = job.name;
        result["pipeline"] = job.pipeline;
        result["schedule"] = job.schedule;
        result["params"] = job.params;
        out_ << (lines_ ? compact(result) : gpu::line_of(result)) << "\n" << std::flush;
        const int status = gpu::exit_status_of(result);
        const bool no_driver = has_no_driver(result);
        if (no_driver)
            err_ << "error: " << result["errors"][0].value("message", "") << "\n";
        if (file_)
            if (auto written = file_->add(std::move(result)); !written)
                return fail(written.errors(), err_);
        if (no_driver)
            return std::nullopt;
        return status;
    }

    const Options& options_;
    std::ostream& out_;
    std::ostream& err_;
    const bool lines_ = options_.out == "-";
    std::optional<gpu::ResultsFile> file_;
};

} // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    auto options = parse(arguments);
    if (!options)
        return fail(options.errors(), err);
    if (options->heartbeat_seconds > 0)
        end_without_heartbeat(options->heartbeat_seconds);
    switch (options->verb) {
    case Options::Verb::Run: return BundleRun(*options, out, err).run();
    case Options::Verb::Job: end_with_parent(); return run_one(*options, out);
    case Options::Verb::Devices: return devices(*options, out, err);
    case Options::Verb::Version:
        out << "loopscope-agent " << measure::kProgramVersion << "\n";
        break;
    case Options::Verb::Help: out << help(); break;
    }
    return kRight;
}

} // namespace loopscope::agent
