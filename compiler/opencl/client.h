#pragma once
// The client of loopscope-opencl-worker, which alone loads OpenCL: a platform may bring an LLVM of
// its own, which must not meet ours, and kernels that hang or fault end that process only.

#include "compiler/opencl/device.h"
#include "compiler/opencl/shared_bytes.h"
#include "compiler/protocol/worker_client.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace loopscope::opencl {

// The options of a client whose program is not named: loopscope-opencl-worker in the folder of the
// running executable.
measure::WorkerOptions beside_this_program();

class Client {
public:
    explicit Client(measure::WorkerOptions options = beside_this_program());

    // GPUs first. Errors (kCodeTarget): OpenCL, a platform or a device is not here.
    Result<std::vector<Device>> devices(const measure::RequestOptions& options = {});

    // A program on the device, until another one is prepared.
    struct Prepared {
        Device device;
        int ticket = 0;
        std::vector<SharedBytes> memories; // as Program::memories; of the first `shared` of them
    };
    // `shared`: how many of the memories, the first ones, a caller writes or reads. `number`: the
    // device's place in devices(). Errors: what the device lacks (kCodeTarget,
    // "not-runnable", kCodeMemoryLimit), or what became of the worker.
    Result<Prepared> prepare(const Program& program, std::size_t shared,
                             const measure::RequestOptions& options = {}, int number = 0);
    // Runs the program once on what `prepared.memories` hold at `inputs`; those at `outputs` then
    // hold what it made. Seconds by the device's clock. Errors: what became of the worker: kernels
    // that crash or do not end end it.
    Result<double> run(const Prepared& prepared, const std::vector<std::size_t>& inputs,
                       const std::vector<std::size_t>& outputs,
                       const measure::RequestOptions& options = {});
    // Runs it again, `executions` times, on the device's memory as it is: seconds of all of them.
    Result<double> repeat(const Prepared& prepared, int executions,
                          const measure::RequestOptions& options = {});

private:
    Result<double> seconds(const char* verb, const nlohmann::json& arguments,
                           const measure::RequestOptions& options);
    measure::WorkerClient worker_;
};

} // namespace loopscope::opencl
