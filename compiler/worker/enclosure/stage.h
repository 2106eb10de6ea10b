#pragma once
// The stages that enclose one stage's values.

#include "compiler/worker/enclosure/expression.h"
#include "compiler/worker/marks.h"

namespace loopscope::worker {

struct EnclosedStage {
    std::vector<Stage> stages;
    DefinitionSet contracted; // of these stages: those that the reference contracts
    StageEnclosure enclosure; // which the last of them holds
};
// `before`: of the stages that it may read.
EnclosedStage enclose_stage(const Stage& stage, const Marks& marks, const StageEnclosures& before);

} // namespace loopscope::worker
