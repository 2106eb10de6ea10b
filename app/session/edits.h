#pragma once
// What an edit would make of the present schedule, asked without making it: may it be made, what
// would it cost, what else would be legal. Pure functions over one immutable snapshot, callable
// from any thread.

#include "app/session/script_edit.h"
#include "core/device/device.h"
#include "core/language/intrinsics.h"
#include "tuner/model/estimate.h"
#include "views/models/snapshots.h"

#include <memory>
#include <optional>
#include <string>

namespace loopscope::session {

// A legal script and what it means on a device.
struct Present {
    PipelinePtr pipeline;
    std::string script;
    std::shared_ptr<const Scheduled> scheduled;
    std::shared_ptr<const device::Device> device;
    ApplyContext context() const { return {device.get(), &declared_intrinsics()}; }
};

using PresentPtr = std::shared_ptr<const Present>;

// The script with the edit, and what it then means. Errors: why it is refused.
Result<ScriptChange> edited(const Present& present, const views::DirectiveEdit& edit);
// Several edits as one step; lines of all count in the present script. Errors: the first that is
// refused.
Result<ScriptChange> edited(const Present& present, const std::vector<views::DirectiveEdit>& edits);
// Those of several edits that apply, as one step; lines of all count in the present script.
struct EachEdited {
    Result<ScriptChange> change;       // errors: none of them applies
    std::vector<Diagnostics> refusals; // of each edit; empty: it is made
};
EachEdited edited_each(const Present& present, const std::vector<views::DirectiveEdit>& edits);
// Not available is what is refused, and what a GPU could not run whatever followed it.
views::Verdict judge(const Present& present, const views::DirectiveEdit& edit);
// "message; remedy" of the first diagnostic.
QString reason_of(const Diagnostics& diagnostics);

// A directive near in meaning to one that is refused, and legal: another loop to run in parallel,
// the next place at which a stage may be computed. Empty: none was found.
std::string legal_alternative(const Present& present, const std::string& refused_line);

// What a schedule takes, as previews compare it.
struct Resources {
    std::optional<double> seconds; // absent: `reason` says why
    std::string reason;
    double memory_bytes = 0;  // moved between memory and the caches
    double recompute = 1;     // executed work over useful work
    std::string bound;        // what most of the time waits for: "compute", "memory"
    double parallelism = 1;   // threads at once, on average, in the kernel that has most
    double storage_bytes = 0; // of stages that are not outputs, one instance of each
    // On a GPU: the launch that uses most, and the one of which fewest blocks run at once.
    std::optional<double> shared_bytes;
    std::optional<int> blocks_at_once; // of a multiprocessor
};
Resources resources_of(const ScheduleTree& tree, const model::Estimate& estimate);
model::Estimate estimate_of(const ScheduleTree& tree, const device::Device& device);

// What several edits are if one is refused: nothing, the others, or nothing if it is the first.
enum class Refused { Stops, IsLeftOut, StopsIfFirst };

// What an edit would change. Where it is refused, `after` has no seconds and the refusal as its
// reason.
struct Forecast {
    Resources before, after;
};
Forecast forecast(const Present& present, const std::vector<views::DirectiveEdit>& edits,
                  Refused refused = Refused::Stops);
inline Forecast forecast(const Present& present, const views::DirectiveEdit& edit) {
    return forecast(present, std::vector{edit});
}

} // namespace loopscope::session
