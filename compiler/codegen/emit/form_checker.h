#pragma once
// Checks of what every target of code generation expects, made once, so that emitters need not. A
// target adds its own rules.

#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <set>
#include <string>

namespace loopscope::codegen {

class FormChecker {
public:
    virtual ~FormChecker() = default;
    // Empty when the program is in final form: flat, every name defined, types and operations that
    // code has.
    Diagnostics run();

protected:
    // `what`: what messages begin with, such as "host code".
    FormChecker(const lower::Program& program, std::string what)
        : program_(program), what_(std::move(what)) {}
    virtual void launch(const lower::Launch& launch) = 0;
    // Called before the statement's children.
    virtual void target_rules(const lower::Statement& s) = 0;
    void report(const std::string& message, const std::string& remedy);

    const lower::Program& program_;

private:
    void expression(const ExprPtr& e);
    void no_half(const Expr& e, const char* what);
    void load(const Expr& e);
    void statement(const lower::Statement& s);
    void names_of(const lower::Statement& s);
    void place(const lower::Statement& s);
    void allocation(const lower::Statement& s);

    std::string what_;
    std::set<std::string> variables_, buffers_;
    std::string where_;
    Diagnostics diagnostics_;
    std::set<std::string> said_;
};

} // namespace loopscope::codegen
