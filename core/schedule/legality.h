#pragma once
// Is a definition's nest, as it stands, allowed by its dependences? Points of pure definitions are
// independent; those of a reduction meet in one accumulator along its reduction axes; those of an
// update meet where their accesses say.

#include "core/base/result.h"
#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

// Checks order, parallel and vectorised loops of one definition. A refusal names the loop, the two
// accesses that meet and their distance, or the rule, and what would be legal. `before`: the loops
// as the line found them, for remedies that must not name loops that the line makes; none: the
// loops as they stand.
Status check_nest(const ScheduleState& state, const std::string& stage, int definition,
                  const std::vector<LoopState>& before = {});

// The remedy for a loop of the definition that cannot run as asked because of the dependences it
// carries: what is legal, and atomic or rfactor where they apply.
std::string carried_remedy(const ScheduleState& state, const DefinitionKey& definition,
                           const std::string& loop, bool parallel,
                           const std::vector<std::string>& legal);
// The code of refusals with the remedy for vectorised loops. The remedy goes by the loops as they
// stand: a directive that split one first says what is legal in its own words.
inline constexpr const char* kCodeVectorDependence = "dependence-vectorise";

// The dependence behind a refusal, for views that draw it: two accesses of one definition to the
// same element, which the nest as it stands would run in the wrong order or at once.
struct Violation {
    std::string stage;
    int definition = 0;
    std::vector<std::string> loops; // the loops of the nest that take part, outermost first
    std::string first, second;      // the accesses as written: "B[y, x]", "B[y, x - 1]"
    bool first_writes = true, second_writes = false;
    std::vector<std::string> axes;      // of `from` and `distance`
    std::vector<std::int64_t> from;     // the first iteration; empty: not known
    std::vector<std::int64_t> distance; // to the second one, in iterations; empty: not known
};
// The dependence for which check_nest refuses the nest; nullopt: it does not refuse it, or for
// another rule.
std::optional<Violation> find_violation(const ScheduleState& state, const std::string& stage,
                                        int definition);

// May iterations of the definition that run at once, as threads or lanes, combine into the same
// element? They may only after atomic(), and only where it makes a difference.
bool collides(const ScheduleState& state, const std::string& stage, int definition);

// Does the nest change the order in which floats are summed or multiplied, or fast_math() what is
// computed, so that results may differ in rounding?
bool reassociates(const ScheduleState& state, const std::string& stage, int definition);

} // namespace loopscope
