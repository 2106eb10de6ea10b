// emit --as llvm, llvm-built and asm: this processor's code.
#include "compiler/worker/context.h"
#include "compiler/worker/emitters.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

namespace {

using Text = const codegen::OriginText& (codegen::HostProgram::*)() const;

Result<json> emit_host(const EmitRequest& request, Text text) {
    request.context.progress("compile", "compiling");
    codegen::HostOptions options;
    options.keep_text = true;
    auto compiled = compile_program(request.loaded, options);
    if (!compiled)
        return compiled.errors();
    const auto& form = (*compiled->code.*text)();
    auto made = emitted(request, form.text, form.lines);
    add_warnings(made, compiled->scalar_loops);
    return made;
}

} // namespace

Result<json> emit_llvm(const EmitRequest& request) {
    return emit_host(request, &codegen::HostProgram::ir_optimized);
}
Result<json> emit_llvm_built(const EmitRequest& request) {
    return emit_host(request, &codegen::HostProgram::ir_as_built);
}
Result<json> emit_assembly(const EmitRequest& request) {
    return emit_host(request, &codegen::HostProgram::assembly);
}

} // namespace loopscope::worker
