#pragma once
// A GPU at a place (place.h), by the requests and answers of a worker
// (compiler/measure/requests.h): compiled here, run there as a bundle of one job, judged there.

#include "compiler/protocol/worker_client.h"
#include "compiler/remote/agent_there.h"
#include "compiler/remote/bundle_run.h"
#include "compiler/remote/place.h"
#include "core/device/device.h"

#include <mutex>

namespace loopscope::remote {

// Thread-safe, one request at a time.
class RemoteClient {
public:
    explicit RemoteClient(Place place);

    // "gpus" ("measure"): all that the machine shows, each with "place" and "target"; of Slurm,
    // what one node shows. "measure", "check" and "run": `worker` compiles, and reads the files of
    // `run`. Other verbs are errors.
    //
    // Errors: those of the worker and of run_by_ssh or run_by_slurm; what the job says.
    // options.timeout_seconds is of all of it; 0 stands for an hour.
    Result<nlohmann::json> request(measure::WorkerClient& worker, const std::string& verb,
                                   const nlohmann::json& arguments,
                                   const measure::RequestOptions& options);

    // Measures the ceilings of the GPU of that target, one of this machine's, and keeps them: the
    // GPU with them. Errors: as above; there is no such GPU any more.
    Result<device::Device> probe(measure::WorkerClient& worker, const std::string& target,
                                 const measure::RequestOptions& options);

    // Runs jobs of a bundle that is here. `run.on_progress` and `run.on_result` are called on this
    // thread.
    Status run_bundle(const BundleRun& run);

private:
    Result<nlohmann::json> ask_devices(bool measure, bool copy_anew, const Waiting& waiting,
                                       const measure::RequestOptions& options);
    Result<nlohmann::json> gpus(bool measure, const Waiting& waiting,
                                const measure::RequestOptions& options);
    Result<nlohmann::json> gpu(const Waiting& waiting, const measure::RequestOptions& options);
    Status same_gpu(const nlohmann::json& there, const nlohmann::json& result) const;
    Result<nlohmann::json> execute(measure::WorkerClient& worker, const std::string& verb,
                                   const nlohmann::json& arguments,
                                   const measure::RequestOptions& options);
    Status run_there(const BundleRun& run);

    Place place_;
    Shell shell_;
    nlohmann::json gpus_; // null: not asked yet
    std::mutex one_at_a_time_;
};

} // namespace loopscope::remote
