#include "compiler/worker/opencl_execution.h"

#include "compiler/worker/execution.h"

#include <algorithm>
#include <cstring>

namespace loopscope::worker {

namespace {

constexpr double kMinTimeLimit = 0.1; // a request without time left is still one

// What became of the kernels' process, said as what it is to a person: that of the kernels.
Diagnostics of_the_kernels(Diagnostics errors) {
    for (auto& error : errors)
        if (error.code == measure::kCodeTimeout || error.code == measure::kCodeCrash)
            error.message = "the kernels, through OpenCL: " + error.message;
    return errors;
}

} // namespace

opencl::Client& opencl_client() {
    static opencl::Client client;
    return client;
}

measure::RequestOptions OpenclExecution::options() const {
    measure::RequestOptions options;
    const std::chrono::duration<double> left = until_ - std::chrono::steady_clock::now();
    options.timeout_seconds = std::max(left.count(), kMinTimeLimit);
    options.cancel = context_->cancel_flag();
    options.on_progress = [context = context_](const measure::Progress& progress) {
        context->progress(progress.stage, progress.text, progress.fraction);
    };
    return options;
}

Result<OpenclExecution> OpenclExecution::prepare(opencl::Client& client,
                                                 const lower::Program& program,
                                                 const opencl::Program& kernels,
                                                 std::chrono::steady_clock::time_point until,
                                                 const Context& context, int number) {
    OpenclExecution execution(client, program, until, context);
    auto prepared = client.prepare(kernels, program.arguments.size(), execution.options(), number);
    if (!prepared)
        return of_the_kernels(prepared.errors());
    execution.prepared_ = std::move(*prepared);
    return execution;
}

Result<Buffers> OpenclExecution::run(const Buffers& inputs) {
    auto arrays = Execution::prepare(*program_, inputs);
    if (!arrays)
        return arrays.errors();
    std::vector<std::size_t> inputs_at, outputs_at;
    for (std::size_t i = 0; i < program_->arguments.size(); ++i)
        (program_->arguments[i].role == lower::Role::Input ? inputs_at : outputs_at).push_back(i);
    for (auto i : inputs_at)
        if (const auto& memory = prepared_.memories[i]; memory.size() > 0)
            std::memcpy(memory.data(), arrays->pointers()[i], memory.size());
    auto seconds = client_->run(prepared_, inputs_at, outputs_at, options());
    if (!seconds)
        return of_the_kernels(seconds.errors());
    seconds_ = *seconds;
    for (auto i : outputs_at)
        if (const auto& memory = prepared_.memories[i]; memory.size() > 0)
            std::memcpy(arrays->pointers()[i], memory.data(), memory.size());
    return arrays->outputs(*program_);
}

Result<double> OpenclExecution::repeat(int executions) {
    auto seconds = client_->repeat(prepared_, executions, options());
    if (!seconds)
        return of_the_kernels(seconds.errors());
    return seconds;
}

} // namespace loopscope::worker
