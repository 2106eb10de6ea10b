#pragma once
// The text with which a file of C begins, beside its includes.

#include <string>

namespace loopscope::codegen {

// Which of the file's macros its functions use.
struct CMacros {
    bool parallel = false, simd = false, unroll = false, stream = false, prefetch = false;
};

std::string guard_text(); // against flags, compilers and processors that would change results
// The definitions of the macros that are used, a blank line before each.
std::string macro_text(const CMacros& macros);

} // namespace loopscope::codegen
