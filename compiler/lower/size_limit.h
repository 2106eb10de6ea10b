#pragma once
// Bounds how large a program may grow by unrolling, before any pass makes it so: code generation takes time that
// grows faster than the program, and a person waits for it.

#include "compiler/lower/program.h"
#include "core/base/result.h"

namespace loopscope::lower {

inline constexpr const char* kCodeProgramTooLarge = "program-too-large";
constexpr std::int64_t kMostStatements = 10'000; // of an unrolled program

// The statements that the program has once its unrolled loops are copies, saturated at 2^62.
std::int64_t unrolled_statements(const Program& program);

// Error (code kCodeProgramTooLarge) with the figure and the unrolled loops that make it.
Status check_size(const Program& program);

} // namespace loopscope::lower
