#pragma once
// The end of a process in which LLVM or generated code cannot go on: it exits with a status of its
// own, which the parent of the worker turns into a message. Code generation runs in a worker for
// that reason.

namespace loopscope::codegen {

constexpr int kFatalErrorStatus = 86;  // LLVM called abort: "Cannot select", broken module, ...
constexpr int kOutOfMemoryStatus = 87; // LLVM or a running program could not get memory

// Makes LLVM report its fatal errors on standard error and end the process with the statuses above.
// Idempotent.
void install_fatal_error_handlers();

// Writes "loopscope: MESSAGE" on standard error and ends the process at once, without destructors.
[[noreturn]] void end_process(int status, const char* message);

} // namespace loopscope::codegen
