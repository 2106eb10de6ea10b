#pragma once
// Runs a compiled program on inputs where its target says: as code of this processor, in the
// interpreter of SIMT programs, on a GPU by its driver, or through OpenCL.

#include "compiler/gpu/plan_run.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "compiler/worker/check.h"
#include "compiler/worker/context.h"
#include "compiler/worker/opencl_execution.h"
#include "compiler/worker/program.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace loopscope::worker {

class Runner {
public:
    // What it is given must outlive it. `request`: the threads, the seed also of the order in which
    // the interpreter's threads take their turns, how long a kernel may run.
    Runner(const LoadedProgram& loaded, const CompiledProgram& compiled,
           const CheckRequest& request, const Context& context)
        : loaded_(loaded), compiled_(compiled), request_(request), context_(context) {}

    // The windows of the outputs. What the program does not write holds a pattern, so that it
    // cannot look right by chance.
    Result<std::map<std::string, Buffer>> run(const std::map<std::string, Buffer>& inputs);

    double seconds() const { return seconds_; } // of all runs
    // What the interpreter found wrong in any run.
    const std::vector<SimtFinding>& findings() const { return findings_; }
    // What a run of the target "opencl" ran on; else null.
    const opencl::Device* opencl_device() const { return opencl_ ? &opencl_->device() : nullptr; }
    // Adds what the last run found: "findings" and "launches" of the interpreter, "device" and
    // "kernels" of a GPU, "device" of OpenCL.
    void report(nlohmann::json& answer) const;
    // The program on the GPU, with the inputs of the last run: to be timed. Null before a run, and
    // on other targets.
    const gpu::PlanRun* on_gpu() const { return on_gpu_.get(); }

private:
    template <typename Run> auto timed(Run run);
    Result<std::map<std::string, Buffer>> run_on_host(const std::map<std::string, Buffer>& inputs);
    Result<std::map<std::string, Buffer>> interpret(const std::map<std::string, Buffer>& inputs);
    Result<std::map<std::string, Buffer>> run_on_gpu(const std::map<std::string, Buffer>& inputs);
    void report_simt(nlohmann::json& answer) const;
    void report_gpu(nlohmann::json& answer) const;
    Result<std::map<std::string, Buffer>>
    run_on_opencl(const std::map<std::string, Buffer>& inputs);

    const LoadedProgram& loaded_;
    const CompiledProgram& compiled_;
    const CheckRequest& request_;
    const Context& context_;
    std::unique_ptr<gpu::PlanRun> on_gpu_;
    double seconds_ = 0;
    std::vector<SimtFinding> findings_;
    std::vector<SimtLaunchRun> launches_;
    std::optional<OpenclExecution> opencl_;
};

} // namespace loopscope::worker
