#pragma once
// The stages that enclose one stage's values.

#include "compiler/worker/marks.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::worker {

struct EnclosedStage {
    std::vector<Stage>
        stages; // the last holds the enclosure: of each component its low and its high end, in turn
    DefinitionSet contracted; // of these stages: those that the reference contracts
};
// `enclosures`: by stage, the names of those made before.
EnclosedStage enclose_stage(const Stage& stage, const Marks& marks,
                            const std::map<std::string, std::string>& enclosures);

} // namespace loopscope::worker
