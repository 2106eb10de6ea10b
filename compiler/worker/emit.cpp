// emit: the program at one step of its compilation, each line with the tree's node that it comes from.
#include "compiler/codegen/c/c_source.h"
#include "compiler/lower/build.h"
#include "compiler/worker/context.h"
#include "compiler/worker/program.h"
#include "compiler/worker/schedule_lines.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::worker {

using nlohmann::json;

namespace {

json answer(const std::string& as, const std::string& text, const std::vector<NodeId>& lines) {
    json ids = json::array();
    for (const auto& id : lines)
        ids.push_back(id == NodeId{} ? json() : json(id.text()));
    return {{"as", as}, {"text", text}, {"lines", std::move(ids)}};
}

std::vector<std::string> pass_names() {
    std::vector<std::string> names{"build"};
    for (const auto& pass : lower::cpu_passes())
        names.push_back(pass.name);
    return names;
}

Diagnostic unknown_pass(const std::string& name) {
    auto names = pass_names();
    std::string list;
    for (const auto& pass : names)
        list += (list.empty() ? "" : ", ") + pass;
    auto near = nearest_name(name, names);
    return error("there is no pass `" + name + "`",
                 (near.empty() ? "" : "did you mean `" + near + "`? ") +
                     ("the passes, in order: " + list));
}

Result<json> emit_loops(const LoadedProgram& loaded, const std::string& as,
                        const std::string& stop_after) {
    auto program = lower_program(loaded, stop_after);
    if (!program)
        return program.errors();
    std::vector<NodeId> lines;
    auto text = lower::to_text(*program, &lines);
    return answer(as, text, lines);
}

Result<json> emit_c(const LoadedProgram& loaded, const json& arguments) {
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
    return answer("c", source->text, source->lines);
}

} // namespace

Result<json> serve_emit(const json& arguments, const Context& context) {
    auto as = arguments.value("as", "loops");
    const std::string after = "after:";
    std::string stop_after;
    if (as.compare(0, after.size(), after) == 0) {
        stop_after = as.substr(after.size());
        auto names = pass_names();
        if (std::find(names.begin(), names.end(), stop_after) == names.end())
            return unknown_pass(stop_after);
    } else if (as != "loops" && as != "c" && as != "llvm" && as != "llvm-built" && as != "asm") {
        return error("there is no form `" + as + "` to emit",
                     "loops, c, llvm, llvm-built, asm, or after:PASS");
    }
    if (arguments.value("main", false) && as != "c")
        return error("`" + as + "` has no main", "only `--as c` takes --main");
    auto loaded = load_program(arguments);
    if (!loaded)
        return loaded.errors();
    if (as == "loops" || !stop_after.empty())
        return emit_loops(*loaded, as, stop_after);
    if (as == "c")
        return emit_c(*loaded, arguments);
    context.progress("compile", "compiling");
    codegen::HostOptions options;
    options.keep_text = true;
    auto compiled = compile_program(*loaded, options);
    if (!compiled)
        return compiled.errors();
    const auto& form = as == "asm"          ? compiled->code->assembly()
                       : as == "llvm-built" ? compiled->code->ir_as_built()
                                            : compiled->code->ir_optimised();
    return answer(as, form.text, form.lines);
}

} // namespace loopscope::worker
