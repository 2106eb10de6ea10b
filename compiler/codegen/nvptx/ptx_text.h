#pragma once
// PTX with the tree node that each line comes from. LLVM's .loc directives carry it: line n of a
// location is entry n - 1 of a table of origins. They are read out of the text and then taken out
// of it, with what else serves debuggers alone.

#include "compiler/codegen/compiled_text.h"

namespace loopscope::codegen {

OriginText ptx_with_origins(const std::string& printed, const std::vector<NodeId>& origins);

} // namespace loopscope::codegen
