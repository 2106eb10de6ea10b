#pragma once
// The effect of a line of a script on the loops of a definition, whatever its directive is called:
// an exporter without words for a verb has words for the effect.

#include "compiler/codegen/foreign/foreign_program.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::codegen {

struct LoopRewrite {
    Relation::Kind kind = Relation::Kind::Split;
    std::string whole, outer, inner; // Split: whole → outer, inner. Fuse: outer, inner → whole
    std::int64_t factor = 1;
    Tail tail = Tail::Guard;
};

struct LoopEffect {
    std::vector<LoopRewrite> rewrites; // in order
    // The loops behind those, outermost first; empty: they stand where the rewrites leave them.
    std::vector<std::string> order;
    // Kinds of loops that are new, or run otherwise than before.
    std::vector<std::pair<std::string, LoopKind>> kinds;
    bool empty() const { return rewrites.empty() && order.empty() && kinds.empty(); }
};

// The effect of a step; nothing: the line does something else too, or does not do it here.
std::optional<LoopEffect> loop_effect(const ForeignStep& step);

} // namespace loopscope::codegen
