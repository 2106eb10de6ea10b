#pragma once
// The comments of an exported file.

#include "compiler/codegen/c/c_source.h"

namespace loopscope::codegen {

// On top: what it is, its sizes, the schedule, how to compile it.
std::string head_comment(const lower::Program& program, const COptions& options);
// Its begin, which has all but how to compile it; lines follow, and the end of the comment.
std::string about_program(const lower::Program& program,
                          const std::map<std::string, std::int64_t>& params,
                          const std::string& schedule);
void comment_line(std::string& out, const std::string& text);
// Do floats meet in an order that differs from run to run?
bool rounds_in_any_order(const lower::Program& program);
// Before the function: each argument's role, type, extents and window. `names`: the identifiers of
// symbols and arguments.
std::string arguments_comment(const lower::Program& program, const std::vector<std::string>& names);
// Text that is safe inside a block comment: nothing in it ends the comment, continues a line or
// turns its direction.
std::string comment_text(const std::string& text);

} // namespace loopscope::codegen
