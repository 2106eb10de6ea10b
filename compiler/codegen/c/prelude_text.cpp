#include "compiler/codegen/c/prelude_text.h"

#include "compiler/codegen/c/expression.h"
#include "core/language/prelude.h"

namespace loopscope::codegen {

CPrelude::CPrelude(CNames& names, CHelpers& helpers, const CPrelude* beside)
    : names_(names), helpers_(helpers), beside_(beside) {
    for (const auto& function : prelude_names())
        for (const auto& name : {function, approximation_of(function)})
            for (auto type : {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64})
                names_.reserve(name + "_" + loopscope::name(type));
}

void CPrelude::add(const std::string& name, ScalarType type) {
    if ((beside_ && beside_->written_.count({name, type})) || !written_.insert({name, type}).second)
        return;
    const auto& definition = prelude_function(name, type);
    CExpressions expressions(names_, helpers_);
    names_.open_scope();
    std::string parameters;
    for (const auto& parameter : definition.parameters) {
        auto identifier = names_.scoped(parameter);
        expressions.variables[parameter] = {identifier, std::nullopt, nullptr, false};
        parameters +=
            (parameters.empty() ? "" : ", ") + std::string(c_type(type)) + " " + identifier;
    }
    expressions.begin({definition.body});
    auto result = expressions.text(definition.body);
    CWriter body;
    body.indent();
    for (const auto& declaration : expressions.take_declarations())
        body.line(declaration);
    body.line("return " + result + ";");
    body.remove_unused(expressions.declared());
    names_.close_scope();
    text_.blank();
    text_.line("// By this definition, and no library's, all targets give the same bits.");
    text_.line(helpers_.dialect().function + " " + c_type(type) + " " + name + "_" +
               loopscope::name(type) + "(" + parameters + ") {");
    text_.append(body);
    text_.line("}");
}

} // namespace loopscope::codegen
