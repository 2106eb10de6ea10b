// emit: the program at one step of its compilation, each line with the tree's node that it comes from.
#include "compiler/codegen/c/c_source.h"
#include "compiler/codegen/halide/halide_source.h"
#include "compiler/codegen/tvm/tvm_source.h"
#include "compiler/lower/build.h"
#include "compiler/lower/passes.h"
#include "compiler/worker/context.h"
#include "compiler/worker/emit_kernels.h"
#include "compiler/worker/emit_ptx.h"
#include "compiler/worker/program.h"
#include "compiler/worker/schedule_lines.h"
#include "core/device/device.h"
#include "core/language/intrinsics.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace loopscope::worker {

using nlohmann::json;

namespace {

constexpr std::string_view kForms[] = {"loops", "c",    "cuda",       "opencl", "ptx", "halide",
                                       "tvm",   "llvm", "llvm-built", "asm",    "sass"};

json answer(const std::string& as, const std::string& text, const std::vector<NodeId>& lines) {
    json ids = json::array();
    for (const auto& id : lines)
        ids.push_back(id == NodeId{} ? json() : json(id.text()));
    return {{"as", as}, {"text", text}, {"lines", std::move(ids)}};
}

std::vector<std::string> pass_names(bool on_device) {
    std::vector<std::string> names{"build"};
    for (const auto& pass : on_device ? lower::device_passes() : lower::cpu_passes())
        names.push_back(pass.name);
    return names;
}

Diagnostic unknown_pass(const std::string& name, bool on_device) {
    auto names = pass_names(on_device);
    std::string list;
    for (const auto& pass : names)
        list += (list.empty() ? "" : ", ") + pass;
    auto near = nearest_name(name, names);
    return error("there is no pass `" + name + "`",
                 (near.empty() ? "" : "did you mean `" + near + "`? ") +
                     ("the passes, in order: " + list));
}

// Does lowering come as far as to vectorise?
bool vectorises(const std::string& stop_after, bool on_device) {
    auto names = pass_names(on_device);
    return stop_after.empty() || std::find(names.begin(), names.end(), stop_after) >=
                                     std::find(names.begin(), names.end(), "vectorise");
}

Result<json> emit_loops(const LoadedProgram& loaded, const std::string& as,
                        const std::string& stop_after) {
    std::vector<lower::ScalarLoop> scalar_loops;
    auto program = lower_program(loaded, stop_after, &scalar_loops);
    if (!program)
        return program.errors();
    std::vector<NodeId> lines;
    auto text = lower::to_text(*program, &lines);
    auto made = answer(as, text, lines);
    add_warnings(made, scalar_loops);
    return made;
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

// An algorithm and its schedule in another system's words.
Result<json> emit_foreign(const LoadedProgram& loaded, const std::string& as,
                          const json& arguments) {
    codegen::ForeignInput input;
    input.schedule = &loaded.schedule;
    input.context.device = &loaded.device;
    input.context.intrinsics = &declared_intrinsics();
    input.tree = loaded.tree;
    if (auto script = arguments.find("schedule"); script != arguments.end())
        input.script = script->at("text");
    auto source = as == "halide" ? codegen::halide_source(input) : codegen::tvm_source(input);
    if (!source)
        return source.errors();
    auto made = answer(as, source->text, source->lines);
    if (!source->warnings.empty())
        made["warnings"] = format(source->warnings);
    return made;
}

// Tells of vectorised loops that run element by element all the same, where making the form did not come as far as to
// find them.
Result<json> with_scalar_loops(Result<json> made, const LoadedProgram& loaded) {
    if (!made)
        return made;
    std::vector<lower::ScalarLoop> scalar_loops;
    // Forms that come before what fails are shown all the same.
    if (lower_program(loaded, "vectorise", &scalar_loops))
        add_warnings(*made, scalar_loops);
    return made;
}

bool binds_loops(const TreeNode& node) {
    return !node.binding.empty() ||
           std::any_of(node.children.begin(), node.children.end(),
                       [](const auto& child) { return binds_loops(*child); });
}

// "auto": a GPU, where the schedule binds loops to its levels.
Result<std::string> target_of(const json& arguments) {
    const auto target = arguments.value("target", "cpu");
    if (target != "auto")
        return target;
    auto request = arguments;
    request["target"] = "cpu";
    auto loaded = load_program(request);
    if (!loaded)
        return loaded.errors();
    return std::string(binds_loops(*loaded->tree->root) ? "simt" : "cpu");
}

} // namespace

Result<json> serve_emit(const json& arguments, const Context& context) {
    auto as = arguments.value("as", "loops");
    const std::string after = "after:";
    const bool is_after = as.compare(0, after.size(), after) == 0;
    std::string stop_after, target = arguments.value("target", "cpu");
    if (is_after || as == "loops") {
        auto found = target_of(arguments);
        if (!found)
            return found.errors();
        target = *found;
    } else if (target == "auto") {
        target = "cpu";
    }
    if (is_after) {
        stop_after = as.substr(after.size());
        const bool on_device = is_device_target(target);
        auto names = pass_names(on_device);
        if (std::find(names.begin(), names.end(), stop_after) == names.end())
            return unknown_pass(stop_after, on_device);
    } else if (std::find(std::begin(kForms), std::end(kForms), as) == std::end(kForms)) {
        return error("there is no form `" + as + "` to emit",
                     "loops, c, cuda, opencl, ptx, sass, halide, tvm, llvm, llvm-built, asm, or "
                     "after:PASS");
    }
    if (arguments.value("main", false) && as != "c" && !is_kernel_source(as))
        return error("`" + as + "` has no main", "`--as c`, `cuda` and `opencl` take --main");
    auto request = arguments;
    request["target"] = target;
    const bool machine_code = as == "ptx" || as == "sass";
    if (is_kernel_source(as) || machine_code)
        request["target"] = machine_code ? "cuda" : as;
    auto loaded = load_program(request);
    if (!loaded)
        return loaded.errors();
    if (as == "loops" || !stop_after.empty()) {
        auto made = emit_loops(*loaded, as, stop_after);
        return vectorises(stop_after, loaded->on_device)
                   ? made
                   : with_scalar_loops(std::move(made), *loaded);
    }
    if (as == "c")
        return with_scalar_loops(emit_c(*loaded, arguments), *loaded);
    if (is_kernel_source(as)) {
        auto source = kernel_source(*loaded, as, arguments);
        if (!source)
            return source.errors();
        return with_scalar_loops(answer(as, source->text, source->lines), *loaded);
    }
    if (machine_code)
        return as == "ptx" ? emit_ptx(*loaded, arguments) : emit_sass(*loaded, arguments);
    if (loaded->on_device && as != "halide" && as != "tvm")
        return error("`" + as + "` is a form of this processor's code, and the target is a GPU",
                     "`ptx` is a GPU's; leave out --target for this processor's");
    if (as == "halide" || as == "tvm")
        return emit_foreign(*loaded, as, arguments);
    context.progress("compile", "compiling");
    codegen::HostOptions options;
    options.keep_text = true;
    auto compiled = compile_program(*loaded, options);
    if (!compiled)
        return compiled.errors();
    const auto& form = as == "asm"          ? compiled->code->assembly()
                       : as == "llvm-built" ? compiled->code->ir_as_built()
                                            : compiled->code->ir_optimised();
    auto made = answer(as, form.text, form.lines);
    add_warnings(made, compiled->scalar_loops);
    return made;
}

} // namespace loopscope::worker
