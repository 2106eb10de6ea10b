#pragma once
// S.reorder_storage(j, i): how S lies in memory, by the definition's index names, outermost first;
// the last is contiguous. All of them are named. For storage that is ours: an input or an output
// lies as the caller has it.

#include "core/schedule/directive.h"

namespace loopscope {

struct ReorderStorage final : Directive {
    std::vector<std::string> dimensions;

    const char* verb() const override { return "reorder_storage"; }
    const char* summary() const override;
    Fields fields() override { return {{"dimensions", field::Dimensions{dimensions}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override {
        return std::make_unique<ReorderStorage>(*this);
    }
    bool per_stage() const override { return true; }
};

} // namespace loopscope
