#include "compiler/codegen/nvptx/ptx_program.h"

#include "compiler/codegen/emit/optimise.h"
#include "compiler/codegen/emit/origin_text.h"
#include "compiler/codegen/emit/stopwatch.h"
#include "compiler/codegen/nvptx/device_emitter.h"
#include "compiler/codegen/nvptx/device_form.h"
#include "compiler/codegen/nvptx/nvptx_machine.h"
#include "compiler/codegen/nvptx/ptx_text.h"

namespace loopscope::codegen {

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
    (*machine)->optimise(*module);
    compiled.seconds.optimise = watch.lap();
    if (options.keep_ir)
        compiled.ir_optimised = ir_with_origins(module_text(*module), origins);
    watch.lap();
    const auto text = (*machine)->ptx(*module);
    compiled.seconds.generate = watch.lap();
    if (has_errors((*machine)->problems()))
        return (*machine)->problems();
    compiled.ptx = ptx_with_origins(text, origins);
    return compiled;
}

} // namespace loopscope::codegen
