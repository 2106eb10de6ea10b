#pragma once
// Required boxes: for each stage the least box that covers all that its readers need, what the
// outputs ask for, and all that its updates write (languages.md, "A stage's box"). Concrete:
// symbols stand at their hints.

#include "core/base/result.h"
#include "core/ir/pipeline.h"
#include "core/ir/range.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

class ValueRanges;

using Box = std::vector<Interval>; // one interval per dimension, outermost first

Box hull(const Box& a, const Box& b);

// Boxes of all stages and inputs (an input's box is the region read, before its boundary is
// applied); a stage that nothing needs has empty intervals. Errors: an index that cannot be
// bounded, with the place and the word "clamp".
Result<std::map<std::string, Box>> required_boxes(const Pipeline& pipeline);

// One stage's part of required_boxes.
struct StageBox {
    // The box that is needed of it, with all that its updates write and read of the stage itself
    // when they run over that
    Box box;
    std::map<std::string, Box> reads; // of other stages and inputs, over all definitions
};
// `values`: of the pipeline, kept from stage to stage. Errors are added to `errors`.
StageBox stage_box(const Pipeline& pipeline, const Stage& stage, const Box& needed,
                   ValueRanges& values, Diagnostics& errors);

// StageBox::box alone.
Result<Box> box_with_updates(const Pipeline& pipeline, const Stage& stage, const Box& needed,
                             ValueRanges& values);

// The range of each axis of one definition, given its stage's box: the free variables over the box,
// then the axes.
std::map<std::string, Interval> axis_ranges(const Stage& stage, const Definition& definition,
                                            const Box& box);

// Boxes that one definition reads of each stage or input when its axes run over `ranges`; hulls of
// all its reads. Self-reads included. `boxes`: none needed.
Result<std::map<std::string, Box>> boxes_read(const Pipeline& pipeline, const Stage& stage,
                                              const Definition& definition,
                                              const std::map<std::string, Interval>& ranges);
Result<std::map<std::string, Box>> boxes_read(const Pipeline& pipeline,
                                              const Definition& definition,
                                              const std::map<std::string, Interval>& ranges,
                                              ValueRanges& values);

// `index` with float lets around it replaced by their values: ranges of floats are followed only
// inside of one expression. `lets`: the values of all lets of the definition, by name.
ExprPtr with_float_lets(const ExprPtr& index, const std::map<std::string, ExprPtr>& lets);

// The range of values a stage's component can hold, where constants and clamps bound it; nullopt
// otherwise.
std::optional<Interval> value_range(const Pipeline& pipeline, const std::string& stage,
                                    int component);

} // namespace loopscope
