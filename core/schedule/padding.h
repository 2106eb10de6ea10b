#pragma once
// What padded tails ask of other stages: a stage that computes beyond what is needed also reads
// beyond it, so that the boxes of what it reads grow. The box of an input without a boundary cannot
// grow.

#include "core/ir/value_ranges.h"
#include "core/schedule/region.h"

namespace loopscope {

inline constexpr const char* kCodePadding = "padding";          // a tail that may not pad
inline constexpr const char* kCodeStorageSize = "storage-size"; // a layout that is too large

// The tail that makes a stage compute more than is needed, for messages; null: none does.
using PaddingReason = std::shared_ptr<const std::string>;

// The reads of each stage and input by a definition that computes more than is needed.
struct PaddedReads {
    PaddingReason why; // its own tail; null: what made the stage's box larger
    std::map<std::string, Box> boxes;
};

// The boxes of a layout while stages are laid out, readers before what they read.
class PaddedBoxes {
public:
    PaddedBoxes(const Pipeline& derived, std::map<std::string, Box>& boxes)
        : derived_(derived), boxes_(boxes), values_(derived) {}

    // Closes a stage whose readers are all laid out. Gives its box, where they made it larger, with
    // what its updates add.
    Status close(const Stage& stage);
    // Holds that what a laid-out stage reads exists where the stage computes. Definitions that
    // compute no more than is needed are left out.
    Result<std::vector<PaddedReads>> reads_beyond(const Stage& stage, const StageLayout& layout);
    // Grows the boxes of what `reader` reads by these reads.
    void add(const std::string& reader, const std::vector<PaddedReads>& reads);
    // Errors: an input without a boundary is read outside.
    Status check_inputs() const;

    PaddingReason grown(const std::string& name) const; // what made its box larger

private:
    const Pipeline& derived_;
    std::map<std::string, Box>& boxes_;
    ValueRanges values_;
    std::map<std::string, PaddingReason> grown_; // by stage or input
};

// Checks the size of a stage's memory, with the padding of its layout: at most 2^62 bytes, and
// 2^31-1 elements along each dimension.
Status check_storage_size(const StageState& state, const Stage& stage,
                          const std::vector<std::int64_t>& extents);

// Does a tail of the state pad, or a layout? Whether it may pad follows from extents, which
// inferred.h checks.
bool pads(const ScheduleState& state);

} // namespace loopscope
