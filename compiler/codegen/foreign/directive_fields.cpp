#include "compiler/codegen/foreign/directive_fields.h"

namespace loopscope::codegen {

namespace {

class Reader final : public FieldVisitor {
public:
    DirectiveFields fields;

    void loop(const char* field, std::string& name) override { fields.names[field] = name; }
    void new_loop(const char* field, std::string& name) override { fields.names[field] = name; }
    void loops(const char* field, std::vector<std::string>& names) override {
        fields.lists[field] = names;
    }
    void factor(const char* field, Factor& factor) override { fields.factors[field] = factor; }
    void optional_factor(const char* field, std::optional<Factor>& factor) override {
        if (factor)
            fields.factors[field] = *factor;
    }
    void tail(const char*, Tail& tail) override { fields.tail = tail; }
    void definition(const char* field, DefinitionRef& ref) override {
        fields.definitions[field] = ref;
    }
    void loop_of(const char* field, const DefinitionRef&, std::string& name) override {
        fields.names[field] = name;
    }
    void source(const char* field, std::string& name) override { fields.names[field] = name; }
    void scope(const char* field, std::string& name) override { fields.names[field] = name; }
    void level(const char* field, std::string& name) override { fields.names[field] = name; }
    void readers(const char* field, std::vector<DefinitionRef>& refs) override {
        fields.readers[field] = refs;
    }
    void dimension(const char* field, std::string& name) override { fields.names[field] = name; }
    void dimensions(const char* field, std::vector<std::string>& names) override {
        fields.lists[field] = names;
    }
    void count(const char* field, std::int64_t& value) override { fields.counts[field] = value; }
    void result(const char* field, std::string& name) override { fields.names[field] = name; }
};

} // namespace

DirectiveFields fields_of(const Directive& directive) {
    Reader reader;
    directive.clone()->visit_fields(reader); // visitors may assign, and so want a copy
    return reader.fields;
}

} // namespace loopscope::codegen
