#pragma once
// Fills a directive's fields from the arguments of its line, by the fields that the directive
// itself lists.

#include "core/language/lexer.h"
#include "core/schedule/directive.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct ArgumentList {
    SourceFilePtr file;
    std::vector<std::vector<Token>> arguments; // none is empty
    SourceRange open, close;                   // the brackets
    std::string made;                          // `B = …`; may be empty
    SourceRange made_range;
};

// The first problem, or none.
std::optional<Diagnostic> read_arguments(Directive& directive, const ArgumentList& list);

// "S.split(loop, outer, inner, factor [, tail])": how a directive is written.
std::string signature(const Directive& directive);

// The n of `update(n)`.
bool read_update_number(const Token& token, int& number);

} // namespace loopscope
