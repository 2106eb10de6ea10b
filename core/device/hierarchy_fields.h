#pragma once
// The fields of what names of levels and scopes mean, as lists (core/base/fields.h).

#include "core/base/fields.h"
#include "core/device/hierarchy.h"

namespace loopscope::device {

template <FieldsOf<Numbering> T> auto fields(T& numbering) {
    auto& [unit, members, axis] = numbering;
    return std::tie(unit, members, axis);
}

template <FieldsOf<MemoryScope> T> auto fields(T& scope) {
    auto& [name, shared_by] = scope;
    return std::tie(name, shared_by);
}

} // namespace loopscope::device
