#pragma once
// Common steps of all uses of LLVM with a module: starting, checking, optimising, printing.
// Internal: users include LLVM's IR headers; this is the one place that includes the pass builder,
// which takes long to compile.

#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace loopscope::codegen {

// Call before the first use of a target: sets handlers of fatal errors, and LLVM's options, which
// the whole process shares.
void start_llvm();

enum class Vectors {
    Keep,
    Split, // operations on vectors become operations on their elements, before
           // all else; loads and stores stay
};

// O2 without LLVM's loop vectoriser, SLP, loop unroller: what the schedule tree shows is what runs.
void optimize_module(llvm::Module& module, llvm::TargetMachine& machine,
                     Vectors vectors = Vectors::Keep);

// Throws with LLVM's message if the module is malformed: a bug of whoever built it.
void verify_module(const llvm::Module& module);
std::string module_text(const llvm::Module& module);

} // namespace loopscope::codegen
