#pragma once
// What padded tails ask of others: a stage that computes beyond what is needed also reads beyond, so that the boxes of
// what it reads grow. An input without a boundary cannot.

#include "core/schedule/region.h"

namespace loopscope {

inline constexpr const char* kCodePadding = "padding";          // a tail that may not pad
inline constexpr const char* kCodeStorageSize = "storage-size"; // a layout that is too large

// The boxes of a layout while stages are laid out, readers before what they read.
class PaddedBoxes {
public:
    PaddedBoxes(const Pipeline& derived, std::map<std::string, Box>& boxes)
        : derived_(derived), boxes_(boxes) {}

    // All readers of the stage are laid out: its box, where they made it larger, with what its updates add.
    Status close(const Stage& stage);
    // The stage is laid out: what it reads must hold what it computes.
    Status add_reads(const Stage& stage, const StageLayout& layout);
    // Errors: an input without a boundary is read outside.
    Status check_inputs() const;

private:
    const Pipeline& derived_;
    std::map<std::string, Box>& boxes_;
    std::map<std::string, std::string> grown_; // stage or input -> which tail, for messages
};

// May the stage's memory, with the padding of its layout, be so large? At most 2^62 bytes, and 2^31-1 elements along each
// dimension.
Status check_storage_size(const StageState& state, const Stage& stage,
                          const std::vector<std::int64_t>& extents);

// Does a tail of the state pad, or a layout? Whether it may follows from extents, which check_padding() infers.
bool pads(const ScheduleState& state);
Status check_padding(const ScheduleState& state);

} // namespace loopscope
