#pragma once
// S.swizzle(): the chunks of S's rows in shared memory change places, so that the threads of a warp
// have no bank conflicts. Memory of a CPU has no banks that threads share: there it is a hint,
// which the tree shows and other targets use.

#include "core/schedule/directive.h"

namespace loopscope {

struct Swizzle final : Directive {
    const char* verb() const override { return "swizzle"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Swizzle>(*this); }
    bool per_stage() const override { return true; }
};

} // namespace loopscope
