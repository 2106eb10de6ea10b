// emit --as halide and tvm: an algorithm and its schedule in another system's words.
#include "compiler/codegen/halide/halide_source.h"
#include "compiler/codegen/tvm/tvm_source.h"
#include "compiler/worker/emitters.h"
#include "core/language/intrinsics.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

namespace {

using Exporter = Result<codegen::ForeignSource> (*)(const codegen::ForeignInput&);

Result<json> emit_foreign(const EmitRequest& request, Exporter exporter) {
    const auto& loaded = request.loaded;
    codegen::ForeignInput input;
    input.schedule = &loaded.schedule;
    input.context.device = &loaded.device;
    input.context.intrinsics = &declared_intrinsics();
    input.tree = loaded.tree;
    if (auto script = request.arguments.find("schedule"); script != request.arguments.end())
        input.script = script->at("text");
    auto source = exporter(input);
    if (!source)
        return source.errors();
    auto made = emitted(request, source->text, source->lines);
    if (!source->warnings.empty())
        made["warnings"] = format(source->warnings);
    return made;
}

} // namespace

Result<json> emit_halide(const EmitRequest& request) {
    return emit_foreign(request, codegen::halide_source);
}
Result<json> emit_tvm(const EmitRequest& request) {
    return emit_foreign(request, codegen::tvm_source);
}

} // namespace loopscope::worker
