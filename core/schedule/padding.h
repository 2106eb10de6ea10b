#pragma once
// What padded tails ask of others: a stage that computes beyond what is needed also reads beyond,
// so that the boxes of what it reads grow. An input without a boundary cannot.

#include "core/ir/value_ranges.h"
#include "core/schedule/region.h"

namespace loopscope {

inline constexpr const char* kCodePadding = "padding";          // a tail that may not pad
inline constexpr const char* kCodeStorageSize = "storage-size"; // a layout that is too large

// Which tail makes a stage compute more than is needed, for messages; null: none does.
using PaddingReason = std::shared_ptr<const std::string>;

// What one definition reads of each stage and input where it computes more than is needed.
struct PaddedReads {
    PaddingReason why; // its own tail; null: what made the stage's box larger
    std::map<std::string, Box> boxes;
};

// The boxes of a layout while stages are laid out, readers before what they read.
class PaddedBoxes {
public:
    PaddedBoxes(const Pipeline& derived, std::map<std::string, Box>& boxes)
        : derived_(derived), boxes_(boxes), values_(derived) {}

    // All readers of the stage are laid out: its box, where they made it larger, with what its
    // updates add.
    Status close(const Stage& stage);
    // The stage is laid out: what it reads must hold what it computes. Definitions that compute no
    // more are left out.
    Result<std::vector<PaddedReads>> reads_beyond(const Stage& stage, const StageLayout& layout);
    // Grows the boxes of what `reader` reads by that.
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

// May the stage's memory, with the padding of its layout, be so large? At most 2^62 bytes, and
// 2^31-1 elements along each dimension.
Status check_storage_size(const StageState& state, const Stage& stage,
                          const std::vector<std::int64_t>& extents);

// Does a tail of the state pad, or a layout? Whether it may follows from extents: inferred.h holds
// it against them.
bool pads(const ScheduleState& state);

} // namespace loopscope
