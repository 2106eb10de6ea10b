#pragma once
// S.specialize(n): n warpgroups of the block are producers of S alone, the others consume it. The
// slots of S's pipeline hand S over, hence it is for pipelined stages. runnable.h says which
// targets have what producer warpgroups need. A CPU has no warps: there one thread does both, in
// turns.

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
