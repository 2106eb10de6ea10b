#pragma once
// S.bind(a, block.x): the loop's iterations run at a level of the target: its blocks, threads,
// warps. They must be independent, as those of parallel; a reduction loop bound to threads becomes
// a reduction of the block. Under a CPU target the loop is a plain one.

#include "core/schedule/directive.h"

namespace loopscope {

struct Bind final : DirectiveOf<Bind> {
    std::string loop;
    std::string level;

    const char* verb() const override { return "bind"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"loop", field::Loop{loop}}, {"level", field::Level{level}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
