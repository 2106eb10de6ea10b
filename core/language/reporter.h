#pragma once
// Collects the diagnostics of one load: one per place, however often a loop or a def expands it.

#include "core/base/diagnostic.h"
#include "core/language/ast.h"
#include "core/language/limits.h"

#include <set>
#include <string>

namespace loopscope {

class Reporter {
public:
    explicit Reporter(SourceFilePtr file) : file_(std::move(file)) {}

    // The first error at a place stands for all others there.
    void error(ast::Span span, std::string message, std::string remedy = {}, std::string code = {});
    void add(const Diagnostic& diagnostic); // an error with a range of its own, under the same rule

    SourceRange range(ast::Span span) const { return {file_, span.begin, span.end}; }
    std::string text(ast::Span span) const {
        return file_->text().substr(span.begin, span.end - span.begin);
    }
    // The text of `span` for a message: one line, and not too long; else `otherwise`.
    std::string quoted(ast::Span span, const std::string& otherwise) const;
    // "12:3"
    std::string place(ast::Span span) const;

    bool reported(ast::Span span) const { return places_.count({span.begin, span.end}) != 0; }
    std::size_t error_count() const { return diagnostics_.size(); }
    // So many that going on would tell nothing new.
    bool full() const { return diagnostics_.size() >= kErrorLimit; }
    Diagnostics take(); // in the order of the text

private:
    SourceFilePtr file_;
    Diagnostics diagnostics_;
    std::set<std::pair<std::size_t, std::size_t>> places_;
};

} // namespace loopscope
