#pragma once
// What a point of a definition stores; used by build.cpp alone.

#include "compiler/lower/program.h"
#include "core/schedule/tree.h"

namespace loopscope::lower {

// A stage's component as a buffer: "S", or "S.1" of a tuple.
std::string component_buffer(const Stage& stage, std::size_t component);

struct PointStores {
    NodeId origin;
    const DerivedStage& stage;
    const ComputeInfo& info;
    std::vector<ExprPtr> indices; // of the stage's buffers
    // per component: the value, or the term or right side that is combined with the old
    std::vector<ExprPtr> values;
};
// Stores all components: their values are those before any of the stores. `names_made` numbers the
// lets in a program.
StatementPtr point_stores(PointStores point, int& names_made);

} // namespace loopscope::lower
