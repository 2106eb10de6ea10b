#pragma once
// The enclosure of a reduction's result, made of other reductions over the same terms: stages
// beside it.

#include "compiler/worker/enclosure/arithmetic.h"
#include "compiler/worker/marks.h"

#include <string>
#include <vector>

namespace loopscope::worker {

// Stages that are made beside one, in order.
struct StagesBeside {
    explicit StagesBeside(const Stage& stage) : original(stage) {}

    std::string next_name() const; // of the stage that is added next
    // A stage with a pure definition of those values.
    Stage& begin(const std::vector<ScalarType>& types, std::vector<ExprPtr> values);

    const Stage& original;
    std::vector<Stage> stages;
    DefinitionSet contracted; // of these stages
};

struct ReductionTerms {
    const Definition& definition;
    Enclosure term;
    ExprPtr condition; // exact; null: all count
    bool reassociated = false, contracted = false;
};
// The enclosure of each component.
std::vector<Enclosure> enclose_reduction(const ReductionTerms& terms, StagesBeside& making);

} // namespace loopscope::worker
