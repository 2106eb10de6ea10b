// emit --as loops and after:PASS: the loop program, as it is compiled or behind a pass.
#include "compiler/worker/emitters.h"

#include "core/base/output_forms.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace loopscope::worker {

using nlohmann::json;

namespace {

std::vector<std::string> pass_names(bool on_device) {
    std::vector<std::string> names{"build"};
    for (const auto& pass : on_device ? lower::device_passes() : lower::cpu_passes())
        names.push_back(pass.name);
    return names;
}

// Does lowering come as far as to vectorise?
bool vectorizes(const std::string& stop_after, bool on_device) {
    auto names = pass_names(on_device);
    return stop_after.empty() || std::find(names.begin(), names.end(), stop_after) >=
                                     std::find(names.begin(), names.end(), "vectorize");
}

} // namespace

std::string pass_of(const std::string& form) {
    return is_after_pass(form) ? form.substr(std::string_view(kAfterPass).size()) : std::string();
}

Status check_pass(const std::string& pass, bool on_device) {
    const auto names = pass_names(on_device);
    if (std::find(names.begin(), names.end(), pass) != names.end())
        return success();
    std::string list;
    for (const auto& name : names)
        list += (list.empty() ? "" : ", ") + name;
    const auto near = nearest_name(pass, names);
    return error("there is no pass `" + pass + "`",
                 (near.empty() ? "" : "did you mean `" + near + "`? ") +
                     ("the passes, in order: " + list));
}

Result<json> emit_loops(const EmitRequest& request) {
    const auto stop_after = pass_of(request.form);
    std::vector<lower::ScalarLoop> scalar_loops;
    auto program = lower_program(request.loaded, stop_after, &scalar_loops);
    if (!program)
        return program.errors();
    std::vector<NodeId> lines;
    const auto text = lower::to_text(*program, &lines);
    auto made = emitted(request, text, lines);
    add_warnings(made, scalar_loops);
    return vectorizes(stop_after, request.loaded.on_device)
               ? made
               : with_scalar_loops(std::move(made), request.loaded);
}

} // namespace loopscope::worker
