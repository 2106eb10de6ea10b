#include "app/session/check_sizes.h"

#include "app/session/edits.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/schedule/gpu/runnable.h"

#include <algorithm>
#include <optional>

namespace loopscope::session {

namespace {

constexpr double kMaxWork = 2e7;       // FLOPs and stores: some seconds of interpreting
constexpr std::int64_t kUneven = 3;    // more than a multiple of any usual tile
constexpr std::int64_t kMinUneven = 8; // smaller params stay as they are scaled
constexpr std::int64_t kMaxScale = 1 << 20;

using Params = std::map<std::string, std::int64_t>;

// FLOPs and stores of the schedule at those sizes; nothing: it does not apply, or cannot run.
std::optional<double> work_of(const SourceFilePtr& file, const Params& params,
                              const std::string& script, const device::Device& device) {
    LoadOptions load;
    load.params = params;
    auto loaded = load_pipeline(file, load);
    if (!loaded)
        return std::nullopt;
    ApplyContext at;
    at.device = &device;
    at.intrinsics = &declared_intrinsics();
    auto scheduled = schedule_script(loaded->pipeline, script, at);
    if (!scheduled || !not_runnable(*scheduled->tree, *device.gpu).empty())
        return std::nullopt;
    const auto estimate = estimate_of(*scheduled->tree, device);
    return estimate.flops + estimate.stores;
}

} // namespace

Params check_sizes(const std::string& name, const std::string& text, const Params& params,
                   const std::string& script, const device::Device& device) {
    const auto file = std::make_shared<SourceFile>(name, text);
    LoadOptions load;
    load.params = params;
    auto loaded = load_pipeline(file, load);
    if (!loaded || !device.gpu)
        return params;
    Params whole;
    std::int64_t greatest = 1;
    for (const auto& param : loaded->pipeline->params) {
        whole[param.name] = param.value;
        greatest = std::max(greatest, param.value);
    }
    Params smallest = whole;
    for (std::int64_t scale = 1; scale <= kMaxScale && scale <= 2 * greatest; scale *= 2)
        for (bool uneven : {true, false}) {
            Params scaled;
            for (const auto& [param, value] : whole) {
                // Few of something (channels, taps) are what they are: only great sizes are made
                // smaller.
                auto small = value > 64 ? std::max<std::int64_t>(value / scale, 32) : value;
                if (uneven && scale > 1 && small != value && small > kMinUneven)
                    small += kUneven;
                scaled[param] = small;
            }
            const auto work = work_of(file, scaled, script, device);
            if (!work)
                continue;
            smallest = scaled;
            if (*work <= kMaxWork)
                return scaled;
        }
    return smallest;
}

} // namespace loopscope::session
