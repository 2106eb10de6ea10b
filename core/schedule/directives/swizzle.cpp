// S.swizzle(): the chunks of S's rows in shared memory change places, so that the threads of a warp
// have no bank conflicts. Memory of a CPU has no banks that threads share: there it is a hint,
// which the tree shows and other targets use.

#include "core/schedule/directive.h"
#include "core/schedule/storage.h"

namespace loopscope {

namespace {

struct Swizzle final : DirectiveOf<Swizzle> {
    const char* verb() const override { return "swizzle"; }
    const char* summary() const override {
        return "Permutes the banks of the memory that holds the stage.";
    }
    Status apply(ScheduleState& state, const ApplyContext&) const override {
        if (auto own = owns_storage(state, receiver); !own)
            return at("receiver", own.errors());
        state.edit(receiver.stage).swizzled = true;
        return success();
    }
    std::string describe() const override { return "swizzle " + receiver.stage; }
    bool per_stage() const override { return true; }
};

} // namespace

std::unique_ptr<Directive> make_swizzle() { return std::make_unique<Swizzle>(); }

} // namespace loopscope
