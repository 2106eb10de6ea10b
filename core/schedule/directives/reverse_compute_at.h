#pragma once
// S.reverse_compute_at(P, a): S, which reads P element by element, is computed inside of P's loops
// down to `a`, each iteration of which computes a tile of P and then what S makes of it. It is a
// recipe: it stands for the lines that give S those loops, and then either compute P at the last of
// them, or, where P is more than S's, let the two share them (consumer_loops.h).
//
//     for yo: for yi, x: P          for yo                     # S's, as P's were
//     for y, x: S             →       for yi, x: P             # a tile, in memory of its own
//                                     for yi, x: S

#include "core/schedule/recipe.h"

namespace loopscope {

struct ReverseComputeAt final : Recipe {
    DefinitionRef host;
    std::string loop;

    const char* verb() const override { return "reverse_compute_at"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"host", field::Definition{host}}, {"loop", field::LoopOf{{loop}, host}}};
    }
    Result<std::vector<DirectivePtr>> expansion(const ScheduleState& state,
                                                const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override {
        return std::make_unique<ReverseComputeAt>(*this);
    }

private:
    Status check_untouched(const ScheduleState& state) const;
};

} // namespace loopscope
