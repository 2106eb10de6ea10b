#pragma once
// Boxes and padded tails of a state, kept with it (ScheduleState::inferred), so that a line asks only for what it changes:
// a stage is inferred anew where its state, its derived definitions, what is needed of it or a layout that its region
// depends on is another. What is given is what required_boxes() and infer_layout() give of the whole.

#include "core/schedule/derivation.h"
#include "core/schedule/padding.h"

#include "core/ir/box.h"

namespace loopscope {

// A stage's box without what padded tails add.
struct BoxRecord {
    std::shared_ptr<const Stage> stage; // derived
    Box needed;                         // by its readers and the output
    StageBox found;
    std::vector<std::string> loads; // stages and inputs that it names, itself included
    bool by_values = false; // an index depends on values: their ranges come from other stages
};

struct InferredBoxes {
    std::shared_ptr<const Derivation> derivation;
    std::vector<std::shared_ptr<const BoxRecord>> records;   // by stage of the state; null: inlined
    std::map<std::string, std::vector<std::size_t>> readers; // of stages, by stage of the state
    std::map<std::string, Box> boxes;                        // as required_boxes()
    Diagnostics errors; // as required_boxes(); then the rest is unspecified
};

// A stage's layout with what padded tails add.
struct LayoutRecord {
    std::shared_ptr<const StageState> state;
    std::shared_ptr<const Stage> stage; // derived
    Box needed;                         // by its readers, padded ones included
    bool grown = false;                 // padded readers made that larger
    std::vector<std::shared_ptr<const LayoutRecord>> depends; // those that its region follows from
    Box box;                                                  // with what its updates add
    StageLayout layout;
    std::map<std::string, FormInterval> region_variables; // its own
    std::vector<PaddedReads> reads;                       // beyond the boxes of InferredBoxes
};

struct Inferred {
    std::shared_ptr<const InferredBoxes> boxes;
    // By stage of the state. Null: inlined, or not laid out, because another error came first or nothing padded.
    std::vector<std::shared_ptr<const LayoutRecord>> layouts;
    // Boxes and layouts of stages found since the state's first line: what the lines cost.
    std::size_t boxes_found = 0, layouts_found = 0;
};

// The boxes of a state, and its `inferred` brought up to date with them.
std::shared_ptr<const InferredBoxes> inferred_boxes(ScheduleState& state);

// Holds what padded tails and padded storage ask against the boxes, and brings `inferred` up to date. Errors: those of
// padding.h alone; others are those of the whole schedule, and come with its tree.
Status check_padding(ScheduleState& state);

} // namespace loopscope
