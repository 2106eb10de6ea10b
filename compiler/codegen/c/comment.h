#pragma once
// The comments of an exported file.

#include "compiler/codegen/c/c_source.h"

namespace loopscope::codegen {

// On top: what it is, its sizes, the schedule, how to compile it.
std::string head_comment(const lower::Program& program, const COptions& options);
// Before the function: each argument's role, type, extents and window. `names`: the identifiers of symbols and arguments.
std::string arguments_comment(const lower::Program& program, const std::vector<std::string>& names);
// Text that is safe inside a block comment: nothing in it ends the comment, continues a line or turns its direction.
std::string comment_text(const std::string& text);

} // namespace loopscope::codegen
