#include "compiler/codegen/nvptx/ptx_program.h"

#include "compiler/codegen/emit/optimize.h"
#include "compiler/codegen/emit/origin_text.h"
#include "compiler/codegen/emit/stopwatch.h"
#include "compiler/codegen/nvptx/device_emitter.h"
#include "compiler/codegen/nvptx/device_form.h"
#include "compiler/codegen/nvptx/nvptx_machine.h"
#include "compiler/codegen/nvptx/ptx_text.h"

namespace loopscope::codegen {

namespace {

// LLVM 19 does not know the directives of clusters. They stand among those behind the parameters,
// in front of the body (PTX ISA, "Cluster Dimension Directives"). A launch that asks for other
// clusters is refused, and one that asks for none gets these.
std::string with_clusters(std::string text, const std::vector<PtxKernel>& kernels) {
    for (const auto& kernel : kernels) {
        const auto& c = kernel.cluster;
        if (c[0] * c[1] * c[2] == 1)
            continue;
        const auto entry = text.find(".entry " + kernel.name + "(");
        text.insert(text.find("\n{", entry),
                    "\n.explicitcluster\n.reqnctapercluster " + std::to_string(c[0]) + ", " +
                        std::to_string(c[1]) + ", " + std::to_string(c[2]));
    }
    return text;
}

} // namespace

Result<PtxProgram> compile_ptx(const lower::Program& program, const PtxOptions& options) {
    auto architecture = architecture_of(options.architecture);
    if (!architecture)
        return architecture.errors();
    if (auto problems = check_device_form(program, *architecture); has_errors(problems))
        return problems;
    auto machine = NvptxMachine::create(*architecture);
    if (!machine)
        return machine.errors();

    PtxProgram compiled;
    Stopwatch watch;
    llvm::LLVMContext context;
    auto module = (*machine)->new_module(context, program.name);
    std::vector<NodeId> origins;
    compiled.kernels = DeviceEmitter(*module, program, *architecture, &origins).emit();
    verify_module(*module);
    compiled.seconds.build = watch.lap();
    (*machine)->optimize(*module);
    compiled.seconds.optimize = watch.lap();
    if (options.keep_ir)
        compiled.ir_optimized = ir_with_origins(module_text(*module), origins);
    watch.lap();
    const auto text = (*machine)->ptx(*module);
    compiled.seconds.generate = watch.lap();
    if (has_errors((*machine)->problems()))
        return (*machine)->problems();
    compiled.ptx = ptx_with_origins(with_clusters(text, compiled.kernels), origins);
    return compiled;
}

} // namespace loopscope::codegen
