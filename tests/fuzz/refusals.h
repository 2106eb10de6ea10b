#pragma once
// Are refusals justified? A refused directive is carried out all the same, by writing into the
// schedule's state what it would have written: a state is a value, and the tree is made of whatever
// it says. Then the program is built and interpreted. What cannot be built, conflicts, or gives
// other results was refused rightly. What is equal on all inputs was not, unless a rule says so
// that README.md lists.

#include "core/schedule/directive.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::fuzz {

// Writes what the directive asks for into the state, asking no rule. False where that has no
// meaning: names that are not there, a stage inside itself.
bool force(ScheduleState& state, const Directive& directive);
// The verbs of which it can.
const std::vector<std::string>& forced_verbs();

enum class Refusal {
    Wrong,      // carried out, it gives other results, or conflicts
    Impossible, // it cannot be lowered, or what rules guard breaks
    Harmless,   // carried out, it gives the same on all inputs
    Unjudged,   // too much work, or nothing to carry out
};

struct JudgedRefusal {
    Refusal outcome = Refusal::Unjudged;
    // The loops that it names have one iteration at most, or nothing is needed of its stage.
    bool one_iteration = false;
    bool conditional = false; // the definition has a `where`
    bool unneeded = false;    // its updates compute elements that nobody reads
};
// `state`: before the directive, which is refused there.
JudgedRefusal judge_refusal(const PipelinePtr& pipeline, const ScheduleState& state,
                            const Directive& directive, std::uint64_t seed);

// A rule that refuses more than is wrong: the diagnostic's code, words that its message or remedy
// has, and of which refusals it holds.
struct ConservativeRule {
    enum class Holds { Always, OneIteration, Conditional, Unneeded };
    const char* name; // as in README.md
    const char* code;
    const char* words;
    Holds holds = Holds::Always;
};
const std::vector<ConservativeRule>& conservative_rules();
// The rule for a harmless refusal; null: none.
const ConservativeRule* rule_of(const Diagnostic& diagnostic, const JudgedRefusal& judged);

} // namespace loopscope::fuzz
