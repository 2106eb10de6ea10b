#include "core/schedule/directives/tensorize.h"

#include "core/schedule/intrinsics.h"
#include "core/schedule/nest.h"
#include "core/schedule/tensorizing.h"

namespace loopscope {

const char* Tensorize::summary() const {
    return "Replaces a loop and all inside it by an instruction of the target.";
}

Status Tensorize::apply(ScheduleState& state, const ApplyContext& context) const {
    auto opened = open_loop(state, *this, loop);
    if (!opened)
        return opened.errors();
    auto& [nest, position] = *opened;
    auto found = find_intrinsic(intrinsic, context);
    if (!found)
        return at("intrinsic", found.errors());
    auto& loops = nest.loops();
    const DefinitionKey key{receiver.stage, receiver.definition};
    if (const auto from = loops.tensorized_from(); from < loops.loops.size() && from != position)
        return refuse("loop", tensorize_text(state, key) + " stands already: one is all of a nest",
                      receiver.text() + ".serial(" + loops.loops[from].name + ") undoes it");
    loops.tensorized = Tensorizing{loops.loops[position].id, *found};
    if (auto proven = prove_tensorized(state, key); !proven)
        return at("loop", proven.errors());
    return nest.finish(*this);
}

std::string Tensorize::describe() const {
    return "tensorize " + receiver.text() + "." + loop + " by " + intrinsic;
}

std::unique_ptr<Directive> make_tensorize() { return std::make_unique<Tensorize>(); }

} // namespace loopscope
