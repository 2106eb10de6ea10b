#pragma once
// Common text of the host programs of all languages, which C and C++ take: inputs that are the same
// everywhere, and the printing of times. The reader and writer of files is that of exported C, the
// check host_check.h.

#include "compiler/codegen/c/helpers.h"
#include "compiler/codegen/c/names.h"
#include "compiler/lower/program.h"

#include <string>

namespace loopscope::codegen {

// Keeps the program's names clear of those that host programs use.
void reserve_host_names(CNames& names);

// After `arrays_text` and the table "npy_arguments" (c/main_text.h): host_fill(i) fills the input
// number i, host_types[i] knows its elements, host_report(seconds, count, device) prints how long
// the runs took.
std::string host_text(const lower::Program& program, CHelpers& helpers);

// Uses the small functions that the text above needs: to be called before they are printed.
void use_host_helpers(const lower::Program& program, CHelpers& helpers);

} // namespace loopscope::codegen
