#pragma once
// Bounds how large a program may be, and grow by unrolling, before any pass makes it so: code
// generation takes time that grows faster than the program, and a person waits for it.

#include "compiler/lower/program.h"
#include "core/base/result.h"
#include "core/schedule/tree.h"

namespace loopscope::lower {

inline constexpr const char* kCodeProgramTooLarge = "program-too-large"; // by unrolling
inline constexpr const char* kCodeTooManyStatements = "too-many-statements";
constexpr std::int64_t kMaxStatements = 10'000; // of an unrolled program

// The statements that the program has once its unrolled loops are copies, saturated at 2^62.
std::int64_t unrolled_statements(const Program& program);

// Error (code kCodeProgramTooLarge) with the figure and the unrolled loops that make it;
// kCodeTooManyStatements, where there are as many before any loop is unrolled.
Status check_size(const Program& program);
// The second of these errors, as far as the tree tells it before the program is built: the memory
// of each stage encloses all that follows it, and walks over a program recurse.
Status check_size(const ScheduleTree& tree);

} // namespace loopscope::lower
