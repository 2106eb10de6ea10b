#pragma once
// How far may another order of a float sum or product move what follows it? The rule's bound, 4 n u max|ref|, holds for
// the sum; what follows may amplify it: sin(s), s - floor(s), a difference of two such sums. So the reference measures it:
// it evaluates the pipeline again with what each reassociated definition leaves off by the whole of its bound, of the
// signs of error_signs.h, and the greatest change of an output is what the order may make there. What an update adds to
// is off from then on; what a stage's last definition leaves is off where other stages read it, so that an output that
// is the sum itself does not move.

#include "compiler/run/buffer.h"
#include "compiler/worker/error_signs.h"
#include "compiler/worker/marks.h"

#include <map>

namespace loopscope::worker {

struct Variant {
    PipelinePtr pipeline;
    DefinitionSet contracted; // all that are contracted, by that pipeline's indices
};

// The pipeline with what each reassociated definition leaves, over its stage's box, as further outputs.
// Errors: those of required_boxes.
Result<Variant> with_sums(const Pipeline& pipeline, const Marks& marks);

// By definition: of each component the bound, 0 of what is no float.
using SumErrors = std::map<std::pair<std::string, int>, std::vector<double>>;
// Reads the sums out of the reference's outputs of that pipeline.
SumErrors sum_errors(const Pipeline& pipeline, const Marks& marks,
                     const std::map<std::string, Buffer>& outputs);

// The pipeline with those errors. It has the definitions that `errors` was made from, perhaps with other values.
Variant with_sum_errors(const Pipeline& pipeline, const Marks& marks, const SumErrors& errors,
                        ErrorSigns signs);

} // namespace loopscope::worker
