#pragma once
// Where stages may be computed. A stage computed at a loop needs all its readers inside that loop,
// directly or through stages that are computed inside it; every directive that moves loops or
// stages is held against this.

#include "core/base/result.h"
#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <string>
#include <vector>

namespace loopscope {

// Of a stage that is computed at a loop. What goes through trees and programs recurses as deep.
constexpr std::size_t kMaxLoopsAround = 512;

// A definition's nest, and a loop of one. They must exist.
const DefinitionState& nest_of(const ScheduleState& state, const DefinitionKey& definition);
const LoopState& loop_of(const ScheduleState& state, const LoopRef& loop);

// The loops at which the stage may be computed, outermost first; empty: at root only. Root is
// always legal.
std::vector<LoopRef> legal_placements(const ScheduleState& state, const std::string& stage);

// Why the stage cannot be computed at `loop`, with what would be legal instead; success if it can.
Status check_placement(const ScheduleState& state, const ReadGraph& graph, const std::string& stage,
                       const LoopRef& loop);

// The line to write first where a stage at root should be computed at a loop: at the innermost loop
// that is legal and for which `fits` holds; or why there is none.
std::string placement_first(const ScheduleState& state, const std::string& stage,
                            bool (*fits)(const LoopState&));

// Words for the placement of a stage that ScheduleState::placed_at() names: "computed",
// "compute_at", or "stored", "store_at" where only its memory is placed.
struct PlacedWords {
    std::string placed, verb;
};
PlacedWords placed_words(const ScheduleState& state, const std::string& stage, const LoopRef& loop);

// The loops around a stage's nests: those of its host down to where it is computed, and those
// around the host; outermost first.
std::vector<LoopRef> loops_around(const ScheduleState& state, const std::string& stage);
// The loops around the points of a definition: those around its stage, then its own, of which the
// outer ones may be another definition's (merging.h); outermost first.
std::vector<LoopRef> loops_around_point(const ScheduleState& state,
                                        const DefinitionKey& definition);

// Can the stage be stored elsewhere than where it is computed? Errors: it is computed at root,
// hence lives throughout; it is inlined.
Status check_stored(const ScheduleState& state, const std::string& stage);
// Why the stage cannot be stored where the state says: not at a loop around the one at which it is
// computed, or iterations that run at once would share the memory. Success if it can.
Status check_store(const ScheduleState& state, const std::string& stage);
// The loops at which a stage may be stored while all other lines stay, outermost first; the last is
// the one at which it is computed. `root`: whether it may also be stored at root. Empty: it is not
// computed at a loop.
struct StorePlaces {
    std::vector<LoopRef> loops;
    bool root = false;
};
StorePlaces legal_stores(const ScheduleState& state, const std::string& stage);

// Checks all placements of the state: every directive ends with it.
Status check_placements(const ScheduleState& state);

// "C.ko", "H.update(0).r": a loop as messages name it.
std::string loop_text(const ScheduleState& state, const LoopRef& loop);

} // namespace loopscope
