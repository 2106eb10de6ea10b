#pragma once
// Are the reassociated sums and products of a pipeline exact in any order, for given inputs? Then a
// schedule that changes their order must still give the reference's bits (languages.md, "check runs
// a reassociating schedule twice").
//
// The reference itself answers: it evaluates the pipeline with two witnesses beside each such
// definition,
//   S = sum[k in 0..K](t)   ->   size = sum[k](abs(t)),            grain = max[k](g(t))
//   S = prod[k in 0..K](t)  ->   size = prod[k](max(abs(t), 1)),   grain = max[k](g(t))
//   update S[…] += t        ->   size and grain beside each element, which begin with those of its
//   update S[…] *= t             value before the update and take each t that goes to the element,
//                                in the order of the update
// where g(t) is 0 for a whole number, of a sum also the least of 4, 8, 12 and 16 for which t is a
// multiple of 2^-g, and infinite otherwise, also for a product t = a*b that its rounding changed
// where a contracted sum adds it without that rounding. Every partial result of any order is then a
// multiple of 2^-grain and at most `size`; where size < 2^(p - grain), p the bits of the type's
// significand, each is representable, hence exact. Integers wrap, and min, max, any, all, argmin
// and argmax choose: their result never depends on the order.

#include "compiler/run/buffer.h"
#include "compiler/worker/marks.h"

#include <map>

namespace loopscope::worker {

struct Witnesses {
    PipelinePtr pipeline; // with the witnesses as further outputs, "S@0.size", "S@1.grain"
    // the definitions of the witnesses that contract as those that they stand beside
    DefinitionSet contracted;
};
// Errors: those of required_boxes.
Result<Witnesses> with_witnesses(const PipelinePtr& pipeline, const DefinitionSet& reassociated,
                                 const DefinitionSet& contracted = {});

// TooLarge: all terms have a grain, but some sum of them may be inexact; smaller numbers might do.
enum class Exactness { Exact, TooLarge, NoGrain };
// Reads the answer out of the reference's outputs of that pipeline.
Exactness exactness_of(const std::map<std::string, Buffer>& outputs);

} // namespace loopscope::worker
