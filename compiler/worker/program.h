#pragma once
// From a request's texts to running code: the steps that all verbs share.

#include "compiler/codegen/host/host_program.h"
#include "compiler/gpu/plan.h"
#include "compiler/lower/pass.h"
#include "compiler/opencl/program.h"
#include "core/device/device.h"
#include "core/language/schedule_parser.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <optional>

namespace loopscope::worker {

struct LoadedProgram {
    PipelinePtr pipeline;
    Schedule schedule;
    ScheduleTreePtr tree;
    int vector_bits = 128;
    bool on_device = false; // it is lowered for a GPU
    // The device that the schedule is for: the script's GPU; without one, for a GPU target any of
    // compute capability 8.0, for others this machine, of which little is known here.
    device::Device device = {};
    std::string target = "cpu"; // the request's, of measure::targets()
    int number = 0;             // of the targets "cuda" and "opencl": which device
    int multiprocessors = 0;    // of the GPU elsewhere that it is packed for; 0: not known
    // When kernels that run in a process of their own are given up, and it is ended.
    std::chrono::steady_clock::time_point kernels_until =
        std::chrono::steady_clock::time_point::max();
};

// Does a target of requests run launches on a device: "simt", "opencl", "cuda", "cuda:1"?
bool is_device_target(const std::string& target);

// Keys: compiler/measure/requests.h. `params`, if given, stands in place of the request's own.
Result<LoadedProgram> load_program(const nlohmann::json& arguments);
Result<LoadedProgram> load_program(const nlohmann::json& arguments,
                                   const std::map<std::string, std::int64_t>& params);

// Verified after every pass: what the passes state is checked on the user's program, not only on
// the tests'. `scalar_loops`: as in LowerOptions.
Result<lower::Program> lower_program(const LoadedProgram& loaded,
                                     const std::string& stop_after = {},
                                     std::vector<lower::ScalarLoop>* scalar_loops = nullptr);
// Adds remarks on vectorised loops that run element by element all the same to an answer's
// "warnings".
void add_warnings(nlohmann::json& answer, const std::vector<lower::ScalarLoop>& scalar_loops);

struct CompiledProgram {
    lower::Program program;
    std::unique_ptr<codegen::HostProgram> code; // null: of a device
    // Kernels: `plan` for the target "cuda", the other for "opencl"; without them a device's
    // launches are interpreted.
    std::shared_ptr<const gpu::Plan> plan;
    std::optional<opencl::Program> kernels;
    double seconds = 0; // lowering and compiling
    std::vector<lower::ScalarLoop> scalar_loops;
};
// Errors: also storage beyond what this process may have.
Result<CompiledProgram> compile_program(const LoadedProgram& loaded,
                                        const codegen::HostOptions& options = {});

// Checks that the target is here (status 3 otherwise): for "cuda", with a driver. Nothing runs on a
// device that is only described, be it the request's "target" or, for "cpu", the script's.
Status check_target(const nlohmann::json& arguments);
// "threads": 0 or absent means one for each processor that the process may use.
int threads_of(const nlohmann::json& arguments);

} // namespace loopscope::worker
