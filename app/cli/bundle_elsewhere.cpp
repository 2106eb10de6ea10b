// bundle FOLDER --on PLACE: runs what was packed before.
#include "app/cli/bundle.h"
#include "app/cli/worker.h"

#include "compiler/gpu/bundle/results.h"
#include "compiler/remote/client.h"
#include "core/base/json_text.h"

#include <algorithm>

namespace loopscope::cli {

using nlohmann::json;

namespace {

constexpr const char* kResults = "results.json"; // as of the agent

class Elsewhere {
public:
    Elsewhere(const Options& options, const Console& console)
        : options_(options), console_(console) {}

    int run() {
        auto place = remote::read_place(options_.on);
        if (!place)
            return console_.fail(place.errors());
        auto bundle = gpu::read_bundle(options_.file);
        if (!bundle)
            return console_.fail(bundle.errors());
        auto file = gpu::ResultsFile::open(
            options_.output_file.empty() ? kResults : options_.output_file, *bundle, true);
        if (!file)
            return console_.fail(file.errors());
        file_ = &*file;
        for (const auto& job : bundle->jobs)
            if (!file->has(job.name))
                run_.jobs.push_back(job.name);
        const auto kept = bundle->jobs.size() - run_.jobs.size();
        if (kept > 0 && !options_.json)
            console_.out << kept << " of " << bundle->jobs.size()
                         << " jobs have a result already\n";
        auto done = run_.jobs.empty() ? success() : run_there(std::move(*place));
        if (!done) {
            console_.err << bundle->jobs.size() - missing() << " of " << bundle->jobs.size()
                         << " jobs have a result; the same command runs the others\n";
            return console_.fail(done.errors());
        }
        if (!written_)
            return console_.fail(written_.errors());
        if (options_.json)
            console_.print(file->content());
        return status();
    }

private:
    Status run_there(remote::Place place) {
        InterruptGuard interrupt;
        ProgressLine line(console_);
        run_.folder = options_.file;
        run_.waiting = {options_.timeout_seconds * static_cast<double>(run_.jobs.size()),
                        interrupt.flag()};
        run_.job_seconds = options_.timeout_seconds;
        if (!options_.cache.empty())
            run_.cache = options_.cache;
        if (options_.budget_seconds > 0)
            run_.budget_seconds = options_.budget_seconds;
        if (options_.kernel_seconds > 0)
            run_.kernel_seconds = options_.kernel_seconds;
        run_.on_progress = [&](const std::string& text) { line.show({"remote", text, -1}); };
        run_.on_result = [&](json result) {
            line.clear();
            if (!options_.json)
                console_.out << text_or(result, "name", "") << ": " << gpu::line_of(result) << "\n"
                             << std::flush;
            if (auto added = file_->add(std::move(result)); !added && written_)
                written_ = added;
        };
        return remote::RemoteClient(std::move(place)).run_bundle(run_);
    }

    std::size_t missing() const {
        return static_cast<std::size_t>(
            std::count_if(run_.jobs.begin(), run_.jobs.end(),
                          [&](const std::string& job) { return !file_->has(job); }));
    }

    // As of the agent: the gravest of the jobs'.
    int status() const {
        int worst = kRight;
        for (const auto& job : file_->content().at("jobs"))
            worst = std::max(worst, gpu::exit_status_of(job));
        return worst;
    }

    const Options& options_;
    const Console& console_;
    gpu::ResultsFile* file_ = nullptr;
    remote::BundleRun run_;
    Status written_ = success();
};

} // namespace

int run_bundle_elsewhere(const Options& options, const Console& console) {
    return Elsewhere(options, console).run();
}

} // namespace loopscope::cli
