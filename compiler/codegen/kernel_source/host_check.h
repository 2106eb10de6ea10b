#pragma once
// The part of a host program that checks: parts of the results are compared with arrays that
// reference functions compute on the host, each element to its bits or between two ends
// (kernel_options.h).

#include "compiler/codegen/c/writer.h"
#include "compiler/codegen/kernel_source/kernel_options.h"

#include <string>
#include <vector>

namespace loopscope::codegen {

// The function host_check(inexact), after the text of host_text.h: it compares all parts, says what
// it found, and gives the exit status: success, failure where something is wrong, and
// HOST_INCONCLUSIVE where `loopscope-cli check` would not call it conclusive by reals alone
// (compiler/run/judgement.h). `inexact`: how far floats of a device that does not compute to the
// bit may be off besides, in units of a part's greatest magnitude; 0: it computes to the bit.
// `functions`: the references' names.
std::string check_text(const lower::Program& program, const KernelCheck& check,
                       const std::vector<std::string>& functions);

// Writes the comment before a reference's function: which of its arrays are which parts of the
// results.
void comment_parts(const KernelReference& reference, CWriter& out);

// Lines for the comment on top: what the program compares, and how.
std::string check_comment(const KernelCheck& check);

} // namespace loopscope::codegen
