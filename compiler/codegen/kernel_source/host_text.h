#pragma once
// What the host programs of all languages do alike, as text that C and C++ take: inputs that are the same everywhere, the
// comparison with the reference, and what is printed. The reader and writer of files is that of exported C.

#include "compiler/codegen/c/helpers.h"
#include "compiler/codegen/c/names.h"
#include "compiler/codegen/kernel_source/kernel_options.h"

#include <string>

namespace loopscope::codegen {

// Keeps the program's names clear of those that host programs use.
void reserve_host_names(CNames& names);

// After `arrays_text` and the table "npy_arguments" (c/main_text.h): host_fill(i) fills the input number i, host_check() compares all
// outputs with the reference's, host_report(seconds, count) prints how long the runs took. `reference`: the function's
// name; empty: there is none, and no host_check.
std::string host_text(const lower::Program& program, const KernelOptions& options,
                      const std::string& reference, CHelpers& helpers);

// What the text above needs of small functions: to be asked before they are printed.
void use_host_helpers(const lower::Program& program, CHelpers& helpers);

} // namespace loopscope::codegen
