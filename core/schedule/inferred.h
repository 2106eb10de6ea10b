#pragma once
// Boxes, padded tails and merged loops of a state, kept with it (ScheduleState::inferred), so that
// a line asks only for what it changes. A stage is inferred anew where its state, its derived
// definitions, what is needed of it, or a layout that its region depends on has changed. The
// results are those of required_boxes() and infer_layout() for the whole.

#include "core/schedule/derivation.h"
#include "core/schedule/padding.h"

#include "core/ir/box.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

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
    // its own: minima of its region, and of what its memory holds
    std::map<std::string, FormInterval> region_variables;
    std::vector<PaddedReads> reads; // beyond the boxes of InferredBoxes
    // per definition: variables of loops that it shares
    std::vector<std::vector<std::string>> merged;
    bool of_block = false; // the threads of a block share its memory
    // First values of the loops around it (Layout::begins), as earlier stages had left them and as
    // it leaves them.
    std::vector<std::pair<std::string, std::int64_t>> begins_before, begins_after;
};

struct Inferred {
    std::shared_ptr<const InferredBoxes> boxes;
    // By stage of the state. Null: inlined, or not laid out, because another error came first or no
    // line has asked.
    std::vector<std::shared_ptr<const LayoutRecord>> layouts;
    // Layouts, by stage of the state, and first values of loops with which merged loops were last
    // found to keep the order that matters. Empty: they were not looked at.
    std::vector<std::shared_ptr<const LayoutRecord>> ordered;
    std::map<std::string, std::int64_t> ordered_begins;
    // Layouts, by stage of the state, with which instructions were last found to do what they
    // replace. Empty: they were not looked at.
    std::vector<std::shared_ptr<const LayoutRecord>> matched;
    // How many boxes and layouts of stages were found since the state's first line: what the lines
    // cost.
    std::size_t boxes_found = 0, layouts_found = 0;
};

// The boxes of a state, and its `inferred` brought up to date with them.
std::shared_ptr<const InferredBoxes> inferred_boxes(ScheduleState& state);

// The layout of all stages, as infer_layout() finds it, and `inferred` brought up to date: of an
// edited schedule only what the edit changes is laid out.
Result<Layout> inferred_layout(ScheduleState& state);

// Checks what merged loops ask of extents and regions (merging.h), and brings `inferred` up to
// date. Errors: those of merging.h, and any that keeps the program from being laid out.
Status check_merged_layouts(ScheduleState& state);

// Checks the layouts of these stages, and of those around them, by `check`, and brings `inferred`
// up to date. Errors: those of `check`, and any that keeps the program from being laid out.
Status check_layouts(ScheduleState& state, const std::set<std::string>& stages,
                     const std::function<Status(const Layout&)>& check);

// The same for stages of which parts are instructions: `check` is asked only of stages, by name,
// whose layouts have changed since it last held (Inferred::matched).
Status
check_matched_layouts(ScheduleState& state, const std::set<std::string>& stages,
                      const std::function<Status(const Layout&, const std::string& stage)>& check);

// Checks padded tails and padded storage against the boxes, and brings `inferred` up to date.
// Errors: those of padding.h alone; others are those of the whole schedule, and come with its tree.
Status check_padding(ScheduleState& state);

} // namespace loopscope
