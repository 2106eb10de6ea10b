#include "compiler/worker/emit_ptx.h"

#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/codegen/nvptx/ptx_program.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

namespace {

json lines_json(const std::vector<NodeId>& lines) {
    auto ids = json::array();
    for (const auto& id : lines)
        ids.push_back(id == NodeId{} ? json() : json(id.text()));
    return ids;
}

json kernel_json(const codegen::PtxKernel& kernel, const codegen::KernelResources* resources) {
    json out{{"name", kernel.name},
             {"grid", kernel.grid},
             {"block", kernel.block},
             {"shared_bytes", kernel.shared_bytes},
             {"dynamic_bytes", kernel.dynamic_bytes},
             {"arguments", kernel.arguments}};
    if (resources) {
        out["registers"] = resources->registers;
        out["spill_bytes"] = resources->spill_stores + resources->spill_loads;
    }
    return out;
}

} // namespace

Result<json> emit_ptx(const LoadedProgram& loaded, const json& arguments) {
    auto program = lower_program(loaded);
    if (!program)
        return program.errors();
    codegen::PtxOptions options;
    options.architecture = arguments.value("arch", loaded.device.gpu->architecture);
    auto ptx = codegen::compile_ptx(*program, options);
    if (!ptx)
        return ptx.errors();
    json out{{"as", "ptx"}, {"text", ptx->ptx.text}, {"lines", lines_json(ptx->ptx.lines)}};
    auto assembly = codegen::assemble(ptx->ptx.text, options.architecture);
    out["kernels"] = json::array();
    for (const auto& kernel : ptx->kernels) {
        const codegen::KernelResources* found = nullptr;
        if (assembly)
            for (const auto& resources : assembly->kernels)
                found = resources.name == kernel.name ? &resources : found;
        out["kernels"].push_back(kernel_json(kernel, found));
    }
    if (!assembly)
        out["ptxas"] = format(assembly.errors());
    return out;
}

} // namespace loopscope::worker
