#pragma once
// The sequences of directives that people write: a tile with its vectors and threads, a window that
// slides, a copy that is pipelined, siblings in one nest, a factored reduction. Directives drawn
// one by one seldom stack up to them.

#include "core/schedule/state.h"
#include "tests/fuzz/random.h"

#include <string>
#include <vector>

namespace loopscope::fuzz {

// A random one of them, at random places of the state. Each line may be refused as any other; those
// after it then mostly are too. `fresh` numbers new names.
std::vector<std::string> expert_lines(const ScheduleState& state, Random& random, int& fresh);

} // namespace loopscope::fuzz
