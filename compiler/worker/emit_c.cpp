// emit --as c: C with OpenMP.
#include "compiler/codegen/c/c_source.h"
#include "compiler/lower/build.h"
#include "compiler/worker/emitters.h"
#include "compiler/worker/schedule_lines.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

Result<nlohmann::json> emit_c(const EmitRequest& request) {
    const auto& [loaded, arguments, form, context] = request;
    auto built = lower::build(*loaded.tree);
    if (!built)
        return built.errors();
    lower::LowerOptions lowering;
    lowering.target.vector_bits = loaded.vector_bits;
    lowering.verify_each = true;
    auto program = lower::run_passes(*built, lower::c_passes(), lowering);
    if (!program)
        return with_unrolling_lines(loaded, program.errors());
    codegen::COptions options;
    for (const auto& param : loaded.pipeline->params)
        options.sizes[param.name] = param.value;
    if (auto script = arguments.find("schedule"); script != arguments.end())
        options.schedule = script->at("text");
    options.with_main = arguments.value("main", false);
    auto source = codegen::c_source(*program, options);
    if (!source)
        return source.errors();
    return with_scalar_loops(emitted(request, source->text, source->lines), loaded);
}

} // namespace loopscope::worker
