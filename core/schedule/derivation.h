#pragma once
// The derived program, stage by stage. Lines come one after another, and stages that a line leaves
// as they were are taken over.

#include "core/schedule/state.h"
#include "core/schedule/tree.h"

#include <memory>
#include <vector>

namespace loopscope {

struct Derivation {
    // All stages in the order of the state's, inlined ones included.
    StageList states;                                 // what each was derived from
    std::vector<std::shared_ptr<const Stage>> stages; // the same object as before: unchanged
    std::shared_ptr<const Pipeline> pipeline;         // as Derived::pipeline
};

// Derives the state's program. `before`: the derivation of an earlier state of the same pipeline,
// or null; it is returned itself where the program is the same.
std::shared_ptr<const Derivation> derive_again(const ScheduleState& state,
                                               std::shared_ptr<const Derivation> before);

// What the tree says of the derived stages; boxes are not yet filled in.
std::vector<DerivedStage> derived_stages(const ScheduleState& state, const Derivation& derivation);

} // namespace loopscope
