// The speed of light: the least time that the program takes by any schedule. Its arithmetic, each
// point once, at the peak of all threads; its inputs read and its outputs written once, at the
// bandwidth of memory:
//
//     T = max(useful FLOPs / peak, compulsory bytes / bandwidth)
//
// What a schedule takes beyond that is what is left to gain.

#include "tuner/model/analysis.h"
#include "tuner/model/models.h"

#include <algorithm>

namespace loopscope::model {

namespace {

Estimate estimate_speed_of_light(const ScheduleTree& tree, const device::Device& device,
                                 const EstimateOptions& options) {
    const auto a = analyse(tree, device, options);
    auto e = start_estimate("speed-of-light", device, a);
    e.kernels.clear(); // they are the schedule's
    if (!e.reason.empty())
        return e;
    const auto peak = std::max(peak_flops(device, ScalarType::F32, a.threads).value_or(0),
                               peak_flops(device, ScalarType::F64, a.threads).value_or(0));
    const double compute = peak > 0 ? e.useful_flops / peak : 0;
    const double memory =
        level_seconds(a.levels.back(), e.compulsory_bytes, a.threads, device.cores).value_or(0);
    e.seconds = std::max(compute, memory);
    e.bound = compute > memory ? "compute" : a.levels.back().name;
    const char* source = "the program alone";
    e.terms.push_back({"T_compute", compute, "s",
                       "useful FLOPs / peak = " + number(e.useful_flops) + " / " + number(peak),
                       source});
    e.terms.push_back({"T_" + a.levels.back().name, memory, "s",
                       "compulsory bytes / bandwidth = " + number(e.compulsory_bytes) + " / " +
                           number(memory > 0 ? e.compulsory_bytes / memory : 0),
                       source});
    return e;
}

} // namespace

const Model& speed_of_light_model() {
    static const Model model{
        "speed-of-light",
        "The least time that any schedule takes: the arithmetic that is needed at the peak, or "
        "inputs and outputs once at memory's bandwidth.",
        estimate_speed_of_light};
    return model;
}

} // namespace loopscope::model
