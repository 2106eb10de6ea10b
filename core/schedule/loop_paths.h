#pragma once
// The loops around stages and points of a state, each found once: chains of hosts are long where many definitions share
// loops (merging.h), and who asks for all of them must not follow each chain anew.

#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope {

class LoopPaths {
public:
    explicit LoopPaths(const ScheduleState& state) : state_(state) {}

    // As loops_around() and loops_around_point() of placement.h; valid as long as this object.
    const std::vector<LoopRef>& around(const std::string& stage);
    const std::vector<LoopRef>& around_point(const DefinitionKey& definition);
    // The variables of the definition's outer loops that are another one's, outermost first.
    std::vector<std::string> merged_variables(const DefinitionKey& definition);

private:
    std::vector<LoopRef> find_around(const std::string& stage);
    std::vector<LoopRef> find_around_point(const DefinitionKey& definition);

    const ScheduleState& state_;
    std::map<std::string, std::vector<LoopRef>> stages_;
    std::map<DefinitionKey, std::vector<LoopRef>> points_;
};

} // namespace loopscope
