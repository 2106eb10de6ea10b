#pragma once
// How far may the outputs of a schedule that reassociates or approximates be from the reference's,
// on given inputs?
//
// The reference itself answers: it evaluates the pipeline with an enclosure beside each stage that
// depends on a reassociated or approximated definition: a stage with two components, the least and
// the greatest value that any order of the sums (sums.h) and any approximation within its declared
// error (functions.h) may give there. Definitions that follow carry them on by interval arithmetic
// (arithmetic.h). So the bound holds element by element, whatever follows amplifies, decides or
// cancels; what it may overestimate is how much the errors of one value that is used twice differ.
//
// Nothing is known of a stage where such a value decides to which element a term goes, or whether
// it counts.

#include "compiler/worker/enclosure/expression.h"
#include "compiler/worker/marks.h"

namespace loopscope::worker {

struct EnclosedPipeline {
    PipelinePtr pipeline;     // with the enclosures of outputs as further outputs
    DefinitionSet contracted; // of all its stages
    // By output: the ends of component c are the arrays "STAGE.2c" and "STAGE.2c+1".
    StageEnclosures enclosures;
};
// Outputs without an enclosure, and exact components of others, must have the reference's bits.
EnclosedPipeline with_enclosures(const Pipeline& pipeline, const Marks& marks);

} // namespace loopscope::worker
