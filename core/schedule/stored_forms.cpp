#include "core/schedule/stored_forms.h"

namespace loopscope {

LinearForm resolved(const Layout& layout, const LinearForm& form) {
    return with_variables(form, [&](const Atom& atom) -> std::optional<LinearForm> {
        auto region = layout.region_variables.find(atom.name);
        if (region == layout.region_variables.end())
            return std::nullopt;
        return resolved(layout, region->second.least);
    });
}

std::optional<LinearForm> stored_form(const Layout& layout, const std::string& stage,
                                      std::size_t dimension, const LinearForm& index) {
    const auto computed = layout.stages.find(stage);
    // an input
    if (computed == layout.stages.end())
        return resolved(layout, index);
    const auto& stored = computed->second.stored[dimension];
    if (stored.fold > 0)
        return std::nullopt;
    return resolved(layout, index) - resolved(layout, stored.min);
}

} // namespace loopscope
