#pragma once
// S.pad_storage(a, n): n more elements along index a in memory, which nothing reads or writes: rows
// then begin at other addresses. The last line for an index holds; 0 takes its padding away. For
// storage that is ours.

#include "core/schedule/directive.h"

namespace loopscope {

constexpr std::int64_t kMaxStoragePadding = 1'048'576; // elements, along one index

struct PadStorage final : DirectiveOf<PadStorage> {
    std::string dimension;
    std::int64_t elements = 0;

    const char* verb() const override { return "pad_storage"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"dimension", field::Dimension{dimension}}, {"elements", field::Count{elements}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
