#include "compiler/codegen/host/long_blocks.h"

#include <llvm/IR/Module.h>

#include <algorithm>

namespace loopscope::codegen {

bool has_long_block(const llvm::Module& module) {
    return std::any_of(module.begin(), module.end(), [](const llvm::Function& function) {
        return std::any_of(function.begin(), function.end(),
                           [](const llvm::BasicBlock& block) { return block.size() > kLongBlock; });
    });
}

} // namespace loopscope::codegen
