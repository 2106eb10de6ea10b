#pragma once
// Recomputation: how often a schedule computes what could be computed once.

#include "tuner/model/work.h"

#include <map>

namespace loopscope::model {

struct Recomputation {
    double useful_flops = 0; // if every stage of the pipeline were computed once over its box
    double factor = 1; // executed / useful FLOPs; of points computed where the program has no FLOPs
    // Points computed / points of the box, per stage. For an inlined stage: evaluations in its
    // readers / box, each load in the pipeline's text an evaluation.
    std::map<std::string, double> stages;
};
Recomputation recomputation(const Work& work);

} // namespace loopscope::model
