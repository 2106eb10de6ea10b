#pragma once
// Checks of what printers of source expect, made once, so that printers need not. A language adds
// its own rules.

#include "compiler/lower/program.h"
#include "core/base/result.h"

namespace loopscope::codegen {

class SourceChecker {
public:
    virtual ~SourceChecker() = default;
    Diagnostics run();

protected:
    // `language`: what messages begin with.
    SourceChecker(const lower::Program& program, std::string language)
        : program_(program), language_(std::move(language)) {}
    virtual void launch(const lower::Launch& launch) = 0;
    // Called before the statement's children.
    virtual void rules(const lower::Statement& s) = 0;
    void report(const std::string& message, const std::string& remedy);

    const lower::Program& program_;

private:
    void statement(const lower::Statement& s);
    void operation(const lower::Statement& s);
    void expression(const Expr& e);

    std::string language_, where_;
    Diagnostics diagnostics_;
};

// Refuses what C on the host cannot express.
Diagnostics check_for_c(const lower::Program& program);

} // namespace loopscope::codegen
