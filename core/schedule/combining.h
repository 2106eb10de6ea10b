#pragma once
// Which definitions combine values into one element in any order: what atomic and rfactor need, and
// what a reassociated float sum or product is.

#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <string>
#include <vector>

namespace loopscope {

// Does the order in which the definition combines values change the result's bits: a sum or product
// of floats?
bool rounds(const Definition& definition);

// Why a definition's iterations do not combine into one element in any order, as the rest of a
// sentence that begins with "S cannot be …: "; empty if they do. They do in reductions, and in
// updates by += *= max= min= that do not read the stage itself.
std::string not_combining(const Stage& stage, const Definition& definition);
std::string not_combining(const ScheduleState& state, const std::string& stage, int definition);
// The same for atomic operations, which cannot combine the pairs of argmin and argmax.
std::string not_atomic(const Stage& stage, const Definition& definition);
std::string not_atomic(const ScheduleState& state, const std::string& stage, int definition);

// Why contract and fast_math have nothing to do in the definition, as in "computes i32"; empty
// where it computes floats.
std::string no_floats(const ScheduleState& state, const std::string& stage, int definition);

// Is the definition one whose terms rfactor moved to another stage, which it combines?
bool combines_factor(const ScheduleState& state, const std::string& stage, int definition);

// The definitions that compute what one definition of the pipeline does: that definition first,
// then those that rfactor made of it, in any number of steps. `member` is one of them, or the
// definition with which a factor of an update starts.
std::vector<DefinitionKey> factor_family(const ScheduleState& state, const DefinitionKey& member);

} // namespace loopscope
