// S.fast_math(): the definition is contracted, as by contract(), and evaluates exp, log and the
// other functions of the prelude by approximations, also in what is inlined into it. Results may
// differ in rounding, and by the approximations' declared errors.

#include "core/schedule/combining.h"
#include "core/schedule/legality.h"
#include "core/schedule/nest.h"

namespace loopscope {

namespace {

struct FastMath final : DirectiveOf<FastMath> {
    const char* verb() const override { return "fast_math"; }
    const char* summary() const override {
        return "Fuses multiplications and additions, and approximates exp, log and their like.";
    }
    Status apply(ScheduleState& state, const ApplyContext&) const override {
        auto found = find_definition(state, receiver);
        if (!found)
            return at("receiver", found.errors());
        auto reason = no_floats(state, receiver.stage, receiver.definition);
        if (!reason.empty())
            return refuse("receiver",
                          receiver.text() + " " + reason + ": there is nothing to approximate",
                          state.find(receiver.stage)->copy_of.empty()
                              ? "fast_math is for definitions that compute floats"
                              : "give it to the stage that computes");
        for (const auto& [stage, definition] :
             factor_family(state, {receiver.stage, receiver.definition})) {
            state.edit(stage).definitions[static_cast<std::size_t>(definition)].fast_math = true;
            auto marked = reassociates(state, stage, definition);
            state.edit(stage).definitions[static_cast<std::size_t>(definition)].reassociates =
                marked;
        }
        return success();
    }
    std::string describe() const override { return "compute " + receiver.text() + " by fast math"; }
};

} // namespace

std::unique_ptr<Directive> make_fast_math() { return std::make_unique<FastMath>(); }

} // namespace loopscope
