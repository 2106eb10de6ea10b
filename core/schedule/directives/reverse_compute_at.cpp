// S.reverse_compute_at(P, a): S, which reads P element by element, is computed inside of P's loops
// down to `a`, each iteration of which computes a tile of P and then what S makes of it. It is a
// recipe: it stands for the lines that give S those loops, and then either compute P at the last of
// them, or, where P is more than S's, let the two share them (consumer_loops.h).
//
//     for yo: for yi, x: P          for yo                     # S's, as P's were
//     for y, x: S             →       for yi, x: P             # a tile, in memory of its own
//                                     for yi, x: S

#include "core/schedule/consumer_loops.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"
#include "core/schedule/recipe.h"

namespace loopscope {

namespace {

struct ReverseComputeAt final : DirectiveOf<ReverseComputeAt, Recipe> {
    DefinitionRef host;
    std::string loop;

    const char* verb() const override { return "reverse_compute_at"; }
    const char* summary() const override {
        return "Computes the stage inside of the loops of one that it reads, tile by tile.";
    }
    Fields fields() override {
        return {{"host", field::Definition{host}}, {"loop", field::LoopOf{{loop}, host}}};
    }
    Result<std::vector<DirectivePtr>> expansion(const ScheduleState& state,
                                                const ApplyContext& context) const override;
    std::string describe() const override {
        return "compute " + receiver.text() + " inside of " + host.text() + "." + loop;
    }

private:
    Status check_untouched(const ScheduleState& state) const;
};

} // namespace

// The loops that the lines make are those of a definition which has none of its own yet.
Status ReverseComputeAt::check_untouched(const ScheduleState& state) const {
    const auto& stage = *state.find(receiver.stage);
    if (stage.compute.kind == Placement::Kind::Inline)
        return refuse("receiver", receiver.stage + " is inlined: it has no loops",
                      receiver.stage + ".compute_root() gives it loops again");
    if (nest_of(state, {receiver.stage, receiver.definition}).touched)
        return refuse("receiver",
                      receiver.text() +
                          " has loop directives, and its outer loops would be those of " +
                          host.text(),
                      "write this line before them");
    return success();
}

Result<std::vector<DirectivePtr>> ReverseComputeAt::expansion(const ScheduleState& state,
                                                              const ApplyContext&) const {
    if (auto found = find_definition(state, receiver); !found)
        return at("receiver", found.errors());
    if (host.stage == receiver.stage)
        return Diagnostics{refuse("host", receiver.text() + " cannot be computed inside itself",
                                  "name a stage that it reads")};
    const auto place = find_host_loop(state, *this, host, loop, "computed");
    if (!place)
        return place.errors();
    if (auto untouched = check_untouched(state); !untouched)
        return untouched.errors();
    auto lines = consumer_loop_lines(state, receiver, *place, where);
    return lines ? lines : Result<std::vector<DirectivePtr>>(at("loop", lines.errors()));
}

std::unique_ptr<Directive> make_reverse_compute_at() {
    return std::make_unique<ReverseComputeAt>();
}

} // namespace loopscope
