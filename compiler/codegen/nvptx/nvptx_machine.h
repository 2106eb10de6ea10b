#pragma once
// LLVM's NVPTX target for one architecture: modules for it, and their PTX. Internal: users include
// LLVM's IR headers; this is the one place that includes the target.

#include "compiler/codegen/nvptx/architecture.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace loopscope::codegen {

class NvptxMachine {
public:
    static Result<std::unique_ptr<NvptxMachine>> create(const Architecture& architecture);
    virtual ~NvptxMachine() = default;

    // LLVM's remarks on its modules are kept: `problems`, after `ptx`. The context must outlive
    // them.
    virtual std::unique_ptr<llvm::Module> new_module(llvm::LLVMContext& context,
                                                     const std::string& name) = 0;
    virtual void optimize(llvm::Module& module) = 0;
    virtual std::string ptx(llvm::Module& module) = 0; // the module is spent
    virtual const Diagnostics& problems() const = 0;
};

} // namespace loopscope::codegen
