#pragma once
// Terms that the rules on merged loops share (merging.cpp, merge_structure.cpp, merged_order.cpp):
// whose loops a definition has, how definitions are named, and how a merge is refused.

#include "core/base/result.h"
#include "core/schedule/identity.h"
#include "core/schedule/merging.h"
#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <map>
#include <string>
#include <utility>

namespace loopscope::merging {

// The definition whose loops the nest shares.
inline DefinitionKey host_of(const DefinitionState& nest) {
    return {nest.with->stage, nest.with->definition};
}

inline std::string text(const DefinitionKey& key) { return definition_name(key.first, key.second); }

inline Diagnostic refuse(std::string message, std::string remedy) {
    return coded_error("merge", std::move(message), std::move(remedy));
}

// For each stage that shares loops with another one, the head of the first group that it is in. A
// stage may be in several groups, all of the same stages: they run one after the other, in the
// nests of those stages.
Result<std::map<std::string, DefinitionKey>> heads_by_stage(const MergeGroups& groups);

} // namespace loopscope::merging
