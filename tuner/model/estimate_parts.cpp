#include "tuner/model/estimate_parts.h"

#include "core/base/number_text.h"
#include "tuner/model/distinct.h"

#include <cmath>

namespace loopscope::model {

Estimate named_estimate(const char* model, const device::Device& device) {
    Estimate e;
    e.model = model;
    e.device = device.name;
    e.described = !device.is_here();
    return e;
}

double compulsory_bytes(const Work& work) {
    const auto distinct = distinct_bytes(work);
    double bytes = 0;
    for (const auto& buffer : work.buffers)
        if (buffer.is_input || buffer.is_output)
            bytes += distinct.at(buffer.name).bytes;
    return bytes;
}

void add_counts(Estimate& e, const Work& work, const std::vector<NodeFootprints>& footprints,
                Recomputation recompute, double compulsory) {
    for (const auto& point : work.points) {
        e.flops += point.flops;
        e.stores += point.taken;
    }
    e.useful_flops = recompute.useful_flops;
    e.recompute_factor = recompute.factor;
    e.stage_recompute = std::move(recompute.stages);
    e.compulsory_bytes = compulsory;
    e.nodes = node_costs(work, footprints);
    e.terms.push_back({"FLOPs", e.flops, "flop",
                       "sum over points of executions × FLOPs of one = " + number(e.flops),
                       "counted from the definitions; help: Estimate"});
    e.terms.push_back(
        {"recompute", e.recompute_factor, "",
         e.useful_flops > 0 ? "FLOPs / FLOPs with every stage once = " + number(e.flops) + " / " +
                                  number(e.useful_flops)
                            : "points computed / points needed = " + number(e.recompute_factor),
         "work done again at the borders of tiles: Sioutas, Automatic Scheduling of Image "
         "Processing Pipelines, section 5.3"});
    e.terms.push_back(
        {"bytes_compulsory", e.compulsory_bytes, "bytes",
         "distinct bytes of inputs read + outputs written = " + number(e.compulsory_bytes),
         "counted from the footprints of inputs and outputs"});
}

std::map<NodeId, NodeCost> node_costs(const Work& work,
                                      const std::vector<NodeFootprints>& footprints) {
    std::map<NodeId, NodeCost> out;
    for (std::size_t n = 0; n < work.nodes.size(); ++n) {
        const auto& node = work.nodes[n];
        NodeCost cost;
        cost.trips = node.trips;
        for (int p = node.first_point; p < node.last_point; ++p) {
            const auto& point = work.points[static_cast<std::size_t>(p)];
            cost.flops += point.flops;
            cost.stores += point.taken;
        }
        for (const auto& touch : footprints[n].all.touches)
            cost.footprint_bytes[work.buffers[static_cast<std::size_t>(touch.buffer)].name] =
                touch.bytes;
        if (node.node->kind == TreeKind::Storage)
            for (const auto& buffer : work.buffers)
                if (buffer.name == node.node->id.stage)
                    cost.footprint_bytes[buffer.name] = buffer.bytes;
        out.emplace(node.node->id, std::move(cost));
    }
    return out;
}

void set_seconds(Estimate& e, const Work& work, const std::vector<double>& own, std::size_t first,
                 std::size_t last) {
    auto subtree = own;
    for (std::size_t n = last; n-- > first + 1;)
        subtree[static_cast<std::size_t>(work.nodes[n].parent)] += subtree[n];
    for (std::size_t n = first; n < last; ++n) {
        auto& cost = e.nodes[work.nodes[n].node->id];
        cost.seconds_own = own[n];
        cost.seconds_subtree = subtree[n];
    }
}

std::string overall_bound(const Estimate& estimate) {
    std::map<std::string, double> seconds;
    for (const auto& kernel : estimate.kernels)
        seconds[kernel.bound] += kernel.seconds;
    std::string best;
    double most = -1;
    for (const auto& [bound, time] : seconds)
        if (time > most) {
            most = time;
            best = bound;
        }
    return best;
}

std::string number(double value) {
    const double magnitude = std::abs(value);
    return general_text(value, value == 0 || (magnitude >= 0.01 && magnitude < 1e5) ? 4 : 3);
}

} // namespace loopscope::model
