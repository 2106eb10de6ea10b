#pragma once
// The epilogue of a sum of products: the work on each element before it goes to memory, such as a
// bias, an activation, a cast, a residual. It is computed from the registers that hold the sums,
// where the definitions between them take each element by itself.

#include "core/schedule/state.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct Epilogue {
    // The stage that is written to memory, whose loops are tiled; empty: no stage takes the sums
    // element by element, and they are written as they are.
    std::string host;
    std::vector<std::string> inlined; // stages between, which are computed where they are read
    std::map<std::string, std::string> names; // of the sums' index names: the host's

    bool empty() const { return host.empty(); }
};

// Finds the epilogue of the sums, a stage at root: the last stage in which all their readers end,
// element by element.
Epilogue find_epilogue(const ScheduleState& state, const std::string& sums);

} // namespace loopscope
