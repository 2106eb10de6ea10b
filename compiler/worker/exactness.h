#pragma once
// Are the reassociated sums and products of a pipeline exact in any order, for given inputs? Then a schedule that
// changes their order must still give the reference's bits (languages.md, "check runs a reassociating schedule twice").
//
// The reference itself answers: it evaluates the pipeline with two witnesses beside each such definition,
//   S = sum[k in 0..K](t)   ->   size = sum[k](abs(t)),          part = max[k](abs(t - floor(t)))
//   S = prod[k in 0..K](t)  ->   size = prod[k](max(abs(t), 1)), part as above
//   update S[…] += t        ->   size and part beside each element, which begin with those of its value before the
//   update S[…] *= t             update and take each t that goes to the element, in the order of the update
// All terms are whole (part = 0) and every partial result of any order is at most `size`; where that is below 2^p (p: bits
// of the type's significand), each is representable, hence exact. Integers wrap, and min, max, any, all, argmin and
// argmax choose: their result never depends on the order.

#include "compiler/run/buffer.h"
#include "compiler/worker/marks.h"

#include <map>

namespace loopscope::worker {

struct Witnesses {
    PipelinePtr pipeline;     // with the witnesses as further outputs, "S@0.size", "S@1.part"
    DefinitionSet contracted; // the definitions of the witnesses that contract as those that they stand beside
};
// Errors: those of required_boxes.
Result<Witnesses> with_witnesses(const PipelinePtr& pipeline, const DefinitionSet& reassociated,
                                 const DefinitionSet& contracted = {});

// Reads the answer out of the reference's outputs of that pipeline.
bool witnesses_say_exact(const std::map<std::string, Buffer>& outputs);

} // namespace loopscope::worker
