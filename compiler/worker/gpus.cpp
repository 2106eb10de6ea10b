// gpus: what is attached, and on request what it reaches.
#include "compiler/gpu/ceilings.h"
#include "compiler/measure/targets.h"
#include "compiler/server/arguments.h"
#include "compiler/worker/context.h"
#include "compiler/worker/gpu_plan.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

Result<json> serve_gpus(const json& arguments, const Context& context) {
    auto attached = gpu::attached_gpus();
    if (!attached)
        return attached.errors();
    auto list = json::array();
    const int only = whole_or(arguments, "number", -1, 0, measure::kMaxGpus);
    for (const auto& gpu : *attached) {
        auto one = gpu::to_json(gpu);
        if (arguments.value("measure", false) && (only < 0 || only == gpu.ordinal)) {
            auto session = gpu::GpuSession::open(gpu.ordinal);
            if (!session)
                return session.errors();
            auto ceilings = gpu::measure_ceilings(**session, {20, context.cancel_flag()});
            if (!ceilings)
                return ceilings.errors();
            one["ceilings"] = gpu::to_json(*ceilings);
        }
        list.push_back(std::move(one));
    }
    return json{{"gpus", std::move(list)}};
}

} // namespace loopscope::worker
