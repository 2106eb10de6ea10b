#pragma once
// The two stages that rfactor makes of a definition (languages.md, rfactor). The directive has
// checked that they may be made.

#include "core/base/result.h"
#include "core/schedule/state.h"

#include <string>

namespace loopscope {

struct Factored {
    Stage factor; // R: the reduction loop first, then the stage's variables
    Stage stage;  // S, whose definition now combines R over that loop
    // The nest of S's definition: its free loops as they were, the others replaced by that loop.
    DefinitionState nest;
    int definition = 0; // of R: the one that reads what S's definition read
};

// R[k, v] = op[other reduction loops of the nest](term of S[v]), S[v] = op[k](R[k, v]); of an
// update R starts from the neutral element. Axes become expressions of the nest's loops; where a
// split does not divide, those are kept within the axis by a minimum, and a condition says which
// points there are, so that no box grows. `loop`: the position in the nest of a reduction loop.
// Errors: a loop whose values would leave i32.
Result<Factored> factor_definition(const ScheduleState& state, const std::string& stage,
                                   int definition, std::size_t loop, const std::string& result);

} // namespace loopscope
