#pragma once
// Ten bugs that lowering could have, planted one at a time in the lowered program: each must be found within 1,000
// random pairs. That shows that the net has no hole of that shape.

#include "tests/fuzz/judge.h"

#include <vector>

namespace loopscope::fuzz {

struct PlantedBug {
    const char* name;
    bool after_passes; // where it is planted: in the built program, or in the final one
    Plant plant;
};

const std::vector<PlantedBug>& planted_bugs();

} // namespace loopscope::fuzz
