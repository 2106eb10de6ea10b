#include "app/agent/agent.h"

#include "app/agent/child.h"
#include "app/agent/options.h"

#include "compiler/gpu/bundle/job_run.h"
#include "compiler/gpu/ceilings.h"
#include "compiler/protocol/protocol.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/run/whole_file.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"

#include <cstdio>
#include <filesystem>

namespace loopscope::agent {

using nlohmann::json;

namespace {

constexpr const char* kResultsFormat = "loopscope-results/1";
constexpr std::size_t kMaxResults = 256 << 20; // bytes of a file that may be an earlier run's
constexpr JsonLimits kResultsLimits{64, 8 << 20};

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

// The whole of a child's output: the job's result, or its errors.
int run_one(const Options& options, std::ostream& out) {
    auto answer = [&](const json& object) {
        out << object.dump(-1, ' ', false, json::error_handler_t::replace) << std::flush;
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
    how.warm = options.cache != "cold";
    how.cold = options.cache != "warm";
    how.budget_seconds = options.budget_seconds;
    how.kernel_seconds = options.kernel_seconds;
    how.device = options.device;
    auto result = gpu::run_job(*bundle, *job, how);
    return answer(result ? *result
                         : json{{"status", "failed"}, {"errors", errors_json(result.errors())}});
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
    out << json{{"gpus", list}}.dump(2) << "\n";
    return kRight;
}

std::string first_error(const json& job) {
    const auto errors = job.value("errors", json::array());
    return errors.empty() ? "" : errors[0].value("message", "");
}

bool has_no_driver(const json& job) {
    const auto errors = job.value("errors", json::array());
    return !errors.empty() && errors[0].value("code", "") == measure::kCodeTarget;
}

std::string line_of(const json& job) {
    const auto status = job.value("status", "failed");
    auto text = status == "failed" ? "failed: " + first_error(job) : status;
    for (const auto& time : job.value("times", json::array())) {
        text += ", " + time.at("cache").get<std::string>() + " " +
                fixed_text(1e6 * time.at("median_s").get<double>(), 2) + " us";
    }
    return text;
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
        if (auto place = check_place(*bundle); !place)
            return fail(place.errors(), err_);
        if (auto writable = check_writable(options_.out); !writable)
            return fail(writable.errors(), err_);
        char hash[24];
        std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(bundle->hash));
        results_ = {{"format", kResultsFormat},
                    {"agent", std::string("loopscope ") + measure::kProgramVersion},
                    {"bundle", {{"hash", hash}}},
                    {"jobs", json::array()}};
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

    // Results may stand in the bundle's folder, but not in place of what it consists of.
    Status check_place(const gpu::Bundle& bundle) const {
        namespace fs = std::filesystem;
        std::error_code ignored;
        const auto out = fs::weakly_canonical(options_.out, ignored);
        const auto inside = out.lexically_relative(fs::weakly_canonical(bundle.folder, ignored));
        if (inside.empty() || *inside.begin() == ".." || !fs::exists(out, ignored))
            return success();
        const auto there = read_json_file(out.string(), kMaxResults, "", kResultsLimits);
        if (there && text_or(*there, "format", "") == kResultsFormat)
            return success();
        return error("`--out " + options_.out +
                         "` is a file in the bundle's folder, and no results",
                     "name a new file, such as results.json");
    }

    // The exit status that it means; nothing: no driver, and so no other job will do better.
    std::optional<int> run_job(const gpu::BundleJob& job) {
        out_ << job.name << ": " << std::flush;
        auto result = run_child(options_.job_arguments(job.name), options_.job_seconds);
        result["name"] = job.name;
        result["pipeline"] = job.pipeline;
        result["schedule"] = job.schedule;
        result["params"] = job.params;
        out_ << line_of(result) << "\n" << std::flush;
        if (has_no_driver(result)) {
            err_ << "error: " << first_error(result) << "\n";
            return std::nullopt;
        }
        const auto status = result.value("status", "failed");
        results_["jobs"].push_back(std::move(result));
        const auto text = results_.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
        if (auto written = write_whole(options_.out, {text}); !written)
            return fail(written.errors(), err_);
        return status == "right" ? kRight : status == "wrong" ? kWrong : kLimitReached;
    }

    const Options& options_;
    std::ostream& out_;
    std::ostream& err_;
    json results_;
};

} // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    auto options = parse(arguments);
    if (!options)
        return fail(options.errors(), err);
    switch (options->verb) {
    case Options::Verb::Run: return BundleRun(*options, out, err).run();
    case Options::Verb::Job: return run_one(*options, out);
    case Options::Verb::Devices: return devices(*options, out, err);
    case Options::Verb::Version:
        out << "loopscope-agent " << measure::kProgramVersion << "\n";
        break;
    case Options::Verb::Help: out << help(); break;
    }
    return kRight;
}

} // namespace loopscope::agent
