#pragma once
// A random line of any directive, by its fields alone.

#include "core/schedule/directive.h"
#include "tests/fuzz/random.h"

namespace loopscope::fuzz {

// `fresh`: names that are made are numbered. The line may be refused.
std::string line_by_fields(const std::string& verb, DefinitionRef receiver,
                           const ScheduleState& state, Random& random, int& fresh);

} // namespace loopscope::fuzz
