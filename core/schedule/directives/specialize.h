#pragma once
// S.specialize(n): n warpgroups of the block only produce S, the others consume it. What hands S
// over is its pipeline's copies, hence it is for pipelined stages. Which targets have what such
// warps need: runnable.h. A CPU has no warps: there one thread does both, in turns.

#include "core/schedule/directive.h"

namespace loopscope {

constexpr std::int64_t kMaxSpecialization = 32; // warpgroups

struct Specialize final : Directive {
    std::int64_t warps = 1;

    const char* verb() const override { return "specialize"; }
    const char* summary() const override;
    Fields fields() override { return {{"warps", field::Count{warps}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override {
        return std::make_unique<Specialize>(*this);
    }
    bool per_stage() const override { return true; }
};

} // namespace loopscope
