#include "compiler/codegen/foreign/directive_fields.h"

namespace loopscope::codegen {

DirectiveFields fields_of(const Directive& directive) {
    DirectiveFields out;
    auto put = [&](const char* name, const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>)
            out.names[name] = value;
        else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
            out.lists[name] = value;
        else if constexpr (std::is_same_v<Value, Factor>)
            out.factors[name] = value;
        else if constexpr (std::is_same_v<Value, DefinitionRef>)
            out.definitions[name] = value;
        else if constexpr (std::is_same_v<Value, std::vector<DefinitionRef>>)
            out.readers[name] = value;
        else
            out.counts[name] = value;
    };
    visit_fields(
        directive.read_fields(), [&](const char*, const field::Tail& f) { out.tail = f.value; },
        [&](const char* name, const field::OptionalFactor& f) {
            if (f.value)
                put(name, *f.value);
        },
        [&](const char* name, const auto& f) { put(name, f.value); });
    return out;
}

} // namespace loopscope::codegen
