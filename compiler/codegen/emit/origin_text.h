#pragma once
// Texts of LLVM IR and assembly with the tree node that each line comes from. LLVM's debug
// locations carry it: line n of a location is entry n - 1 of a table of origins. They are read out
// of the text and then taken out of it.

#include "compiler/codegen/compiled_text.h"

namespace loopscope::codegen {

OriginText ir_with_origins(const std::string& printed, const std::vector<NodeId>& origins);
OriginText assembly_with_origins(const std::string& printed, const std::vector<NodeId>& origins);

} // namespace loopscope::codegen
