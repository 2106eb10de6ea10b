#pragma once
// Optimising, printing and running LLVM modules on this machine. Internal: users include LLVM's IR
// headers; this is the one place that includes ORC, which takes long to compile.

#include "compiler/codegen/host/host_info.h"
#include "core/base/result.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace loopscope::codegen {

class Jit {
public:
    static Result<std::unique_ptr<Jit>> create(const HostInfo& host = host_info());
    virtual ~Jit() = default;

    // An empty module for this machine.
    virtual std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context,
                                                     const std::string& name) = 0;
    // O2 without LLVM's loop vectoriser, SLP, loop unroller: what the schedule tree shows is what
    // runs.
    virtual void optimize(llvm::Module& module) = 0;
    virtual std::string assembly(const llvm::Module& module) = 0;
    // Machine code; the module is spent.
    virtual Status generate(llvm::Module& module) = 0;
    // Links what was generated; after that `address` finds its functions. The code lives as long as
    // the Jit.
    virtual Status link() = 0;
    virtual Result<void*> address(const std::string& function) = 0;
};

} // namespace loopscope::codegen
