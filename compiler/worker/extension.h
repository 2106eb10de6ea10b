#pragma once
// Stages that a check adds to a pipeline beside those that it has. Their names have an '@', which
// no stage of a text has.

#include "core/ir/box.h"
#include "core/ir/pipeline.h"

namespace loopscope::worker {

// Reads of the stage `from` go to the stage `to`. Null gives null.
ExprPtr reading(const ExprPtr& e, const std::string& from, const std::string& to);
Definition reading(Definition definition, const std::string& from, const std::string& to);

// A stage with that one's variables and place in the text, and no definition yet.
Stage stage_beside(const Stage& original, const std::string& name,
                   const std::vector<ScalarType>& types);
// A pure definition of all its variables, one value a component.
Definition pure_definition(const Stage& stage, std::vector<ExprPtr> values);
// The stage's component at the definition's own point.
ExprPtr own_element(const Stage& stage, int component);

// One component over the stage's box as an output, which begins at 0.
void add_box_output(Pipeline& pipeline, const Stage& stage, int component, const std::string& name,
                    const Box& box);

// A part of the stage, all components of it, as an output that begins at 0: the elements
// [offset, offset + extent) of each dimension.
void add_window_output(Pipeline& pipeline, const Stage& stage, const std::string& name,
                       const std::vector<std::int64_t>& offset,
                       const std::vector<std::int64_t>& extents);

} // namespace loopscope::worker
