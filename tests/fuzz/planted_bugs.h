#pragma once
// Bugs that lowering and legality could have, planted one at a time: in the lowered program, or in
// the state that legality should have refused. Each must be found within 2,000 random pairs: that
// shows that the net has no hole of that shape.

#include "tests/fuzz/judge.h"

#include <vector>

namespace loopscope::fuzz {

struct PlantedBug {
    const char* name;
    // One of these: in the built program, in the one after the passes, in the state.
    Plant built = {};
    Plant final = {};
    PlantState state = {};
};

// Bugs of values, loops and guards are in planted_bugs.cpp, those of storage and placement in
// planted_storage.cpp, those of legality in planted_legality.cpp.
const std::vector<PlantedBug>& planted_bugs();
std::vector<PlantedBug> planted_storage_bugs();
std::vector<PlantedBug> planted_legality_bugs();

// Faults that kernels could have, planted in what is lowered for a device: of steps that threads
// take together, of pipelines and of what runs at once (planted_steps.cpp); of fragments, memory,
// lanes and guards (planted_kernels.cpp). The interpreter of SIMT programs must find each.
std::vector<PlantedBug> planted_step_faults();
std::vector<PlantedBug> planted_kernel_faults();
// … of what producer warpgroups load, and of warpgroups' products (planted_handovers.cpp): in pairs
// of group_pairs.h.
std::vector<PlantedBug> planted_handover_faults();
// … of boxes that leave their array (planted_borders.cpp): in pairs of window_pairs.h.
std::vector<PlantedBug> planted_border_faults();

} // namespace loopscope::fuzz
