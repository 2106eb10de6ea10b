#include "core/base/output_forms.h"

#include "core/base/listed.h"

#include <algorithm>
#include <string_view>

namespace loopscope {

const std::vector<OutputForm>& output_forms() {
    using Machine = OutputForm::Machine;
    using Language = OutputForm::Language;
    static const std::vector<OutputForm> all{
#define FORM(id, ...) OutputForm{__VA_ARGS__},
#include "core/base/output_forms.def"
#undef FORM
    };
    return all;
}

const OutputForm* find_output_form(const std::string& name) {
    const auto& all = output_forms();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const OutputForm& form) { return form.name == name; });
    return found == all.end() ? nullptr : &*found;
}

bool is_after_pass(const std::string& form) { return form.starts_with(kAfterPass); }

std::string names_of_forms(bool (*has)(const OutputForm&)) {
    std::vector<std::string> names;
    for (const auto& form : output_forms())
        if (!has || has(form))
            names.emplace_back(form.name);
    return listed(names);
}

Status check_output_form(const std::string& name, bool with_main, const std::string& architecture) {
    const auto* form = find_output_form(name);
    if (!form && !is_after_pass(name)) {
        std::vector<std::string> names;
        for (const auto& each : output_forms())
            names.emplace_back(each.name);
        const auto near = nearest_name(name, names);
        return error("there is no form `" + name + "` to emit",
                     (near.empty() ? "" : "did you mean `" + near + "`? ") +
                         ("the forms are " + names_of_forms() + ", or after:PASS"));
    }
    if (!architecture.empty() && !(form && form->takes_architecture))
        return error("`--arch` chooses an architecture of NVIDIA's GPUs, and `emit --as " + name +
                         "` is for none of them",
                     "it goes with `--as` " + names_of_forms(has_architecture));
    if (with_main && !(form && form->main_does))
        return error("`" + name + "` has no main",
                     "`--main` goes with `--as` " + names_of_forms(has_main));
    return success();
}

} // namespace loopscope
