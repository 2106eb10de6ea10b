#include "compiler/worker/emit_kernels.h"

#include "compiler/codegen/cuda/cuda_source.h"
#include "compiler/codegen/nvptx/architecture.h"
#include "compiler/codegen/opencl/opencl_source.h"
#include "compiler/lower/build.h"
#include "compiler/run/float_values.h"
#include "compiler/worker/emitters.h"
#include "compiler/worker/marks.h"
#include "compiler/worker/schedule_lines.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::worker {

using nlohmann::json;

namespace {

constexpr double kApproximated =
    1e-5; // of the greatest magnitude; the functions themselves err by less

// The pipeline under its default schedule, for the host.
Result<lower::Program> lowered_reference(const LoadedProgram& loaded) {
    Schedule schedule;
    schedule.pipeline = loaded.pipeline->name;
    const device::Device host;
    auto tree = schedule_tree(loaded.pipeline, schedule, ApplyContext{&host});
    if (!tree)
        return tree.errors();
    auto built = lower::build(**tree);
    if (!built)
        return built;
    return lower::run_passes(*built, lower::c_passes(), {});
}

// |out - ref| <= 4 n u max|ref|, where n terms are added in another order or fused.
double tolerance_of(const LoadedProgram& loaded) {
    const auto marks = marks_of(*loaded.tree);
    double tolerance = marks.approximated.empty() ? 0 : kApproximated;
    auto changed = marks.reassociated;
    changed.insert(marks.contracted.begin(), marks.contracted.end());
    for (const auto& [name, index] : changed) {
        const auto& stage = *loaded.pipeline->find(name);
        double terms = 1;
        for (const auto& axis : stage.definitions[static_cast<std::size_t>(index)].axes)
            terms *= static_cast<double>(axis.extent().hint());
        for (auto type : stage.types)
            if (is_float(type))
                tolerance = std::max(tolerance, 4 * terms * unit_roundoff(type));
    }
    return tolerance;
}

} // namespace

Result<lower::Program> lower_for_kernel_source(const LoadedProgram& loaded,
                                               std::vector<lower::ScalarLoop>* scalar_loops,
                                               bool copy_engine) {
    auto built = lower_program(loaded, "build");
    if (!built)
        return built;
    lower::LowerOptions options;
    options.target.vector_bits = loaded.vector_bits;
    options.target.bulk_tensor_copies = copy_engine;
    options.verify_each = true;
    options.scalar_loops = scalar_loops;
    auto program = lower::run_passes(*built, lower::device_source_passes(), options);
    if (!program)
        return with_unrolling_lines(loaded, program.errors());
    return program;
}

namespace {

// What CUDA C++ and OpenCL C are written by. `reference` is filled where there is to be a main.
Result<codegen::KernelOptions> options_of(const EmitRequest& request, lower::Program& reference) {
    const auto& [loaded, arguments, form, context] = request;
    codegen::KernelOptions options;
    for (const auto& param : loaded.pipeline->params)
        options.sizes[param.name] = param.value;
    if (auto script = arguments.find("schedule"); script != arguments.end())
        options.schedule = script->at("text");
    options.with_main = arguments.value("main", false);
    if (options.with_main) {
        auto lowered = lowered_reference(loaded);
        if (!lowered)
            return lowered.errors();
        reference = std::move(*lowered);
        options.reference = &reference;
        options.tolerance = tolerance_of(loaded);
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
    // The engine must be the device's that the schedule was made for, as in the worker, and the
    // architecture's.
    const bool copy_engine = loaded.device.gpu && loaded.device.gpu->has("bulk_tensor_copy") &&
                             architecture->has_bulk_tensor_copies();
    auto program = lower_for_kernel_source(loaded, nullptr, copy_engine);
    if (!program)
        return program.errors();
    lower::Program reference;
    auto common = options_of(request, reference);
    if (!common)
        return common.errors();
    static_cast<codegen::KernelOptions&>(options) = std::move(*common);
    return source_answer(request, codegen::cuda_source(*program, options));
}

Result<json> emit_opencl(const EmitRequest& request) {
    auto program = lower_for_kernel_source(request.loaded);
    if (!program)
        return program.errors();
    lower::Program reference;
    auto common = options_of(request, reference);
    if (!common)
        return common.errors();
    return source_answer(request,
                         codegen::opencl_source(*program, codegen::OpenclOptions{*common}));
}

} // namespace loopscope::worker
