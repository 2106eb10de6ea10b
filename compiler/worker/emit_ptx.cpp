#include "compiler/worker/emit_ptx.h"

#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/worker/emitters.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

namespace {

json kernel_json(const codegen::PtxKernel& kernel, const codegen::KernelResources* resources) {
    json out{{"name", kernel.name},
             {"grid", kernel.grid},
             {"block", kernel.block},
             {"cluster", kernel.cluster},
             {"shared_bytes", kernel.shared_bytes},
             {"dynamic_bytes", kernel.dynamic_bytes},
             {"tensor_maps", kernel.tensor_maps.size()},
             {"arguments", kernel.arguments}};
    if (resources) {
        out["registers"] = resources->registers;
        out["spill_bytes"] = resources->spill_stores + resources->spill_loads;
    }
    return out;
}

struct Compiled {
    codegen::PtxProgram program;
    std::string architecture;
};

Result<Compiled> compile(const LoadedProgram& loaded, const json& arguments) {
    auto program = lower_program(loaded);
    if (!program)
        return program.errors();
    codegen::PtxOptions options;
    options.architecture = arguments.value("arch", loaded.device.gpu->architecture);
    auto ptx = codegen::compile_ptx(*program, options);
    if (!ptx)
        return ptx.errors();
    return Compiled{std::move(*ptx), options.architecture};
}

// Without an assembly resources are absent.
json kernels_json(const codegen::PtxProgram& program, const codegen::Assembly* assembly) {
    auto out = json::array();
    for (const auto& kernel : program.kernels) {
        const codegen::KernelResources* found = nullptr;
        if (assembly)
            for (const auto& resources : assembly->kernels)
                found = resources.name == kernel.name ? &resources : found;
        out.push_back(kernel_json(kernel, found));
    }
    return out;
}

} // namespace

Result<json> emit_ptx(const LoadedProgram& loaded, const json& arguments) {
    auto made = compile(loaded, arguments);
    if (!made)
        return made.errors();
    const auto& ptx = made->program.ptx;
    json out{{"as", "ptx"}, {"text", ptx.text}, {"lines", lines_json(ptx.lines)}};
    const auto assembly = codegen::assemble(ptx.text, made->architecture);
    out["kernels"] = kernels_json(made->program, assembly ? &*assembly : nullptr);
    if (!assembly)
        out["ptxas"] = format(assembly.errors());
    else if (!assembly->warnings.empty())
        out["warnings"] = assembly->warnings.substr(0, assembly->warnings.size() - 1);
    return out;
}

Result<json> emit_sass(const LoadedProgram& loaded, const json& arguments) {
    auto made = compile(loaded, arguments);
    if (!made)
        return made.errors();
    std::string cubin;
    const auto assembly = codegen::assemble(made->program.ptx.text, made->architecture, &cubin);
    if (!assembly)
        return assembly.errors();
    auto text = codegen::disassemble(cubin);
    if (!text)
        return text.errors();
    return json{{"as", "sass"},
                {"text", std::move(*text)},
                {"lines", json::array()},
                {"kernels", kernels_json(made->program, &*assembly)}};
}

Result<json> emit_ptx(const EmitRequest& request) {
    return emit_ptx(request.loaded, request.arguments);
}
Result<json> emit_sass(const EmitRequest& request) {
    return emit_sass(request.loaded, request.arguments);
}

} // namespace loopscope::worker
