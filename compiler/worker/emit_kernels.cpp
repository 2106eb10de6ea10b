#include "compiler/worker/emit_kernels.h"

#include "compiler/codegen/cuda/cuda_source.h"
#include "compiler/codegen/nvptx/architecture.h"
#include "compiler/codegen/opencl/opencl_source.h"
#include "compiler/lower/build.h"
#include "compiler/worker/emitters.h"
#include "compiler/worker/kernel_check.h"
#include "compiler/worker/schedule_lines.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

Result<lower::Program> lower_for_kernel_source(const LoadedProgram& loaded,
                                               std::vector<lower::ScalarLoop>* scalar_loops,
                                               bool tma) {
    auto built = lower_program(loaded, "build");
    if (!built)
        return built;
    lower::LowerOptions options;
    options.target.vector_bits = loaded.vector_bits;
    options.target.bulk_tensor_copies = tma;
    options.verify_each = true;
    options.scalar_loops = scalar_loops;
    auto program = lower::run_passes(*built, lower::device_source_passes(), options);
    if (!program)
        return with_unrolling_lines(loaded, program.errors());
    return program;
}

namespace {

// What CUDA C++ and OpenCL C are written by.
Result<codegen::KernelOptions> options_of(const EmitRequest& request) {
    const auto& [loaded, arguments, form, context] = request;
    codegen::KernelOptions options;
    for (const auto& param : loaded.pipeline->params)
        options.sizes[param.name] = param.value;
    if (auto script = arguments.find("schedule"); script != arguments.end())
        options.schedule = script->at("text");
    options.with_main = arguments.value("main", false);
    if (options.with_main) {
        auto check = kernel_check(*loaded.tree);
        if (!check)
            return check.errors();
        options.check = std::move(*check);
    }
    return options;
}

Result<json> source_answer(const EmitRequest& request, const Result<codegen::CSource>& source) {
    if (!source)
        return source.errors();
    return with_scalar_loops(emitted(request, source->text, source->lines), request.loaded);
}

} // namespace

Result<json> emit_cuda(const EmitRequest& request) {
    const auto& loaded = request.loaded;
    codegen::CudaOptions options;
    if (loaded.device.gpu)
        options.architecture = loaded.device.gpu->architecture;
    options.architecture = request.arguments.value("arch", options.architecture);
    const auto architecture = codegen::architecture_of(options.architecture);
    if (!architecture)
        return architecture.errors();
    // Both the device that the schedule was made for, as in the worker, and the architecture must
    // have the TMA.
    const bool tma = loaded.device.gpu && loaded.device.gpu->has("bulk_tensor_copy") &&
                     architecture->has_bulk_tensor_copies();
    auto program = lower_for_kernel_source(loaded, nullptr, tma);
    if (!program)
        return program.errors();
    auto common = options_of(request);
    if (!common)
        return common.errors();
    static_cast<codegen::KernelOptions&>(options) = std::move(*common);
    return source_answer(request, codegen::cuda_source(*program, options));
}

Result<json> emit_opencl(const EmitRequest& request) {
    auto program = lower_for_kernel_source(request.loaded);
    if (!program)
        return program.errors();
    auto common = options_of(request);
    if (!common)
        return common.errors();
    return source_answer(request,
                         codegen::opencl_source(*program, codegen::OpenclOptions{*common}));
}

} // namespace loopscope::worker
