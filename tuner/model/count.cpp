// Counts that hold whatever the device.

#include "tuner/model/distinct.h"
#include "tuner/model/estimate_parts.h"

namespace loopscope::model {

Counts count(const ScheduleTree& tree) {
    auto work = flatten(tree);
    Counts out;
    for (const auto& point : work.points) {
        out.flops += point.flops;
        out.stores += point.taken * static_cast<double>(point.stage->stage.types.size());
        out.flops_exact = out.flops_exact && point.flops_exact;
        out.stores_exact = out.stores_exact && point.taken_exact;
    }
    for (const auto& [name, distinct] : distinct_bytes(work)) {
        out.distinct_bytes[name] = distinct.bytes;
        out.distinct_exact[name] = distinct.exact;
    }
    out.nodes = node_costs(work, footprints(work, 64));
    return out;
}

} // namespace loopscope::model
