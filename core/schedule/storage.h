#pragma once
// Layout of a stage's memory: shared parts of its directives, and the one map from dimensions to
// how they lie.

#include "core/base/result.h"
#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

namespace loopscope {

class LoopPaths;

// The scope of a stage's memory: as the script says, else as the bindings around it have it. Inside
// of loops bound to threads it is private storage; inside of loops bound to blocks the block's
// threads share it; elsewhere it is called "host": at root it is everybody's, inside of loops of
// which none is bound that of the thread that runs them. `paths`: the state's.
device::MemoryScope memory_scope(const ScheduleState& state, LoopPaths& paths,
                                 const StageState& stage);
// Do the threads of a block share the stage's memory?
bool shared_by_block(const ScheduleState& state, LoopPaths& paths, const StageState& stage);

// Is the stage's memory the schedule's own? Errors: an unknown stage, an input, an output, an
// inlined stage.
Status owns_storage(const ScheduleState& state, const DefinitionRef& stage);
// Position of an index name in the stage's declaration; the error names the nearest.
Result<int> find_dimension(const ScheduleState& state, const std::string& stage,
                           const std::string& name);

// The dimension of the region that lies at each position of memory, outermost first.
std::vector<std::size_t> storage_order(const TreeNode& storage);
// Elements along each dimension of the region, with padding.
std::vector<std::int64_t> storage_extents(const TreeNode& storage);
double storage_bytes(const TreeNode& storage);
// The index names from outermost to innermost in memory, with what is added to each: "x + 8, y";
// empty: as declared.
std::string layout_text(const TreeNode& storage);

} // namespace loopscope
