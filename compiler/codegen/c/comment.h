#pragma once
// The comments of an exported file.

#include "compiler/codegen/c/c_source.h"

namespace loopscope::codegen {

// The comment on top: what the file is, its sizes, the schedule, how to compile it.
std::string head_comment(const lower::Program& program, const COptions& options);
// The begin of that comment, with all but how to compile it; further lines and the end of the
// comment follow.
std::string about_program(const lower::Program& program,
                          const std::map<std::string, std::int64_t>& params,
                          const std::string& schedule);
void comment_line(std::string& out, const std::string& text);
// Are floats combined in an order that differs from run to run?
bool rounds_in_any_order(const lower::Program& program);
// The comment before the function: each argument's role, type, extents and window. `names`: the
// identifiers of symbols and arguments.
std::string arguments_comment(const lower::Program& program, const std::vector<std::string>& names);
// Text that is safe inside a block comment: nothing in it ends the comment, continues a line or
// turns its direction.
std::string comment_text(const std::string& text);

} // namespace loopscope::codegen
