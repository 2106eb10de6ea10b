// emit: the program in one of the forms of core/base/output_forms.def, each line with the tree's
// node that it comes from; or as loops behind a pass.
#include "compiler/worker/emitters.h"

#include "compiler/lower/passes.h"
#include "compiler/worker/context.h"
#include "core/base/output_forms.h"
#include "core/schedule/tree_search.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::worker {

using nlohmann::json;

namespace {

// "auto" of loops: a GPU, where the schedule binds loops to its levels.
Result<std::string> bound_target(const json& arguments) {
    auto request = arguments;
    request["target"] = "cpu";
    auto loaded = load_program(request);
    if (!loaded)
        return loaded.errors();
    return std::string(binds_loops(*loaded->tree->root) ? "simt" : "cpu");
}

// `form` is null of "after:PASS", whose loops are any target's, as those of `loops` are.
Result<std::string> target_of(const OutputForm* form, const json& arguments) {
    if (form && form->target)
        return std::string(form->target);
    const auto asked = arguments.value("target", "cpu");
    if (asked == "auto")
        return !form || form->takes_target ? bound_target(arguments)
                                           : Result<std::string>(std::string("cpu"));
    if (form && form->machine == OutputForm::Machine::Processor && is_device_target(asked))
        return error("`" + std::string(form->name) +
                         "` is a form of this processor's code, and the target is a GPU",
                     "`ptx` is a GPU's; leave out --target for this processor's");
    return asked;
}

} // namespace

Emitter emitter_of(const std::string& form) {
    struct Row {
        const char* name;
        Emitter emit;
    };
    static const Row rows[] = {
#define FORM(id, name, ...) Row{name, .emit = emit_##id},
#include "core/base/output_forms.def"
#undef FORM
    };
    return std::find_if(std::begin(rows), std::end(rows),
                        [&](const Row& row) { return form == row.name; })
        ->emit;
}

json lines_json(const std::vector<NodeId>& lines) {
    json ids = json::array();
    for (const auto& id : lines)
        ids.push_back(id == NodeId{} ? json() : json(id.text()));
    return ids;
}

json emitted(const EmitRequest& request, const std::string& text,
             const std::vector<NodeId>& lines) {
    return {{"as", request.form}, {"text", text}, {"lines", lines_json(lines)}};
}

Result<json> with_scalar_loops(Result<json> made, const LoadedProgram& loaded) {
    if (!made)
        return made;
    std::vector<lower::ScalarLoop> scalar_loops;
    // Forms that come before what fails are shown all the same.
    if (lower_program(loaded, "vectorize", &scalar_loops))
        add_warnings(*made, scalar_loops);
    return made;
}

Result<json> serve_emit(const json& arguments, const Context& context) {
    const auto as = arguments.value("as", "loops");
    if (auto known =
            check_output_form(as, arguments.value("main", false), arguments.value("arch", ""));
        !known)
        return known.errors();
    const auto* form = find_output_form(as);
    const auto target = target_of(form, arguments);
    if (!target)
        return target.errors();
    auto request = arguments;
    request["target"] = *target;
    if (!form)
        if (auto pass = check_pass(pass_of(as), is_device_target(*target)); !pass)
            return pass.errors();
    const auto loaded = load_program(request);
    if (!loaded)
        return loaded.errors();
    return (form ? emitter_of(as) : emit_loops)({*loaded, request, as, context});
}

} // namespace loopscope::worker
