#pragma once
// Are the reassociated sums and products of a pipeline exact in any order, for given inputs? Then a schedule that
// changes their order must still give the reference's bits (languages.md, "check runs a reassociating schedule twice").
//
// The reference itself answers: it evaluates the pipeline with two witnesses beside each such definition,
//   S = sum[k in 0..K](t)   ->   size = sum[k](abs(t)),          part = max[k](abs(t - floor(t)))
//   S = prod[k in 0..K](t)  ->   size = prod[k](max(abs(t), 1)), part as above
// All terms are whole (part = 0) and every partial result of any order is at most `size`; where that is below 2^p (p: bits
// of the type's significand), each is representable, hence exact.

#include "compiler/run/buffer.h"
#include "core/base/result.h"
#include "core/schedule/tree.h"

#include <atomic>
#include <map>
#include <set>

namespace loopscope::worker {

using DefinitionSet = std::set<std::pair<std::string, int>>; // (stage, index of the definition)

// The pipeline with its witnesses as further outputs, "S@size" and "S@part". nullptr: a definition in `reassociated`
// is not a reduction by sum or prod of one component (an update, say), which this cannot judge.
Result<PipelinePtr> with_witnesses(const PipelinePtr& pipeline, const DefinitionSet& reassociated);

// Reads the answer out of the reference's outputs of that pipeline.
bool witnesses_say_exact(const std::map<std::string, Buffer>& outputs);

} // namespace loopscope::worker
