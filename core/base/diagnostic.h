#pragma once
// A diagnostic: what went wrong, where, and what would be right. Errors that people can cause
// travel as values.

#include "core/base/source.h"

#include <string>
#include <vector>

namespace loopscope {

enum class Severity { Error, Warning, Note };

struct Diagnostic {
    Severity severity = Severity::Error;
    std::string message;   // what is wrong, with the offending name or figure
    SourceRange range;     // file may be null
    std::string remedy;    // what would be right; may be empty
    std::string code = {}; // a stable short id such as "unknown-name"; may be empty
};

using Diagnostics = std::vector<Diagnostic>;

// FILE:LINE:COLUMN: error: TEXT, then the line (cut at 160 characters) and a caret (languages.md,
// "Errors"). The remedy, if any, follows the message after "; ".
std::string format(const Diagnostic& diagnostic);
// At most `limit` diagnostics, then a line that says how many more there are.
std::string format(const Diagnostics& diagnostics, std::size_t limit = 100);

bool has_errors(const Diagnostics& diagnostics);

// The candidate nearest to `name` by edit distance, or empty when none is near enough to suggest.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

} // namespace loopscope
