#include "compiler/worker/gpu_plan.h"

#include "compiler/codegen/nvptx/architecture.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/lower/gpu/launch.h"

namespace loopscope::worker {

namespace {

gpu::PlanBuffer argument_buffer(const lower::Argument& a) {
    gpu::PlanBuffer b;
    b.name = a.buffer;
    b.role = a.role == lower::Role::Input ? gpu::PlanRole::Input : gpu::PlanRole::Output;
    b.type = a.type;
    b.extents = hints(a.extents);
    if (a.role == lower::Role::Output) {
        b.mins = a.mins;
        b.window = hints(a.window);
    }
    return b;
}

gpu::PlanBuffer scratch_buffer(const lower::DeviceBuffer& d) {
    gpu::PlanBuffer b;
    b.name = d.buffer;
    b.role = gpu::PlanRole::Scratch;
    b.type = d.type;
    b.extents = hints(d.extents);
    b.offset = d.offset;
    return b;
}

} // namespace

Result<const gpu::GpuSession*> gpu_session(int number) {
    static std::unique_ptr<gpu::GpuSession> session;
    if (session && session->gpu().ordinal != number)
        session.reset();
    if (!session) {
        auto opened = gpu::GpuSession::open(number);
        if (!opened)
            return opened.errors();
        session = std::move(*opened);
    }
    // What measured another GPU's ceilings has left that one's context.
    if (auto used = session->use(); !used)
        return used.errors();
    return session.get();
}

Result<gpu::Plan> plan_of(const lower::Program& program, const std::string& architecture) {
    if (!program.symbols.empty())
        return error("a program with symbolic extents does not run on a GPU",
                     "give them values with --param");
    codegen::PtxOptions options;
    options.architecture = architecture;
    auto ptx = codegen::compile_ptx(program, options);
    if (!ptx)
        return ptx.errors();
    auto known = codegen::architecture_of(architecture);
    gpu::Plan plan;
    plan.name = program.name;
    plan.architecture = known->name;
    plan.ptx = std::move(ptx->ptx.text);
    for (const auto& a : program.arguments)
        plan.buffers.push_back(argument_buffer(a));
    for (const auto& d : program.buffers)
        plan.buffers.push_back(scratch_buffer(d));
    for (auto& k : ptx->kernels) {
        gpu::PlanKernel kernel;
        kernel.name = std::move(k.name);
        kernel.launch = program.launches[plan.kernels.size()].name;
        kernel.grid = k.grid;
        kernel.block = k.block;
        kernel.cluster = k.cluster;
        kernel.shared_bytes = k.shared_bytes;
        kernel.dynamic_bytes = k.dynamic_bytes;
        kernel.arguments = std::move(k.arguments);
        for (auto& map : k.tensor_maps)
            kernel.tensor_maps.push_back({std::move(map.buffer), std::move(map.box), map.swizzle});
        plan.kernels.push_back(std::move(kernel));
    }
    return plan;
}

Result<gpu::Plan> plan_for_attached(const LoadedProgram& loaded, const lower::Program& program) {
    auto session = gpu_session(loaded.number);
    if (!session)
        return session.errors();
    const auto& named = loaded.schedule.target;
    const auto architecture =
        named.empty() ? (*session)->gpu().architecture() : loaded.device.gpu->architecture;
    return plan_of(program, architecture);
}

} // namespace loopscope::worker
