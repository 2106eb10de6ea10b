// S.specialize(n): n warpgroups of the block are producers of S alone, the others consume it. The
// slots of S's pipeline hand S over, hence it is for pipelined stages. runnable.h says which
// targets have what producer warpgroups need. A CPU has no warps: there one thread does both, in
// turns.

#include "core/schedule/nest.h"
#include "core/schedule/pipelining.h"

namespace loopscope {

namespace {

// What to write first, if it is legal.
std::string pipeline_first(const ScheduleState& state, const std::string& stage) {
    const auto legal = check_may_be_pipelined(state, stage, 2);
    return legal ? "first " + stage + ".pipeline(2), or more"
                 : "it would have to be pipelined first, and " + legal.errors().front().message +
                       "; " + legal.errors().front().remedy;
}

constexpr std::int64_t kMaxSpecialization = 32; // warpgroups

struct Specialize final : DirectiveOf<Specialize> {
    std::int64_t warps = 1;

    const char* verb() const override { return "specialize"; }
    const char* summary() const override {
        return "Makes producer warpgroups, which do nothing but load the stage.";
    }
    Fields fields() override { return {{"warps", field::Count{warps}}}; }
    Status apply(ScheduleState& state, const ApplyContext&) const override {
        auto found = find_definition(state, receiver);
        if (!found)
            return at("receiver", found.errors());
        if (warps < 1 || warps > kMaxSpecialization)
            return refuse("warps", std::to_string(warps) + " warpgroups are out of range",
                          "from 1 to " + std::to_string(kMaxSpecialization));
        if (state.find(receiver.stage)->pipeline < 2)
            return refuse("receiver",
                          receiver.stage +
                              " is not pipelined: its producers would have to wait for "
                              "its consumers in each iteration",
                          pipeline_first(state, receiver.stage));
        state.edit(receiver.stage).producer_warpgroups = warps;
        return success();
    }
    std::string describe() const override {
        return "let " + std::to_string(warps) +
               (warps == 1 ? " producer warpgroup load " : " producer warpgroups load ") +
               receiver.stage;
    }
    bool per_stage() const override { return true; }
};

} // namespace

std::unique_ptr<Directive> make_specialize() { return std::make_unique<Specialize>(); }

} // namespace loopscope
