#include "app/session/gpu_script.h"

#include "app/session/script_edit.h"
#include "app/session/script_target.h"
#include "compiler/measure/host_device.h"
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/tree_search.h"

#include <algorithm>
#include <tuple>

namespace loopscope::session {

namespace {

Result<Scheduled> on_device(const DevicePtr& device, const PipelinePtr& pipeline,
                            const std::string& script) {
    ApplyContext at;
    at.device = device.get();
    at.intrinsics = &declared_intrinsics();
    return schedule_script(pipeline, script, at);
}

// Those of the generic GPU's capability come first, then newer ones, then older ones; the faster of
// equal ones first.
auto rank(const device::Device& device) {
    const auto capability = device.gpu->capability();
    const auto rate = device.gpu->dram_bytes_per_second;
    return std::tuple(capability < device::generic_gpu().gpu->capability(), capability,
                      rate ? -rate->value : 0.0);
}

// Is there a line that binds loops, or asks for instructions?
bool speaks_of_gpus(const std::string& script, const Pipeline& pipeline) {
    const auto parsed = parse_schedule(std::make_shared<SourceFile>("schedule", script), &pipeline);
    if (!parsed)
        return false;
    const auto& lines = parsed->directives;
    return std::any_of(lines.begin(), lines.end(), [](const auto& line) {
        const auto text = line->text();
        return text.find(".bind(") != std::string::npos ||
               text.find(".gpu_tile(") != std::string::npos ||
               text.find(".tensor") != std::string::npos;
    });
}

} // namespace

DevicePtr gpu_for(const std::string& script, const PipelinePtr& pipeline,
                  const DocumentDevice& devices) {
    if (!target_of(script).empty())
        return nullptr;
    // What only GPUs have, such as tensor instructions, is refused by this machine; an error of
    // another kind is one everywhere.
    const auto here = on_device(devices.host(), pipeline, script);
    if (here ? !binds_loops(*here->tree->root) : !speaks_of_gpus(script, *pipeline))
        return nullptr;
    auto gpus = devices.gpus();
    if (devices.now()->gpu && devices.now()->is_here())
        gpus.insert(gpus.begin(), devices.now()); // that was chosen, OpenCL's as well
    auto described = measure::described_gpus();
    std::stable_sort(described.begin(), described.end(),
                     [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    for (auto& gpu : described)
        gpus.push_back(std::make_shared<const device::Device>(std::move(gpu)));
    DevicePtr applies;
    for (const auto& gpu : gpus) {
        const auto scheduled = on_device(gpu, pipeline, script);
        if (!scheduled || !binds_loops(*scheduled->tree->root))
            continue;
        if (not_runnable(*scheduled->tree, *gpu->gpu).empty())
            return gpu;
        if (!applies)
            applies = gpu;
    }
    return applies;
}

} // namespace loopscope::session
