#pragma once
// A directive's arguments by the names of its fields. Translations of directives to another
// language look verbs up by name, so that an unknown one leads to a warning, never to silence.

#include "core/schedule/directive.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct DirectiveFields {
    // loops, new loops, dimensions, sources, scopes, levels and results
    std::map<std::string, std::string> names;
    std::map<std::string, std::vector<std::string>> lists; // loops, dimensions
    std::map<std::string, Factor> factors;                 // without optional ones that are absent
    std::map<std::string, DefinitionRef> definitions;      // where to compute or store
    std::map<std::string, std::vector<DefinitionRef>> readers;
    std::map<std::string, std::int64_t> counts;
    Tail tail = Tail::Guard;

    const std::string& name(const std::string& field) const { return names.at(field); }
};

DirectiveFields fields_of(const Directive& directive);

} // namespace loopscope::codegen
