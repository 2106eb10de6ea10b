#pragma once
// A program's kernels through OpenCL, on a device of this machine, in a process of their own
// (compiler/opencl/client.h).

#include "compiler/lower/program.h"
#include "compiler/opencl/client.h"
#include "compiler/run/buffer.h"
#include "compiler/worker/context.h"

#include <chrono>
#include <map>

namespace loopscope::worker {

// The client of this process: the worker for OpenCL starts with its first use, and stays warm.
opencl::Client& opencl_client();

class OpenclExecution {
public:
    // Compiles the kernels, and makes the arrays. `program`: that of which `kernels` were made
    // (codegen::opencl_program). All must outlive the execution. `until`: then all is given up, and
    // its process ended. `number`: of the device, as opencl::Client counts them.
    static Result<OpenclExecution> prepare(opencl::Client& client, const lower::Program& program,
                                           const opencl::Program& kernels,
                                           std::chrono::steady_clock::time_point until,
                                           const Context& context, int number = 0);

    const opencl::Device& device() const { return prepared_.device; }
    // The windows of the outputs. What kernels do not write holds a pattern, so that it cannot look
    // right by chance.
    Result<std::map<std::string, Buffer>> run(const std::map<std::string, Buffer>& inputs);
    // The seconds of the last run's kernels.
    double seconds() const { return seconds_; }
    // Runs them again so many times, on the arrays as they are: the seconds of all executions.
    Result<double> repeat(int executions);

private:
    OpenclExecution(opencl::Client& client, const lower::Program& program,
                    std::chrono::steady_clock::time_point until, const Context& context)
        : client_(&client), program_(&program), until_(until), context_(&context) {}
    measure::RequestOptions options() const;

    opencl::Client* client_;
    const lower::Program* program_;
    std::chrono::steady_clock::time_point until_;
    const Context* context_;
    opencl::Client::Prepared prepared_;
    double seconds_ = 0;
};

} // namespace loopscope::worker
