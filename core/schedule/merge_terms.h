#pragma once
// What the rules on merged loops share (merging.cpp, merge_structure.cpp, merged_order.cpp): whose loops a definition has,
// how definitions are named, and how a merge is refused.

#include "core/base/result.h"
#include "core/schedule/identity.h"
#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <string>
#include <utility>

namespace loopscope::merging {

// Of a nest that shares loops.
inline DefinitionKey host_of(const DefinitionState& nest) {
    return {nest.with->stage, nest.with->definition};
}

inline std::string text(const DefinitionKey& key) { return definition_name(key.first, key.second); }

inline Diagnostic refuse(std::string message, std::string remedy) {
    return coded_error("merge", std::move(message), std::move(remedy));
}

} // namespace loopscope::merging
