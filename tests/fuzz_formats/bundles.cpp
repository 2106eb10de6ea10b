// Any bytes as what goes with bundles: a manifest, a list of jobs, an agent's results, peer.py's.
#include "app/cli/bundle.h"
#include "app/cli/command.h"
#include "app/cli/results_file.h"
#include "compiler/gpu/bundle/bundle.h"
#include "core/base/printable.h"
#include "tests/fuzz_formats/format.h"

#include <filesystem>

namespace loopscope::fuzz {
namespace {

namespace fs = std::filesystem;

// No file of it is there: what would be read lies inside of the folder all the same.
void judge_file(const gpu::BundleFile& file) {
    if (!gpu::is_bundle_path(file.path) || file.bytes < 0)
        throw Wrong("a bundle takes a file as " + file.path);
}

void judge_manifest(std::string_view bytes) {
    const fs::path path = as_file(bytes, gpu::kManifest);
    const auto bundle = gpu::read_bundle(path.parent_path());
    if (!bundle)
        return judge_refusal(bundle.errors());
    for (const auto& job : bundle->jobs) {
        for (const auto& variant : job.variants)
            judge_file(variant.ptx);
        for (const auto& check : job.checks)
            for (const auto& expected : check.expected) {
                if (!expected.elements)
                    judge_file(expected.reference);
                for (const auto& bound : {expected.low, expected.high})
                    if (bound)
                        judge_file(*bound);
            }
        (void)gpu::variant_for(job, 90);
        const auto json = gpu::to_json(job);
        const auto again = gpu::job_from_json(json, "jobs[0]");
        if (!again)
            throw Wrong("a job is not read as it was written\n" + format(again.errors()));
        if (gpu::to_json(*again) != json)
            throw Wrong("a job reads back as another\n" + json.dump(1));
    }
}

Result<std::vector<cli::BundleJobRequest>> read_jobs(std::string_view bytes) {
    cli::Options options;
    options.file = "bundle";
    options.jobs_file = as_file(bytes, "jobs.json");
    return cli::bundle_jobs(options);
}

void judge_jobs(std::string_view bytes) {
    const auto jobs = read_jobs(bytes);
    if (!jobs)
        return judge_refusal(jobs.errors());
    if (jobs->empty())
        throw Wrong("no job, and no refusal");
    for (const auto& job : *jobs)
        if (!gpu::is_bundle_path(job.name) || job.pipeline.empty())
            throw Wrong("a job has the name `" + job.name + "` and the pipeline `" + job.pipeline +
                        "`");
}

// A terminal obeys some bytes.
void judge_text(const std::string& text) {
    if (printable_text(text) != text)
        throw Wrong("a text is not for a terminal: " + text);
}

void judge_results(std::string_view bytes) {
    const auto results = cli::read_results(as_file(bytes, "results.json"));
    if (!results)
        return judge_refusal(results.errors());
    judge_text(results->agent);
    for (const auto& job : results->jobs) {
        for (const auto& text : {job.name, job.status, job.reason, job.gpu})
            judge_text(text);
        for (const auto& time : job.times)
            judge_text(time.cache);
    }
}

void judge_peer(std::string_view bytes) {
    const auto peer = cli::read_peer_results(as_file(bytes, "peer.json"));
    if (!peer)
        return judge_refusal(peer.errors());
    for (const auto& [job, seconds] : peer->median_s) {
        judge_text(job.first);
        judge_text(job.second);
        if (!(seconds >= 0))
            throw Wrong("a time is " + std::to_string(seconds));
    }
}

std::string read_manifest(std::string_view bytes) {
    const fs::path path = as_file(bytes, gpu::kManifest);
    const auto bundle = gpu::read_bundle(path.parent_path());
    if (!bundle)
        return format(bundle.errors());
    std::string text;
    for (const auto& job : bundle->jobs)
        text += gpu::to_json(job).dump();
    return text;
}

std::string text_of_jobs(std::string_view bytes) {
    const auto jobs = read_jobs(bytes);
    if (!jobs)
        return format(jobs.errors());
    std::string text;
    for (const auto& job : *jobs)
        text += job.name + "|" + job.pipeline + "|" + job.schedule + "|" + job.peer.dump();
    return text;
}

std::string text_of_results(std::string_view bytes) {
    const auto results = cli::read_results(as_file(bytes, "results.json"));
    return results ? results->json.dump() : format(results.errors());
}

std::string text_of_peer(std::string_view bytes) {
    const auto peer = cli::read_peer_results(as_file(bytes, "peer.json"));
    return peer ? peer->json.dump() : format(peer.errors());
}

const AddFormat kManifestFormat("manifest", judge_manifest, read_manifest);
const AddFormat kJobs("jobs", judge_jobs, text_of_jobs);
const AddFormat kResults("results", judge_results, text_of_results);
const AddFormat kPeer("peer", judge_peer, text_of_peer);

} // namespace
} // namespace loopscope::fuzz
